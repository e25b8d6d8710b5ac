"""Texts in other languages: the words that introduce, claim, suppose or deny are read as English ones.

`cue_phrases` knows what English words say of a statement. A text in another language gets these words in the
place of its own before it is read; of the rest, what is written in another script stands as one unknown word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from engines.documents.reading import Document
from engines.proofreading.cue_phrases import mentions
from engines.proofreading.formula_statements import WORDS

_WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "": """
            the of is that and we for this with are a an let then so if by to in as have hence thus
            therefore get all be no not it or on at
        """
    },
    "de": {
        "for all": """
            für_alle für_jede für_jedes für_jeden für_jeder für_beliebige für_beliebiges für_beliebigen
            für_beliebiges für_sämtliche
        """,
        "therefore": "daher somit folglich deshalb daraus_folgt es_folgt also mithin demnach",
        "in particular": "insbesondere",
        "we have": """
            es_gilt gilt gelten haben_wir wir_haben erhalten_wir wir_erhalten ergibt_sich folgt hat_man
        """,
        "always": "stets immer",
        "let": "sei seien definiere definieren_wir setze setzen_wir",
        "suppose": "angenommen nehmen_wir_an wir_nehmen_an",
        "if": "falls wenn",
        "then": "dann",
        "real": "reelle reellen reelles reeller",
        "number": "zahl",
        "numbers": "zahlen",
        "integer": "ganze ganzen",
        "natural": "natürliche natürlichen",
        "positive": "positive positiven positives",
        "where": "wobei",
        "with": "mit",
        "and": "und",
        "or": "oder",
        "not": "nicht kein keine",
        "is": "ist sind",
        "because": "weil denn",
        "at": "bei an_der_stelle",
        "about": "ungefähr etwa",
        "case": "fall",
        "contradiction": "widerspruch",
        "impossible": "unmöglich",
        "wrong": "falsch",
        "solve": "löse löst lösen_wir",
        "equation": "gleichung gleichungen",
        "check": "probe prüfe prüfen",
        "the": "der die das den dem des",
        "a": "ein eine einen einem",
        "for": "für",
        "of": "von",
        "ring": "ring ringe ringes",
        "ideals": "ideal ideale",
        "group": "gruppe gruppen",
        "field of": "körper",
        "residue": "restklasse*",
        "coset": "nebenklasse*",
        "matrices": "matrix matrizen",
    },
    "fr": {
        "for all": "pour_tout pour_toute pour_tous pour_toutes quel_que_soit quels_que_soient",
        "therefore": "donc ainsi par_conséquent d'où par_suite",
        "in particular": "en_particulier",
        "we have": "on_a nous_avons on_obtient nous_obtenons il_vient",
        "always": "toujours",
        "let": "soit soient posons notons",
        "suppose": "supposons on_suppose",
        "by contradiction": "par_l'absurde",
        "contradiction": "contradiction contradictoire",
        "absurd": "absurde",
        "which": "ce_qui",
        "that": "que",
        "if": "si",
        "then": "alors",
        "real": "réel réelle réels réelles",
        "number": "nombre",
        "numbers": "nombres",
        "integer": "entier entiers",
        "positive": "positif positifs",
        "where": "où",
        "with": "avec",
        "and": "et",
        "or": "ou",
        "not": "ne n'est pas",
        "is": "est sont",
        "because": "car puisque",
        "about": "environ",
        "case": "cas",
        "wrong": "faux fausse",
        "solve": "résoudre résolvons",
        "equation": "équation équations",
        "check": "vérifions vérification",
        "the": "le la les des du",
        "a": "un une",
        "for": "pour",
        "ring": "anneau anneaux",
        "ideals": "idéal idéaux",
        "group": "groupe groupes",
        "field of": "corps",
        "subgroup": "sous-groupe sous-groupes",
        "matrices": "matrice matrices",
    },
    "es": {
        "for all": "para_todo para_toda para_todos para_todas para_cada para_cualquier",
        "therefore": "por_lo_tanto por_tanto luego así_que en_consecuencia",
        "in particular": "en_particular",
        "we have": "se_cumple_que se_cumple tenemos_que tenemos se_tiene_que se_tiene obtenemos",
        "always": "siempre",
        "let": "sea sean definimos",
        "suppose": "supongamos",
        "if": "si",
        "then": "entonces",
        "real": "real reales",
        "number": "número",
        "numbers": "números",
        "integer": "entero enteros",
        "positive": "positivo positivos",
        "where": "donde",
        "with": "con",
        "and": "y",
        "or": "o",
        "not": "no",
        "is": "es son",
        "because": "porque pues ya_que",
        "case": "caso",
        "contradiction": "contradicción",
        "impossible": "imposible",
        "wrong": "falso falsa",
        "solve": "resolver resolvemos",
        "equation": "ecuación ecuaciones",
        "the": "el la los las del",
        "a": "un una",
        "for": "para",
        "of": "de",
        "ring": "anillo anillos",
        "ideals": "ideal ideales",
        "group": "grupo grupos",
        "field of": "cuerpo",
        "matrices": "matriz matrices",
    },
    "it": {
        "for all": "per_ogni per_tutti_i per_tutte_le",
        "therefore": "quindi dunque pertanto perciò",
        "we have": "abbiamo si_ha vale otteniamo",
        "always": "sempre",
        "let": "sia siano definiamo",
        "suppose": "supponiamo",
        "if": "se",
        "then": "allora",
        "real": "reale reali",
        "number": "numero",
        "numbers": "numeri",
        "integer": "intero interi",
        "positive": "positivo positivi",
        "where": "dove",
        "with": "con",
        "and": "e",
        "or": "o",
        "not": "non",
        "is": "è sono",
        "because": "perché poiché",
        "case": "caso",
        "contradiction": "contraddizione",
        "impossible": "impossibile",
        "wrong": "falso falsa",
        "equation": "equazione equazioni",
        "the": "il lo la gli le",
        "a": "un una",
        "of": "di",
        "ring": "anello anelli",
        "ideals": "ideale ideali",
        "group": "gruppo gruppi",
        "field of": "campo",
        "matrices": "matrice matrici",
    },
    "ru": {
        "for all": """
            для_всех для_любого для_любых для_любой для_каждого для_каждой при_всех при_любом при_любых
        """,
        "therefore": "следовательно поэтому значит отсюда таким_образом итак",
        "in particular": "в_частности",
        "we have": "имеем получаем получим верно выполняется справедливо",
        "always": "всегда",
        "let": "пусть положим обозначим",
        "suppose": "предположим допустим",
        "if": "если",
        "then": "тогда то",
        "real": "действительных действительного действительные вещественных вещественного",
        "number": "число числа",
        "numbers": "чисел",
        "integer": "целых целого",
        "natural": "натуральных натурального",
        "positive": "положительных положительного",
        "where": "где",
        "and": "и",
        "or": "или",
        "not": "не",
        "is": "есть является",
        "because": "потому_что так_как поскольку",
        "at": "при в_точке",
        "case": "случай случае",
        "contradiction": "противоречие",
        "impossible": "невозможно",
        "wrong": "неверно ложно",
        "solve": "решим решить",
        "equation": "уравнение уравнения",
        "check": "проверка проверим",
        "ring": "кольцо кольца кольце",
        "ideals": "идеал*",
        "group": "группа группы группе",
        "field of": "поле поля",
        "modulo": "по_модулю",
        "residue": "вычет*",
        "quaternion": "кватернион*",
        "matrices": "матриц*",
    },
    "zh": {
        "for all": "对任意的 对任意 对于任意 对所有 对一切 对每个 任意",
        "therefore": "所以 因此 因而 于是 从而 故",
        "we have": "可得 得到 有 得",
        "always": "恒成立 恒有 总有",
        "let": "设 令 记",
        "suppose": "假设 假定",
        "if": "如果 若",
        "then": "则 那么",
        "real number": "实数",
        "integer": "整数",
        "positive number": "正数",
        "where": "其中",
        "and": "以及 并且 和 与 且",
        "or": "或者 或",
        "impossible": "不可能",
        "not": "不",
        "because": "因为 由于",
        "when": "当",
        "case": "情况 情形",
        "contradiction": "矛盾",
        "wrong": "错误",
        "equation": "方程",
        "check": "检验 验证",
        "ring": "环",
        "ideals": "理想",
        "group": "群",
        "field of": "域",
        "modulo": "模",
        "residue": "剩余类 同余",
        "coset": "陪集",
        "subgroup": "子群",
        "finite field": "有限域",
        "quaternion": "四元数",
        "matrices": "矩阵",
        ".": "。",
        ",": "， ；",
    },
}
"""Of each language what its words are in English; `_` is a space, and `*` stands for any ending."""
_WITHOUT_SPACES = ("zh",)
_LETTERS_OF_OTHERS = re.compile(r"[^\W\d_a-zA-Z\u00c0-\u024f]+")
"""Letters that are not Latin."""
_UNKNOWN = " word "
_SEARCHED = 20_000
"""Characters at the beginning of a text that show its language."""


def translate_words(document: Document) -> Document:
    """Return a document with the words that say something of its statements in English.

    >>> from engines.documents.reading import TextPiece
    >>> words = TextPiece("Für alle reellen ", 1), TextPiece("x", 1, True), TextPiece(" gilt ", 1)
    >>> [piece.text for piece in translate_words(Document("", words)).pieces]
    ['for all real ', 'x', ' we have ']
    """
    words = "\n".join(piece.text[:_SEARCHED] for piece in document.pieces[:_SEARCHED] if not piece.formula)
    beginning = words[:_SEARCHED]
    language = max(_WORDS, key=lambda name: len(_compile(name).findall(beginning)))
    if language == "en":
        return document
    pieces = (
        replace(
            piece,
            text=_translate_within(piece.text, language)
            if piece.formula
            else _translate(piece.text, language),
        )
        for piece in document.pieces
    )
    return replace(document, pieces=tuple(pieces))


def _translate_within(latex: str, language: str) -> str:
    r"""Return a formula with its words in English that connect two statements, `\text{ und }`; others stay as
    the text has them."""

    def write_english(match: re.Match[str]) -> str:
        english = _translate(match[1], language)
        return match[0].replace(match[1], english) if mentions("connective", english) else match[0]

    return WORDS.sub(write_english, latex)


def _translate(text: str, language: str) -> str:
    english = _english_words(language)

    def write_english(match: re.Match[str]) -> str:
        said = match.group()
        known = english.get(_normalise(said)) or next(
            known
            for stem, known in english.items()
            if stem[-1:] == "*" and said.lower().startswith(stem[:-1])
        )
        # Lines are counted, and words of some languages have no spaces between them.
        return (f" {known} " if language in _WITHOUT_SPACES else known) + "\n" * said.count("\n")

    return _LETTERS_OF_OTHERS.sub(_UNKNOWN, _compile(language).sub(write_english, text))


def _normalise(phrase: str) -> str:
    return "_".join(phrase.lower().split())


@cache
def _english_words(language: str) -> dict[str, str]:
    return {phrase: english for english, phrases in _WORDS[language].items() for phrase in phrases.split()}


@cache
def _compile(language: str) -> re.Pattern[str]:
    phrases = sorted(_english_words(language), key=len, reverse=True)
    written = "|".join(
        re.escape(phrase.removesuffix("*")).replace("_", r"\s+") + (r"\w*" if phrase[-1:] == "*" else "")
        for phrase in phrases
    )
    return re.compile(written if language in _WITHOUT_SPACES else rf"\b(?:{written})\b", re.IGNORECASE)
