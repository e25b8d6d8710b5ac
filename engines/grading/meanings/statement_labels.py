"""Which of numbered statements are said to be true: `II and III only`, `Statement I is false`, 仅①③正确."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from engines.grading.answer_vocabulary import make_phrases, map_phrases
from engines.grading.meanings.sentence_items import fold_word
from engines.grading.tokens import AnswerToken, is_blank, tokenize, unwrap_texts
from engines.grading.verdicts import GradeVerdict, differ_by

_ROMAN = {name: number for number, name in enumerate(["I", "II", "III", "IV", "V", "VI", "VII", "VIII"], 1)}
_ORDINALS = {
    word: number
    for listed in (
        "first second third fourth fifth sixth",
        "erste zweite dritte vierte fünfte sechste",
        "première deuxième troisième quatrième cinquième sixième",
        "primera segunda tercera cuarta quinta sexta",
        "prima seconda terza quarta quinta sesta",
        "primeira segunda terceira quarta quinta sexta",
        "первое второе третье четвёртое пятое шестое",
    )
    for number, word in enumerate(listed.split(), 1)
}
_CIRCLED = {name: number for number, name in enumerate("①②③④⑤⑥⑦⑧⑨", 1)}
_WORDS = map_phrases(
    (
        (
            "only",
            "only, just, exactly, alone, nur, seulement, uniquement, solo, sólo, solamente, soltanto",
        ),
        ("true", "正确的是, 正确的有, 正しいものは, 正しいのは"),
        (
            "only",
            "только, лишь, 只有, 仅, 仅有, のみ, だけ, apenas, somente, and no others, and no other",
        ),
        (
            "true",
            "is true, are true, true, is correct, are correct, correct, hold, holds, is valid, valid",
        ),
        (
            "true",
            "are valid, must be true, ist richtig, sind richtig, ist wahr, sind wahr, richtig, wahr",
        ),
        ("true", "est vraie, sont vraies, est correcte, sont correctes, vraies, vraie, es verdadera"),
        ("true", "son verdaderas, son correctas, es correcta, sono vere, sono corrette, верны, верно"),
        (
            "true",
            "верно только, истинны, правильны, 正确, 正確, 成立, 是正确的, 正しい, são verdadeiras",
        ),
        (
            "true",
            "stimmt, stimmen, 对, 是真命题, 为真, 为真命题, gilt, gelten, certain, are the true ones",
        ),
        ("false", "is false, are false, false, is not true, are not true, is incorrect, are incorrect"),
        ("false", "is wrong, are wrong, incorrect, wrong, fails, fail, does not hold, do not hold"),
        ("false", "ist falsch, sind falsch, falsch, est fausse, sont fausses, fausse, fausses, es falsa"),
        ("false", "son falsas, sono false, неверно, неверны, ложно, 错误, 錯誤, 不正确, 是错误的, 誤り"),
        ("noun", "statement, statements, the statement, the statements, proposition, propositions"),
        ("noun", "option, options, choice, choices, claim, claims, assertion, assertions, item, items"),
        (
            "noun",
            "Aussage, Aussagen, die Aussage, die Aussagen, affirmation, affirmations, les affirmations",
        ),
        ("noun", "proposition, propositions, les propositions, la proposition, afirmación, afirmaciones"),
        ("noun", "las afirmaciones, la afirmación, affermazione, affermazioni, le affermazioni"),
        (
            "noun",
            "утверждение, утверждения, 命题, 說法, 说法, 结论, 选项, 故选, 选, 命題",
        ),
        ("true", "が正しい"),
        ("join", "and, und, et, y, e, и, 和, と, &, as well as, both, ','"),
        (
            "skip",
            "the, is, are, these, those, which, it, they, answer, answer is, that, of, de, las, les",
        ),
        (
            "skip",
            "la, le, die, sind, ist, son, es, sont, est, sono, 的, 是, 有, 为, 其中, は, が, 所以, 故",
        ),
        (
            "skip",
            "ones, one, true ones are, true statements are, correct ones are, correct statements are",
        ),
        (
            "none",
            "none, none of them, none of the statements, no statement, none of these, keine, aucune",
        ),
        (
            "all",
            "all, all of them, all three, all four, all statements, all of the statements, alle, toutes",
        ),
    )
)
_LATER = make_phrases("while, whereas, but, aber, während, mais, tandis que, pero, а, но, 而")
_JOINS = (",", "、", "，", "&")
_ENDS = (";", ".", "；", "。", ":", "：")
_MOST_TOKENS = 60


@dataclass(slots=True)
class StatementLabels:
    """The statements of a text: the true and the false ones, and what shows that it lists any."""

    true: set[object] = field(default_factory=set)
    false: set[object] = field(default_factory=set)
    is_marked: bool = False


def read_statement_labels(text: str) -> StatementLabels | None:
    """Return which statements a text says to be true; None for other texts.

    >>> sorted(read_statement_labels("Statements III and I are true; II is false.").true)
    [1, 3]
    """
    tokens = [
        part
        for token in unwrap_texts(tokenize(text))
        if not is_blank(token) and token.text not in ("$", "*")
        for part in _split_circled(token)
    ]
    if not tokens or len(tokens) > _MOST_TOKENS:
        return None
    read = StatementLabels()
    for clause in _split_clauses(tokens):
        if not _read_clause(clause, read):
            return None
    return read if read.true or read.false else None


def _split_circled(token: AnswerToken) -> list[AnswerToken]:
    """Return the signs of ①③, which are one word, and any other token as it is."""
    return [token._replace(text=sign) for sign in token.text] if token.text[0] in _CIRCLED else [token]


def _split_clauses(tokens: Sequence[AnswerToken]) -> list[list[AnswerToken]]:
    clauses: list[list[AnswerToken]] = [[]]
    for at, token in enumerate(tokens):
        if token.text in _ENDS or _LATER.match(tokens, at) is not None:
            clauses.append([])
        else:
            clauses[-1].append(token)
    return [clause for clause in clauses if any(token.text not in _JOINS for token in clause)]


def _read_clause(clause: Sequence[AnswerToken], read: StatementLabels) -> bool:
    """Put the statements of a clause among the true or false ones; return whether it is understood."""
    labels: list[object] = []
    says: set[str] = set()
    at = 0
    # `I is true, II is false` in one clause: each verdict is of the labels before it.
    while at < len(clause):
        label = _take_label(clause, at)
        if label is not None:
            if says & {"true", "false"} and not says & {"lead"} and labels:
                _put(labels, says, read)
                labels, says = [], set()
            at, name = label
            labels.append(name)
            continue
        match = _WORDS.match(clause, at)
        if match is not None:
            at = match[0]
            if match[1] in ("true", "false"):
                says |= {match[1]} if labels else {match[1], "lead"}
            elif match[1] in ("none", "all"):
                return False
            elif match[1] != "skip":
                says.add(match[1])
        elif clause[at].text in _JOINS:
            at += 1
        else:
            return False
    if not labels or {"true", "false"} <= says:
        return False
    _put(labels, says, read)
    return True


def _put(labels: Sequence[object], says: set[str], read: StatementLabels) -> None:
    (read.false if "false" in says else read.true).update(labels)
    read.is_marked = read.is_marked or bool(says & {"only", "true", "false", "noun"})


def _take_label(tokens: Sequence[AnswerToken], at: int) -> tuple[int, object] | None:
    """Return the index behind the label of a statement, and its number or letter; None where none stands."""
    bracketed = tokens[at].text in ("(", "（")
    at += bracketed
    token = tokens[at] if at < len(tokens) else None
    if token is None:
        return None
    name: object = _ROMAN.get(token.text) or _CIRCLED.get(token.text) or _ORDINALS.get(token.text.lower())
    if name is None and token.kind == "digits" and len(token.text) == 1:
        name = int(token.text)
    if name is None and bracketed and token.text.upper() in _ROMAN:
        name = _ROMAN[token.text.upper()]
    if name is None and len(token.text) == 1 and token.text.isascii() and token.text.isalpha():
        is_letter = token.text.isupper() or bracketed or _stands_in_list(tokens, at)
        name = token.text.upper() if is_letter else None
    if name is None:
        return None
    closed = at + 1 < len(tokens) and tokens[at + 1].text in (")", "）")
    return (at + 1 + closed, name) if closed or not bracketed else None


def _stands_in_list(tokens: Sequence[AnswerToken], at: int) -> bool:
    return at + 1 < len(tokens) and tokens[at + 1].text in (")", *_JOINS)


def compare_statement_labels(gold: str, pred: str) -> GradeVerdict | None:
    """Compare which statements two texts say to be true; None where one of them says something else."""
    mine, theirs = read_statement_labels(gold), read_statement_labels(pred)
    if mine is None or theirs is None or not (mine.is_marked or theirs.is_marked):
        return None
    if not mine.true or not theirs.true or mine.true & mine.false or theirs.true & theirs.false:
        return None
    if mine.true == theirs.true:
        return GradeVerdict("equal", reason="statements are compared by their labels")
    apart = sorted(map(_spell_label, mine.true ^ theirs.true))
    return differ_by(f"{', '.join(apart)}: true in one of them only")


def _spell_label(label: object) -> str:
    roman = next((name for name, number in _ROMAN.items() if number == label), "")
    return roman or fold_word(str(label)).upper()
