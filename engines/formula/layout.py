r"""Pieces of a formula: LaTeX tokens with their groups, fractions, scripts and environments put together.

What stands between braces is part of the line, unless a script or an infix command (`\over`) makes one thing
of it, as TeX has it. Arguments are trees when they are asked for: the grammar is handed in.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from engines.formula.lexer import LatexSource, Token, TokenCursor
from engines.formula.operator_tree import ABSENT, OperatorTree
from engines.formula.symbols import (
    ALPHABET_OF,
    BODIES,
    PieceRole,
    genfrac_label,
    list_symbols,
    negate_symbol,
    split_alphabet,
    to_alphabet,
)
from engines.formula.unit_table import BARE_UNITS, is_product_of_units

DEEPEST = 300
"""Groups nested deeper are not read: an error node stands for them."""


@dataclass(slots=True)
class Piece:
    """A piece of the line: its role and text, its trees alone and as an operator, and where it stands."""

    role: str
    text: str
    alone: OperatorTree
    operator: OperatorTree
    start: int
    end: int


ParseLine = Callable[[list[Piece]], OperatorTree]
_UNARGUED = ("", "}", "&", "\\\\", "\\end")
_SIZED = ("array", "alignat", "alignat*", "alignedat", "tabular", "subarray")
_CASES = ("cases", "dcases", "rcases")
_PLAIN = frozenset(value for name, value in vars(PieceRole).items() if name.isupper()) - {
    *(PieceRole.ANNOTATION, PieceRole.BAR, PieceRole.OPEN, PieceRole.CLOSE)
}
"""Roles of signs that are pieces as they stand."""
_ANGLES = {"<": "\\langle", ">": "\\rangle"}
_SCRIPTED = (PieceRole.ADD, PieceRole.MULTIPLY, PieceRole.RELATION, PieceRole.FUNCTION, *BODIES)
_BASES = (PieceRole.NUMBER, PieceRole.UNKNOWN, PieceRole.CLOSE)
"""Roles of what a script behind an empty group belongs to."""
_BETWEEN_UNITS = {"\\cdot": "·", "\\,": " ", "\\;": " ", "\\ ": " ", "~": " "}
_UPRIGHT = ("\\mathrm", "\\rm", "\\mathsf", "\\mathtt", "\\mathit", "\\sf", "\\tt")
_BOLD = ("\\mathbf", "\\bf", "\\boldsymbol", "\\bm", "\\pmb", "\\bold")
_THOUSAND = re.compile(r"\d{3}\Z", re.ASCII)
_SINGLE = ("equation", "equation*", "displaymath", "math")


def read_pieces(
    source: LatexSource, grammar: ParseLine, letters: str = "", *, texts: bool = False, whole: bool = False
) -> list[Piece]:
    """Return the pieces of a formula; `grammar` makes trees of arguments, `letters` are left as they are;
    `texts` asks for the words of texts, and for alphabets; `whole` also for texts as they are written,
    upright words, names of environments, and braces around sums.
    """
    return _Layout(source.list_tokens(letters), source.latex, grammar, texts=texts, whole=whole).read_line(
        ("",)
    )


class _Layout(TokenCursor):
    """Reads tokens from left to right; never fails."""

    def __init__(
        self, tokens: list[Token], latex: str, grammar: ParseLine, *, texts: bool, whole: bool
    ) -> None:
        super().__init__(tokens, len(latex))
        self.latex, self.grammar, self.texts, self.whole = latex, grammar, texts or whole, whole
        self.depth = 0

    def make_piece(self, role: str, tree: OperatorTree, start: int, text: str = "") -> Piece:
        return Piece(role, text, tree, tree, start, self.previous_end())

    # The line

    def read_line(self, ends: tuple[str, ...]) -> list[Piece]:
        """Pieces up to one of the tokens `ends`, which is left standing; "" is the end of the formula."""
        result: list[Piece] = []
        # An infix command such as \over splits the whole group: what was read so
        # far becomes its upper part.
        above: list[Piece] | None = None
        label = ""
        first = middle = below = self.current_start()
        # Only the first one counts; TeX itself refuses a second one in the same group.
        while self.at < len(self.tokens) and (text := self.tokens[self.at].text) not in ends:
            known = self.roles.get(text)
            if known is not None and known.role == "infix" and above is None:
                label, above, result = known.operator.label, result, []
                middle = self.previous_end()
                self.at += 1
                below = self.current_start()
            else:
                self.read_one(result)
        if above is None:
            return result
        # Build the operation only now, when the lower part is complete as well.
        tree = OperatorTree(
            label,
            (self.line_to_tree(above, first, middle), self.line_to_tree(result, below, self.previous_end())),
        )
        return [self.make_piece(PieceRole.ATOM, tree, first)]

    def line_to_tree(self, parts: list[Piece], start: int, end: int) -> OperatorTree:
        """Return the tree of a line, which stands from `start` to `end`: as an error it is all of that."""
        result = self.grammar(parts)
        return result if result.label != "E!" else OperatorTree("E!", result.children, (start, end))

    def read_one(self, pieces: list[Piece]) -> None:
        kind, text, start, _ = self.tokens[self.at]
        if text == "{":
            self.read_group(pieces)
            return
        if text in ("^", "_", "'"):
            self.read_script(text, pieces)
            return
        self.at += 1
        if kind == "stray":
            pieces.append(self.make_piece(PieceRole.STRAY, _make_leaf(f"V!{text}"), start, text))
        elif kind == "number":
            pieces.append(self.make_piece(PieceRole.NUMBER, _make_leaf(f"N!{text}"), start, text))
        # Three full stops are an ellipsis, and ":=" is one sign, although the lexer
        # delivers single characters.
        elif text == "." and self.current_text() == "." and self.text_ahead(1) == ".":
            self.at += 2
            pieces.append(self.make_piece(PieceRole.ATOM, OperatorTree("V!..."), start))
        elif text == ":" and self.current_text() == "=":
            self.at += 1
            self.read_symbol(":=", pieces, start)
        else:
            self.read_symbol(text, pieces, start)

    def read_symbol(self, text: str, pieces: list[Piece], start: int) -> None:
        """Read a symbol, or a command with its arguments; the tokens of its name have been read."""
        known = self.roles.get(text)
        if known is None:
            self.read_unknown(text, pieces, start)
            return
        # Each role of `symbols` has its own layout.
        role, operator, alone = known
        # Most symbols are pieces as they are: a letter, a sign or a constant.
        if role in _PLAIN:
            pieces.append(Piece(role, text, alone, operator, start, self.previous_end()))
        elif role in ("opening", "closing"):
            self.read_delimiter(pieces, start, PieceRole.OPEN if role == "opening" else PieceRole.CLOSE)
        elif role in (PieceRole.OPEN, PieceRole.CLOSE):
            bracket = alone.label[2:]
            pieces.append(self.make_piece(role, _bracket_leaf(bracket), start, bracket))
        elif role == "fraction":
            above = self.read_argument()
            pieces.append(self.make_operation(operator.label, (above, self.read_argument()), start))
        # A font command has no piece of its own: it changes the letters that follow, or nothing.
        elif role == "font":
            if self.texts and (kind := ALPHABET_OF.get(text)):
                self.replace_letters(kind)
            elif self.whole and text in _UPRIGHT:
                self.read_upright(pieces, start)
            elif self.whole and text in _BOLD:
                self.read_bold(pieces, start)
        elif role == "boxed":
            self.skip_option()
        elif role == "text" and self.whole:
            self.read_written(pieces, start)
        elif role == "text":
            words = self.read_words()
            pieces.append(self.make_piece(PieceRole.ATOM, _make_text(words) if self.texts else ABSENT, start))
        elif role == "newline":
            self.skip_gap()
            pieces.append(self.make_piece(PieceRole.ATOM, alone, start, text))
        # These commands affect only the appearance, so their arguments are dropped.
        elif role in ("skipped", "rule"):
            self.skip_option()
            for _ in range(2 if role == "rule" else 1):
                self.skip_argument()
        elif role == "length":
            self.skip_length()
        elif role == "space":
            self.read_space(text, pieces)
        # A wide space separates formulas, but two separators in a row count once.
        elif role == "wide":
            if pieces and pieces[-1].role != PieceRole.PUNCTUATION:
                pieces.append(self.make_piece(PieceRole.PUNCTUATION, OperatorTree("V!quad"), start))
        elif role == "accent":
            pieces.append(self.make_operation(operator.label, (self.read_argument(),), start))
        elif role == PieceRole.ANNOTATION:
            pieces.append(
                replace(self.make_operation(operator.label, (self.read_argument(),), start), role=role)
            )
        elif role == "genfrac":
            # \genfrac{open}{close}{thickness}{style}
            fence, _, thickness, _ = self.read_name(), self.read_name(), self.read_name(), self.read_name()
            above = self.read_argument()
            operands = (above, self.read_argument())
            pieces.append(self.make_operation(genfrac_label(fence, thickness), operands, start))
        elif role == "above":
            self.read_above(operator.label, pieces, start)
        elif role == "arrow":
            self.read_arrow(alone, operator, pieces, start)
        elif role in ("binary", "relational"):
            self.read_classed(PieceRole.MULTIPLY if role == "binary" else PieceRole.RELATION, pieces, start)
        elif role == "table":
            if self.current_text() == "{":
                self.at += 1
                self.read_table(text[1:], "}", pieces, start)
        elif role == "root":
            degree = self.read_degree(text)
            pieces.append(self.make_operation("O!root", (self.read_argument(), degree), start))
        elif role == "words":
            name = self.read_name()
            pieces.append(self.make_piece(PieceRole.UNKNOWN, OperatorTree(f"V!{name}"), start, name))
        elif role == "not":
            self.read_negated(text, pieces, start)
        elif role == "environment":
            self.read_environment(pieces, start)
        # Only bars are left: two in a row are a norm, unless one is open that the first of them closes.
        else:
            bar = alone.label[2:]
            if text == "|" and self.current_text() == "|" and not _bar_open(pieces):
                self.at += 1
                bar = "∥"
            pieces.append(self.make_piece(role, OperatorTree(f"V!{bar}"), start, bar))

    def read_unknown(self, text: str, pieces: list[Piece], start: int) -> None:
        """A letter; a command that nobody knows is one too, and over what follows it in braces a function."""
        character, name, variant = _symbol_of(text)
        if len(text) > 1 and not character and self.current_text() == "{":
            operands: list[OperatorTree] = []
            while self.current_text() == "{":
                operands.append(self.read_argument())
            pieces.append(self.make_operation(f"F!{text}", tuple(operands), start))
            return
        tree = _make_leaf(f"V!{name}")
        if self.texts and variant:
            tree = OperatorTree(f"V!{character or text}", (), (start, self.previous_end()))
        pieces.append(self.make_piece(PieceRole.UNKNOWN, tree, start, name))

    def read_written(self, pieces: list[Piece], start: int) -> None:
        r"""Read a text as it is written: words, and the formulas between dollars in it."""
        self.skip_spaces()
        if self.current_text() + self.text_ahead(1) == "to":  # \hbox to 2em{...}
            self.at += 2
            self.skip_length()
        begin = self.at
        self.skip_argument()
        end = self.at
        marks = [at for at in range(begin, end) if self.tokens[at].text == "$"]
        for first, last in zip(marks[::2], marks[1::2], strict=False):
            if first > begin:
                pieces.append(self.make_words(begin, first, start))
            self.at = first + 1
            pieces += self.read_line(("$", ""))
            begin, start = last + 1, self.tokens[last].end
        self.at = end
        if begin < end or not marks:
            pieces.append(self.make_words(begin, end, start))

    def make_words(self, begin: int, stop: int, start: int) -> Piece:
        """Return the words of some tokens."""
        words: list[str] = []
        end = self.tokens[begin].start if begin < stop else 0
        for token in self.tokens[begin:stop]:
            words += [" "] * (token.start > end)
            words += [_BETWEEN_UNITS.get(token.text, token.text)] * (token.text not in "{}$")
            end = token.end
        if begin < stop and self.latex[end - 2 : end - 1].isspace():
            words.append(" ")
        return self.make_piece(PieceRole.ATOM, OperatorTree(f"T!{''.join(words)}"), start, "\\text")

    def read_upright(self, pieces: list[Piece], start: int) -> None:
        r"""A word in upright letters: `\mathrm{tr}`, `{\rm tr}`; one letter is a letter like others.

        Behind a number a product of units is read as in a text: `\mathrm{km/h}`.
        """
        unit, end = self.find_upright_unit()
        if pieces and pieces[-1].role in (PieceRole.NUMBER, PieceRole.SCRIPT):
            # One letter is a unit behind a space only: `5\\,\\mathrm{N}` and no matrix N.
            spaced = any(space in self.latex[pieces[-1].end : start] for space in _BETWEEN_UNITS)
            if is_product_of_units(unit) or (spaced and unit in BARE_UNITS):
                self.at = end
                pieces.append(self.make_piece(PieceRole.ATOM, OperatorTree(f"T!{unit}"), start, "\\text"))
                return
        word, end = self.find_letters()
        if len(word) > 1 and end:
            self.at = end
            pieces.append(self.make_piece(PieceRole.UNKNOWN, OperatorTree(f"V!{word}"), start, word))

    def read_bold(self, pieces: list[Piece], start: int) -> None:
        """Letters in bold, which are those of sets of numbers or stand for vectors and matrices."""
        word, end = self.find_letters()
        if not word.isascii() or not word.isalpha():
            return
        # Capitals side by side in one bold group are one name, as NP.
        if end and len(word) > 1 and word.isupper():
            self.at = end
            name = "".join(chr(ord(letter) + 0x1D400 - ord("A")) for letter in word)
            pieces.append(self.make_piece(PieceRole.UNKNOWN, OperatorTree(f"V!{name}"), start, word))
            return
        self.at, word = (end, word) if end else (self.at + 1, word[0])
        for letter in word:
            # Unicode has bold capitals from U+1D400 and bold small letters from U+1D41A.
            shift = 0x1D400 - ord("A") if letter.isupper() else 0x1D41A - ord("a")
            name = to_alphabet(letter, "bb") if letter in "RZNQC" else chr(ord(letter) + shift)
            pieces.append(self.make_piece(PieceRole.UNKNOWN, OperatorTree(f"V!{name}"), start, letter))

    def find_upright_unit(self) -> tuple[str, int]:
        """Return the text of the argument here, as that of a unit, and where it ends; an empty text where it
        is more than letters, powers and quotients."""
        first = self.at
        self.skip_argument()
        end, self.at = self.at, first
        unit = ""
        for kind, text, _, _ in self.tokens[first:end]:
            if kind in ("letter", "number") or text in ("/", "^", "-"):
                unit += text
            elif text in _BETWEEN_UNITS:
                unit += _BETWEEN_UNITS[text]
            elif text not in ("{", "}"):
                return "", end
        return unit, end

    def find_letters(self) -> tuple[str, int]:
        """Return the letters and digits here, with or without a brace before them, and where they end with
        one; 0 where they do not.
        """
        braced = self.current_text() == "{"
        at, word = self.at + braced, ""
        while at < len(self.tokens) and self.tokens[at].kind in ("letter", "number"):
            word += self.tokens[at].text
            at += 1
        closed = at < len(self.tokens) and self.tokens[at].text == "}"
        return (word, at + braced) if closed else ("" if braced else word, 0)

    def replace_letters(self, kind: str) -> None:
        """The letters of the argument here as those of an alphabet, which are read next."""
        first = self.at
        self.skip_argument()
        for index in range(first, self.at):
            token = self.tokens[index]
            if token.kind in ("letter", "number") and len(token.text) == 1:
                text = to_alphabet(token.text, kind)
                self.tokens[index] = Token("letter", text, token.start, token.written or token.text)
        self.at = first

    def read_above(self, label: str, pieces: list[Piece], start: int) -> None:
        script = self.read_argument()
        base, *span = self.argument_pieces()
        if len(base) == 1 and base[0].role in _SCRIPTED:
            pieces += [base[0], self.make_piece(PieceRole.SCRIPT, script, start, label)]
        else:
            pieces.append(self.make_operation(label, (self.line_to_tree(base, *span), script), start))

    def read_arrow(
        self, alone: OperatorTree, operator: OperatorTree, pieces: list[Piece], start: int
    ) -> None:
        below = self.read_option()
        pieces.append(Piece(PieceRole.RELATION, alone.label[2:], alone, operator, start, self.previous_end()))
        for label, script in (("O!SUB", below), ("O!SUP", self.read_argument())):
            if script != ABSENT:
                pieces.append(self.make_piece(PieceRole.SCRIPT, script, start, label))

    def read_classed(self, role: str, pieces: list[Piece], start: int) -> None:
        parts, *span = self.argument_pieces()
        if (
            len(parts) == 1
            and parts[0].role in (PieceRole.UNKNOWN, PieceRole.ATOM)
            and not parts[0].alone.children
        ):
            alone = parts[0].alone
            name = alone.label[2:]
            pieces.append(Piece(role, name, alone, OperatorTree(f"F!{name}"), start, self.previous_end()))
        elif len(parts) == 1:
            pieces += parts
        else:
            pieces.append(self.make_piece(PieceRole.ATOM, self.line_to_tree(parts, *span), start))

    def read_negated(self, text: str, pieces: list[Piece], start: int) -> None:
        braced = self.current_text() == "{" and self.text_ahead(2) == "}"
        sign = self.text_ahead(1) if braced else self.current_text()
        if not sign:
            return
        known = self.roles.get(sign)
        # A negation with a sign of its own is that sign; any other is an operation on what follows.
        meant = self.roles.get(text + sign) or (negate_symbol(known) if known is not None else None)
        if meant is not None:
            self.at += 3 if braced else 1
            pieces.append(
                Piece(meant.role, text + sign, meant.alone, meant.operator, start, self.previous_end())
            )
        else:
            pieces.append(self.make_operation("O!not", (self.read_argument(),), start))

    def make_operation(
        self, label: str, operands: tuple[OperatorTree, ...], start: int, text: str = ""
    ) -> Piece:
        return self.make_piece(
            PieceRole.ATOM, OperatorTree(label, operands, (start, self.previous_end())), start, text
        )

    def read_space(self, text: str, pieces: list[Piece]) -> None:
        """A space: between two numbers it makes one of them."""
        if self.whole and not (text in ("\\,", "\\ ", "~") and _THOUSAND.match(self.current_text())):
            return
        if not pieces or pieces[-1].role != PieceRole.NUMBER or text == "\\!" or self.at >= len(self.tokens):
            return
        if self.tokens[self.at].kind == "number":
            number = pieces[-1].text + self.current_text()
            self.at += 1
            pieces[-1] = self.make_piece(
                PieceRole.NUMBER, OperatorTree(f"N!{number}"), pieces[-1].start, number
            )

    # Groups and arguments

    def read_too_deep(self, start: int) -> OperatorTree:
        return OperatorTree("E!deep", (), (start, self.previous_end()))

    def read_group(self, pieces: list[Piece]) -> None:
        """What stands in braces: part of the line, or one thing where a script follows."""
        start = self.current_start()
        inner, *span = self.read_braced()
        scripted = self.current_text() in ("^", "_", "'")
        if scripted and not inner and pieces and pieces[-1].end == start and pieces[-1].role in _BASES:
            return  # 0.3{}^3: an empty group behind a macro holds nothing
        if scripted and len(inner) != 1:
            pieces.append(self.make_piece(PieceRole.ATOM, self.line_to_tree(inner, *span), start))
        elif self.whole and len(inner) > 1 and _is_sum(inner):
            pieces.append(self.make_piece(PieceRole.ATOM, self.line_to_tree(inner, *span), start, "{"))
        elif self.whole and _is_lone_script(inner) and pieces and pieces[-1].role in _BASES:
            pieces.append(inner[1])  # 90\ensuremath{^\circ}
        else:
            pieces.extend(inner)

    def read_braced(self) -> tuple[list[Piece], int, int]:
        start = self.current_start()
        self.at += 1
        # Beyond the limit a group is skipped as one piece, because the recursion must stay bounded.
        if self.depth >= DEEPEST:
            self.skip_group()
            return (
                [self.make_piece(PieceRole.STRAY, self.read_too_deep(start), start)],
                start,
                self.previous_end(),
            )
        begin = self.current_start()
        self.depth += 1
        # An empty text is the end of the formula, so an unclosed group ends there.
        inner = self.read_line(("}", ""))
        self.depth -= 1
        end = self.previous_end()
        if self.current_text() == "}":
            self.at += 1
        # The brace that is never closed stays visible as a stray piece, for the message to point at.
        else:
            inner.append(self.make_piece(PieceRole.STRAY, OperatorTree("V!{"), start, "{"))
            begin = start
        return inner, begin, max(begin, end)

    def read_argument(self) -> OperatorTree:
        self.skip_spaces()
        if self.current_text() in _UNARGUED:
            before = self.tokens[min(self.at, len(self.tokens)) - 1]
            return OperatorTree("E!missing", (), (before.start, before.end))
        if self.depth >= DEEPEST:
            start = self.current_start()
            self.skip_argument()
            return self.read_too_deep(start)
        return self.line_to_tree(*self.argument_pieces())

    def argument_pieces(self) -> tuple[list[Piece], int, int]:
        self.skip_spaces()
        start = self.current_start()
        if self.current_text() == "{":
            return self.read_braced()
        # Without braces an argument is one token, as in \frac12, with its own
        # arguments if it is a command.
        inner: list[Piece] = []
        if self.current_text() in _UNARGUED:
            return inner, start, start
        token = self.tokens[self.at]
        if token.kind == "number" and len(token.text) > 1:
            # TeX takes a digit.
            self.tokens[self.at] = Token("number", token.text[1:], token.start + 1)
            number = OperatorTree(f"{'V' if token.text[0] == '.' else 'N'}!{token.text[0]}")
            return (
                [Piece(PieceRole.NUMBER, token.text[0], number, number, start, start + 1)],
                start,
                start + 1,
            )
        if self.depth >= DEEPEST:
            self.skip_argument()
            return (
                [self.make_piece(PieceRole.ATOM, self.read_too_deep(start), start)],
                start,
                self.previous_end(),
            )
        self.depth += 1
        # A command that yields no piece (such as a font) does not use up the argument.
        while not inner and self.current_text() not in _UNARGUED:
            self.read_one(inner)
        self.depth -= 1
        return inner, start, self.previous_end()

    def read_option(self) -> OperatorTree:
        if self.current_text() != "[":
            return ABSENT
        self.at += 1
        start = self.current_start()
        self.depth += 1
        result = self.line_to_tree(self.read_line(("]", "}", "")), start, self.previous_end())
        self.depth -= 1
        self.at += self.current_text() == "]"
        return result

    def read_script(self, text: str, pieces: list[Piece]) -> None:
        start = self.current_start()
        self.at += 1
        label = "O!SUB" if text == "_" else "O!SUP"
        if text == "'":
            primes = 1
            while self.current_text() == "'":
                primes += 1
                self.at += 1
            tree = OperatorTree("V!" + "′" * primes)
        else:
            tree = self.read_argument()
        # A script at the beginning of a line gets an empty base.
        if not pieces:
            pieces.append(Piece(PieceRole.ATOM, "", ABSENT, ABSENT, start, start))
        pieces.append(self.make_piece(PieceRole.SCRIPT, tree, start, label))

    def read_degree(self, text: str) -> OperatorTree:
        r"""Return the degree of a root: `\sqrt[n]{x}` or `\root n \of x`."""
        ends = ("\\of", "") if text == "\\root" else ("]", "")
        if text == "\\sqrt":
            if self.current_text() != "[":
                return OperatorTree("N!2")
            self.at += 1
        if self.depth >= DEEPEST:
            return ABSENT
        self.depth += 1
        start = self.current_start()
        degree = self.line_to_tree(self.read_line(ends), start, self.previous_end())
        self.depth -= 1
        self.at += 1
        return degree

    def read_delimiter(self, pieces: list[Piece], start: int, role: str) -> None:
        text = self.current_text()
        text = _ANGLES.get(text, text)
        known = self.roles.get(text)
        if text == ".":
            bracket = ""
        elif known is not None and known.role in (PieceRole.OPEN, PieceRole.CLOSE, PieceRole.BAR):
            bracket = known.alone.label[2:]
        else:
            return
        self.at += 1
        pieces.append(self.make_piece(role, _bracket_leaf(bracket), start, bracket))

    # Environments

    def read_environment(self, pieces: list[Piece], start: int) -> None:
        name = self.read_name()
        if name in _SIZED:
            self.skip_option()
            self.skip_argument()
        self.read_table(name, "\\end", pieces, start)

    def read_table(self, name: str, last: str, pieces: list[Piece], start: int) -> None:
        # Too deep a table is skipped to its end and kept as one piece.
        if self.depth >= DEEPEST:
            while self.current_text() and self.current_text() != last:
                self.at += 1
            pieces.append(self.make_piece(PieceRole.STRAY, self.read_too_deep(start), start))
            return
        self.depth += 1
        rows: list[list[OperatorTree]] = [[]]
        # Each pass reads one cell; the token after it says whether the cell, the row or the table ends.
        while self.current_text():
            begin = self.current_start()
            cell = self.read_line(("&", "\\\\", "\\cr", last, ""))
            rows[-1].append(self.line_to_tree(cell, begin, self.previous_end()))
            end = self.current_text()
            self.at += 1
            if end in ("\\\\", "\\cr"):
                rows.append([])
                self.skip_gap()
            elif end == last:
                if last == "\\end":
                    self.read_name()
                break
        # The loop ran out of tokens without meeting the end, so the environment is never closed.
        else:
            pieces.append(self.make_piece(PieceRole.STRAY, OperatorTree("V!\\begin"), start, "\\begin"))
        self.depth -= 1
        # A newline after the last row opens an empty row, which is not counted.
        if rows[-1] in ([], [ABSENT]) and len(rows) > 1:
            rows.pop()
        # Environments that hold a single formula, such as `equation`, are no matrices.
        if name in _SINGLE:
            pieces.append(self.make_piece(PieceRole.ATOM, rows[0][0] if rows[0] else ABSENT, start))
        else:
            pieces.append(self.make_operation(*_make_rows(name, rows), start, name))


@lru_cache(4_096)
def _make_leaf(label: str) -> OperatorTree:
    return OperatorTree(label)


@lru_cache(4_096)
def _symbol_of(text: str) -> tuple[str, str, bool]:
    """Return the character that a command or letter stands for, "" where nobody knows the command; its name;
    and whether it is of an alphabet of its own.
    """
    symbol = list_symbols().get(text)
    known = symbol.unicode if symbol and symbol.unicode else ""
    character = known or text
    return (
        known,
        unicodedata.normalize("NFKC", character),
        len(character) == 1 and bool(split_alphabet(character)),
    )


def _bracket_leaf(bracket: str) -> OperatorTree:
    return _make_leaf({"[": "V!&lsqb;", "]": "V!&rsqb;"}.get(bracket, f"V!{bracket}"))


def _make_text(words: list[tuple[str, tuple[int, int]]]) -> OperatorTree:
    leaves = [OperatorTree(f"{'N' if word[0].isdecimal() else 'V'}!{word}", (), span) for word, span in words]
    return leaves[0] if len(leaves) == 1 else OperatorTree("O!text", tuple(leaves)) if leaves else ABSENT


def _is_lone_script(pieces: list[Piece]) -> bool:
    """Return whether a group holds nothing but a script, which has no base in it."""
    return len(pieces) == 2 and pieces[0].alone == ABSENT and pieces[1].role == PieceRole.SCRIPT


def _is_sum(parts: list[Piece]) -> bool:
    depth = 0
    signs = False
    for piece in parts:
        depth += (piece.role == PieceRole.OPEN) - (piece.role == PieceRole.CLOSE)
        if not depth and piece.role in (PieceRole.RELATION, PieceRole.PUNCTUATION):
            return False
        signs = signs or (not depth and piece.role == PieceRole.ADD and piece is not parts[0])
    return signs


def _bar_open(parts: list[Piece]) -> bool:
    bars = depth = 0
    for piece in reversed(parts):
        depth += (piece.role == PieceRole.CLOSE) - (piece.role == PieceRole.OPEN)
        if depth < 0:
            break
        bars += depth == 0 and piece.role == PieceRole.BAR and piece.text == "|"
    return bars % 2 == 1


def _make_rows(name: str, rows: list[list[OperatorTree]]) -> tuple[str, tuple[OperatorTree, ...]]:
    """Return the label and operands of an environment: cases with their conditions, or a matrix of rows."""
    if name in _CASES:
        return "O!cases", tuple(tree for row in rows for tree in (*row, ABSENT)[:2])
    size = f"{len(rows)}x{max(map(len, rows))}"
    return f"M!M-{size}", tuple(OperatorTree("M!R!", tuple(row)) for row in rows)
