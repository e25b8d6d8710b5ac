"""LaTeX as one line of Unicode for a terminal: `\\sum_{k=0}^n x_k^2` becomes one line."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace

from engines.core.files import make_printable
from engines.formula.lexer import Source, Token, TokenCursor
from engines.formula.operator_tree import deep_recursion
from engines.formula.symbols import ALPHABET_OF, lettered, roles, symbols

_SCRIPT = 6
"""Longer scripts are written with ^ and _."""
_SUPER = str.maketrans("0123456789+−=()niT", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵀ")
_SUB = str.maketrans("0123456789+−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
_RAISED = {"∘": "°", "∗": "*", "*": "*", "′": "′", "′′": "″", "†": "†", "⊤": "ᵀ", "⟂": "^⟂"}
_CLOSERS = {"(": ")", "[": "]", "{": "}", "|": "|", "‖": "‖", "": ""}
_KINDS = {
    "relations": "relation",
    "arrows": "relation",
    "operators": "binary",
    "large": "large",
    "functions": "function",
}
_OPEN, _CLOSE = set("([{⟨⌊⌈⌜⌞⟦"), set(")]}⟩⌋⌉⌝⌟⟧")
MATRICES = {"pmatrix": "(", "bmatrix": "[", "Bmatrix": "{", "vmatrix": "|", "Vmatrix": "‖"}
CASES = ("cases", "dcases", "rcases")
_ROOTS = {"2": "√", "3": "∛", "4": "∜", "": "√"}
_LIMITS = ("lim", "sup", "inf", "max", "min")
_DIFFERENTIAL = re.compile(r"[d∂]\w[²³]?")


@dataclass(frozen=True, slots=True)
class Atom:
    """A piece of the line. `kind` decides the spaces around it: ordinary, number, relation, binary, open,
    close, punctuation, function, large, fraction, text, space, command."""

    text: str
    kind: str = "ordinary"
    weight: int = 0
    """As a part of something larger: 0 stands alone, 1 is a product such as 2x, 2 needs brackets."""
    scripts: str = ""
    """The marks of the scripts that it has."""
    grouped: bool = False
    """Whether it takes a script only in brackets."""


def character(text: str) -> Atom:
    """A character that is no command."""
    if text in "+-*/":
        return Atom("−" if text == "-" else text, "ordinary" if text == "/" else "binary")
    if text in "=<>":
        return Atom(text, "relation")
    if text in ",;:":
        return Atom(text, "punctuation")
    if text in _OPEN:
        return Atom(text, "open")
    if text in _CLOSE:
        return Atom(text, "close")
    return Atom(text)


def plain_symbol(text: str) -> Atom:
    """A command that stands for one symbol; an unknown one as it is written."""
    symbol = symbols().get(text)
    if symbol is None or not (symbol.unicode or symbol.group == "functions"):
        return Atom(text, "command")
    shown = symbol.unicode or text[1:]
    if shown in _OPEN or shown in _CLOSE:
        return Atom(shown, "open" if shown in _OPEN else "close")
    if text == "\\colon":
        return Atom(":", "punctuation")
    return Atom(shown, _KINDS.get(symbol.group, "ordinary"))


def scripted(mark: str, body: str, *, plain: bool) -> str:
    """A script as Unicode has it, else with its mark, ^ or _; `plain` always takes the mark."""
    if not body:
        return ""
    if mark == "^" and body in _RAISED:
        return _RAISED[body]
    table = _SUPER if mark == "^" else _SUB
    if not plain and len(body) <= _SCRIPT and all(ord(char) in table for char in body):
        return body.translate(table)
    return f"{mark}{body}" if len(body) == 1 else f"{mark}{{{body}}}"


def is_product(atoms: list[Atom]) -> bool:
    return all(atom.weight < 2 and atom.kind in ("ordinary", "number", "command") for atom in atoms)


def _part(atoms: list[Atom], *, product: bool) -> str:
    """A side of a fraction, in brackets where they are needed; `product` lets `2x` go without."""
    text = joined(atoms, tight=True).strip()
    alone = len(atoms) == 1 and atoms[0].weight == 0
    if alone and atoms[0].kind in ("ordinary", "number", "close", "command"):
        return text
    return text if _DIFFERENTIAL.fullmatch(text) or (product and is_product(atoms)) else f"({text})"


def fraction(top: list[Atom], bottom: list[Atom]) -> Atom:
    """`(a+b)/c`, brackets only where they are needed."""
    return Atom(f"{_part(top, product=True)}/{_part(bottom, product=False)}", "fraction", weight=2)


def choose(top: list[Atom], bottom: list[Atom]) -> Atom:
    return Atom(f"C({joined(top, tight=True)},{joined(bottom, tight=True)})", "close")


def root(index: str, atoms: list[Atom]) -> Atom:
    """`√x`, `∛(x+1)`, `ⁿ√x`."""
    text = joined(atoms, tight=True).strip()
    sign = _ROOTS.get(index) or f"{scripted('^', index, plain=False)}√"
    alone = len(atoms) == 1 and atoms[0].weight == 0 and atoms[0].kind in ("ordinary", "number")
    alone = alone and text.isalnum() and "^" not in atoms[0].scripts
    shown = f"{sign}{text}" if alone else f"{sign}({text})"
    return Atom(shown, grouped=True)


def accented(command: str, combining: str, text: str) -> Atom:
    """A letter with its accent, several with a line; other accents over several as a function."""
    if not combining:
        return Atom(text)
    if len(text) == 1 or command in ("\\overline", "\\underline", "\\bar"):
        return Atom("".join(char + combining if char != " " else char for char in text))
    return Atom(f"{command[1:]}({text})", "close") if text else Atom("")


def table(name: str, rows: list[list[str]]) -> Atom:
    """A matrix on one line, `(a b; c d)`, or the cases of a definition."""
    if name in CASES:
        return Atom("{" + "; ".join(", ".join(filter(None, row)) for row in rows), "close")
    left = MATRICES.get(name, "[")
    body = "; ".join(" ".join(cell or "·" for cell in row) for row in rows)
    return Atom(f"{left}{body}{_CLOSERS[left]}", "close")


def joined(atoms: list[Atom], *, tight: bool) -> str:
    """The line of atoms, with spaces around what relates and between words."""
    pieces: list[str] = []
    before: Atom | None = None
    for position, atom in enumerate(atoms):
        if atom.kind == "binary" and (
            before is None
            or before.kind in ("relation", "binary", "open", "punctuation", "function", "large")
        ):
            atom = replace(atom, kind="ordinary")
        if atom.kind == "fraction":
            after = atoms[position + 1].kind if position + 1 < len(atoms) else ""
            near = ("ordinary", "number", "open", "close", "fraction", "large", "function")
            applied = before is not None and before.kind == "function" and not before.text.startswith(_LIMITS)
            beside = applied or (before is not None and before.kind in ("ordinary", "number"))
            if after in near[:3] + near[4:] or beside:
                atom = Atom(f"({atom.text})", "close")
        if before is not None and _apart(before, atom, tight):
            pieces.append(" ")
        pieces.append(atom.text)
        before = atom
    return "".join(pieces)


_WORD = ("ordinary", "number", "fraction", "text", "command", "function", "large")


def _apart(a: Atom, b: Atom, tight: bool) -> bool:
    if "space" in (a.kind, b.kind):
        return False
    if not tight and ("relation" in (a.kind, b.kind) or "binary" in (a.kind, b.kind)):
        return True
    if a.kind == "punctuation":
        return not tight and not (a.text == "," and b.kind == "number")
    if "mod" in (a.text, b.text):
        return True
    if a.text[-2:-1] in ("^", "_", *_ROOTS.values()) and b.text[:1].isalnum():
        # Else it would read as a part of the script or root: x^j C(k,j).
        return True
    if a.kind == "large" or (a.kind == "function" and "_" in a.text):
        return b.text[:1] in _OPEN or b.text[:1].isalnum() or b.kind in _WORD
    if a.kind == "function":
        return b.text[:1].isalnum() or b.kind in _WORD
    if b.kind in ("function", "large"):
        return a.kind in ("ordinary", "number", "close", "fraction", "command", "text")
    if a.kind == "command":
        return b.text[:1].isalpha()
    if "text" in (a.kind, b.kind):
        return a.text[-1:].isalnum() and b.text[:1].isalnum()
    return a.kind == "number" and b.kind == "number"


LIMIT = 6_000
"""Characters of a formula that are read; what follows is elided as …"""
_DEPTH = 300
"""Groups nested deeper are shown as they are written."""

_UPRIGHT = {"\\mathrm", "\\operatorname", "\\operatorname*", "\\operatornamewithlimits", "\\mathop"}
_TEXT = {
    *("\\text", "\\textbf", "\\textrm", "\\textit", "\\textsf", "\\texttt", "\\textsc", "\\textup"),
    *("\\textnormal", "\\emph", "\\mbox", "\\hbox", "\\fbox"),
}
_DELIMITERS = {"<": "⟨", ">": "⟩", ".": "", "\\lbrace": "{", "\\rbrace": "}"}
_BARE = ("matrix", "smallmatrix", "array", "subarray")
_FENCED = {"\\abs": "||", "\\norm": "‖‖", "\\floor": "⌊⌋", "\\ceil": "⌈⌉"}
_LENGTH = re.compile(r"\s*-?[\d.]+\s*(?:pt|em|ex|mu|cm|mm|in|px)")
_INFIX = {"\\over", "\\choose", "\\atop", "\\above", "\\brace", "\\brack"}
_FRACTIONS = {"\\frac", "\\dfrac", "\\tfrac", "\\cfrac"}
_BINOMIALS = {"\\binom", "\\dbinom", "\\tbinom"}
_FORMULA = re.compile(r"(?<!\\)\$\$?(?=\S)((?:[^$\\\n]++|\\.)++)(?<=\S)\$\$?", re.DOTALL)


def unicode_text(latex: str | Source) -> str:
    r"""One line for a terminal; control characters come out as visible escapes.

    >>> unicode_text(r"\sum_{k=0}^n \frac{a+b}{c} x_k^2 \le \sqrt{\alpha}")
    '∑_{k=0}^n ((a+b)/c)xₖ² ≤ √α'
    """
    source = Source.of(latex)
    elided = len(source.latex) > LIMIT
    with deep_recursion():
        reader = _Reader(Source(source.latex[:LIMIT]) if elided else source)
        line = joined(reader.sequence(depth=0), tight=False)
    line = make_printable(" ".join(unicodedata.normalize("NFC", line).split()))
    return f"{line} …" if elided else line


def render_text(text: str) -> str:
    r"""A cleaned post with each `$…$` and `$$…$$` as `unicode_text` has it; line breaks stay.

    As cleaning leaves them, formulas have no space inside their dollar signs; a price in dollars has.

    >>> render_text(r"If $x^2\ge 0$ then")
    'If x² ≥ 0 then'
    """
    rendered = _FORMULA.sub(lambda match: unicode_text(match.group(1)), text)
    return "\n".join(make_printable(line.replace("\t", " ")) for line in rendered.split("\n"))


class _Reader(TokenCursor):
    """Reads tokens into atoms. Every step takes a token, so that it ends whatever comes."""

    def __init__(self, source: Source) -> None:
        super().__init__(source.tokens(), len(source.latex))
        self.source = source.latex

    def sequence(self, depth: int, *, tight: bool = False, until: tuple[str, ...] = ("}",)) -> list[Atom]:
        """Atoms up to one of the tokens in `until`, which is not taken (at depth 0: up to the end)."""
        atoms: list[Atom] = []
        # Infix commands and old font commands reach to the end of the group.
        above: list[tuple[str, list[Atom]]] = []
        font = ("", 0)
        while self.at < len(self.tokens):
            text = self.text()
            if text in until:
                if depth:
                    break
                self.at += 1
            elif text in _INFIX:
                self.at += 1
                above.append((text, atoms))
                atoms = []
            elif text in ("^", "_", "'"):
                self.script(atoms, depth)
            elif text in ("\\cal", "\\scr", "\\frak"):
                self.at += 1
                font = (ALPHABET_OF[text], len(atoms))
            else:
                atoms += self.atom(depth, tight=tight or bool(above))
        if font[0]:
            atoms[font[1] :] = [replace(atom, text=lettered(atom.text, font[0])) for atom in atoms[font[1] :]]
        for text, top in reversed(above):
            atoms = [fraction(top, atoms) if text in ("\\over", "\\above") else choose(top, atoms)]
        return atoms

    def argument(self, depth: int) -> list[Atom]:
        """What a command or script applies to: a group or a single token, of a number its first digit."""
        if self.at >= len(self.tokens):
            return []
        token = self.tokens[self.at]
        if token.kind == "number" and len(token.text) > 1:
            self.tokens[self.at] = Token("number", token.text[1:], token.start + 1)
            return [Atom(token.text[0], "number")]
        if token.text == "}":
            return []
        return self.atom(depth, tight=True)

    def atom(self, depth: int, *, tight: bool) -> list[Atom]:
        token = self.tokens[self.at]
        self.at += 1
        text = token.text
        if text == "{":
            return self.group(depth, tight=tight)
        if token.kind == "command":
            return self.command(text, depth, tight=tight)
        if token.kind == "number":
            return [Atom(text, "number")]
        if text in ("$", "}"):
            return []
        if text in ("~", "&"):
            return [Atom(" ", "space")]
        return [character(text)]

    def group(self, depth: int, *, tight: bool) -> list[Atom]:
        if depth >= _DEPTH:
            self.at -= 1
            return [Atom(f"{{{self.raw_group()}}}")]
        atoms = self.sequence(depth + 1, tight=tight)
        self.at += self.text() == "}"
        if len(atoms) == 1:
            return atoms
        weight = 1 if is_product(atoms) else 2
        return [Atom(joined(atoms, tight=tight), weight=weight, grouped=True)] if atoms else []

    def raw_group(self) -> str:
        if self.text() != "{":
            return ""
        first = self.at
        level = 0
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            level += {"{": 1, "}": -1}.get(token.text, 0)
            if not level:
                break
        inner = self.tokens[first + 1 : self.at - (not level)]
        if any(token.written and token.written.isascii() for token in self.tokens[first : self.at]):
            return "".join(f"{one.text} " if one.kind == "command" else one.text for one in inner)
        begin = self.tokens[first].end
        return self.source[begin : self.tokens[self.at - 1].start if not level else len(self.source)]

    def bracketed(self, depth: int) -> list[Atom]:
        if self.text() != "[" or depth >= _DEPTH:
            return []
        self.at += 1
        atoms = self.sequence(depth + 1, tight=True, until=("]", "}"))
        self.at += self.text() == "]"
        return atoms

    def script(self, atoms: list[Atom], depth: int) -> None:
        mark = self.text()
        self.at += 1
        base = atoms.pop() if atoms and atoms[-1].kind not in ("space", "relation", "binary") else Atom("")
        if mark == "'":
            count = 1
            while self.text() == "'":
                self.at += 1
                count += 1
            if base.grouped:
                base = Atom(f"({base.text})", "close")
            primes = {1: "′", 2: "″", 3: "‴"}.get(count, "′" * count)
            atoms.append(replace(base, text=base.text + primes))
            return
        body = joined(self.argument(depth), tight=True).strip()
        if base.kind == "fraction" or base.grouped or mark in base.scripts:
            base = Atom(f"({base.text})", "close")
        shown = base.text + scripted(mark, body, plain=base.kind == "large")
        atoms.append(replace(base, text=shown, scripts=base.scripts + mark))

    def command(self, text: str, depth: int, *, tight: bool) -> list[Atom]:
        star = text.endswith("*") and text not in _UPRIGHT
        if star:
            text = text[:-1]
        result = self.known(text, depth, tight=tight)
        return [*result, Atom("*", "binary")] if star and text in symbols() and result else result

    def known(self, text: str, depth: int, *, tight: bool) -> list[Atom]:
        name = text[1:]
        if depth >= _DEPTH:
            return [plain_symbol(text)]
        if text in _FRACTIONS:
            top = self.argument(depth + 1)
            return [fraction(top, self.argument(depth + 1))]
        if text in _BINOMIALS:
            top = self.argument(depth + 1)
            return [choose(top, self.argument(depth + 1))]
        if text == "\\sqrt":
            index = joined(self.bracketed(depth), tight=True)
            return [root(index, self.argument(depth + 1))]
        if text == "\\root":
            index = joined(self.sequence(depth + 1, tight=True, until=("\\of", "}")), tight=True)
            self.at += self.text() == "\\of"
            return [root(index, self.argument(depth + 1))]
        if text in _TEXT:
            raw = self.raw_group()
            return [Atom(_in_words(raw) if raw else joined(self.argument(depth + 1), tight=True), "text")]
        if text in _UPRIGHT:
            inner = joined(self.argument(depth + 1), tight=True)
            return [Atom(inner, "function" if len(inner) > 1 else "ordinary")]
        if text in ALPHABET_OF:
            inner = joined(self.argument(depth + 1), tight=True)
            return [Atom(lettered(inner, ALPHABET_OF[text]), weight=int(len(inner) > 1))]
        if text in ("\\left", "\\right", "\\middle"):
            return self.delimiter({"\\left": "open", "\\right": "close"}.get(text, "ordinary"))
        if text == "\\begin":
            return self.environment(depth, tight=tight)
        if text == "\\end":
            self.raw_group()
            return []
        if name in (*MATRICES, "matrix", "cases") and self.text() == "{":
            self.at += 1
            rows = self.rows(depth, closing="}")
            self.at += self.text() == "}"
            return [table(name, rows)]
        if text in ("\\pmod", "\\pod"):
            inner = joined(self.argument(depth + 1), tight=True)
            mod = "mod " if text == "\\pmod" else ""
            return [Atom(" ", "space"), Atom(f"({mod}{inner})", "close")]
        if text in ("\\bmod", "\\mod"):
            return [Atom("mod", "relation")]
        if text in ("\\overset", "\\underset", "\\stackrel", "\\sideset"):
            above = joined(self.argument(depth + 1), tight=True)
            base = self.argument(depth + 1) or [Atom("")]
            mark = "_" if text == "\\underset" else "^"
            shown = joined(base, tight=True) + scripted(mark, above, plain=True)
            return [Atom(shown, base[-1].kind if len(base) == 1 else "ordinary", scripts=mark)]
        if text in ("\\xrightarrow", "\\xleftarrow"):
            below = joined(self.bracketed(depth), tight=True)
            above = joined(self.argument(depth + 1), tight=True)
            arrow = "→" if text == "\\xrightarrow" else "←"
            marks = scripted("_", below, plain=True) + scripted("^", above, plain=True)
            return [Atom(arrow + marks, "relation")]
        if text == "\\not":
            return self.negated(depth)
        if text in ("\\underbrace", "\\overbrace"):
            inner = joined(self.argument(depth + 1), tight=True)
            return [Atom(f"({inner})" if len(inner) > 1 else inner, "close")]
        if text == "\\boxed":
            return [Atom(f"[{joined(self.argument(depth + 1), tight=tight)}]", "close")]
        if text == "\\tag":
            return [Atom(f" ({_in_words(self.raw_group())})", "text")]
        if text in ("\\phantom", "\\hphantom"):
            self.argument(depth + 1)
            return [Atom(" ", "space")]
        if text == "\\\\" or text == "\\cr":
            self.bracketed(depth)
            return [Atom(";", "punctuation")]
        if text in _FENCED:
            inner = joined(self.argument(depth + 1), tight=True)
            return [Atom(f"{_FENCED[text][0]}{inner}{_FENCED[text][1]}", "close")]
        role = roles()[text].role if text in roles() else ""
        if role == "length":
            self.skip_length()
            return [Atom(" ", "space")] if "skip" in text or "kern" in text else []
        if role in ("skipped", "rule", "boxed"):
            self.bracketed(depth)
            for _ in range({"skipped": 1, "rule": 2, "boxed": 0}[role]):
                if self.text() == "{":
                    self.raw_group()
                else:
                    self.argument(depth + 1)
            return []
        if not role and text not in symbols() and self.text() == "{":
            groups = ""
            while self.text() == "{":
                groups += f"{{{joined(self.argument(depth + 1), tight=True)}}}"
            return [Atom(text + groups, "close")]
        return self.symbol(text, depth)

    def symbol(self, text: str, depth: int) -> list[Atom]:
        symbol = symbols().get(text)
        group = symbol.group if symbol else ""
        if group == "accents":
            assert symbol is not None
            return [accented(text, symbol.unicode, joined(self.argument(depth + 1), tight=True))]
        if group == "sizes":
            return []
        if group == "spacing" or text == "\\ ":
            return [] if text == "\\!" else [Atom(" ", "space")]
        font = text in roles() and roles()[text].role == "font"
        if font or group in ("structure", "fonts", "environments"):
            # What changes only the looks is left out; what it applies to follows.
            return []
        return [plain_symbol(text)]

    def delimiter(self, kind: str) -> list[Atom]:
        if self.at >= len(self.tokens):
            return []
        text = self.tokens[self.at].text
        if text in ("{", "}"):
            return []
        self.at += 1
        symbol = symbols().get(text)
        shown = _DELIMITERS.get(text, symbol.unicode if symbol and symbol.unicode else text)
        return [Atom(shown, kind)] if shown else []

    def negated(self, depth: int) -> list[Atom]:
        atoms = self.argument(depth + 1)
        if not atoms or not atoms[0].text.strip():
            return atoms
        first = atoms[0].text
        struck = unicodedata.normalize("NFC", first[0] + "\u0338") + first[1:]
        return [replace(atoms[0], text=struck), *atoms[1:]]

    def skip_length(self) -> None:
        if self.text() == "{":
            self.raw_group()
            return
        match = _LENGTH.match(self.source, self.start())
        while match and self.at < len(self.tokens) and self.tokens[self.at].start < match.end():
            self.at += 1

    def environment(self, depth: int, *, tight: bool) -> list[Atom]:
        name = self.raw_group().strip().rstrip("*")
        if name in ("array", "subarray", "alignedat", "alignat"):
            self.bracketed(depth)
            self.raw_group()
        if name in MATRICES or name in _BARE or name in CASES:
            rows = self.rows(depth, closing="\\end")
            if self.text() == "\\end":
                self.at += 1
                self.raw_group()
            return [table(name, rows)]
        atoms = self.sequence(depth + 1, tight=tight, until=("\\end",))
        if self.text() == "\\end":
            self.at += 1
            self.raw_group()
        return atoms

    def rows(self, depth: int, *, closing: str) -> list[list[str]]:
        rows: list[list[str]] = [[]]
        ends = ("&", "\\\\", "\\cr", closing, "}")
        while self.at < len(self.tokens):
            before = self.at
            rows[-1].append(joined(self.sequence(depth + 1, tight=True, until=ends), tight=True).strip())
            mark = self.text()
            if mark == closing or not mark:
                break
            if mark in ("\\\\", "\\cr"):
                rows.append([])
            self.at += 1 if mark in ends or self.at == before else 0
        return [row for row in rows if any(row)]


def _in_words(raw: str) -> str:
    """The content of `\\text{…}`, where formulas may stand between dollar signs again."""
    words = re.sub(r"\\(?=[ %#&_$])|\\text\w*(?=\{)", "", raw).replace("~", " ")
    if "$" in words:
        # Nesting goes no deeper: a `\\text` inside that formula shows its dollar signs.
        words = _FORMULA.sub(lambda m: joined(_Reader(Source(m[1])).sequence(_DEPTH), tight=False), words)
    return re.sub(r"\s+", " ", words.replace("{", "").replace("}", ""))
