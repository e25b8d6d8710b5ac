r"""Statements with quantifiers in words, as formulas: `for every real x there is an n with n > x`."""

from __future__ import annotations

from collections.abc import Sequence

from engines.formula.dialects import recognize_dialect
from engines.formula.latex_conversion import latex_of_plain
from engines.grading.answer_vocabulary import make_phrases, map_phrases
from engines.grading.meanings.sentence_items import is_word
from engines.grading.tokens import AnswerToken, is_blank, join_formulas, skip_blanks, tokenize

_QUANTIFIERS = map_phrases(
    {
        "\\forall": "for every, for all, for each, for any, every, all, each, any, given any"
        ", no matter how small, no matter how large"
        ", für alle, für jedes, für jede, für jeden, jede, jedes, pour tout, pour toute, pour tous"
        ", quel que soit, para todo, para toda, para cada, para cualquier, для любого, для каждого"
        ", для всех, для всякого, per ogni, 对任意, 对任意的, 对所有, 对每个, 对于任意, 任意, 每个",
        "\\exists": "there is, there exists, there are, there exist, there is some, there is a"
        ", there is an"
        ", there exists some, there exists a, there exists an, for some, one can find"
        ", one can find a, we can find"
        ", one can find an, some, at least one, there is at least one, there exists at least one"
        ", es gibt, es existiert, für ein, man findet, il existe"
        ", existe, existen, existiert"
        ", hay, существует, найдётся, найдется, esiste, 存在, 存在某个, 有",
        "\\neg\\exists": "there is no, there exists no, there are no, no, es gibt kein, es gibt keine"
        ", il n'existe pas de"
        ", no existe, no existe ningún, não existe, не существует, non esiste, 不存在",
    }.items()
)
_SORTS = map_phrases(
    {
        "R": "real number, real numbers, real, reals, reelle Zahl, reellen Zahlen, reelles"
        ", réel, réels, nombre réel"
        ", número real, números reales, real, вещественного числа"
        ", действительного числа, вещественное число"
        ", действительное число, numero reale, 实数",
        "N": "natural number, natural numbers, natural, natürliche Zahl, natürlichen Zahlen"
        ", entier naturel"
        ", nombre naturel, número natural, números naturales, натурального числа"
        ", натуральное число, 自然数",
        "Z": "integer, integers, ganze Zahl, ganzen Zahlen, entier, entiers, nombre entier"
        ", entero, número entero"
        ", número inteiro, целого числа, целое число, intero, numero intero, 整数",
        "Q": "rational number, rational numbers, rational, rationale Zahl, nombre rationnel"
        ", número racional, 有理数",
    }.items()
)
_RELATIONS = map_phrases(
    {
        "\\ge": "is greater than or equal to, is at least, is at least as large as"
        ", is at least as big as, is not less than"
        ", greater than or equal to, at least, at least as large as, at least as big as"
        ", is not smaller than, ist größer oder gleich, ist mindestens"
        ", est supérieur ou égal à, es mayor o igual que"
        ", не меньше, больше или равно, 不小于, 大于等于, 大于或等于",
        "\\le": "is less than or equal to, is at most, is at most as large as, is not greater than"
        ", does not exceed"
        ", less than or equal to"
        ", ist kleiner oder gleich, ist höchstens, est inférieur ou égal à"
        ", es menor o igual que, не больше"
        ", меньше или равно, 不大于, 小于等于, 小于或等于",
        ">": "is greater than, exceeds, is larger than, greater than, ist größer als, est supérieur à"
        ", es mayor que, больше, 大于",
        "<": "is less than, is smaller than, less than, ist kleiner als, est inférieur à"
        ", es menor que, меньше, 小于",
        "\\ne": "is not equal to, is different from, differs from, ist ungleich"
        ", est différent de, es distinto de"
        ", не равно, 不等于",
        "=": "is equal to, equals, ist gleich, est égal à, es igual a, равно, 等于",
    }.items()
)
REAL_RANGE = " \\in \\mathbb{R}"
"""What is written behind a letter that stands for any real number."""
_NO_SIGN = "\\neg\\exists"
_RELATION_SIGNS = ("\\ge", "\\le", "\\ne", ">", "<", "=")
_DENIALS_BEHIND = make_phrases(
    "does not, doesn't, is false, does not hold, fails, is not true, doesn't hold, gilt nicht"
    ", ist falsch, est faux, n'est pas vraie"
    ", es falso, es falsa, no se cumple, é falso, ложно, неверно, 不成立, 为假"
)
_JOINS = make_phrases(
    "but, while, yet, and yet, although, aber, mais, pero, но, ma, mas, 但, and, und, et, y, e, и, 且"
    ", for which, with, such that, so that, mit, sodass, tel que, tal que"
)
_SKIPPED = make_phrases(
    "the statement, the predicate, it holds that, holds, we have, that is, which is"
    ", that, which, then, is chosen, a, an"
    ", satisfies, fulfills, fulfils, obeys, has, erfüllt, vérifie, cumple, one has, it is true that"
    ", die Aussage, gilt, dass, l'énoncé, on a"
    ", la proposición, se tiene, se cumple, que, имеет место"
    ", выполняется, что, такое, такой, 使得, 都有, 有, 满足, 均有, 总有, is, are, number"
    ", numbers, such, so, ein, eine, un, une"
    ", however small, however large, der, die, das, 的, 数"
)
_POSITIVE = make_phrases("positive, positives, positiv, positif, positivo, positiva, положительное, 正")
_IF = make_phrases(
    "if, whenever, as soon as, provided that, wenn, falls, sobald, si, se, dès que, если, 如果, 若"
)
_THEN = make_phrases(
    "then, dann, alors, entonces, allora, então, то, 那么, 则, we have, one has, it follows that"
)
_MOST_TOKENS = 120


