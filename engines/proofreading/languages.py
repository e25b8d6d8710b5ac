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
        "Example": "beispiel beispiele",
        "Exercise": "aufgabe aufgaben übung übungen übungsaufgabe",
        "Solution": "lösung lösungen musterlösung",
        "Proof": "beweis",
        "Theorem": "satz",
        "Lemma": "hilfssatz",
        "Corollary": "korollar folgerung",
        "Remark": "bemerkung anmerkung hinweis",
        "would be": "wäre wären hätte hätten würde würden",
        "remainder": "rest",
        "integer part": "ganzzahliger_anteil ganzzahlig_abgerundet",
        "mistake": "fehler fehlerhaft",
        "common error": "häufiger_fehler häufige_fehler typische_fehler typischer_fehler",
        "find the error": "finde_den_fehler finden_sie_den_fehler",
        "incorrect": "unzulässig ungültig falsche falscher falsches falschen",
        "no solution": "keine_lösung keine_lösungen unlösbar",
        "another": "andere anderes anderen weiteres weitere",
        "similarly": "analog ebenso",
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
        "Example": "exemple exemples",
        "Exercise": "exercice exercices",
        "Solution": "corrigé correction",
        "Proof": "preuve démonstration",
        "Theorem": "théorème",
        "Lemma": "lemme",
        "Corollary": "corollaire",
        "Remark": "remarque remarques",
        "would be": "serait seraient aurait auraient",
        "remainder": "reste",
        "integer part": "partie_entière",
        "mistake": "erreur erreurs",
        "common error": "erreur_fréquente erreurs_fréquentes erreur_classique erreurs_classiques",
        "find the error": "trouver_l'erreur trouvez_l'erreur",
        "incorrect": "incorrecte erroné erronée",
        "no solution": "pas_de_solution aucune_solution",
        "another": "autre autres",
        "similarly": "de_même",
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
        "Example": "ejemplo ejemplos",
        "Exercise": "ejercicio ejercicios",
        "Problem": "problema problemas",
        "Solution": "solución soluciones resolución",
        "Proof": "demostración prueba",
        "Theorem": "teorema",
        "Lemma": "lema",
        "Corollary": "corolario",
        "Remark": "observación nota",
        "would be": "sería serían tendría",
        "remainder": "resto residuo",
        "integer part": "parte_entera",
        "mistake": "error errores",
        "common error": "error_común errores_comunes error_frecuente errores_frecuentes errores_típicos",
        "find the error": "encuentra_el_error encuentre_el_error",
        "incorrect": "incorrecto incorrecta erróneo errónea",
        "no solution": "sin_solución ninguna_solución",
        "another": "otro otra otros otras",
        "similarly": "análogamente",
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
        "Example": "esempio esempi",
        "Exercise": "esercizio esercizi",
        "Solution": "soluzione soluzioni svolgimento",
        "Proof": "dimostrazione",
        "Theorem": "teorema",
        "Corollary": "corollario",
        "Remark": "osservazione",
        "would be": "sarebbe sarebbero avrebbe",
        "remainder": "resto",
        "integer part": "parte_intera",
        "mistake": "errore errori",
        "common error": "errore_comune errori_comuni errore_frequente errori_frequenti",
        "incorrect": "sbagliato sbagliata errato errata",
        "no solution": "nessuna_soluzione",
        "another": "altro altra altri altre",
    },
    "pt": {
        "for all": "para_todo para_toda para_todos para_todas para_cada para_qualquer",
        "therefore": "portanto logo assim por_conseguinte donde",
        "we have": "temos temos_que obtemos tem-se vale segue_que",
        "always": "sempre",
        "let": "seja sejam definimos considere",
        "suppose": "suponha suponhamos",
        "if": "se",
        "then": "então",
        "real": "reais",
        "number": "número",
        "numbers": "números",
        "integer": "inteiro inteiros",
        "positive": "positivo positivos",
        "where": "onde em_que",
        "with": "com",
        "and": "e",
        "or": "ou",
        "not": "não",
        "is": "é são",
        "because": "porque pois já_que",
        "case": "caso",
        "contradiction": "contradição absurdo",
        "impossible": "impossível",
        "wrong": "falso falsa errado errada",
        "mistake": "erro erros",
        "common error": "erro_comum erros_comuns",
        "equation": "equação equações",
        "Example": "exemplo exemplos",
        "Exercise": "exercício exercícios",
        "Solution": "solução soluções resolução",
        "Proof": "demonstração prova",
        "Theorem": "teorema",
        "would be": "seria seriam",
        "remainder": "resto",
        "the": "os as do da dos das no na",
        "a": "um uma",
        "of": "de",
        "ring": "anel anéis",
        "group": "grupo grupos",
        "matrices": "matriz matrizes",
    },
    "tr": {
        "for all": "her_bir her bütün tüm",
        "therefore": "dolayısıyla bu_nedenle böylece o_halde buradan",
        "we have": "elde_edilir elde_ederiz buluruz bulunur olur",
        "let": "olsun alalım",
        "suppose": "varsayalım kabul_edelim",
        "if": "eğer ise",
        "and": "ve",
        "or": "veya ya_da",
        "not": "değil*",
        "because": "çünkü",
        "where": "burada",
        "with": "ile",
        "for": "için",
        "a": "bir",
        "this": "bu",
        "for example": "örneğin",
        "case": "durum*",
        "contradiction": "çelişki*",
        "impossible": "imkânsız* imkansız* olanaksız*",
        "wrong": "yanlış* hatalı*",
        "mistake": "hata* yanılgı*",
        "error hunt": "hata_avı",
        "find the error": "hatayı_bul* hatayı_açıkla* hatayı_düzelt* hatayı_göster*",
        "no solution": "çözümü_yok* çözüm_yok*",
        "equation": "denklem*",
        "Example": "örnek",
        "Exercise": "alıştırma* soru*",
        "Solution": "çözüm*",
        "Proof": "kanıt ispat",
        "Theorem": "teorem",
        "matrices": "matris*",
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
        "Example": "пример примеры",
        "Exercise": "задача задачи задание упражнение упражнения",
        "Solution": "решение решения",
        "Proof": "доказательство",
        "Theorem": "теорема",
        "Lemma": "лемма",
        "Corollary": "следствие",
        "Definition": "определение",
        "Remark": "замечание",
        "would be": "было_бы был_бы были_бы",
        "remainder": "остаток остатке остатком",
        "integer part": "целая_часть",
        "mistake": "ошибка ошибки ошибку",
        "common error": "типичная_ошибка типичные_ошибки частая_ошибка частые_ошибки",
        "incorrect": "неправильно неправильный",
        "no solution": "нет_решений не_имеет_решений",
        "another": "другой другая другое другие",
        "similarly": "аналогично",
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
        # Words that other words stand in, as "modulo" in "model" and "field" in "domain of definition".
        "model": "模型 模式 模拟 模块 模板 规模 建模",
        "length": "模长 取模长",
        "loop": "循环 环境 环节",
        "many": "群体 人群",
        "domain": "定义域 值域 邻域 区域 领域 作用域",
        "inequality": "不等式",
        "without loss of generality": "不妨",
        "unchanged": "不变 不断",
        "design": "设计 记录",
        "several": "若干",
        "such that": "使得",
        "rule": "法则 规则 准则 原则",
        "otherwise": "否则",
        "current": "当前 相当 适当",
        "sum": "求和 总和 之和",
        ".": "。",
        ",": "， ；",
        "Example": "例题 例",
        "for example": "例如 比如",
        "Exercise": "习题 练习 题目 问题",
        "Solution": "解答 解法 解",
        "we get": "解得 解出",
        "solve": "求解 解方程",
        "Proof": "证明",
        "Theorem": "定理",
        "Lemma": "引理",
        "Corollary": "推论",
        "Definition": "定义",
        "Remark": "注记 备注",
        "remainder": "余数",
        "integer part": "取整",
        "mistake": "误区 陷阱",
        "common error": "常见错误 典型错误 易错",
        "incorrect": "不正确 不成立 错解",
        "no solution": "无解",
        "another": "另一 其他",
        "similarly": "同理 类似地",
        "decompose": "分解",
        "analytic": "解析",
        "proportion": "比例",
        "counterexample": "反例",
        "explain": "解释 理解 了解",
        ":": "：",
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
        phrase = _normalise(said)
        stems = (stem for stem in english if stem[-1:] == "*" and phrase.startswith(stem[:-1]))
        # A capital of another alphabet, as İ, is found for i and becomes two letters when it is made small.
        known = english.get(phrase) or english.get(next(stems, ""), said)
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
