"""Quantifiers over letters, in words or signs: `for all x`, existe x, ∃x; what a sentence says of a letter.

Two sentences with the same formula are not the same statement where one says it of every x and the other of
some x.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engines.grading.answer_vocabulary import map_phrases
from engines.grading.compare import AnswerComparison
from engines.grading.reading import read_form
from engines.grading.tokens import (
    AnswerToken,
    Phrases,
    is_blank,
    join_formulas,
    skip_blanks,
    text_at,
    tokenize,
)
from engines.grading.verdicts import GradeVerdict

_LISTED = {
    "every": (
        "for all, for every, for each, for any, all, every, each, any, whatever, für alle, für jedes"
        ", für jede, für jeden, für beliebiges, für jedes beliebige, alle, jedes, jede, jeder"
        ", pour tout, pour toute, pour tous, pour toutes, pour chaque, quel que soit, quels que soient"
        ", quelque soit, tout, tous"
        ", chaque, para todo, para toda, para todos, para todas, para cada, para cualquier"
        ", cualquiera que sea, cualquiera sea, cualquier, sea cual sea, todo, todos, toda, cada"
        ", per ogni, per tutti, per tutte, per qualsiasi, per qualunque, qualunque sia, qualsiasi, ogni"
        ", tutti, para qualquer"
        ", qualquer que seja, qualquer, seja qual for, для всех, для всякого, для любого, для любых"
        ", для каждого, при всех, при любом, при любых, при каждом, все, всякий, каждый, каждое, любой, любое"
        ", 对任意, 对于任意, 对任意的, 对于任意的, 任意, 对所有, 对所有的"
        ", 对于所有, 对于所有的, 所有, 所有的, 对一切"
        ", 一切, 对每个, 每个, 每一个, 任给, 对任何, 任何, すべての, 全ての"
        ", 任意の, どんな, どの, 모든, 임의의, 각각의"
        ", voor alle, voor elke, voor iedere, alle, elke, dla każdego, dla każdej, dla wszystkich"
        ", każdy, każde"
        ", wszystkie, för alla, för varje, для кожного, для всіх, для будь-якого, \\forall, ∀"
    ),
    "some": (
        "there is, there is an, there is a, there exists, there exists an, there exists a, there are"
        ", there exist, exists, exist, exists an, exists a, some, for some, at least one, for at least one"
        ", there is at least one, there exists at least one, we can find, es gibt, es gibt ein, es gibt eine"
        ", es gibt einen, existiert, existiert ein, existiert eine, es existiert, es existiert ein"
        ", gibt es ein, irgendein, für ein, für irgendein, für mindestens ein, mindestens ein"
        ", mindestens eine, für wenigstens ein, wenigstens ein, es gibt mindestens ein, für ein gewisses"
        ", il existe, il existe un, il existe une, existe-t-il, au moins un, au moins une, pour au moins un"
        ", il y a un, il y a, il existe au moins un, pour un certain, pour quelque, existe, existe un"
        ", existe una, existen, hay, hay un, hay una, algún, alguna, para algún, para alguna, al menos un"
        ", existe al menos un, para al menos un, algunos, esiste, esiste un, esiste una, esistono, c'è"
        ", c'è un, qualche, per qualche, almeno un, per almeno un, esiste almeno un, existem, existe um"
        ", existe uma, há, há um, há uma, algum, alguma, para algum, para alguma, pelo menos um"
        ", para pelo menos um, existe pelo menos um, существует, существуют, найдётся, найдется, найдутся"
        ", имеется, есть, для некоторого, для некоторых, при некотором, при некоторых, некоторый"
        ", хотя бы один, хотя бы одно, хотя бы для одного, хотя бы при одном, существует хотя бы один"
        ", существует хотя бы одно, 存在, 存在一个, 存在某个"
        ", 至少存在一个, 至少有一个, 至少一个, 存在至少一个, 某个, 某一个"
        ", 有一个, 有些, 有的, ある, 存在する, 어떤, 존재하는, er is een, er bestaat een, er bestaat, er zijn"
        ", voor een zekere, minstens één, istnieje, istnieją, dla pewnego, co najmniej jeden, det finns"
        ", det finns ett, manche, einige, mehrere, quelques, certains, certaines, algunas, alcuni"
        ", alcune, certi"
        ", alguns, algumas, некоторые, niektóre, sommige, för något, існує, для деякого, \\exists, ∃"
    ),
    "none": (
        "there is no, there are no, there exists no, there exist no, there does not exist"
        ", there does not exist an, there does not exist a, there is not any, there isn't any, no, for no"
        ", there doesn't exist, not exists, es gibt kein, es gibt keine, es gibt keinen, es existiert kein"
        ", existiert kein, kein, keine, für kein, für keine, für keines, il n'existe pas, il n'existe pas de"
        ", il n'existe aucun, il n'existe aucune, n'existe pas de, aucun, aucune, pour aucun, pour aucune"
        ", il n'y a pas de, il n'y a aucun, no existe, no existe ningún, no existe un, no existen, no hay"
        ", no hay ningún, ningún, ninguna, para ningún, para ninguna, non esiste, non esiste un"
        ", non esiste alcun, non esiste nessun, non esistono, non c'è, nessun, nessuna, per nessun"
        ", não existe, não existe um, não existe nenhum, não existem, não há, não há nenhum, nenhum, nenhuma"
        ", para nenhum, para nenhuma, не существует, не существуют, не найдётся, не найдется, нет, нет такого"
        ", ни для какого, ни для одного, ни при каком, ни при одном"
        ", ни один, ни одно, 不存在, 没有, 没有任何, 没有一个"
        ", 不存在任何, 无, er is geen, er bestaat geen, geen, voor geen, voor geen enkele, nie istnieje"
        ", nie istnieją, nie ma, dla żadnego, żaden, det finns inget, för inget, не існує, \\nexists"
        ", \\not\\exists, \\neg\\exists, \\lnot\\exists, ∄, ¬∃"
    ),
    "not every": (
        "not all, not every, not each, not for all, not for every, nicht alle, nicht jedes, nicht jede"
        ", nicht jeder, nicht für alle, nicht für jedes, pas tous, pas pour tout, pas pour tous, no todo"
        ", no todos, no para todo, no para todos, non tutti, non ogni, non per ogni, non per tutti, nem todo"
        ", nem todos, nem para todo, não para todo, не все, не всякий, не каждый, не каждое, не для всех"
        ", не для каждого, не для любого, не при всех, 不是所有"
        ", 不是所有的, 并非所有, 并非对所有, 并非任意, 不是每个"
        ", niet alle, niet elke, nie każdy, nie dla każdego, \\neg\\forall, \\lnot\\forall, ¬∀"
    ),
    "one": (
        "there is exactly one, there exists exactly one, exactly one, for exactly one, there is a unique"
        ", there exists a unique, there is only one, only one, there is one and only one, es gibt genau ein"
        ", es gibt genau eine, es gibt genau einen, genau ein, für genau ein, es existiert genau ein"
        ", es gibt ein eindeutiges, il existe un unique, il existe un seul, il existe exactement un"
        ", exactement un, existe un único, existe exactamente un, exactamente un, hay exactamente un"
        ", esiste un unico, esiste esattamente un, esattamente un, esiste un solo, existe um único"
        ", existe exatamente um, exatamente um, há exatamente um, существует ровно один, ровно один"
        ", существует ровно одно, ровно одно, существует единственный, существует единственное"
        ", ровно для одного"
        ", 存在唯一, 存在唯一的, 唯一, 恰有一个, 恰好有一个, 有且只有一个, 恰好存在一个, \\exists!, ∃!"
    ),
}
_QUANTIFIERS = map_phrases(reversed(_LISTED.items()))
_SEPARATORS = Phrases(
    dict.fromkeys(
        (
            *("such that", "so that", "with", "for which", "we have", "it holds that", "it holds", "holds"),
            *(
                "there holds",
                "one has",
                ",",
                ":",
                ";",
                "|",
                "\\mid",
                "\\,",
                "\\;",
                "\\:",
                "\\ ",
                "\\quad",
                ".",
            ),
            *("gilt", "mit", "sodass", "so dass", "für das", "für die", "tel que", "telle que", "on a"),
            *("tels que", "tal que", "tales que", "se tiene", "se cumple", "tale che", "tali che", "si ha"),
            *("vale", "tem-se", "temos", "такой что", "такое что", "такие что", "что", "такой", "такое"),
            *(
                "для которого",
                "при котором",
                "выполняется",
                "верно",
                "имеем",
                "使得",
                "使",
                "都有",
                "有",
                "，",
            ),
            *("：", "满足", "satisfying", "that", "then", "waarvoor", "zodat", "geldt", "met", "że", "takie"),
        ),
        "",
    )
)
_KINDS_OF_NUMBERS = {
    "": "a an the ein eine einen un une um uma real reals reelle reellen reelles reell réel réels reale reali"
    " reais reales действительное действительных действительного вещественное number numbers zahl zahlen"
    " nombre nombres número números numero numeri число числа чисел 实 数 of values value such que",
    "integer": "integer integers ganze ganzen entier entiers entero enteros intero interi inteiro inteiros"
    " целое целых целого 整",
    "natural": "natural naturals natürliche natürlichen naturel naturels naturale naturali naturais"
    " натуральное натуральных натурального 自 然",
    "positive": "positive positiven positif positivo positivos положительное положительных 正",
}
_NUMBER_WORDS = {word: kind for kind, words in _KINDS_OF_NUMBERS.items() for word in words.split()}
_MOST_TOKENS = 120
_MOST_NOUN = 4
"""Words that may stand between a quantifier and its letter."""


@dataclass(frozen=True, slots=True)
class LetterQuantifier:
    """A quantifier over a letter. `kind`: every, some, none, not every or one. `domain`: what limits it."""

    kind: str
    letter: str
    domain: str = ""


@dataclass(frozen=True, slots=True)
class QuantifiedText:
    """The quantifiers of a text in their order, and what stands behind them; `body` is "" where words that
    are not known are left."""

    quantifiers: tuple[LetterQuantifier, ...]
    body: str = ""


def read_quantifiers(text: str) -> QuantifiedText:
    """Return the quantifiers over letters in a text.

    >>> read_quantifiers("There is x such that for all y, xy ≠ 1.").body
    'xy ≠ 1'
    >>> [one.kind for one in read_quantifiers("Não existe x tal que f(x) = 0.").quantifiers]
    ['none']
    """
    tokens = [token for token in tokenize(text) if token.text not in ("$", "\\(", "\\)", "\\[", "\\]")]
    if len(tokens) > _MOST_TOKENS or not _QUANTIFIERS.may_occur(tokens):
        return QuantifiedText(())
    found: list[LetterQuantifier] = []
    at, begin, first, is_prefix = 0, 0, 0, True
    while at < len(tokens):
        match = _QUANTIFIERS.match(tokens, at)
        bound = None if match is None else _find_letter(tokens, match[0])
        if match is None or bound is None:
            at += 1
            continue
        is_prefix = is_prefix and _skip_separators(tokens, begin) == at
        first = at
        letter, kind_of_numbers = bound
        end = _find_domain_end(tokens, letter + 1)
        limit = "".join(token.text for token in tokens[letter + 1 : end] if not is_blank(token))
        found.append(
            LetterQuantifier(
                match[1], _SAME_LETTERS.get(tokens[letter].text, tokens[letter].text), kind_of_numbers + limit
            )
        )
        at = begin = end
    body = tokens[_skip_separators(tokens, begin) :]
    is_suffix = len(found) == 1 and not is_prefix and not any(token.text != "." for token in body)
    if is_suffix:
        is_prefix, body = True, tokens[:first]
    is_formula = all(token.kind != "word" or len(token.text) < _SHORTEST_WORD for token in body)
    spelt = "".join(token.text for token in body).strip(" .")
    return QuantifiedText(tuple(found), spelt if is_prefix and is_formula else "")


_SHORTEST_WORD = 3


def _find_letter(tokens: Sequence[AnswerToken], at: int) -> tuple[int, str] | None:
    """Return the index of the letter that is bound, and which numbers it may be; None where none is near."""
    said: list[str] = []
    at = skip_blanks(tokens, at)
    while at < len(tokens) and len(said) <= _MOST_NOUN:
        token = tokens[at]
        if _is_letter(token) and token.text.lower() not in _NUMBER_WORDS:
            return at, " ".join(filter(None, (_NUMBER_WORDS.get(word, word) for word in said)))
        if token.kind != "word" or _QUANTIFIERS.match(tokens, at) is not None:
            return None
        said.append(token.text.lower())
        if sum(word not in _NUMBER_WORDS for word in said) > 1:
            return None
        at = skip_blanks(tokens, at + 1)
    return None


def _is_letter(token: AnswerToken) -> bool:
    is_latin_or_greek = token.text < "\u0400"
    return (token.kind == "word" and len(token.text) == 1 and is_latin_or_greek) or token.text in _GREEK


_SAME_LETTERS = {"ε": "\\epsilon", "\\varepsilon": "\\epsilon", "δ": "\\delta"}
_GREEK = tuple(
    f"\\{name}" for name in ("varepsilon", "epsilon", "delta", "alpha", "beta", "lambda", "theta", "eta")
)


def _find_domain_end(tokens: Sequence[AnswerToken], at: int) -> int:
    """Return the index behind what limits a letter, as ∈ ℝ or > 0; the same one where nothing does."""
    first = skip_blanks(tokens, at)
    if text_at(tokens, first) not in _LIMITING:
        return at
    end = first
    while end < len(tokens) and _SEPARATORS.match(tokens, end) is None:
        if _QUANTIFIERS.match(tokens, end) is not None:
            return end
        if (
            tokens[end].kind == "word"
            and len(tokens[end].text) >= _SHORTEST_WORD
            and text_at(tokens, end - 1) not in ("{", "\\")
        ):
            return end
        end += 1
    return end if end < len(tokens) else at


_LIMITING = ("∈", "\\in", ">", "<", "≥", "≤", "≠", "\\ge", "\\geq", "\\le", "\\leq", "\\ne", "\\neq", "\\gt")


def _skip_separators(tokens: Sequence[AnswerToken], at: int) -> int:
    at = skip_blanks(tokens, at)
    while at < len(tokens) and (match := _SEPARATORS.match(tokens, at)) is not None:
        at = skip_blanks(tokens, match[0])
    return at


def find_leading_quantifier(text: str) -> str:
    """Return the kind of the quantifier with which a sentence begins; "" where it begins with none.

    >>> find_leading_quantifier("Manche Primzahlen sind gerade"), find_leading_quantifier("x > 1")
    ('some', '')
    """
    tokens = tokenize(text.strip(" $"))
    # What signs say is compared as formulas.
    match = _QUANTIFIERS.match(tokens, 0) if tokens and tokens[0].kind == "word" else None
    behind = "" if match is None else text_at(tokens, skip_blanks(tokens, match[0]))
    # `There are 12 ways` counts, and `no` by itself decides.
    return match[1] if match is not None and behind.isalpha() else ""


def find_other_quantifiers(gold: str, pred: str) -> str:
    """Return what one text says of a letter and the other not, as `every x and some x`; "" where they agree.

    That a formula holds for every x is said without words as well, that it holds for some x is not.
    """
    mine, theirs = (read_quantifiers(text).quantifiers for text in (gold, pred))
    if not mine and not theirs:
        return _find_other_binders(gold, pred)
    if mine and theirs:
        if [one.kind for one in mine] == [one.kind for one in theirs] or not _has_words(gold, pred):
            return ""
        said = [", ".join(f"{one.kind} {one.letter}" for one in side) for side in (mine, theirs)]
        return " and ".join(said)
    alone = [one for one in mine or theirs if one.kind in ("some", "none", "not every")]
    other = pred if mine else gold
    binder = _find_other_binders(gold, pred)
    if binder:
        return binder
    # `There is a solution x = 2` says what x is.
    named = all(_gives_value(other, one.letter) for one in alone)
    return "" if named else f"that it holds for {alone[0].kind} {alone[0].letter}"


def _has_words(*texts: str) -> bool:
    """Return whether a quantifier of the texts is in words; the signs are compared as formulas."""
    tokens = [token for text in texts for token in tokenize(text)]
    return any(
        token.kind == "word"
        for _, end, _ in _QUANTIFIERS.find_all(tokens, 0, len(tokens))
        for token in tokens[end - 1 : end]
    )


def _gives_value(text: str, letter: str) -> bool:
    tokens = [token for token in tokenize(text) if not is_blank(token)]
    places = [at for at, token in enumerate(tokens) if token.text == letter]
    return not places or all(text_at(tokens, at + 1) in ("=", "≈", "\\in", "∈") for at in places[:1])


def _find_other_binders(gold: str, pred: str) -> str:
    """Return the words before a letter by itself that both texts have a formula of, where these words differ:
    in a language that is not known they may be quantifiers."""
    binders = [_list_binders(text) for text in (gold, pred)]
    for letter, words in binders[0].items():
        other = binders[1].get(letter)
        if other is not None and other != words:
            return f"{words} {letter} and {other} {letter}"
    return ""


def _list_binders(text: str) -> dict[str, str]:
    tokens = join_formulas(text, tokenize(text))
    if len(tokens) > _MOST_TOKENS or not any(
        token.text in ("=", "<", ">", "≤", "≥", "≠") for token in tokens
    ):
        return {}
    binders: dict[str, str] = {}
    for at, token in enumerate(tokens):
        is_alone = (
            at + 1 >= len(tokens)
            or tokens[skip_blanks(tokens, at + 1) :][:1] == []
            or (
                tokens[skip_blanks(tokens, at + 1)].kind == "word"
                or tokens[skip_blanks(tokens, at + 1)].text in (",", ":")
            )
        )
        letter = token.text if len(token.text) == 1 and (_is_letter(token) or token.kind == "formula") else ""
        before = [one.text.lower() for one in tokens[max(0, at - _CONTEXT) : at] if not is_blank(one)]
        again = any(one.text == letter for one in tokens[at + 1 :])
        words = [word for word in before if word.isalpha() and len(word) > 1]
        if letter and is_alone and again and words and words == before and letter not in binders:
            binders[letter] = " ".join(words)
    return binders


_CONTEXT = 8
"""Tokens before a letter among which the words for its quantifier stand."""


def compare_quantifiers(gold: str, pred: str, comparison: AnswerComparison) -> GradeVerdict | None:
    """Compare two statements that begin with quantifiers, in words or signs; None where one does not."""
    mine, theirs = read_quantifiers(gold), read_quantifiers(pred)
    if not mine.body or not theirs.body or not mine.quantifiers or not theirs.quantifiers:
        return None
    if not _has_words(gold, pred):
        return None
    kinds = [[(one.kind, one.letter) for one in side.quantifiers] for side in (mine, theirs)]
    bodies = comparison.compare(read_form(mine.body), read_form(theirs.body))
    pairs = zip(mine.quantifiers, theirs.quantifiers, strict=False)
    same_domains = all(_spell_domain(one) == _spell_domain(other) for one, other in pairs)
    if kinds[0] == kinds[1] and same_domains and bodies.outcome == "equal":
        return GradeVerdict("equal", reason="statements are compared by their quantifiers")
    whole = comparison.compare(*(read_form(spell_in_signs(side)) for side in (mine, theirs)))
    if whole.outcome in ("equal", "different"):
        return whole
    return GradeVerdict("undecided", reason="their quantifiers differ, or what is said under them")


def spell_in_signs(said: QuantifiedText) -> str:
    """Return a statement with signs for the words of its quantifiers.

    >>> spell_in_signs(read_quantifiers("For every x there is a y with xy = 1"))
    '\\\\forall x \\\\exists y: xy = 1'
    """
    signs = " ".join(f"{_SIGNS[one.kind]} {one.letter}{_spell_domain(one)}" for one in said.quantifiers)
    return f"{signs}: {said.body}"


_SIGNS = {
    "every": "\\forall",
    "some": "\\exists",
    "none": "\\neg\\exists",
    "not every": "\\neg\\forall",
    "one": "\\exists!",
}


def _spell_domain(quantifier: LetterQuantifier) -> str:
    spelt = quantifier.domain
    for written, sign in _SAME_SIGNS:
        spelt = spelt.replace(written, sign)
    return "" if spelt == "∈ℝ" else spelt.strip()


_SAME_SIGNS = (
    *(
        ("\\in", "∈"),
        ("\\geq", "≥"),
        ("\\ge", "≥"),
        ("\\leq", "≤"),
        ("\\le", "≤"),
        ("\\neq", "≠"),
        ("\\ne", "≠"),
    ),
    *(("\\mathbb{R}", "ℝ"), ("\\mathbb{N}", "ℕ"), ("\\mathbb{Z}", "ℤ"), ("\\mathbb{Q}", "ℚ"), ("\\gt", ">")),
)