def spell_quantified(text: str) -> str:
    r"""Return a statement with quantifiers in words as LaTeX; "" for other texts.

    >>> spell_quantified("For every real number x there is an integer n with n > x.")
    '\\forall x \\in \\mathbb{R}\\ \\exists n \\in \\mathbb{Z}: n > x'
    >>> spell_quantified("There is an x such that P(x) is false")
    '\\exists x: \\neg (P(x))'
    >>> spell_quantified("For every x, f(x) > 0 whenever x > 1")
    '\\forall x: (x > 1) \\Rightarrow (f(x) > 0)'
    """
    tokens = join_formulas(text, tokenize(text))
    if len(tokens) > _MOST_TOKENS or not any(map(is_word, tokens)):
        return ""
    return _WordsParser(tokens).write_statement()


class _WordsParser:
    """Parser of one sentence: quantifiers in front, and relations behind them."""

    def __init__(self, tokens: Sequence[AnswerToken]) -> None:
        self.tokens = tokens
        self.at = 0
        self.prefix: list[str] = []
        self.clauses: list[str] = []
        self.subject = ""
        self.written = ""
        self.premise_at: int | None = None
        self.leads_premise = False

    def write_statement(self) -> str:
        """Return the statement as LaTeX; "" where a word is not known or nothing is quantified."""
        while self.at < len(self.tokens):
            if not self.take_item():
                return ""
        self.end_clause()
        if not self.prefix or not self.clauses:
            return ""
        if self.premise_at is not None:
            return self.write_implication(self.premise_at)
        if any("forall" in one for one in self.prefix[-1:]) and len(self.clauses) > 1:
            return ""  # whether the first clause limits the variable is not said
        body = (
            " \\land ".join(f"({one})" for one in self.clauses) if len(self.clauses) > 1 else self.clauses[0]
        )
        return self.write_prefix(body)

    def write_prefix(self, body: str) -> str:
        """Return what is said with the quantifiers before it; of what there is none, all others are."""
        *before, last = self.prefix
        if last.startswith(_NO_SIGN):
            last, body = f"\\forall{last.removeprefix(_NO_SIGN)}", f"\\neg ({body})"
        return "\\ ".join([*before, last]) + ": " + body

    def write_implication(self, middle: int) -> str:
        """Return a statement with a premise; "" where one of its sides says nothing."""
        sides = [" \\land ".join(part) for part in (self.clauses[:middle], self.clauses[middle:])]
        if not all(sides) or any(len(part) > 1 for part in (self.clauses[:middle], self.clauses[middle:])):
            return ""
        premise, conclusion = sides if self.leads_premise else sides[::-1]
        return self.write_prefix(f"({premise}) \\Rightarrow ({conclusion})")

    def take_condition(self) -> bool:
        """Take a word that begins a premise, or what is concluded from one before it."""
        if self.leads_premise and self.premise_at is None:
            found = _THEN.match(self.tokens, self.at)
        else:
            found = _IF.match(self.tokens, self.at) if self.prefix and self.premise_at is None else None
        if found is None or self.is_letter():
            return False
        self.end_clause()
        if not self.leads_premise and not self.clauses:
            self.leads_premise = True
        else:
            self.premise_at = len(self.clauses)
        self.at = found[0]
        return True

    def take_item(self) -> bool:
        """Take the next phrase or formula; return whether it is known."""
        tokens, token = self.tokens, self.tokens[self.at]
        if is_blank(token) or token.text in tuple(",，.。:："):
            self.at += 1
            return True
        if token.kind == "word":
            if self.take_condition():
                return True
            if (quantifier := _QUANTIFIERS.match(tokens, self.at)) is not None and not self.is_letter():
                self.at = quantifier[0]
                states = self.written.strip().rsplit(" ", 1)[-1] not in _RELATION_SIGNS
                if self.prefix and self.written.strip() and not self.clauses and states:
                    return self.take_last_range(quantifier[1])
                return self.take_range(quantifier[1])
            if (relation := _RELATIONS.match(tokens, self.at)) is not None:
                self.at = relation[0]
                self.written = f"{self.written.strip() or self.subject} {relation[1]} "
                return True
            if (denial := _DENIALS_BEHIND.match(tokens, self.at)) is not None:
                self.at = denial[0]
                self.written = f"\\neg ({self.written.strip()})" if self.written.strip() else ""
                return bool(self.written)
            if (join := _JOINS.match(tokens, self.at)) is not None and not self.is_letter():
                self.at = join[0]
                self.end_clause()
                return True
            if (skipped := _SKIPPED.match(tokens, self.at)) is not None and not self.is_letter():
                self.at = skipped[0]
                return True
            if is_word(token):
                return False
        return self.take_formula()

    def is_letter(self) -> bool:
        """Return whether a word of one letter is a name in a formula."""
        after = skip_blanks(self.tokens, self.at + 1)
        behind = self.tokens[after : after + 1]
        return len(self.tokens[self.at].text) == 1 and bool(behind) and behind[0].text in tuple("=<>(^_≤≥")

    def take_last_range(self, sign: str) -> bool:
        """Take what is quantified behind a condition that began after another quantifier: `there is an x with
        x > y for every y` says it of one x."""
        body, self.written = self.written, ""
        is_taken = self.take_range(sign)
        self.written = body
        rest = self.tokens[self.at :]
        return is_taken and not self.clauses and all(is_blank(token) or token.text in ".。" for token in rest)

    def take_range(self, sign: str) -> bool:
        """Take what is quantified: the sort of numbers, and the variable with its condition."""
        while self.at < len(self.tokens) and (
            is_blank(self.tokens[self.at])
            or (
                (skipped := _SKIPPED.match(self.tokens, self.at)) is not None
                and not self.is_letter()
                and skipped
            )
        ):
            if _SORTS.match(self.tokens, self.at) is not None:
                break
            skipped = _SKIPPED.match(self.tokens, self.at)
            self.at = self.at + 1 if skipped is None else skipped[0]
        if positive := _POSITIVE.match(self.tokens, self.at):
            self.at = skip_blanks(self.tokens, positive[0])
        sort = _SORTS.match(self.tokens, self.at)
        if sort is not None:
            self.at = skip_blanks(self.tokens, sort[0])
        at, kept, self.written = self.at, self.written, ""
        named = self.at < len(self.tokens) and not is_word(self.tokens[self.at])
        named = named and self.tokens[self.at].text not in tuple(",.，。") and self.take_formula()
        variable, self.written = self.written.strip(), kept
        if not named:
            # `greater than every natural number`: the number has no name.
            if sort is None or not kept.strip():
                return False
            self.at = at
            variable = next(letter for letter in "nmkuvw" if letter not in kept + "".join(self.prefix))
            self.written = f"{kept} {variable}"
        elif kept.strip().rsplit(" ", 1)[-1] in _RELATION_SIGNS:
            self.written = f"{kept} {variable}"
        else:
            self.end_clause()
        bare = variable.lstrip("\\").isalpha()
        if positive and (not bare or (sort is not None and sort[1] not in "RQ")):
            return False
        if positive:
            variable = f"{variable} > 0"
        named_sort = sort is not None and bare and not positive
        ranged = f" \\in \\mathbb{{{sort[1]}}}" if sort is not None and named_sort else ""
        self.subject = variable.split("\\in")[0].split(">")[0].strip() if named else self.subject
        self.prefix.append(f"{sign} {variable}{ranged}")
        return not self.clauses or not named

    def take_formula(self) -> bool:
        """Take a formula between delimiters, or what stands without any up to the next word."""
        first = self.at
        if self.tokens[first].kind == "formula":
            self.at += 1
            self.written += f" {self.tokens[first].text} "
            return True
        depth = 0
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            depth += (token.text in tuple("([{")) - (token.text in tuple(")]}"))
            if is_word(token) or token.kind == "formula" or (not depth and token.text in tuple(",.，。:：")):
                break
            phrase = next(
                filter(
                    None, (table.match(self.tokens, self.at) for table in (_QUANTIFIERS, _RELATIONS, _JOINS))
                ),
                None,
            )
            before = next((one.text for one in self.tokens[self.at - 1 :: -1] if not is_blank(one)), "")
            is_operand = self.is_letter() or before in tuple("=<>≤≥≠+-−*·/^")
            if phrase is not None and self.at > first and not depth and not is_operand:
                break
            self.at += 1
        said = "".join(token.text for token in self.tokens[first : self.at]).strip()
        if not said:
            return False
        self.written += f" {latex_of_plain(said) if recognize_dialect(said) == 'plain' else said} "
        return True

    def end_clause(self) -> None:
        """Keep the clause that was written, without what only names a variable."""
        if self.written.strip():
            self.clauses.append(" ".join(self.written.split()))
        self.written = ""
