"""Words beside a value that take nothing from it, in the languages of answers: they announce, state or count it.

All other words next to a value must be those of the question or reference, or a unit; see `leftover_words`.
"""

from __future__ import annotations

from engines.grading.answer_vocabulary import make_phrases

HARMLESS_WORDS = make_phrases(
    # English
    "so, thus, hence, therefore, then, finally, also, now, the, a, an, this, that, these, those, it, its, it's",
    "he, she, they, we, you, i, his, her, their, our, your, my, them, us, him, me, there, here, is, are, was",
    "were, be, been, being, am, has, have, had, of, in, on, at, with, and, exactly, precisely, only, just",
    "simply, indeed, equals, equal, equal to, gives, give, yields, get, gets, got, we get, obtain, we obtain",
    "answer, answers, final, final answer, result, results, value, values, solution, solutions are, total",
    "totals, altogether, in total, in all, overall, combined, comes to, comes out to, comes out as",
    "works out to, works out as, works out at, amounts to, adds up to, add up to, adding up to, simplifies to",
    "reduces to, evaluates to, turns out to be, must be, has to be, have to be, will be, is equal to, is given by",
    "are given by, given by, take, takes, took, need, needs, needed, cost, costs, makes, make, made, gains",
    "receives, receive, earns, earn, pays, pay, paid, measures, measure, lasts, weighs, contains, contain",
    "find, found, compute, computed, calculated, calculate, correct, right, correct answer, required, desired",
    "requested, wanted, sought, number, numbers, the number of, total number of, different, distinct, possible",
    "real, unique, all, each other, both, do, does, did, can, could be made, for, by, from, which, since",
    "because, where, as, that is, i.e., namely, in other words, my, please, note, check, qed, done, dear, hello",
    "ways, way, many, work, works, hold, holds, true, ok, yes, units, unit, cubic units, square units, back, apart",
    "arbitrary, constant, constants, any, parameter, parameters, integer, integers, about the point, converges",
    "converge, converges to, series, sequence, limit, exists, set, solution set, the set, points, point, pair",
    "pairs, function, polynomial, interval, vector, matrix, equation, expression, ordered, closed form, form",
    "arrangements, combinations, permutations, choices, possibilities, roots are, approximately, roughly, about",
    "approx, rounded, to the nearest, decimal places, decimal place, significant figures, s f, d p, to two",
    "to three, nearest, is left, are left, left, remain, remains, remaining, long, wide, chance, probability",
    "chances, boxed, together, goes up by, goes up, goes down by, rises by, falls by, reached, attained, equality",
    "occurs, achieved, taken, direction, in the direction, fraction, as a fraction, lowest terms, percent",
    "simplest form, degrees, radians, dollars, years old, old, per, valid for, defined, working, conclude",
    "concluded, we conclude, conclude that, follows, it follows that, know, see, write, written, stated",
    "strictly, smaller, greater, less, larger, one, two, three, four, five, six, every, other, ends in, min, max",
    "2 on average, on average, square centimetres, square centimeters, square metres, in reality, anticlockwise, clockwise, 钟, per",
    "centymetrów, kwadratowych, reality, factors as, telescopes, through, force of, speed of, number, punto, smallest, largest, greatest, least, largest such, such, elements",
    "students, pens, coordinates, centre, center, const, off, common, 欧姆, 欧, る, をとる, とる, por, кубических, квадратных",
    "gastará, viaggia, geht, stays, ends, half, hole, downward, eigenvector, eigenvectors, eigenvalue, eigenvalues, mean, standard deviation, deviation, variance",
    "normal, normally, distributed, normally distributed, such, iff, if and only if, either, one in, sides",
    # German
    "der, die, das, den, dem, des, ein, eine, einen, einem, einer, ist, sind, war, waren, beträgt, betragen",
    "lautet, lauten, gleich, ergibt, ergeben, also, somit, daher, folglich, damit, deshalb, dann, es, er, sie",
    "wir, ihr, man, mir, ihm, ihnen, seine, sein, ihre, hat, haben, hatte, bekommt, erhält, erhält man, erhalten",
    "erhalten wir, braucht, brauchen, benötigt, kostet, kosten, zahlt, zahlen, bezahlt, macht, machen, sich",
    "es gibt, gibt es, insgesamt, zusammen, genau, nur, noch, jetzt, nun, und, von, für, mit, bei, in, im, am",
    "an, auf, zu, zur, zum, als, antwort, ergebnis, lösung, lösungen sind, lösungsmenge, wert, gesuchte, gesuchter",
    "gesuchten, gesuchtes, möglichkeiten, anzahl, zahl, zahlen, insgesamt, rund, etwa, ungefähr, ca, circa",
    "gerundet, dauert, fährt, läuft, lang, breit, hoch, alt, jahre alt, übrig, bleiben, bleibt, ja, richtig, jeweils",
    "beide, das heißt, d. h., nämlich, sondern, einfach, elemente, wahrscheinlichkeit, beliebig, reell, gilt",
    "folgt, daraus, punkt, grenzwert, funktion, gerade, menge, intervall, schneiden sich bei, einheiten",
    "flächeneinheiten, volumeneinheiten, verschiedene, mögliche, pro, gesamt, gesamte, stimmt, oder",
    # French
    "le, la, les, l, un, une, des, du, de, d, est, sont, était, vaut, valent, égal à, égale à, est égal à, égal",
    "donne, donc, ainsi, alors, par conséquent, il, elle, ils, elles, on, nous, y, a, ont, obtient, trouve",
    "obtenons, trouvons, on obtient, on trouve, il y a, c, ce, cela, ça, soit, réponse, résultat, solution",
    "solutions sont, valeur, valeurs, nombre, au total, en tout, total, exactement, seulement, et, avec, pour",
    "dans, en, au, aux, à, environ, coûte, coûtent, paie, faut, mesure, dure, possibilités, façons, manières",
    "reste, restent, finalement, enfin, bien, cherché, cherchée, son, sa, ses, leur, leurs, qui, que, par",
    "unité, unités, ensemble, couple, unique, limite, point, arrondi, ans, maintenant, réel, réels",
    # Spanish, Portuguese, Italian
    "el, la, los, las, lo, un, una, unos, unas, del, de, es, son, era, está, están, vale, valen, igual a, igual",
    "es igual a, da, dan, resulta, entonces, luego, así, así que, por lo tanto, por tanto, ella, ellos, ellas",
    "hay, tiene, tienen, tenemos, se, obtiene, obtenemos, respuesta, resultado, solución, soluciones son, valor",
    "valores, número, en total, total, exactamente, solo, sólo, solamente, y, con, para, en, al, a, que",
    "aproximadamente, unos, cuesta, cuestan, paga, necesita, mide, miden, dura, gasta, recorre, maneras, formas",
    "posibilidades, queda, quedan, finalmente, su, sus, buscado, buscada, conjunto, años, ahora, cada una",
    "o, os, as, um, uma, do, da, dos, das, no, na, nos, nas, é, são, vale, resposta, portanto, logo, assim, então",
    "ele, eles, elas, há, tem, têm, temos, obtemos, solução, número, ao todo, apenas, somente, e, com, em, ao, à",
    "para, custa, custam, mede, medem, dura, maneiras, formas, sobram, seu, sua, seus, suas, anos, agora, fica em",
    "passa a custar, reais, unidades, podemos, formar, pode, podem",
    "il, lo, i, gli, le, l, uno, è, sono, vale, valgono, uguale a, dà, quindi, dunque, perciò, allora, lui, lei",
    "ci sono, c'è, ha, hanno, abbiamo, si ottiene, otteniamo, ottiene, risposta, risultato, soluzione, valore",
    "numero, in totale, in tutto, totale, esattamente, soltanto, ed, con, per, nel, nella, al, alla, di, dei",
    "delle, degli, della, circa, costa, costano, paga, serve, misura, dura, modi, restano, suo, sua, anni",
    # Dutch, Polish, Czech, Swedish and others
    "het, een, is, zijn, dus, daarom, er, er zijn, hij, zij, we, krijgen, krijgt, heeft, hebben, antwoord",
    "uitkomst, oplossing, waarde, aantal, totaal, in totaal, precies, en, van, met, voor, op, te, kost, duurt",
    "mogelijke, mogelijkheden, bedraagt, gelijk aan, euro, ongeveer",
    "jest, są, to, wynosi, równa się, równe, odpowiedź, wynik, rozwiązanie, więc, zatem, czyli, ma, mają, razem",
    "wszystkich, dokładnie, oraz, i, w, na, z, odpověď, výsledek, řešení, tedy, proto, má, celkem, přesně",
    "är, svar, svaret, svaret är, lösningen, så, alltså, har, totalt, exakt, och, av, till, er, svaret er, altså",
    "vastaus, on, yhteensä, cevap, sonuç, toplam, răspuns, răspunsul este, este, sunt, deci, total, megoldás",
    "válasz, tehát, az, απάντηση, η απάντηση είναι, είναι, άρα, συνολικά",
    # Russian, Ukrainian
    "ответ, ответом, решение, результат, значение, равен, равна, равно, равны, составляет, составит, это, есть",
    "то есть, значит, поэтому, следовательно, таким образом, итак, тогда, он, она, оно, они, мы, у него, у неё",
    "его, её, их, было, был, была, будет, всего, вместе, итого, ровно, только, и, в, на, с, по, для, из них",
    "получаем, получим, получается, имеем, имеет, искомое, искомая, число, числа, можно, способов, способами",
    "стоит, стоят, осталось, остаётся, где, произвольная, постоянная, а, что, нужно, потребуется, лет, приблизительно",
    "відповідь, дорівнює, отже, тому, є, це, разом, усього",
    # Arabic, Hebrew, Hindi, Turkish, Vietnamese, Indonesian
    "الجواب, الإجابة, الحل, النتيجة, هو, هي, يساوي, تساوي, إذن, لذلك, في, من, التשובה, התשובה, תשובה, הפתרון, הוא",
    "היא, לכן, שווה, उत्तर, हल, है, हैं, अतः, इसलिए, बराबर, cevap, yanıt, sonuç, eşittir, bu nedenle, là, đáp án",
    "đáp số, kết quả, bằng, vậy, adalah, jawabannya, jawaban, jadi, hasilnya, sama dengan",
    # Chinese, Japanese, Korean
    "答案, 答案是, 答案为, 答, 所以, 因此, 故, 则, 因而, 于是, 是, 为, 為, 等于, 等於, 得, 得到, 可得, 解得, 求得, 共, 共有, 一共",
    "一共有, 总共, 总共有, 还剩, 剩下, 有, 的, 了, 在, 其, 其中, 值, 结果, 结果是, 解, 解集, 解集为, 解集是, 原来, 需要, 需, 要, 能, 可以",
    "种, 个, 只, 元, 人, 最后, 即, 也就是, 那么, 由, 和, 组成, 集合, 时, 取得, 当, 满足, 条件, 只有, 概率, 概率为, 正确, 应为, 应是, 最终, 每, 小时",
    "约, 约为, 约等于, 大约, 米, 时取得, 任意, 常数, 实数, 函数, 方程, 不等式, 点",
    "答え, 答えは, 解答, 正解, です, である, になる, となる, なので, よって, ゆえに, したがって, 求める, は, が, を, に, の, で, と, も, から, より, 全部で",
    "合計, 個, 円, 通り, 値, 結果, 解, だから, すなわち, つまり, 確率, 任意定数, 積分定数, ただし, 約, 人, 分, 時間, ます, あり, あります, なり, なります, いくつ",
    "답, 답은, 정답, 정답은, 입니다, 이다, 이에요, 따라서, 그러므로, 모두, 총, 은, 는, 이, 가, 을, 를, 의, 와, 과, 로, 개, 명, 원, 값, 값은, 약, 해, 해는",
)
"""Phrases beside a value that say nothing that another value would not bear."""
STATING_WORDS = make_phrases(
    "is, are, was, were, be, equals, equal, equal to, gives, give, yields, get, gets, got, have, has, had, obtain",
    "obtains, comes to, comes out to, totals, takes, take, took, needs, need, costs, cost, makes, make, made",
    "receives, earns, earn, pays, pay, paid, measures, measure, lasts, weighs, contains, contain, find, found, ist",
    "sind, war, waren, beträgt, betragen, lautet, lauten, ergibt, ergeben, gleich, hat, haben, bekommt, erhält",
    "erhalten, braucht, brauchen, kostet, kosten, zahlt, dauert, gibt, est, sont, vaut, valent, donne, coûte, coûtent",
    "a, ont, obtient, trouve, reste, restent, es, son, era, vale, valen, da, dan, cuesta, cuestan, hay, tiene, tienen",
    "queda, quedan, é, são, tem, têm, há, custa, è, sono, ha, hanno, costa, costano, zijn, heeft, krijgt, kost, jest",
    "są, wynosi, är, on, είναι, равен, равна, равно, равны, составляет, стоит, будет, это, осталось, является, 是, 为",
    "為, 等于, 得, は, が, 은, 는, 이, 가, =, ≈, leaving, leaves, score, scored, stays, becomes, grows to, drops to",
    "amounts to, adds up to, add up to, sums to, evaluates to, simplifies to, converges to, diverges to, will be",
    "there is, there are",
)
"""Words that state the value behind them of what stands before them."""
OPERATIONS = make_phrases(
    "half of, third of, quarter of, fifth of, tenth of, thirds, quarters, fifths, sixths, sevenths, eighths",
    "ninths, tenths, hundredths, thousandths, twelfths, halves, root of, roots of, square of, cube of, inverse",
    "reciprocal, opposite of, negative of, factorial, log of, logarithm of, sine of, cosine of, tangent of",
    "integral of, derivative of, successor of, predecessor of, sum of the digits of, over, to the fourth",
    "to the fifth, to the third, to the second, to the sixth, degrees squared, something, etc, max, maximum, minimum, etcetera, gone, asymptotically, dimensional, unknowns, approximately equal, up to sign",
    "up to a factor, up to a constant, plus a constant, per, ppm, digits, 的平方根, 的平方, 的两倍, 的一半, 的相反数",
    "的倒数, 的立方, 的二倍, 的三倍, の逆数, の半分, の平方, の二乗, の2乗, の平方根, 의 제곱, 의 역수, 의 절반, neliö",
)
"""Words that make another value of the one that they stand beside."""
DISOWNING_WORDS = make_phrases(
    "isn't, isn, doesn't, doesn, won't, won, didn't, didn, cannot, fails, violates, contradicts, rejected, reject",
    "excluded, discarded, extraneous, incorrect, wrong, friend, friends, students, book, guess, unverified, some",
    "previous, naive, first try, first thought, falsche, mauvaise, equivocada, sbagliata, неправильный, Manche",
    "without the correction, lower bound, upper bound, typo, supposing, one answer is, one solution is, at least one",
    "another solution, eine Lösung ist, up to a factor, up to sign, up to a constant, could be, approaches, tends to",
    "at most, minimum 6, usually, probably, возможно, например, 可能, 例如, im Mittel, almost surely",
    "in most cases, in the limit, as long as, if it exists, assuming, for some, fewer than, more minutes, among others",
    "one more, weitere, its conjugate, its negative, together with, and change, with multiplicity, with probability",
    "lower order, some number, for instance, answer ends in, last digit, near, given in, upper estimate, base, the time",
)
"""Words of a clause whose value somebody else has, or nobody any more."""
QUANTITIES = make_phrases(
    "area, perimeter, circumference, volume, length, width, height, depth, radius, diameter, slope, gradient",
    "intercept, sum, product, difference, quotient, remainder, mean, median, mode, variance, deviation, range",
    "domain, codomain, degree, coefficient, exponent, base, numerator, denominator, derivative, antiderivative",
    "integral, maximum, minimum, supremum, infimum, vertex, focus, directrix, asymptote, dimension, rank, trace",
    "determinant, eigenvalue, period, amplitude, frequency, phase, speed, velocity, acceleration, mass, weight",
    "force, energy, power, work, temperature, time, distance, age, price, cost, profit, loss, revenue, tax, interest",
    "discount, rate, numerators, sample size, degrees of freedom, squares, sides, vertices, edges, faces, diagonals",
    "argument, modulus, real part, imaginary part, order, genus, index, row, column, seat, factor, factors, multiple",
    "Summe, Produkt, Differenz, Quotient, Rest, Mittelwert, Median, Varianz, Fläche, Umfang, Radius, Durchmesser",
    "Steigung, Länge, Breite, Höhe, Volumen, Zähler, Nenner, Grad, Ableitung, somme, produit, différence, quotient",
    "aire, périmètre, rayon, diamètre, pente, longueur, largeur, hauteur, moyenne, médiane, variance, suma, producto",
    "área, perímetro, radio, diámetro, pendiente, longitud, anchura, altura, media, mediana, varianza, somma, prodotto",
    "perimetro, raggio, diametro, pendenza, soma, produto, raio, largura, сумма, произведение, разность, площадь",
    "периметр, радиус, диаметр, 和, 积, 差, 商, 面积, 周长, 半径, 直径",
)
"""Names of quantities: a value of one is no value of another."""
REASONS_BEHIND_VALUE = make_phrases(
    "in reality, who, pointing, i.e. constant, that, including, inclusive, excluding, working, without, after, before rounding, strictly, in reality",
    "because, since, as, by, due to, where, when, so, for, with, which, i.e., that is, weil, da, denn, nach, wobei",
    "wenn, car, puisque, parce que, où, avec, porque, ya que, donde, con, perché, poiché, dove, так как, потому что",
    "где, поскольку, 因为, 由于, 其中, なぜなら, ただし",
)
"""Words that begin a reason or a remark behind a value; what they say of it was looked at elsewhere."""
