"""Formulas that are no LaTeX: plain text (`2*x^2 <= sqrt(2)`) and Presentation MathML as LaTeX, Content
MathML as terms."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from engines.core.errors import DataError
from engines.core.tree import MAX_DEPTH, Tree
from engines.formula.content_mathml import mathml_root, name_of
from engines.formula.cursor import UnreadError, make_negative, nest_to_left
from engines.formula.infix import split_word
from engines.formula.operator_tree import deep_recursion
from engines.formula.symbols import list_symbols
from engines.formula.unit_table import BARE_UNITS
from engines.formula.vocabulary import (
    BARE_BOUNDS,
    BETWEEN_REMARKS,
    BETWEENS,
    CONNECTIVES,
    DENIALS_OF_STATEMENTS,
    GREEK,
    IMPLICATIONS,
    MEMBERSHIP_PHRASES,
    MULTIPLICITIES,
    ONE_PLACE,
    PAIRS,
    PARITIES,
    QUANTIFYING_PHRASES,
    RANGE_WORDS,
    REMARKS_ON_OR,
    SETS_IN_WORDS,
    SEVERAL,
    SPOKEN_ROOTS,
    SPOKEN_SIGNS,
)

if TYPE_CHECKING:
    from lxml.etree import _Element

_SIGNS = {
    "<=": r"\le ",
    ">=": r"\ge ",
    "!=": r"\ne ",
    "<>": r"\ne ",
    "==": "=",
    "<=>": r"\iff ",
    "=>": r"\implies ",
    "->": r"\to ",
    "+-": r"\pm ",
    "+/-": r"\pm ",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "&": r"\&",
    "{": r"\{",
    "}": r"\}",
    "...": r"\ldots ",
}
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿⁱˣᵏᵐ"
"""Signs and letters that are exponents."""
_CYRILLIC, _IDEOGRAPH = "[\u0400-\u04ff]", "[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]"
_OTHER_WORD = re.compile(rf"{_CYRILLIC}{{2,}}|{_IDEOGRAPH}+")
"""Words of scripts whose letters are no names in formulas."""
_TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<number>[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
    r"|(?P<slope>d\s*/\s*d(?P<variable>[A-Za-z])(?![^\W\d_]))"
    r"|(?P<logarithm>log(?:_?(?P<base>10|2)(?![0-9.])|(?P<small>[₀₁₂₃₄₅₆₇₈₉]+)))"
    rf"|(?P<word>{_CYRILLIC}+|{_IDEOGRAPH}+|(?:(?!{_CYRILLIC}|{_IDEOGRAPH})[^\W\d_{_RAISED}])+)"
    rf"|(?P<superscript>[{_RAISED}]+)"
    r"|(?P<script>\^|\*\*|_)"
    r"|(?P<sign><=>|\+/-|\.\.\.|<=|>=|!=|<>|==|=>|->|\+-|[%$#&{}])"
    r"|(?P<character>.)",
    re.DOTALL,
)
_SUPERSCRIPTS = str.maketrans(_RAISED, "0123456789-+nixkm")
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_ANSWERS = ("yes", "no", "odd", "any", "all", "ja", "oui", "non")
"""Short words that are an answer, and no product."""
_LETTER = r"[^\W\d_⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉]"
_WORDS = re.compile(rf"\s*{_LETTER}{{2,}}(?:\s+{_LETTER}+)*[.!]?\s*")
_LONG_WORD = re.compile(rf"{_LETTER}{{2,}}")
_SPELT = {
    "inf": r"\infty",
    "infinity": r"\infty",
    "oo": r"\infty",
    "pi": r"\pi",
    "const": "C",
    "degrees": r"^\circ",
}
_OF_SEVERAL = (*SEVERAL, *PAIRS)
_NAMES = tuple(sorted({name for name in (*ONE_PLACE, *GREEK) if len(name) > 1}, key=len, reverse=True))
_CONNECTED = ("and", "or", "if", "in", "for", "und", "oder", "für", "mit", "ou", "où", "и")
_JUNCTIONS = {"and": r"\land ", "or": r"\lor "}
"""Connectives within brackets, where formulas have signs for them."""
_LOGICAL = ("and", "or", "not", "if", "then", "iff", "implies")
_POSTFIX = ("!", "'")
_PHRASES = frozenset(
    (
        *(phrase for phrase in (*SETS_IN_WORDS, *MEMBERSHIP_PHRASES, *PARITIES) if " " in phrase),
        *(*QUANTIFYING_PHRASES, *SPOKEN_SIGNS, *SPOKEN_ROOTS, "such that", "if and only if"),
        *(*REMARKS_ON_OR, *BETWEENS, *BETWEEN_REMARKS, *DENIALS_OF_STATEMENTS, *MULTIPLICITIES),
        *(*IMPLICATIONS, *RANGE_WORDS),
    )
)
_PLAIN_QUANTIFIERS = {
    phrase: next(one for one in QUANTIFYING_PHRASES if QUANTIFYING_PHRASES[one] == said)
    for phrase, said in QUANTIFYING_PHRASES.items()
    if not phrase.isascii()
}
"""Quantifiers without accents, which LaTeX would write as commands."""
_REMARKS = tuple(rf"\text{{ {remark} }}" for remark in REMARKS_ON_OR)
_MORE = ("more than",)
_PHRASE_STARTS = frozenset(phrase.split()[0] for phrase in _PHRASES)
_LONGEST_PHRASE = max(len(phrase.split()) for phrase in _PHRASES)


def latex_of_plain(text: str) -> str:
    r"""Write plain text as LaTeX.

    Numbers and brackets are exponents, and powers associate to the right. Words are functions, Greek letters
    or texts; of several letters behind ^ the first is the exponent, as in LaTeX.

    Raises:
        UnreadError: where it is nested deeper than any formula that is read.

    >>> latex_of_plain("2*x^10 <= sqrt(2)^(n+1)")
    '2*x^{10} \\le  \\sqrt{2}^{n+1}'
    >>> latex_of_plain("e^-x^2 + sin(x)^2")
    'e^{-x^{2}} + \\sin ^{2}(x)'
    """
    if _is_prose(text):
        return rf"\text{{{text.strip()}}}"
    with deep_recursion():
        return _PlainWriter(text).write_text()


def is_written_with_names(text: str) -> bool:
    """Return whether a text has names of functions or Greek letters, and no other words.

    >>> is_written_with_names("2 cos pi/2"), is_written_with_names("the cos of 2")
    (True, False)
    """
    words = _LONG_WORD.findall(text)
    names = [split_word(word, _NAMES, "xyz") for word in words]
    return all(names) and any(len(name) > 2 or name == "pi" for name in chain(*names))


_BEFORE_TERMS = ("+", "-", "−", "*", "/", "=")
_RELATIONS_IN_LETTERS = ("gt", "lt", "ge", "le", "ne")
"""Words that are relations between two terms, and products of letters behind a sign."""
_MEASURES = ("Var", "Cov")
"""Names of functions that are no products of letters."""
_NO_SYMBOLS = frozenset(("in", "to", "mp", "ni", "wp", "ll", "gg"))
"""English words and products of two letters far more often than the symbols of these names."""


def _is_prose(text: str) -> bool:
    """Return whether a text is words of an answer, and no formula such as `sin x`."""
    if not _WORDS.fullmatch(text):
        return False
    words = text.strip(" .!").split()
    if (denial := _find_denial(words)) is not None:
        return _is_prose(" ".join(words[denial:]))
    if len(words) == 1:
        return words[0].lower() in _ANSWERS or _word_to_latex(words[0]).startswith(r"\text")
    if all(len(word) == 1 or word.lower() in _LOGICAL for word in words):
        return False  # not p and q
    names = [split_word(word, _NAMES, "xyz" if len(word) > 1 else word) for word in words]
    return not all(names) or max(map(len, chain(*names))) < 2


def _find_denial(words: Sequence[str]) -> int | None:
    """Return the index behind words that deny the statement behind them; None without any in front."""
    small = " ".join(words).lower()
    phrase = next((one for one in DENIALS_OF_STATEMENTS if small.startswith(f"{one} ")), None)
    return None if phrase is None else len(phrase.split())


def _word_to_latex(word: str) -> str:
    lower = word.lower()
    if lower in _SPELT:
        return _SPELT[lower] + " "
    known = list_symbols().get(rf"\{word}")
    if known is not None and len(known.unicode) == 1 and word not in _NO_SYMBOLS:
        return rf"\{word} "
    # From here on, known words become commands of LaTeX.
    if word == "mod":
        return r"\bmod "
    if word in _MEASURES:
        return rf"\operatorname{{{word}}}"
    if word in ONE_PLACE or word in _OF_SEVERAL or word == "lim":
        return (
            rf"\{word} " if known is not None and known.group == "functions" else rf"\operatorname{{{word}}}"
        )
    if word == "in":
        return r"\in "
    if lower in ("für", "où"):
        return r"\text{ for }"
    if lower in _CONNECTED or word in BARE_UNITS or _OTHER_WORD.fullmatch(word):
        return rf"\text{{ {word} }}"
    # A word of several names, such as "sinx", is split; short unknown words are products of letters.
    names = split_word(word, _NAMES, "xyz")
    if len(word) > 3 and not names:
        return rf"\text{{ {word} }}"
    return "".join(map(_word_to_latex, names)) if any(len(name) > 1 for name in names) else word


class _PlainWriter:
    """Writes the tokens of plain text as LaTeX."""

    def __init__(self, text: str) -> None:
        tokens = [(match.lastgroup or "character", match) for match in _TOKEN.finditer(text)]
        self.tokens = [
            (
                kind,
                match[0],
                match["base"] or match["variable"] or (match["small"] or "").translate(_SUBSCRIPTS),
            )
            for kind, match in reversed(tokens)
        ]
        self.depth = 0
        self.number_end = False
        """Whether a number stands right before the next token."""
        self.counted = False
        """Whether a number stands before the next token that is no space."""
        self.operand_end = False
        """Whether something that a relation may follow stands before the next token."""
        self.behind_sign = False
        """Whether a sign that needs something behind it stands before the next token."""

    def write_text(self) -> str:
        """Return the LaTeX of the whole text."""
        written = ""
        while self.tokens:
            written += self.write_sequence()
            if self.tokens:
                written += self.tokens.pop()[1]  # it closes nothing
        return written

    def next_text(self) -> str:
        """Return the next token that is no space."""
        return next((text for kind, text, _ in reversed(self.tokens) if kind != "space"), "")

    def take_token(self) -> tuple[str, str, str]:
        """Take the next token that is no space."""
        self.skip_spaces()
        return self.tokens.pop()

    def skip_spaces(self) -> None:
        while self.tokens and self.tokens[-1][0] == "space":
            self.tokens.pop()

    def write_sequence(self) -> str:
        """Write what stands here up to a closing bracket or the end."""
        if self.depth > MAX_DEPTH:
            raise UnreadError(f"the expression is nested more than {MAX_DEPTH} deep")
        written: list[str] = []
        while self.tokens and self.tokens[-1][1] != ")":
            written.append(self.write_item())
        return "".join(written)

    def write_item(self) -> str:
        kind, text, detail = self.tokens.pop()
        # The flag lives for one item only: it says whether a word comes right after a number.
        behind_number, self.number_end = self.number_end, kind == "number"
        behind_operand = self.operand_end
        counted = self.counted
        self.counted = self.counted if kind == "space" else kind == "number"
        self.operand_end = self.operand_end if kind == "space" else text.lower() not in CONNECTIVES
        behind_sign = self.behind_sign
        self.behind_sign = self.behind_sign if kind == "space" else text in _BEFORE_TERMS
        if kind == "script":
            return self.write_script("_" if text == "_" else "^")
        if kind == "superscript":
            return f"^{{{text.translate(_SUPERSCRIPTS)}}}"
        if kind == "slope":
            return rf"\frac{{d}}{{d{detail}}}"
        if kind == "logarithm":
            return self.write_application("log", rf"\log_{{{detail}}}")
        if (
            kind == "word"
            and text == "et"
            and self.next_text()[:1].isalnum()
            and self.tokens[-1][0] == "space"
        ):
            return r"\text{ et }"  # et is no product e t where another name follows it
        if kind == "word" and text.lower() in _PHRASE_STARTS and (phrase := self.take_phrase(text)):
            if phrase in SPOKEN_ROOTS:
                return rf"\sqrt{SPOKEN_ROOTS[phrase]}{{{self.write_operand('_')}}}"
            if phrase in DENIALS_OF_STATEMENTS:
                return r"\lnot "
            # `3 less than x` is a difference, and no relation; `5 more than x` may be one behind a letter.
            bare = phrase in BARE_BOUNDS and (counted or phrase in _MORE)
            if not (bare and behind_operand):
                return SPOKEN_SIGNS.get(phrase) or rf"\text{{ {_PLAIN_QUANTIFIERS.get(phrase, phrase)} }}"
            return rf"\text{{ {phrase} }}"
        if (
            kind == "word"
            and text.lower() == "not"
            and (self.next_text() == "(" or len(self.next_text()) == 1)
        ):
            return r"\lnot "
        if kind == "word" and len(text) == 1 and not behind_number and self.is_index():
            return f"{text}_{{{self.tokens.pop()[1]}}}"
        if kind == "word" and self.depth and (sign := _JUNCTIONS.get(CONNECTIVES.get(text.lower(), ""))):
            return sign
        if kind == "word" and behind_sign and text in _RELATIONS_IN_LETTERS:
            return text  # u - gt is a difference
        if kind == "word":
            # After a number, as in "2pir", a word is split into the names that it begins with.
            names = split_word(text, _NAMES, text) if behind_number else [text]
            if len(names) > 1 and len(names[0]) > 1:  # 2pir
                self.tokens.append(("word", "".join(names[1:]), ""))
                return self.write_word(names[0])
            return self.write_word(text)
        if text == "(":
            inner, closing = self.write_bracketed()
            return inner if inner.strip() in _REMARKS else f"({inner}{closing}"
        return _SIGNS.get(text, text)

    def is_index(self) -> bool:
        """Return whether an integer stands right here, as behind the letter of x1."""
        return bool(self.tokens) and self.tokens[-1][0] == "number" and self.tokens[-1][1].isdecimal()

    def take_phrase(self, first: str) -> str:
        """Take the words that make a known phrase with the one before them, as many as can be; return the
        phrase, or an empty text where there is none."""
        words, ends = [first], [0]
        for at, (kind, text, _) in enumerate(reversed(self.tokens), start=1):
            if text == "-" and words[-1].lower() == "non":
                words[-1] += text
                continue
            if kind not in ("word", "space") or len(words) == _LONGEST_PHRASE:
                break
            if kind == "word" and words[-1].endswith("-"):
                words[-1], ends[-1] = words[-1] + text, at
            elif kind == "word":
                words.append(text)
                ends.append(at)
        for count in range(len(words), 0, -1):
            if (phrase := " ".join(words[:count]).lower()) in _PHRASES:
                del self.tokens[len(self.tokens) - ends[count - 1] :]
                return phrase
        return ""

    def write_word(self, word: str) -> str:
        if word in ONE_PLACE and len(word) > 1:
            return self.write_application(word, _word_to_latex(word))
        known = len(word) > 1 or word in _CONNECTED or _OTHER_WORD.fullmatch(word)
        return _word_to_latex(word) if known else word

    def write_bracketed(self) -> tuple[str, str]:
        """Write what stands in the bracket that has just been opened; and the bracket that closes it."""
        self.depth += 1
        inner = self.write_sequence()
        self.depth -= 1
        return inner, self.tokens.pop()[1] if self.tokens else ""

    def write_application(self, word: str, name: str) -> str:
        """Write a function with its argument in brackets. A power of its value goes behind its name, where
        LaTeX has it, except for -1, which would mean the inverse function there."""
        if self.next_text() != "(":
            return name
        self.take_token()
        inner, closing = self.write_bracketed()
        if word == "sqrt" and closing:
            return rf"\sqrt{{{inner}}}"
        if self.next_text() not in ("^", "**"):
            return f"{name}({inner}{closing}"
        self.take_token()
        power = self.write_script("^")
        return f"({name}({inner}{closing}){power}" if power == "^{-1}" else f"{name}{power}({inner}{closing}"

    def write_script(self, mark: str) -> str:
        self.depth += 1
        operand = self.write_operand(mark)
        self.depth -= 1
        return f"{mark}{{{operand}}}" if operand else mark

    def write_operand(self, mark: str) -> str:
        """Write what is raised or lowered: a sign, then a number, bracket, function or name with its own
        scripts."""
        # Exponents of exponents recurse, so the depth is bounded.
        if self.depth > MAX_DEPTH:
            raise UnreadError(f"the expression is nested more than {MAX_DEPTH} deep")
        sign = ""
        while self.next_text() in ("+", "-", "−"):
            sign += self.take_token()[1]
        kind, text, detail = self.take_token() if self.next_text() else ("", "", "")
        if kind == "number":
            written = text
        elif kind == "word":
            # A subscript takes the whole word, as in x_max; an exponent takes only its first name.
            names = [text] if mark == "_" else self.split_first_name(text)
            if "".join(names[1:]):
                self.tokens.append(("word", "".join(names[1:]), ""))
            written = (rf"\{text}" if text in GREEK else text) if mark == "_" else self.write_word(names[0])
        elif text == "(":
            inner, closing = self.write_bracketed()
            # Brackets around a script are dropped, unless an operator after them applies to the bracket.
            whole = mark == "_" or self.next_text() not in ("^", "**", *_POSTFIX)
            written = inner if whole and closing else f"({inner}{closing}"
        elif kind == "logarithm":
            written = self.write_application("log", rf"\log_{{{detail}}}")
        else:
            # Nothing can be raised: the token is put back, for the caller to find it missing.
            self.tokens += [(kind, text, detail)] * bool(kind)
            return sign
        # Powers associate to the right, so in x^a^b what follows a belongs to the exponent. A subscript does
        # so behind a name: x^2_1 is the square of x_1.
        scripts = ("^", "**", *_POSTFIX, *["_"] * (kind == "word"))
        while mark == "^" and (self.next_text() in scripts or self.is_superscript()):
            self.skip_spaces()
            written += self.write_item()
        return sign + written.strip()

    def split_first_name(self, word: str) -> list[str]:
        """Return the first name of a word as an exponent: all of it, a function or Greek letter, or one
        letter; and the rest."""
        names = split_word(word, _NAMES, word)
        return names if len(names[0]) > 1 or len(names) == 1 else [word[0], word[1:]]

    def is_superscript(self) -> bool:
        return bool(self.tokens) and self.tokens[-1][0] == "superscript"


# MathML

_SCRIPTS = {"msup": "^", "msub": "_", "munder": "_", "mover": "^", "msubsup": "_^", "munderover": "_^"}
_MARKS_ABOVE = {"¯": r"\overline", "_": r"\overline", "^": r"\hat", "~": r"\tilde", "→": r"\vec"}
_ROWS = ("math", "mrow", "mstyle", "semantics", "mpadded", "mtd")
_UNSHOWN = ("annotation", "annotation-xml", "mphantom")
_ESCAPED = str.maketrans(
    {"\u2061": "", "\u2062": " "} | {character: rf"\{character}" for character in "%{}#&_"}
)


def meant_by_mathml(xml: str) -> str | Tree:
    """Read a `<math>` element: Content MathML as a term, Presentation MathML as LaTeX.

    Returns:
        The text of an annotation in TeX if the element has one, else the term of its Content MathML if it has
        that, else the LaTeX of its Presentation MathML.

    Raises:
        UnreadError: For an element that can be read as neither.
        DataError: E317 for text that is no XML.
    """
    root = mathml_root(xml)
    for element in root.iter():
        if name_of(element) == "annotation" and "tex" in (element.get("encoding") or "").lower():
            return "".join(map(str, element.itertext()))
    with deep_recursion():
        inner = next((one for one in root.iter() if name_of(one) == "annotation-xml"), root)
        if any(name_of(one) in ("apply", "ci", "cn", "csymbol") for one in inner.iter()):
            children = [one for one in inner if name_of(one) != "semantics"]
            if len(children) != 1:
                raise UnreadError("not one formula")
            return _to_term(children[0])
        return _write_latex(root, lenient=False)


def latex_of_mathml(xml: str) -> str:
    r"""Write a `<math>` element of a document as LaTeX, as far as it is Presentation MathML.

    Returns:
        The LaTeX, "" for text that is no XML.

    >>> latex_of_mathml("<math><mfrac><mi>a</mi><mn>2</mn></mfrac><mo>=</mo><mi>b</mi></math>")
    '\\frac{a}{2} = b'
    """
    try:
        with deep_recursion():
            return _write_latex(mathml_root(xml), lenient=True)
    except DataError:
        return ""


def _write_latex(element: _Element, *, lenient: bool) -> str:
    """Write an element; `lenient` leaves out what has no LaTeX, which is else an UnreadError."""
    name = name_of(element)
    if name in ("mi", "mo", "mn", "mtext"):
        # Elements of text first.
        text = "".join(map(str, element.itertext())).strip()
        written = text.translate(_ESCAPED)
        if name == "mtext":
            return rf"\text{{{written}}}"
        word = len(text) > 1 and text.isalpha() and (name == "mi" or lenient)
        return rf"\operatorname{{{text}}}" if word else written
    if lenient and name in _UNSHOWN:
        return ""
    # Then elements with children, whose LaTeX is composed from that of the parts.
    parts = [_write_latex(child, lenient=lenient) for child in element]
    if name in _ROWS:
        return " ".join(filter(None, parts))
    if name == "mspace":
        return r"\,"
    if name == "mfrac" and len(parts) == 2:
        return rf"\frac{{{parts[0]}}}{{{parts[1]}}}"
    # Scripts: the signs give the order in which MathML lists them after the base.
    if len(parts) == 1 + len(signs := _SCRIPTS.get(name, "")) > 1:
        base, *scripts = parts
        if name == "mover" and scripts[0] in _MARKS_ABOVE:
            return f"{_MARKS_ABOVE[scripts[0]]}{{{base}}}"
        # LaTeX attaches a script to the last token, so a longer base needs braces.
        enclosed = base if name_of(element[0]) in ("mi", "mo", "mn") else f"{{{base}}}"
        return enclosed + "".join(f"{sign}{{{script}}}" for sign, script in zip(signs, scripts, strict=True))
    if name == "msqrt":
        return rf"\sqrt{{{' '.join(parts)}}}"
    if name == "mroot" and len(parts) == 2:
        return rf"\sqrt[{parts[1]}]{{{parts[0]}}}"
    if name == "mfenced":
        return element.get("open", "(") + ", ".join(parts) + element.get("close", ")")
    if name == "mtable":
        rows = r" \\ ".join(parts)
        return rf"\begin{{matrix}} {rows} \end{{matrix}}"
    if name == "mtr":
        return " & ".join(parts)
    # A lenient reader passes over an unknown element, but keeps what it contains.
    if lenient:
        return " ".join(filter(None, parts))
    raise UnreadError(f"<{name}> is not understood")


_SAME = "in approx subset and or not implies factorial abs floor arg union transpose set list matrix min max"
_LABELS = {
    **{name: name for name in (*_SAME.split(), "gcd", "lcm", "ln")},
    "eq": "=",
    "neq": "!=",
    "lt": "<",
    "gt": ">",
    "leq": "<=",
    "geq": ">=",
    "prsubset": "subset",
    "equivalent": "iff",
    "plus": "+",
    "minus": "-",
    "times": "*",
    "divide": "/",
    "power": "pow",
    "rem": "mod",
    "ceiling": "ceil",
    "real": "re",
    "imaginary": "im",
    "conjugate": "conj",
    "intersect": "intersection",
    "setdiff": "without",
    "determinant": "det",
    "vector": "tuple",
    "matrixrow": "row",
}
_LEAVES = {
    "pi": "pi",
    "exponentiale": "e",
    "imaginaryi": "i",
    "infinity": "inf",
    "reals": "ℝ",
    "integers": "ℤ",
}
_NESTED = ("+", "*", "min", "max", "gcd", "lcm", "union", "intersection")
_CLOSURES = {"open": "oo", "closed": "cc", "open-closed": "oc", "closed-open": "co"}


def _to_term(element: _Element) -> Tree:
    name = name_of(element)
    text = "".join(map(str, element.itertext())).strip()
    # Leaves: numbers and names have their text, constants an element of their own.
    if name in ("cn", "ci"):
        if len(element) or not text:
            raise UnreadError(f"<{name}> with elements in it is not understood")
        return Tree(text)
    if name in _LEAVES:
        return Tree(_LEAVES[name])
    if name == "emptyset":
        return Tree("set")
    if name == "interval":
        closure = _CLOSURES.get(element.get("closure", "closed"), "")
        return Tree("interval", (Tree(closure), *map(_to_term, element)))
    # Collections have no operator; everything else is an application.
    if name in ("set", "list", "vector", "matrix", "matrixrow"):
        return Tree(_LABELS[name], tuple(map(_to_term, element)))
    if name != "apply" or not len(element):
        raise UnreadError(f"<{name}> is not understood")
    # The operator comes first, then qualifiers such as `bvar`, in any order, then the operands.
    operator, *rest = element
    marks = {name_of(one): one for one in rest}
    given = [_to_term(one) for one in rest if name_of(one) not in _MARKS]
    return _apply_content_operator(
        name_of(operator), operator, {key: marks[key] for key in _MARKS if key in marks}, given
    )


_MARKS = ("bvar", "lowlimit", "uplimit", "degree", "logbase", "condition")


def _apply_content_operator(
    name: str, operator: _Element, marks: dict[str, _Element], given: list[Tree]
) -> Tree:
    # Bound variables and limits first: sums, products, integrals, derivatives.
    inner = {key: _to_term(one[0]) for key, one in marks.items() if len(one)}
    ranged = {"sum": "sum", "product": "prod", "int": "integral"}
    if name in ranged and inner.keys() == {"bvar", "lowlimit", "uplimit"} and len(given) == 1:
        return Tree(ranged[name], (inner["bvar"], inner["lowlimit"], inner["uplimit"], given[0]))
    if name == "int" and inner.keys() == {"bvar"} and len(given) == 1:
        return Tree("antiderivative", (inner["bvar"], given[0]))
    if name == "diff" and inner.keys() == {"bvar"} and len(given) == 1:
        return Tree("d", (inner["bvar"], given[0]))
    if name == "root" and len(given) == 1:
        degree = inner.get("degree", Tree("2"))
        return Tree("sqrt", tuple(given)) if degree == Tree("2") else Tree("root", (degree, given[0]))
    if name == "log" and len(given) == 1:
        return Tree("log", (inner.get("logbase", Tree("10")), given[0]))
    # Qualifiers that no case above accepts would silently be lost.
    if inner:
        raise UnreadError(f"<{name}> with <{next(iter(inner))}> is not understood")
    # What has another form among the terms: exp x is a power of e, and a minus of one operand a negation.
    if name == "exp" and len(given) == 1:
        return Tree("pow", (Tree("e"), given[0]))
    if name == "minus" and len(given) == 1:
        return make_negative(given[0])
    if name == "ci":
        return Tree("call", (_to_term(operator), *given))
    label = _LABELS.get(name) or ONE_PLACE.get(name, "")
    # Operators of any number of operands are nested in pairs.
    if label in _NESTED and given:
        return nest_to_left(label, given)
    # A relation of several operands is a chain.
    chained = label in ("=", "!=", "<", "<=", ">", ">=", "in", "subset", "approx")
    if chained and len(given) > 2:
        return Tree("and", tuple(Tree(label, pair) for pair in pairwise(given)))
    # Check the number of operands, because MathML does not.
    two = chained or label in ("-", "/", "pow", "mod", "without")
    one = label in ONE_PLACE.values()
    if not label or not given or (two and len(given) != 2) or (one and len(given) != 1):
        raise UnreadError(f"<{name}> of {len(given)} is not understood")
    return Tree(label, tuple(given))
