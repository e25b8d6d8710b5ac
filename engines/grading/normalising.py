r"""Write answers without what only changes how they look: sizes, dollar signs, marks of thousands, `sqrt(2)`.

The reader of formulas takes what is written here. Nothing is decided but the dress: each rule looks at tokens
and writes others in their place.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from engines.formula.cursor import UnreadError
from engines.formula.latex_conversion import latex_of_plain
from engines.formula.vocabulary import GREEK, NAMES_IN_TEXT
from engines.grading.other_notations import join_bits, write_differences, write_polar
from engines.grading.tokens import TEXT_COMMANDS, AnswerToken, is_blank, skip_blanks, text_at, tokenize
from engines.grading.unit_reader import names_unit

_FORMULA_NAMES = NAMES_IN_TEXT | {"pi", "infty"}
_FENCES = frozenset(("\\left", "\\right"))
_SIZES = frozenset(f"\\{size}{side}" for size in ("big", "Big", "bigg", "Bigg") for side in ("", *"lrm"))
_UNSHOWN = frozenset(("\\displaystyle", "\\textstyle", "\\limits", "\\mathstrut", "\\!", *_SIZES))
"""Commands that change sizes and spaces only."""
_PHANTOMS = ("\\phantom", "\\hphantom")
_RENAMED = {"\\dfrac": "\\frac", "\\tfrac": "\\frac", "\\cfrac": "\\frac", "\\$": "＄"}
_BARE_CONNECTIVES = ("and", "or", "und", "oder")
"""Words between formulas that many write in LaTeX as they are."""
_UPRIGHT = ("\\mathrm", "\\operatorname", "\\rm")
_SPACES = ("\\,", "\\;", "\\:", "\\ ", "~")
_WIDE_SPACES = ("\\quad", "\\qquad")
_THOUSANDS_SPACES = tuple("\u00a0\u202f\u2009'’")
_THOUSANDS_MARKS = (("{", ",", "}"), (",", "\\!"), ("\\!", ","), ("\\,",))
_MARKS = frozenset("\\$°*∘")
"""Signs without which nothing is written otherwise."""
_SIGNS = str.maketrans(
    {
        "−": "-",
        "–": "-",
        "½": "\\frac{1}{2}",
        "¼": "\\frac{1}{4}",
        "¾": "\\frac{3}{4}",
        "⁄": "/",
        "\u00a0": " ",
        "，": ",",
        "；": ";",
        "（": "(",
        "）": ")",
    }
)


def normalise_text(text: str) -> str:
    r"""Return the text without what only changes how it looks: sizes, dollar signs, commas of thousands.

    >>> normalise_text(r"$\left(\dfrac{1}{2},\ 32{,}349\right)$."), normalise_text("2*sqrt(x+1)**2/pi")
    ('(\\frac{1}{2},\\ 32349)', '2*\\sqrt{x+1}^{2}/\\pi')
    """
    if text.isdecimal():
        return text
    text = write_differences(write_polar(join_bits(_write_rows(text))))
    if "/d" in text and (derivative := _match_derivative(text)):
        name, rest = derivative
        return f"{name} = {normalise_text(rest)}"
    text = _open_bases(text) if ")_" in text or ")₂" in text else text
    text = _write_powers_of_ten(
        _write_mixed_numbers(
            _join_marked_thousands(_write_measures(_write_columns(_write_connectives(text))))
        )
    )
    has_commands = "\\" in text or "{" in text
    # What is written with signs of LaTeX below has its names as commands too.
    names = _FORMULA_NAMES if _MARKS.isdisjoint(text) else _FORMULA_NAMES | {*GREEK}
    if not has_commands and any(token.text in names for token in tokenize(text)):
        with contextlib.suppress(UnreadError):  # too deep: so it stays for whoever reads it
            text = latex_of_plain(text)
        has_commands = True
    written = text.strip() if text.isascii() else text.translate(_SIGNS).strip()
    if has_commands or not _MARKS.isdisjoint(written):
        written = _Normaliser(written).write_text()
    return written if written.endswith("\\right.") else written.rstrip(".;:,").strip()


def _open_bases(text: str) -> str:
    """Return a text with digits of another base without the brackets around them.

    >>> _open_bases("(1011)_2"), _open_bases("(1011)₂ = 11")
    ('1011_2', '1011_2 = 11')
    """
    tokens = tokenize(text)
    written, at = "", 0
    while at < len(tokens):
        texts = [token.text for token in tokens[at : at + 4]]
        is_number = len(texts) > 3 and texts[0] == "(" and texts[1].isdecimal() and texts[2] == ")"
        if is_number and (texts[3] == "_" or texts[3] in _SMALL_BASES):
            written += texts[1] + _SMALL_BASES.get(texts[3], "_")
            at += 4
        else:
            written += tokens[at].text
            at += 1
    return written


_SMALL_BASES = {"₂": "_2", "₃": "_3", "₅": "_5", "₈": "_8"}


def _write_connectives(text: str) -> str:
    """Return a plain text with the connectives of programs, as `!p && ~q`, as those of formulas.

    >>> _write_connectives("!p && (q || ~r)"), _write_connectives("5! + ||v||")
    ('¬p ∧ (q ∨ ¬r)', '5! + ||v||')
    """
    if "\\" in text or not any(map(text.__contains__, _PROGRAM_SIGNS)):
        return text
    tokens = tokenize(text)
    written: list[str] = []
    at = 0
    while at < len(tokens):
        sign, behind = tokens[at].text, skip_blanks(tokens, at + 1)
        doubled = sign in _PROGRAM_JUNCTIONS and text_at(tokens, at + 1) == sign
        before = next((one for one in reversed(tokens[:at]) if not is_blank(one)), None)
        ends_operand = before is not None and (before.kind in ("word", "digits") or before.text in ")'")
        begins = at + 1 < len(tokens) and (tokens[behind : behind + 1] or tokens[at:])[0]
        if doubled and ends_operand and text_at(tokens, at + 2).isspace():
            written.append(_PROGRAM_JUNCTIONS[sign])
            at += 2
            continue
        operand = begins and (begins.kind == "word" or begins.text in ("(", "!", "~"))
        is_prefix = sign in ("!", "~") and not ends_operand and operand and behind == at + 1
        written.append("¬" if is_prefix else sign)
        at += 1
    return "".join(written)


def _write_mixed_numbers(text: str) -> str:
    """Return a text with the fraction of a mixed number behind a sign or name as LaTeX has it.

    >>> _write_mixed_numbers("x = -1 2/3"), _write_mixed_numbers("x = 2 7/3")
    ('x = -1\\\\frac{2}{3}', 'x = 2 7/3')
    """
    if "/" not in text or " " not in text or "=" not in text:
        return text
    tokens = tokenize(text)
    written: list[str] = []
    at = 0
    while at < len(tokens):
        texts = [token.text for token in tokens[at : at + 5]]
        kinds = [token.kind for token in tokens[at : at + 5]]
        behind = tokens[at - 1].text if at else ""
        is_mixed = kinds[::2] == ["digits"] * 3 and texts[1::2] == [" ", "/"] and behind not in tuple(".,/^_")
        is_mixed = is_mixed and text_at(tokens, at + 5) not in tuple("/^.,!")
        if is_mixed and 0 < int(texts[2]) < int(texts[4]) < _MIXED_BELOW:
            written.append(f"{texts[0]}\\frac{{{texts[2]}}}{{{texts[4]}}}")
            at += 5
        else:
            written.append(tokens[at].text)
            at += 1
    return "".join(written)


_MIXED_BELOW = 100
"""Denominators of mixed numbers; longer digits behind a space may be thousands."""


def _write_columns(text: str) -> str:
    """Return a text with commas between the coordinates of a point that bars part, as `(1|0|-2)`.

    >>> _write_columns("(0|0|1) + r (1|0|-2)"), _write_columns("P(A|B)"), _write_columns("(|x|)")
    ('(0,0,1) + r (1,0,-2)', 'P(A|B)', '(|x|)')
    """
    if "|" not in text or "(" not in text or "\\" in text:
        return text
    tokens = tokenize(text)
    written = [token.text for token in tokens]
    for at, token in enumerate(tokens):
        if token.text != "(" or (at and tokens[at - 1].kind == "word"):
            continue
        end = next((index for index in range(at + 1, len(tokens)) if tokens[index].text in "()"), at)
        entries = "".join(written[at + 1 : end]).split("|")
        if written[end] == ")" and len(entries) > 1 and all(entry.strip(" -−") for entry in entries):
            written[at + 1 : end] = ["," if one == "|" else one for one in written[at + 1 : end]]
    return "".join(written)


def _write_rows(text: str) -> str:
    r"""Return a text with a matrix as LaTeX has it where its rows end with semicolons.

    >>> _write_rows("[1, 2; 3, 4]"), _write_rows("[1; 2]"), _write_rows("[1;2;3]")
    ('\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}', '[1; 2]', '\\begin{pmatrix}1\\\\2\\\\3\\end{pmatrix}')
    """
    if ";" not in text or "[" not in text:
        return text
    tokens = tokenize(text)
    opening = next(at for at, token in enumerate(tokens) if token.text == "[")
    end = next((at for at in range(opening + 1, len(tokens)) if tokens[at].text in tuple("[](){}")), opening)
    if tokens[end].text != "]":
        return text
    inside = text[tokens[opening].end : tokens[end].start]
    rows = [[cell.strip() for cell in row.split(",")] for row in inside.split(";")]
    rows = [cells[0].split() if len(cells) == 1 else cells for cells in rows]
    sizes = {len(cells) for cells in rows}
    # Two values alone are the ends of an interval in many languages.
    if len(sizes) > 1 or len(rows) * min(sizes) < 3 or not all(all(cells) for cells in rows):
        return text
    after = "".join(
        "\\operatorname{diag}" if token.text == "diag" else token.text for token in tokens[end + 1 :]
    )
    matrix = "\\\\".join("&".join(cells) for cells in rows)
    whole = f"\\begin{{pmatrix}}{matrix}\\end{{pmatrix}}"
    return text[: tokens[opening].start] + whole + after


def _write_measures(text: str) -> str:
    r"""Return a text with round brackets behind an expectation or probability, as `E(X)` for `E[X]`.

    >>> _write_measures(r"\\mathbb{E}[X^2] = 3, x \in [1, 2]")
    '\\\\mathbb{E}(X^2) = 3, x \\in [1, 2]'
    """
    if "[" not in text or not any(map(text.__contains__, _MEASURES)):
        return text
    tokens = tokenize(text)
    written = [token.text for token in tokens]
    for at, token in enumerate(tokens):
        head = at - 1 - (text_at(tokens, at - 1) == "}")
        if token.text != "[" or text_at(tokens, head) not in _MEASURES:
            continue
        end = next((index for index in range(at, len(tokens)) if tokens[index].text in tuple("])")), at)
        if tokens[end].text == "]":
            written[at], written[end] = "(", ")"
    return "".join(written)


_MEASURES = ("E", "𝔼", "Var", "Cov", "P", "Pr", "V", "ℙ")
_PROGRAM_SIGNS = ("!", "~", "&&", "||")
_PROGRAM_JUNCTIONS = {"&": "∧", "|": "∨"}


def _match_derivative(text: str) -> tuple[str, str] | None:
    """Return the derivative that a plain text says is equal to something, as `dy/dx = 2x`, and that."""
    tokens = [token for token in tokenize(text[:_LONGEST_NAME]) if not is_blank(token)]
    if len(tokens) < 5 or (tokens[1].text, tokens[3].text) != ("/", "="):
        return None
    above, below = tokens[0].text, tokens[2].text
    if not all(len(one) == 2 and one[0] == "d" and one.isalpha() for one in (above, below)):
        return None
    rest = text[tokens[3].end :].strip()
    unit = next((token.start for token in tokenize(rest) if token.kind == "word"), len(rest))
    if names_unit(rest[unit:]) and rest[unit - 1 : unit] == " ":
        return None  # the grammar has no quantities
    if "\\" not in rest:
        with contextlib.suppress(UnreadError):
            rest = latex_of_plain(rest)
    return rf"\frac{{{above}}}{{{below}}}", rest


_LONGEST_NAME = 20
"""Characters of a derivative with the sign of equality behind it, at most."""


def flatten_spaces(text: str) -> str:
    r"""Return a text with one blank for each of its spaces, and with `%` and `$` for `\%` and `\$`."""
    if "\\" not in text and "~" not in text and "  " not in text:
        return text.strip()
    parts = (
        " "
        if token.text in _SPACES or token.text in _WIDE_SPACES or (is_blank(token) and len(token.text) > 1)
        else token.text[1:]
        if token.text in ("\\%", "\\$")
        else token.text
        for token in tokenize(text)
    )
    return "".join(parts).strip()


def _write_powers_of_ten(text: str) -> str:
    r"""Return the text with numbers as computers write them, `1.6e-19`, as powers of ten.

    `2e-3` may be a difference, so the number in front has decimals, or is 1, or the letter is large.
    """
    text = _write_signs_of_powers(text)
    if "e" not in text and "E" not in text:
        return text
    tokens = tokenize(text)
    result: list[str] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        end = _match_exponent(tokens, at)
        if end:
            exponent = "".join(one.text for one in tokens[at + 1 : end]).lstrip("+")
            result.append(f" \\times 10^{{{exponent}}}")
            at = end
            rest = text[tokens[at - 1].end :]
            if rest[:1].isspace() and names_unit(rest.strip(" .")):
                return "".join((*result, f"\\text{{{rest.rstrip(' .')}}}"))
        else:
            result.append(token.text)
            at += 1
    return "".join(result)


def _write_signs_of_powers(text: str) -> str:
    r"""Return the text with `×` before a power of ten, and the exponent of that, as LaTeX has them."""
    if "10" not in text or not any(map(text.__contains__, _TIMES_SIGNS)):
        return text
    tokens = tokenize(text)
    result: list[str] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        ten = skip_blanks(tokens, at + 1)
        raised = ten + 1
        while text_at(tokens, raised)[:1] in _RAISED and raised < len(tokens):
            raised += 1
        is_power = raised > ten + 1 or text_at(tokens, ten + 1) == "^"
        if token.text in _TIMES_SIGNS and text_at(tokens, ten) == "10" and is_power:
            exponent = "".join(one.text for one in tokens[ten + 1 : raised]).translate(_RAISED_DIGITS)
            result.append(" \\times 10" + (f"^{{{exponent}}}" if exponent else ""))
            at = raised
        else:
            result.append(token.text)
            at += 1
    return "".join(result)


_TIMES_SIGNS = ("×", "·", "⋅")
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺"
_RAISED_DIGITS = str.maketrans(_RAISED, "0123456789-+")


def _match_exponent(tokens: Sequence[AnswerToken], at: int) -> int:
    """Return the index behind the letter and the exponent of a power of ten; 0 where there is none."""
    if tokens[at].text not in ("e", "E") or not text_at(tokens, at - 1).isdecimal():
        return 0
    signed = text_at(tokens, at + 1) in ("-", "+", "−")
    number = at + 1 + signed
    decimal = text_at(tokens, at - 2) == "." or text_at(tokens, at - 1) == "1"
    if not (tokens[at].text == "E" or decimal or not signed) or not text_at(tokens, number).isdecimal():
        return 0
    return number + 1 if len(tokens[number].text) < 4 else 0


def _join_marked_thousands(text: str) -> str:
    r"""Return the text without what parts thousands and can part nothing else: `1{,}000`, `1\,000`, 1’000."""
    if not any(map(text.__contains__, ("{,}", "\\!", "\\,", *_THOUSANDS_SPACES))):
        return text
    tokens = tokenize(text)
    result: list[str] = []
    at = 0
    while at < len(tokens):
        result.append(tokens[at].text)
        at += 1
        if tokens[at - 1].kind == "digits":
            end = _match_thousands_mark(tokens, at)
            if end < len(tokens) and tokens[end].kind == "digits" and len(tokens[end].text) == 3:
                at = end
    return "".join(result)


def _match_thousands_mark(tokens: Sequence[AnswerToken], at: int) -> int:
    """Return the index behind a mark of thousands and white space; past all where none is here."""
    if text_at(tokens, at)[:1] in _THOUSANDS_SPACES and at < len(tokens):
        return skip_blanks(tokens, at + 1)
    for mark in _THOUSANDS_MARKS:
        end = at
        for sign in mark:
            end = skip_blanks(tokens, end) if end > at else end
            if text_at(tokens, end) != sign:
                break
            end += 1
        else:
            return skip_blanks(tokens, end)
    return len(tokens)


class _Normaliser:
    """Writes the tokens of an answer without their dress."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokenize(text)
        self.at = 0
        self.result: list[str] = []
        self.closing: dict[int, str] = {}
        self.has_plain_sets = "\\" not in text and any(
            token.text == "{"
            and at
            and next((one.text for one in reversed(self.tokens[:at]) if not is_blank(one)), "") in tuple("{,")
            for at, token in enumerate(self.tokens)
        )
        """Whether braces of a plain text are those of sets of sets, and none of them groups."""
        self.dropped = _UNSHOWN if "\\right." in text else _UNSHOWN | _FENCES
        """Where one side of a bracket is not shown, the brackets keep their commands."""

    def write_text(self) -> str:
        """Return the whole text as it is written."""
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token.kind == "command":
                self.write_command(token.text)
            elif token.kind == "word":
                self.write_word(token)
            elif token.kind == "sign":
                self.spell_sign(token.text)
            else:
                self.write(token.text)
        written = "".join(self.result)
        return written.replace("＄", "\\$" if "\\" in written else "$").strip()

    def write(self, text: str, taken: int = 1) -> None:
        """Write a text in the place of the next tokens."""
        self.result.append(text)
        self.at += taken

    def drop_spaces(self) -> None:
        while self.result and (not self.result[-1].strip() or self.result[-1] in _SPACES):
            self.result.pop()

    def find_closing(self, at: int, opening: str, closing: str) -> int:
        """Return the index of the bracket that closes the one at a token; 0 where none does."""
        depth = 0
        for end in range(at, len(self.tokens)):
            depth += (self.tokens[end].text == opening) - (self.tokens[end].text == closing)
            if not depth:
                return end
        return 0

    def write_command(self, command: str) -> None:
        if command in self.dropped:
            self.at += 1
        elif command in _RENAMED:
            self.write(_RENAMED[command])
        elif command in _PHANTOMS and text_at(self.tokens, self.at + 1) == "{":
            self.at = (self.find_closing(self.at + 1, "{", "}") or self.at) + 1
        elif command == "\\equiv" and self.states_value():
            self.write("=")
        elif command == "\\sqrt":
            self.write_root()
        elif command == "\\dot":
            self.write_period()
        elif command == "\\Omega" and self.ends_with(self.result, "0123456789"):
            self.drop_spaces()
            self.write("\\text{ Ω}")
        elif command in TEXT_COMMANDS or command in _UPRIGHT:
            self.write_upright(command)
        elif command.startswith("\\quad") and len(command) > 5:  # a word runs into it
            self.write(f"\\quad {command[5:]}")
        else:
            self.write(command)

    @staticmethod
    def ends_with(parts: Sequence[str], characters: str) -> bool:
        """Return whether the last part that is no space ends with one of some characters."""
        last = next((part for part in reversed(parts) if part.strip() and part not in _SPACES), "")
        return last[-1:] != "" and last[-1] in characters

    def write_upright(self, command: str) -> None:
        r"""Write `\text{:}` as its sign, and a unit in upright letters as a text."""
        opening = skip_blanks(self.tokens, self.at + 1)
        end = self.find_closing(opening, "{", "}") if text_at(self.tokens, opening) == "{" else 0
        if not end:
            self.write(command)
            return
        said = [token.text for token in self.tokens[opening + 1 : end] if not is_blank(token)]
        if said[-1:] == [":"] and len(said) > 1 and not self.result and end + 1 < len(self.tokens):
            self.at = end + 1  # \text{domain: }
            return
        if len(said) == 1 and said[0] in tuple(":.,;"):
            self.write(said[0], end + 1 - self.at)
            return
        inside = self.text[self.tokens[opening].end : self.tokens[end].start]
        if command in _UPRIGHT and self.ends_with(self.result, "0123456789})") and names_unit(inside):
            self.drop_spaces()
            self.write(f"\\text{{{inside}}}", end + 1 - self.at)
        else:
            self.write(command)

    def states_value(self) -> bool:
        r"""Return whether `\equiv` stands before a number and no modulus: `f \equiv 0`."""
        ahead = skip_blanks(self.tokens, self.at + 1)
        is_number = ahead < len(self.tokens) and self.tokens[ahead].kind == "digits"
        return is_number and "mod" not in self.text

    def write_root(self) -> None:
        r"""Write `sqrt(2)` as `\sqrt{2}`."""
        opening = skip_blanks(self.tokens, self.at + 1)
        end = self.find_closing(opening, "(", ")") if text_at(self.tokens, opening) == "(" else 0
        if end:
            self.closing[end] = "}"
            self.write("\\sqrt{", skip_blanks(self.tokens, opening + 1) - self.at)
        else:
            self.write("\\sqrt" if self.tokens[self.at].kind == "command" else "\\sqrt ")

    def write_period(self) -> None:
        r"""Write decimals with dots over their period as `\overline`: `0.\dot{1}4285\dot{7}`."""
        decimals = self.result[-1:] == ["."] or (len(self.result) > 1 and self.result[-2] == ".")
        first, end = self.read_dotted(self.at)
        if not first or not decimals:
            self.write("\\dot")
            return
        more = text_at(self.tokens, end)
        more = more if more.isdecimal() else ""
        last, behind = self.read_dotted(end + bool(more))
        if last:
            self.write(f"\\overline{{{first}{more}{last}}}", behind - self.at)
        else:
            self.write(f"\\overline{{{first}}}", end - self.at)

    def read_dotted(self, at: int) -> tuple[str, int]:
        r"""Return the digit under a `\dot`, and the index behind it; "" where there is none."""
        if text_at(self.tokens, at) != "\\dot":
            return "", at
        braced = text_at(self.tokens, at + 1) == "{"
        digit = text_at(self.tokens, at + 1 + braced)
        return (digit, at + 2 + 2 * braced) if digit.isdecimal() and len(digit) == 1 else ("", at)

    def write_word(self, token: AnswerToken) -> None:
        """Write a word; names of functions get a backslash."""
        before = self.text[token.start - 1 : token.start]
        if token.text in _BARE_CONNECTIVES and before == self.text[token.end : token.end + 1] == " ":
            self.write(token.text if self.is_in_text() else f"\\text{{ {token.text} }}")
        elif token.text not in _FORMULA_NAMES or before == "{":
            # A command that stood before something dropped must not run into a word.
            joined = self.result and self.result[-1][:1] == "\\" and self.result[-1][1:].isalpha()
            self.write(f" {token.text}" if joined else token.text)
        elif token.text == "sqrt":
            self.write_root()
        else:
            behind = self.text[token.end : token.end + 1]
            self.write(f"\\{token.text} " if behind[:1].isalnum() else f"\\{token.text}")

    def match_composition(self) -> int:
        r"""Return the index behind `(f \circ g)(`, whose closing bracket closes two; 0 where none begins."""
        at = skip_blanks(self.tokens, self.at + 2)
        if text_at(self.tokens, at) not in ("∘", "\\circ"):
            return 0
        inner = skip_blanks(self.tokens, at + 1)
        names = text_at(self.tokens, self.at + 1), text_at(self.tokens, inner)
        if not all(len(name) == 1 and name.isalpha() for name in names):
            return 0
        if (text_at(self.tokens, inner + 1), text_at(self.tokens, inner + 2)) != (")", "("):
            return 0
        end = self.find_closing(inner + 2, "(", ")")
        self.closing[end] = "))"
        return inner + 3 if end else 0

    def is_in_text(self) -> bool:
        r"""Return whether the next token is in the braces of a `\text`."""
        depth = 0
        for at in range(self.at - 1, -1, -1):
            depth += {"{": 1, "}": -1}.get(self.tokens[at].text, 0)
            if depth > 0:
                return text_at(self.tokens, at - 1) in (*TEXT_COMMANDS, *_UPRIGHT)
        return False

    def spell_sign(self, sign: str) -> None:
        ahead = text_at(self.tokens, self.at + 1)
        if sign == "(" and (taken := self.match_composition()):
            self.write(
                f"{text_at(self.tokens, self.at + 1)}({text_at(self.tokens, taken - 3)}(", taken - self.at
            )
        elif self.at in self.closing:
            self.drop_spaces()
            self.write(self.closing[self.at])
        elif sign == "^" and (ahead == "\\circ" or self.is_braced_circle(self.at + 1)):
            self.at += 1 if ahead == "\\circ" else 3
            self.write_degree()
        elif sign == "°":
            self.write_degree()
        elif sign == "*" and ahead == "*":
            self.write("^", 2)
        elif sign == "$":
            self.write("＄" if self.is_currency() else " ")
        elif sign == "{" and (end := self.find_bare_set()):
            self.closing[end] = "\\}"
            self.write("\\{")
        else:
            self.write(sign)

    def is_braced_circle(self, at: int) -> bool:
        return [text_at(self.tokens, at + step) for step in range(3)] == ["{", "\\circ", "}"]

    def write_degree(self) -> None:
        """Write a degree sign, with the letter of a temperature right behind it."""
        at = skip_blanks(self.tokens, self.at + 1)
        if text_at(self.tokens, at) in TEXT_COMMANDS or text_at(self.tokens, at) in _UPRIGHT:
            at = skip_blanks(self.tokens, at + 1)
            braced = text_at(self.tokens, at) == "{"
            at = skip_blanks(self.tokens, at + braced)
            letter = text_at(self.tokens, at)
            end = skip_blanks(self.tokens, at + 1) if braced else at
            closed = not braced or text_at(self.tokens, end) == "}"
            letter, end = (letter if closed else ""), end + 1
        else:
            letter, end = text_at(self.tokens, at), at + 1
        if letter not in ("C", "F"):
            self.write("°")
            return
        self.drop_spaces()
        if self.result[-2:] == ["{", "}"]:  # before a sign that stands alone
            del self.result[-2:]
            self.drop_spaces()
        self.write(f"°{letter}", end - self.at)

    def is_currency(self) -> bool:
        """Return whether the only dollar sign is that of an amount, and does not end a formula."""
        if sum(token.text == "$" for token in self.tokens) > 1:
            return False
        before = self.text[: self.tokens[self.at].start][-1:]
        behind = self.tokens[self.at + 1 :]
        if not behind:
            return before.isdecimal()
        first = skip_blanks(behind, 0)
        amount = all(token.kind in ("digits", "space") or token.text in (",", ".") for token in behind)
        return not before.isdecimal() and amount and first < len(behind) and behind[first].kind == "digits"

    def find_bare_set(self) -> int:
        """Return the index of the brace that closes a set whose braces TeX would not show; 0 for others."""
        before = self.text[: self.tokens[self.at].start][-1:]
        if before and (before in "\\_^}]" or (before.isalnum() and before.isascii())):
            return 0
        end = self.find_closing(self.at, "{", "}")
        inside = self.tokens[self.at + 1 : end]
        if self.has_plain_sets and end:
            return end
        if any(token.text == "{" or (token.kind == "command" and token.text != "\\circ") for token in inside):
            return 0
        commas = [at for at, token in enumerate(inside) if token.text == ","]
        return end if commas and any(token.kind == "digits" for token in inside[: commas[-1]]) else 0
