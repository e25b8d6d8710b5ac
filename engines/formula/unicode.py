"""LaTeX as one line of Unicode for a terminal: `\\sum_{k=0}^n x_k^2` becomes one line."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import cache

from engines.core.text import make_printable
from engines.formula.lexer import LatexSource, Token, TokenCursor
from engines.formula.operator_tree import deep_recursion
from engines.formula.symbols import ALPHABET_OF, genfrac_label, list_symbols, symbol_roles, to_alphabet

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


def character_atom(text: str) -> Atom:
    """Return a character that is no command."""
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
    """Return a command that stands for one symbol; an unknown one as it is written."""
    symbol = list_symbols().get(text)
    if symbol is None or not (symbol.unicode or symbol.group == "functions"):
        return Atom(text, "command")
    shown = symbol.unicode or text[1:]
    if shown in _OPEN or shown in _CLOSE:
        return Atom(shown, "open" if shown in _OPEN else "close")
    if text == "\\colon":
        return Atom(":", "punctuation")
    return Atom(shown, _KINDS.get(symbol.group, "ordinary"))


def write_script(mark: str, body: str, *, plain: bool) -> str:
    """Return a script as Unicode has it, else with its mark, ^ or _; `plain` always takes the mark."""
    if not body:
        return ""
    if mark == "^" and body in _RAISED:
        return _RAISED[body]
    table = _SUPER if mark == "^" else _SUB
    if not plain and len(body) <= _SCRIPT and all(ord(char) in table for char in body):
        return body.translate(table)
    return f"{mark}{body}" if len(body) == 1 else f"{mark}{{{body}}}"


def is_product(atoms: list[Atom]) -> bool:
    """Return whether atoms side by side read as a product without brackets."""
    return all(atom.weight < 2 and atom.kind in ("ordinary", "number", "command") for atom in atoms)


def _write_part(atoms: list[Atom], *, product: bool) -> str:
    """Return a side of a fraction, in brackets where they are needed; `product` lets `2x` go without."""
    text = join_atoms(atoms, tight=True).strip()
    alone = len(atoms) == 1 and atoms[0].weight == 0
    if alone and atoms[0].kind in ("ordinary", "number", "close", "command"):
        return text
    return text if _DIFFERENTIAL.fullmatch(text) or (product and is_product(atoms)) else f"({text})"


def write_fraction(top: list[Atom], bottom: list[Atom]) -> Atom:
    """Return a fraction, `(a+b)/c`, with brackets only where they are needed."""
    return Atom(
        f"{_write_part(top, product=True)}/{_write_part(bottom, product=False)}", "fraction", weight=2
    )


def write_binomial(top: list[Atom], bottom: list[Atom]) -> Atom:
    """Return a binomial coefficient as C(n,k)."""
    return Atom(f"C({join_atoms(top, tight=True)},{join_atoms(bottom, tight=True)})", "close")


_PAIRS = {
    "O!divide": write_fraction,
    "O!continued-fraction": write_fraction,
    "O!binomial": write_binomial,
}


def write_pair(label: str, top: list[Atom], bottom: list[Atom]) -> Atom:
    """Return what LaTeX sets one above the other, by its label: `name(a, b)` where no other way is known."""
    if (write := _PAIRS.get(label)) is not None:
        return write(top, bottom)
    sides = ", ".join(join_atoms(side, tight=True).strip() for side in (top, bottom))
    return Atom(f"{label[2:]}({sides})", "text")


def write_root(index: str, atoms: list[Atom]) -> Atom:
    """Return a root: `√x`, `∛(x+1)`, `ⁿ√x`."""
    text = join_atoms(atoms, tight=True).strip()
    sign = _ROOTS.get(index) or f"{write_script('^', index, plain=False)}√"
    alone = len(atoms) == 1 and atoms[0].weight == 0 and atoms[0].kind in ("ordinary", "number")
    alone = alone and text.isalnum() and "^" not in atoms[0].scripts
    shown = f"{sign}{text}" if alone else f"{sign}({text})"
    return Atom(shown, grouped=True)


def write_accented(command: str, combining: str, text: str) -> Atom:
    """Return a letter with its accent, several with a line; other accents over several as a function."""
    if not combining:
        return Atom(text)
    if len(text) == 1 or command in ("\\overline", "\\underline", "\\bar"):
        return Atom("".join(char + combining if char != " " else char for char in text))
    return Atom(f"{command[1:]}({text})", "close") if text else Atom("")


def write_table(name: str, rows: list[list[str]]) -> Atom:
    """Return a matrix on one line, `(a b; c d)`, or the cases of a definition."""
    if name in CASES:
        return Atom("{" + "; ".join(", ".join(filter(None, row)) for row in rows), "close")
    left = MATRICES.get(name, "[")
    body = "; ".join(" ".join(cell or "·" for cell in row) for row in rows)
    return Atom(f"{left}{body}{_CLOSERS[left]}", "close")


def join_atoms(atoms: list[Atom], *, tight: bool) -> str:
    """Return the line of atoms, with spaces around what relates and between words."""
    pieces: list[str] = []
    before: Atom | None = None
    for position, atom in enumerate(atoms):
        # A plus or minus without a left operand is a sign, and gets no space behind it.
        if atom.kind == "binary" and (
            before is None
            or before.kind in ("relation", "binary", "open", "punctuation", "function", "large")
        ):
            atom = replace(atom, kind="ordinary")
        # A fraction is written with a slash, so next to other factors it needs brackets.
        if atom.kind == "fraction":
            after = atoms[position + 1].kind if position + 1 < len(atoms) else ""
            near = ("ordinary", "number", "open", "close", "fraction", "large", "function")
            applied = before is not None and before.kind == "function" and not before.text.startswith(_LIMITS)
            beside = applied or (before is not None and before.kind in ("ordinary", "number"))
            if after in near[:3] + near[4:] or beside:
                atom = Atom(f"({atom.text})", "close")
        if before is not None and _needs_space(before, atom, tight):
            pieces.append(" ")
        pieces.append(atom.text)
        before = atom
    return "".join(pieces)


_WORD = ("ordinary", "number", "fraction", "text", "command", "function", "large")


def _needs_space(a: Atom, b: Atom, tight: bool) -> bool:
    if "space" in (a.kind, b.kind):
        return False
    # Relations and binary operators have spaces around them, except in scripts.
    if not tight and ("relation" in (a.kind, b.kind) or "binary" in (a.kind, b.kind)):
        return True
    if a.kind == "punctuation":
        return not tight and not (a.text == "," and b.kind == "number")
    if "mod" in (a.text, b.text):
        return True
    if a.text[-2:-1] in ("^", "_", *_ROOTS.values()) and b.text[:1].isalnum():
        # Else it would read as a part of the script or root: x^j C(k,j).
        return True
    # A large operator is set off from a letter or bracket after it, which would look like its argument.
    if a.kind == "large" or (a.kind == "function" and "_" in a.text):
        return b.text[:1] in _OPEN or b.text[:1].isalnum() or b.kind in _WORD
    if a.kind == "function":
        return b.text[:1].isalnum() or b.kind in _WORD
    # Before a function name a space is needed after anything that could run into it.
    if b.kind in ("function", "large"):
        return a.kind in ("ordinary", "number", "close", "fraction", "command", "text")
    if a.kind == "command":
        return b.text[:1].isalpha()
    if "text" in (a.kind, b.kind):
        return a.text[-1:].isalnum() and b.text[:1].isalnum()
    # Two numbers side by side would read as one.
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
_FORMULA = re.compile(r"(?<!\\)\$\$?(?=\S)((?:[^$\\\n]++|\\.)++)(?<=\S)\$\$?", re.DOTALL)


def unicode_text(latex: str | LatexSource) -> str:
    r"""Return one line for a terminal; control characters come out as visible escapes.

    >>> unicode_text(r"\sum_{k=0}^n \frac{a+b}{c} x_k^2 \le \sqrt{\alpha}")
    '∑_{k=0}^n ((a+b)/c)xₖ² ≤ √α'
    """
    source = LatexSource.from_latex(latex)
    elided = len(source.latex) > LIMIT
    with deep_recursion():
        reader = _Reader(LatexSource(source.latex[:LIMIT]) if elided else source)
        line = join_atoms(reader.read_sequence(depth=0), tight=False)
    line = make_printable(" ".join(unicodedata.normalize("NFC", line).split()))
    return f"{line} …" if elided else line


def render_text(text: str) -> str:
    r"""Return a cleaned post with each `$…$` and `$$…$$` as `unicode_text` has it; line breaks stay.

    As cleaning leaves them, formulas have no space inside their dollar signs; a price in dollars has.

    >>> render_text(r"If $x^2\ge 0$ then")
    'If x² ≥ 0 then'
    """
    rendered = _FORMULA.sub(lambda match: unicode_text(match.group(1)), text)
    return "\n".join(make_printable(line.replace("\t", " ")) for line in rendered.split("\n"))


class _Reader(TokenCursor):
    """Reads tokens into atoms. Every step takes a token, so that it ends whatever comes."""

    def __init__(self, source: LatexSource) -> None:
        super().__init__(source.list_tokens(), len(source.latex))
        self.source = source.latex

    def read_sequence(
        self, depth: int, *, tight: bool = False, until: tuple[str, ...] = ("}",)
    ) -> list[Atom]:
        """Atoms up to one of the tokens in `until`, which is not taken (at depth 0: up to the end)."""
        atoms: list[Atom] = []
        # Infix commands and old font commands reach to the end of the group.
        above: list[tuple[str, list[Atom]]] = []
        font = ("", 0)
        while self.at < len(self.tokens):
            text = self.current_text()
            if text in until:
                # At depth zero there is no group to close, so a stray token is skipped.
                if depth:
                    break
                self.at += 1
            elif _role_of(text) == "infix":
                self.at += 1
                above.append((symbol_roles()[text].operator.label, atoms))
                atoms = []
            elif text in ("^", "_", "'"):
                self.read_script(atoms, depth)
            elif text in ("\\cal", "\\scr", "\\frak"):
                self.at += 1
                font = (ALPHABET_OF[text], len(atoms))
            else:
                atoms += self.read_atom(depth, tight=tight or bool(above))
        # The font applies from the place of its command to the end of the group.
        if font[0]:
            atoms[font[1] :] = [
                replace(atom, text=to_alphabet(atom.text, font[0])) for atom in atoms[font[1] :]
            ]
        # Several infix commands nest to the right: the last one is the innermost.
        for label, top in reversed(above):
            atoms = [write_pair(label, top, atoms)]
        return atoms

    def read_argument(self, depth: int) -> list[Atom]:
        """Return what a command or script applies to: a group or a single token, of a number its first
        digit."""
        if self.at >= len(self.tokens):
            return []
        token = self.tokens[self.at]
        if token.kind == "number" and len(token.text) > 1:
            self.tokens[self.at] = Token("number", token.text[1:], token.start + 1)
            return [Atom(token.text[0], "number")]
        if token.text == "}":
            return []
        return self.read_atom(depth, tight=True)

    def read_atom(self, depth: int, *, tight: bool) -> list[Atom]:
        token = self.tokens[self.at]
        self.at += 1
        text = token.text
        if text == "{":
            return self.read_group(depth, tight=tight)
        if token.kind == "command":
            return self.read_command(text, depth, tight=tight)
        if token.kind == "number":
            return [Atom(text, "number")]
        if text in ("$", "}"):
            return []
        if text in ("~", "&"):
            return [Atom(" ", "space")]
        return [character_atom(text)]

    def read_group(self, depth: int, *, tight: bool) -> list[Atom]:
        if depth >= _DEPTH:
            self.at -= 1
            return [Atom(f"{{{self.raw_group()}}}")]
        atoms = self.read_sequence(depth + 1, tight=tight)
        self.at += self.current_text() == "}"
        if len(atoms) == 1:
            return atoms
        weight = 1 if is_product(atoms) else 2
        return [Atom(join_atoms(atoms, tight=tight), weight=weight, grouped=True)] if atoms else []

    def raw_group(self) -> str:
        if self.current_text() != "{":
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

    def read_bracketed(self, depth: int) -> list[Atom]:
        if self.current_text() != "[" or depth >= _DEPTH:
            return []
        self.at += 1
        atoms = self.read_sequence(depth + 1, tight=True, until=("]", "}"))
        self.at += self.current_text() == "]"
        return atoms

    def read_script(self, atoms: list[Atom], depth: int) -> None:
        mark = self.current_text()
        self.at += 1
        # A script after a relation or at the beginning has an empty base.
        base = atoms.pop() if atoms and atoms[-1].kind not in ("space", "relation", "binary") else Atom("")
        if mark == "'":
            count = 1
            while self.current_text() == "'":
                self.at += 1
                count += 1
            # A group with a prime or script needs brackets, since the braces are not shown.
            if base.grouped:
                base = Atom(f"({base.text})", "close")
            primes = {1: "′", 2: "″", 3: "‴"}.get(count, "′" * count)
            atoms.append(replace(base, text=base.text + primes))
            return
        body = join_atoms(self.read_argument(depth), tight=True).strip()
        # So does a second script of the same kind, and a fraction, of which only the end would be raised.
        if base.kind == "fraction" or base.grouped or mark in base.scripts:
            base = Atom(f"({base.text})", "close")
        shown = base.text + write_script(mark, body, plain=base.kind == "large")
        atoms.append(replace(base, text=shown, scripts=base.scripts + mark))

    def read_command(self, text: str, depth: int, *, tight: bool) -> list[Atom]:
        star = text.endswith("*") and text not in _UPRIGHT
        if star:
            text = text[:-1]
        result = self.read_known_command(text, depth, tight=tight)
        return [*result, Atom("*", "binary")] if star and text in list_symbols() and result else result

    def read_known_command(self, text: str, depth: int, *, tight: bool) -> list[Atom]:
        name = text[1:]
        if depth >= _DEPTH:
            return [plain_symbol(text)]
        role = _role_of(text)
        if role in ("fraction", "genfrac"):
            label = symbol_roles()[text].operator.label
            if role == "genfrac":
                fence, _, thickness, _ = (self.read_name() for _ in range(4))
                label = genfrac_label(fence, thickness)
            top = self.read_argument(depth + 1)
            return [write_pair(label, top, self.read_argument(depth + 1))]
        # Commands with arguments of their own, one after another.
        if text == "\\sqrt":
            index = join_atoms(self.read_bracketed(depth), tight=True)
            return [write_root(index, self.read_argument(depth + 1))]
        if text == "\\root":
            index = join_atoms(self.read_sequence(depth + 1, tight=True, until=("\\of", "}")), tight=True)
            self.at += self.current_text() == "\\of"
            return [write_root(index, self.read_argument(depth + 1))]
        if text in _TEXT:
            raw = self.raw_group()
            return [
                Atom(_in_words(raw) if raw else join_atoms(self.read_argument(depth + 1), tight=True), "text")
            ]
        if text in _UPRIGHT:
            inner = join_atoms(self.read_argument(depth + 1), tight=True)
            return [Atom(inner, "function" if len(inner) > 1 else "ordinary")]
        if text in ALPHABET_OF:
            inner = join_atoms(self.read_argument(depth + 1), tight=True)
            return [Atom(to_alphabet(inner, ALPHABET_OF[text]), weight=int(len(inner) > 1))]
        if text in ("\\left", "\\right", "\\middle"):
            return self.read_delimiter({"\\left": "open", "\\right": "close"}.get(text, "ordinary"))
        if text == "\\begin":
            return self.read_environment(depth, tight=tight)
        if text == "\\end":
            self.raw_group()
            return []
        if name in (*MATRICES, "matrix", "cases") and self.current_text() == "{":
            self.at += 1
            rows = self.read_rows(depth, closing="}")
            self.at += self.current_text() == "}"
            return [write_table(name, rows)]
        if text in ("\\pmod", "\\pod"):
            inner = join_atoms(self.read_argument(depth + 1), tight=True)
            mod = "mod " if text == "\\pmod" else ""
            return [Atom(" ", "space"), Atom(f"({mod}{inner})", "close")]
        if text in ("\\bmod", "\\mod"):
            return [Atom("mod", "relation")]
        if role == "above" or text == "\\sideset":
            above = join_atoms(self.read_argument(depth + 1), tight=True)
            base = self.read_argument(depth + 1) or [Atom("")]
            mark = "_" if role and symbol_roles()[text].operator.label == "O!SUB" else "^"
            shown = join_atoms(base, tight=True)
            if base[0].grouped or base[0].kind == "fraction":
                shown = f"({shown})"
            shown += write_script(mark, above, plain=True)
            return [Atom(shown, base[-1].kind if len(base) == 1 else "ordinary", scripts=mark)]
        if role == "arrow":
            below = join_atoms(self.read_bracketed(depth), tight=True)
            above = join_atoms(self.read_argument(depth + 1), tight=True)
            marks = write_script("_", below, plain=True) + write_script("^", above, plain=True)
            return [Atom(_relation_sign(symbol_roles()[text].operator.label) + marks, "relation")]
        if text == "\\not":
            return self.read_negated(depth)
        if text in ("\\underbrace", "\\overbrace"):
            inner = join_atoms(self.read_argument(depth + 1), tight=True)
            return [Atom(f"({inner})" if len(inner) > 1 else inner, "close")]
        if text == "\\boxed":
            return [Atom(f"[{join_atoms(self.read_argument(depth + 1), tight=tight)}]", "close")]
        if text == "\\tag":
            return [Atom(f" ({_in_words(self.raw_group())})", "text")]
        if text in ("\\phantom", "\\hphantom"):
            self.read_argument(depth + 1)
            return [Atom(" ", "space")]
        if text == "\\\\" or text == "\\cr":
            self.read_bracketed(depth)
            return [Atom(";", "punctuation")]
        if text in _FENCED:
            inner = join_atoms(self.read_argument(depth + 1), tight=True)
            return [Atom(f"{_FENCED[text][0]}{inner}{_FENCED[text][1]}", "close")]
        # The rest by their role in the table of symbols.
        if role == "length":
            self.skip_length()
            return [Atom(" ", "space")] if "skip" in text or "kern" in text else []
        if role in ("skipped", "rule", "boxed"):
            self.read_bracketed(depth)
            for _ in range({"skipped": 1, "rule": 2, "boxed": 0}[role]):
                if self.current_text() == "{":
                    self.raw_group()
                else:
                    self.read_argument(depth + 1)
            return []
        # An unknown command keeps its groups as they are.
        if not role and text not in list_symbols() and self.current_text() == "{":
            groups = ""
            while self.current_text() == "{":
                groups += f"{{{join_atoms(self.read_argument(depth + 1), tight=True)}}}"
            return [Atom(text + groups, "close")]
        return self.read_symbol(text, depth)

    def read_symbol(self, text: str, depth: int) -> list[Atom]:
        symbol = list_symbols().get(text)
        group = symbol.group if symbol else ""
        if group == "accents":
            assert symbol is not None
            return [
                write_accented(text, symbol.unicode, join_atoms(self.read_argument(depth + 1), tight=True))
            ]
        if group == "sizes":
            return []
        if group == "spacing" or text == "\\ ":
            return [] if text == "\\!" else [Atom(" ", "space")]
        if _role_of(text) == "font" or group in ("structure", "fonts", "environments"):
            # What changes only the looks is left out; what it applies to follows.
            return []
        return [plain_symbol(text)]

    def read_delimiter(self, kind: str) -> list[Atom]:
        if self.at >= len(self.tokens):
            return []
        text = self.tokens[self.at].text
        if text in ("{", "}"):
            return []
        self.at += 1
        symbol = list_symbols().get(text)
        shown = _DELIMITERS.get(text, symbol.unicode if symbol and symbol.unicode else text)
        return [Atom(shown, kind)] if shown else []

    def read_negated(self, depth: int) -> list[Atom]:
        atoms = self.read_argument(depth + 1)
        if not atoms or not atoms[0].text.strip():
            return atoms
        first = atoms[0].text
        struck = unicodedata.normalize("NFC", first[0] + "\u0338") + first[1:]
        return [replace(atoms[0], text=struck), *atoms[1:]]

    def skip_length(self) -> None:
        if self.current_text() == "{":
            self.raw_group()
            return
        match = _LENGTH.match(self.source, self.current_start())
        while match and self.at < len(self.tokens) and self.tokens[self.at].start < match.end():
            self.at += 1

    def read_environment(self, depth: int, *, tight: bool) -> list[Atom]:
        name = self.raw_group().strip().rstrip("*")
        if name in ("array", "subarray", "alignedat", "alignat"):
            self.read_bracketed(depth)
            self.raw_group()
        if name in MATRICES or name in _BARE or name in CASES:
            rows = self.read_rows(depth, closing="\\end")
            if self.current_text() == "\\end":
                self.at += 1
                self.raw_group()
            return [write_table(name, rows)]
        atoms = self.read_sequence(depth + 1, tight=tight, until=("\\end",))
        if self.current_text() == "\\end":
            self.at += 1
            self.raw_group()
        return atoms

    def read_rows(self, depth: int, *, closing: str) -> list[list[str]]:
        rows: list[list[str]] = [[]]
        ends = ("&", "\\\\", "\\cr", closing, "}")
        while self.at < len(self.tokens):
            before = self.at
            rows[-1].append(
                join_atoms(self.read_sequence(depth + 1, tight=True, until=ends), tight=True).strip()
            )
            mark = self.current_text()
            if mark == closing or not mark:
                break
            if mark in ("\\\\", "\\cr"):
                rows.append([])
            self.at += 1 if mark in ends or self.at == before else 0
        return [row for row in rows if any(row)]


def _role_of(text: str) -> str:
    """Return the role that the reader gives a command; "" where it has none."""
    return symbol_roles()[text].role if text in symbol_roles() else ""


@cache
def _relation_sign(label: str) -> str:
    """Return the sign of a relation: that of the first symbol with its label."""
    signs = (
        list_symbols()[name].unicode
        for name, known in symbol_roles().items()
        if known.operator.label == label and name in list_symbols()
    )
    return next(filter(None, signs), label[2:])


def _in_words(raw: str) -> str:
    """Return the content of `\\text{…}`, where formulas may stand between dollar signs again."""
    words = re.sub(r"\\(?=[ %#&_$])|\\text\w*(?=\{)", "", raw).replace("~", " ")
    if "$" in words:
        # Nesting goes no deeper: a `\\text` inside that formula shows its dollar signs.
        words = _FORMULA.sub(
            lambda m: join_atoms(_Reader(LatexSource(m[1])).read_sequence(_DEPTH), tight=False), words
        )
    return re.sub(r"\s+", " ", words.replace("{", "").replace("}", ""))
