"""Words around a value that say it is no answer: they reject, doubt or take it back, or it numbers them."""

from __future__ import annotations

from engines.grading.answer_vocabulary import make_phrases

_FILLING = (
    "the a an it its he she this that value number answer result be been being to of equal "
    "equals equality really certainly definitely surely clearly simply exactly just even "
    "quite also yet at all either der die das den dem ein eine er sie es wert zahl gleich "
    "sein auch einfach genau gar le la les un une ce c l il elle égal égale à nombre valeur "
    "être el los las lo igual número valor ser uguale numero valore essere o os as um uma het "
    "de een gelijk aan getal zijn det lika med lig rovno równe się bir olmak ole on oikein "
    "luku az egy phải là bằng adalah sama dengan это равен равна равно равны числу число "
    "значение быть то дорівнює це το τη είναι ίσο με ο η هو هي تساوي يساوي الجواب هذا זה היא "
    "הוא שווה ל התשובה है हैं के बराबर 是 等 于 於 为 為 会 會 能 可 以 이 가 은 는 と に で は が の"
)
FILLERS = frozenset(_FILLING.split())
"""Words between a denial and the value that it denies."""
BEHIND_COPULAS = make_phrases(
    "can, could, been, has been, have been, geht, passt, stimmt, klappt, ne, n, convient, marche, va",
    "klopt, -, –, —, है, is, was, be, would be, can be, could be, must be, does, did, do, has, it, this",
    "ist, war, wäre, kann, est, es, è, é, är, er, jest, je, este, on, είναι, это, является, 是, 이, 가",
    "은, は, で, için, olarak, definitely, certainly, clearly, obviously, just, far, much, already, a, an",
    "the, only, ein, eine, zu, une, un, una, est un, nur, still, of course, really, simply, not quite, of",
    "'",
)
"""Words between a value and what rejects it."""
REJECTIONS_BEHIND = make_phrases(
    "that is wrong, that was wrong, one of, or something, numerator, denominator, неправильный",
    "неверный ответ, 错, 錯, değil, değildir, नहीं, fails, failed, fail, excluded, is excluded, wrong",
    "incorrect, false, untrue, mistaken, ruled out, rejected, impossible, invalid, forbidden, too large",
    "too small, too big, too high, too low, too many, too few, too much, upper bound, lower bound",
    "upper estimate, lower estimate, inadmissible, out of the question, or so, or thereabouts",
    "what many write, what many say, a common mistake, common mistake, tempting, close but, nearly right",
    "not yet, falsch, ausgeschlossen, unmöglich, zu groß, zu klein, scheidet aus, scheitert",
    "obere Schranke, untere Schranke, faux, fausse, exclu, exclue, trop grand, trop petit, falso, falsa",
    "incorrecto, incorrecta, excluido, imposible, demasiado grande, demasiado pequeño, sbagliato, errato",
    "escluso, troppo grande, incorreto, errado, fout, onjuist, uitgesloten, te groot, te klein, fel",
    "felaktigt, forkert, feil, błędne, błąd, špatně, greșit, неверно, неверный, неправильно, исключено",
    "исключается, слишком велико, не подходит, невірно, yanlış, väärin, rossz, hibás, λάθος, خطأ",
    "غير صحيح, שגוי, לא נכון, गलत, 틀렸, 틀린, 불가능, 아니, 아닙, 아님, じゃ, ではな, ではあ, でない",
    "間違, 不正解, 不对, 不對, 错误, 錯誤, 排除, 不可能, 太大, 太小, 不成立, sai, salah",
)
"""Words behind a value, or behind it and a verb, that say that it is none."""
DISAVOWALS = make_phrases(
    "close to, almost, nearly, might think, could think, would say, would like, suppose, assume, pretend",
    "let us try, let me try, if it were, if it was, or equal, or equal to, fast, beinahe, presque, casi",
    "quasi, quase, почти, майже, bijna, nästan, næsten, nesten, prawie, téměř, aproape, neredeyse",
    "melkein, majdnem, σχεδόν, כמעט, 几乎, 거의, angenommen, supposons, supongamos, предположим",
    "impossible to say, impossible that, doubt, doubt that, doubtful, hardly, scarcely, barely",
    "false that, wrong that, untrue that, wrong to, anything but, any number but, any value but, all but",
    "everything but, every number but, by no means, far from, anything other than, anything except",
    "unlikely, not true that, isn't true that, not the case that, not correct that, not right that",
    "perhaps, maybe, possibly, might be, vielleicht, bezweifle, falsch, unmöglich, kaum, alles außer",
    "alles andere als, doute, faux que, impossible que, tout sauf, dudo que, falso que, imposible que",
    "todo menos, dubito, falso che, tutto tranne, duvido que, tudo menos, сомневаюсь, неверно, невозможно",
    "вряд ли, едва ли, peut-être, quizás, tal vez, forse, talvez, может быть, misschien, geenszins",
    "allesbehalve, knappast, næppe, neppe, kanske, måske, kanskje, bynajmniej, wątpię, pochybuji",
    "mă îndoiesc, belki, ehkä, talán, ίσως, ربما, אולי, शायद, 아마, たぶん, 也许, 绝非, 並非, 并非, 未必",
)
"""Words before a value with which its sentence denies or doubts it."""
GIVING_UP = make_phrases(
    "non lo so, no lo sé, I doubt it, give up, gave up, giving up, cannot solve, can't solve",
    "could not solve, couldn't solve, unable to solve, not able to solve, cannot be determined",
    "can't be determined, could not be determined, cannot determine, can't determine, cannot be solved",
    "cannot say, can't say, cannot tell, can't tell, cannot decide, cannot answer, can't answer",
    "cannot be answered, it depends, that depends, is unknown, are unknown, remains unknown, no answer",
    "no idea, not sure, unsure, do not know, don't know, don't remember, a guess, my guess, best guess",
    "wild guess, I guess, guessing, at a guess, time ran out, ran out of time, out of time",
    "did not finish, didn't finish, did not help, I am stuck, I'm stuck, no clue, gebe auf, gebe ich auf",
    "aufgegeben, kann ich nicht lösen, nicht lösbar, weiß nicht, weiß ich nicht, keine Ahnung",
    "lässt sich nicht bestimmen, unbekannt, kommt darauf an, geraten, nicht sicher, bin unsicher",
    "abandonne, ne sais pas, ne peux pas résoudre, impossible de déterminer, ça dépend, cela dépend",
    "aucune idée, pas sûr, pas sûre, au hasard, me rindo, no sé, no puedo resolver",
    "no se puede determinar, ni idea, no estoy seguro, no estoy segura, adivino, mi arrendo, non so",
    "non si può determinare, non sono sicuro, desisto, não sei, não consigo, não é possível determinar",
    "não tenho certeza, сдаюсь, не знаю, не могу решить, нельзя определить, не уверен, не уверена, наугад",
    "здаюся, geef het op, weet het niet, geen idee, hangt ervan af, vet inte, ger upp, ved ikke, vet ikke",
    "giver op, gir opp, nie wiem, poddaję się, nevím, vzdávám, nu știu, bilmiyorum, en tiedä, nem tudom",
    "δεν ξέρω, لا أعرف, לא יודע, לא יודעת, पता नहीं, 모르겠, 포기, 分かりません, わかりません, あきらめ",
    "不知道, 放弃, 放棄, 无法确定, 無法確定, 无法求, 不确定, 不確定, 猜的, không biết, bỏ cuộc",
    "tidak tahu, menyerah",
)
"""Words with which a text says that it has no answer, or is not sure of it."""
METHODS = make_phrases(
    "guess and check, guess and test, guessing and checking, I guess and check",
)
"""Words that begin as those of a doubt do."""
CLAUSES_OF_CONTENT = make_phrases(
    "dass, daß, что, що, że, že, hogy, että",
)
"""Words behind a comma that begin what is denied or doubted."""
CONDITIONAL_VERBS = make_phrases(
    "would, would be, wäre, serait, sería, sarebbe, seria, было бы, был бы, zou, skulle, byłoby, bylo by",
)
"""Verbs before a value that is stated only under a condition."""
CONDITIONS = make_phrases(
    "if, unless, wenn, falls, si, se, если, якщо, als, om, hvis, gdyby, kdyby, dacă, jos, ha, αν",
)
"""Words that begin such a condition."""
RETRACTIONS = make_phrases(
    "edit, erratum, corrected, sorry, correction, oops, scratch that, strike that, wait, no wait, hold on",
    "hmm, on second thought, actually, I mean, I meant, or rather, let me correct, to be exact",
    "to be precise, more exactly, more precisely, but wait, Verzeihung, Entschuldigung, Korrektur, Irrtum",
    "halt, Moment, vielmehr, genauer, eigentlich, pardon, désolé, désolée, erreur, plutôt, en fait",
    "perdón, corrección, mejor dicho, en realidad, scusa, correzione, anzi, in realtà, desculpe, correção",
    "aliás, na verdade, точнее, извините, исправление, ошибка, вернее, на самом деле, вибачте, correctie",
    "eigenlijk, förlåt, rättelse, undskyld, rettelse, beklager, przepraszam, poprawka, właściwie, oprava",
    "vlastně, scuze, corectare, düzeltme, aslında, anteeksi, korjaus, bocsánat, javítás, συγγνώμη",
    "διόρθωση, عفوا, تصحيح, סליחה, תיקון, माफ़ कीजिए, 정정, 죄송, いや, 訂正, すみません, 更正, 抱歉",
    "对不起, 应该是, 應該是, xin lỗi, sửa lại, maaf, koreksi, ralat",
)
"""Words that begin a clause with another value than the one before."""
ERRORS = make_phrases(
    "that is wrong, that's wrong, this is wrong, that was wrong, this was wrong, that is not right",
    "that's not right, my mistake, my bad, I was wrong, I made a mistake, I made an error, I misread",
    "that is false, that is incorrect, das ist falsch, das war falsch, mein Fehler, c'est faux",
    "me equivoqué, eso es falso, è sbagliato, está errado, это неверно, это неправильно, я ошибся",
    "dat is fout, det är fel, det er forkert, to jest źle, 不对, 不對, 错了",
)
"""Words with which a clause calls wrong what was said before."""
REFUSALS = make_phrases(
    "no, nope, nein, non, nee, nej, nei, nie, ne, não, нет, ні, nu, hayır, ei, nem, όχι, لا, לא, नहीं",
    "아니요, いいえ, 不, không, tidak",
)
"""Words that do so where they are a clause of their own."""
TRUE_VALUES = make_phrases(
    "the truth is, the true value is, the correct value is, the right value is, the actual value is",
    "the true answer is, the correct answer is, the right answer is, the real answer is, should be",
    "the correct one is, die Wahrheit ist, richtig ist, richtig wäre, la vérité est, la verdad es",
    "la verità è, a verdade é, правильно, правильный ответ, 正确的是, 正しくは, 应为, 應為",
)
"""Words before the value that is right instead."""
LABELS = make_phrases(
    "Nr, Nr., №, step, problem, case, theorem, page, chapter, figure, fig., table, lemma, equation, eq.",
    "exercise, example, corollary, proposition, section, part, question, line, remark, definition",
    "appendix, formula, paragraph, phase, stage, item, Schritt, Aufgabe, Fall, Satz, Seite, Kapitel",
    "Abbildung, Tabelle, Gleichung, Beispiel, Folgerung, Abschnitt, Teil, Frage, Zeile, Übung, étape",
    "problème, cas, théorème, chapitre, tableau, lemme, équation, exercice, exemple, corollaire, partie",
    "ligne, paso, problema, caso, teorema, página, pág., capítulo, figura, tabla, lema, ecuación",
    "ejercicio, ejemplo, parte, línea, passo, pagina, capitolo, tabella, equazione, esercizio, esempio",
    "etapa, tabela, equação, exercício, exemplo, шаг, задача, случай, теорема, страница, стр., глава",
    "рисунок, рис., таблица, лемма, уравнение, упражнение, пример, раздел, часть, крок, сторінка, розділ",
    "stap, opgave, geval, stelling, hoofdstuk, steg, sida, kapitel, trin, krok, strona, rozdział",
    "twierdzenie, zadanie, věta, kapitola, adım, sayfa, bölüm, teorem, vaihe, sivu, lépés, oldal, βήμα",
    "σελίδα, θεώρημα, خطوة, صفحة, שלב, עמוד, चरण, पृष्ठ, bước, trang, bài, định lý, langkah, halaman, bab",
    "第, 步骤, 定理, 引理, 公式, 図, 图, 表, 例, 제, 단계, 문제, 정리",
)
"""Words before a number that numbers something."""
OPERATORS_BEFORE = make_phrases(
    "base, to base, zur Basis, en base, по основанию, mod, modulo, mod., modulus, modulo de, по модулю",
)
"""Words before a number that is an operand."""
COUNTED_BEHIND = make_phrases(
    "to the power, to the power of, raised to, pairs, tens, couples, scores, hoch, Paare, paires, pares",
    "пар, coppie, mod, modulo",
)
"""Words behind a number that is an operand, or counts something larger than one."""
AFFIRMATIONS = make_phrases(
    "there, here, then, works, holds, suffices, fits, only, exactly, indeed, again, too, also, always",
    "certainly, obviously, clearly, qed, passt, stimmt, gilt, genügt, geht, nur, genau, convient, marche",
    "suffit, seulement, sirve, funciona, cumple, basta, funziona, serve, подходит, годится, верно, klopt",
    "stämmer, stemmer, pasuje, vyhovuje, and, or, und, oder",
)
"""Words behind an equation that take nothing from it."""
