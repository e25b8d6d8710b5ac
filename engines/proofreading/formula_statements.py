r"""Statements of a formula: sides with the relations between them, as `a = b \le c` and rows of `align`.

A formula is cut at the relations that stand in no brackets, and at what separates statements: a comma, a
new row, an arrow, words, wide spaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, takewhile

from engines.formula.brackets import find_closing
from engines.mathematics.judging.names import WRITTEN
from engines.proofreading.cue_phrases import mentions, starts_with_phrase

_UNJUDGED = r"""
    \in \ni \notin \sim \cong \to \mapsto \subset \subseteq \supset \supseteq \mid \nmid \parallel \perp
    \propto \ll \gg \prec \succ \models \vdash \vDash \Vdash \nvdash \nvDash \nVdash \dashv
    \rightarrow \longrightarrow \longmapsto \leftarrow \colon
    \leftrightarrow \asymp \gtrsim \lesssim \preceq \succeq \hookrightarrow \twoheadrightarrow
    \rightharpoonup \subsetneq \supsetneq \nsubseteq \nsupseteq \sqsubseteq \sqsupseteq \trianglelefteq
    \vartriangleleft \nleq \ngeq \not ∈ → ⊂ ⊆ ∼ ≅
"""
_UNJUDGED_RELATIONS = frozenset(_UNJUDGED.split())
_CONDITIONALS = (r"\to", r"\rightarrow", r"\leftrightarrow", "→", "↔")
"""Arrows of logic that stand in a statement, which others are equivalent to."""
_IMPLYING = r"""
    \implies \Rightarrow \Longrightarrow \iff \Leftrightarrow \Longleftrightarrow \therefore
    ⇒ ⟹ ⇔ ∴ \leadsto \rightsquigarrow
"""
_ARROWS = frozenset(_IMPLYING.split())
_LEADING_ON = (r"\rightarrow", r"\longrightarrow", "→")
"""Arrows of limits and maps that also lead from one equation to the next."""
_ARROWS_OF_LOGIC = _ARROWS - {r"\therefore", "∴", r"\leadsto", r"\rightsquigarrow"}
"""Arrows between statements, which can be one statement together."""
_REVERSED_ARROWS = frozenset((r"\impliedby", r"\Leftarrow", r"\Longleftarrow", r"\because", "∵", "⇐", "⟸"))
"""Arrows before a reason."""
_MATRIX_END = re.compile(r"\\end\{[a-zA-Z]*matrix\*?\}\s*\Z")
_WIDE = {r"\quad", r"\qquad", r"\hfill", ";"}
_SPACE_WIDTH = re.compile(
    r"\\hs(?:pace\*?\s*\{|kip)\s*(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})\s*(?:true\s*)?(?:em|in|cm|ex|mm|pc)(?:\s*\})?"
)
_TOKENS_OF_LABEL = 5
"""Of a number of an equation: two brackets, its digits and a space."""
OPERATORS = {"+", r"\cdot", r"\times"}
_EQUIVALENT = re.compile(r"(?!.*mod)(?=.*(?:\\equiv|≡))", re.DOTALL)
"""A formula that says of statements, and not of numbers, that they are equivalent."""
_CONNECTED = re.compile(r"\\(?:land|wedge|lor|vee)(?![A-Za-z])")
_QUANTIFIERS = {r"\forall", r"\exists"}
_JOINING = {r"\land", r"\wedge", r"\lor", r"\vee"} | _QUANTIFIERS
_TOKEN = re.compile(
    r"\\(?:begin|end)\{(\w+)\*?\}(?:\{\d+\}|\{[lcr|\s]+\}(?=.))?|\\(?:text|mbox|textrm|textbf|textit|mathrm|rm)\s*\{[^{}$]*\}"
    r"|\\(?:tag|label|ref|eqref|intertext)\*?\s*\{[^{}]*\}|\\(?:stackrel|overset|underset)\s*\{(?!\s*[?!]\s*\})(?:[^{}]|\{[^{}]*\})*\}\s*\{(=|\\\w+|[<>])\}"
    r"|\\(?:stackrel|overset)\s*\{\s*[?!]\s*\}\s*\{=\}|\\hspace\*?\s*\{[^{}]*\}"
    r"|\\hskip\s*-?[\d.]+\s*(?:true\s*)?[a-z]{2}"
    r"|\\x[A-Za-z]*arrow(?![A-Za-z])\s*(?:\[[^\]]*\])?\s*(?:\{[^{}]*\}|[A-Za-z\d])"
    r"|(?:\\[ ;]\s*){3,}"
    # The end of a row with the height of the space behind it: \\[4pt].
    r"|\\\\\*?\s*\[\s*-?[\d.]+\s*(?:pt|em|ex|mm|cm|in|bp|pc|sp|mu|\\\w+)\s*\]|\\\\\*"
    r"|\\(?:left|right|[bB]igg?[lrm]?)(?![A-Za-z])\s*(?:\\[A-Za-z]+|\\.|.)?|\\(?:[A-Za-z]+\*?|.|\Z)"
    r"|\d+(?:,(?:\\!\s*)?\d{3})+(?!\d)|(?<![\d.])[1-9]\d{0,2}(?:\.\d{3})+,\d+(?![\d,]|\.\d)|:=|&(?:lt|gt|amp);|.",
    re.DOTALL,
)
_DISPLAY = re.compile(
    r"(?:align|gather|split|multline|eqnarray|flalign|alignat|aligned|gathered|math|equation|dmath)\w*"
)
_CLASSED = re.compile(r"\\math(?:rel|bin|op|ord|open|close|punct|inner)\s*\{([-+=<>])\}")
"""A sign with the space of another class around it, `\\mathrel{+}`."""
_DELIMITED = re.compile(r"\\(?:left|right|[bB]igg?(?P<side>[lr]))(?![A-Za-z])")
_QUANTIFIED = re.compile(r"\s*\\(?:forall|exists|nexists)(?![A-Za-z])")
"""What begins behind a bracket that holds a quantifier alone, `(\\forall x \\in A)`."""
_SPACE_ALONE = re.compile(
    r"(?:\s|\\mathrel(?![A-Za-z])|[{}]|\\mkern-?\s*\d+\s*mu|\\[,;:! ]|\\joinrel(?![A-Za-z]))*"
)
"""What stands between two relations that are one sign together."""
_LONG_ARROW = re.compile(r"\\x[A-Za-z]*arrow")
_SIZED = re.compile(r"\\[bB]igg?(?![A-Za-z])\s*(?P<bracket>.*)", re.DOTALL)
_BRACKETS = (
    r"( ) [ ] { } \{ \} \lbrace \rbrace \langle \rangle \lfloor \rfloor \lceil \rceil \lvert \rvert"
    r" \lVert \rVert"
)
_ENDING = (",", ";", *_LEADING_ON, *_ARROWS)
"""What ends a statement behind an arrow."""
_OPENING, _CLOSING = frozenset(_BRACKETS.split()[::2]), frozenset(_BRACKETS.split()[1::2])
_SKIPPED_BRACKETS = frozenset("(){}")
_SCRIPTS = re.compile(r"\s*[_^]\s*(?:\{(?:[^{}]|\{[^{}]*\})*\}|\\[A-Za-z]+|[^\s\\{}])")
"""What stands below or above a relation, and makes another one of it."""
_MAPPED = re.compile(
    r"(?>\\\{[^{}]*\\\}|\([^()]*\)|[^=,;<>])*?"
    r"(?:\\(?:to|(?:long)?(?:right|hookright|twoheadright)arrow|rightharpoonup)(?![A-Za-z])|→)"
)
"""What stands behind the colon of a map."""
_LEFT_OUT = re.compile(
    r"\\(?:tag|label|ref|eqref|pause)\b|\\(?:nonumber|notag|displaystyle|hline|limits\b(?!))"
)
_NUMBERED = re.compile(
    r"(?:\s|&|[-+]|\\(?:times|cdot)(?![A-Za-z])|\d)*\(\d+\)(?:\s|[-+]|\\(?:times|cdot)|\d|\(\d+\))*"
)
"""Numbers of equations that are added or subtracted."""
WORDS = re.compile(r"\\(?:text|mbox|textrm|textbf|textit|mathrm|rm|intertext)\s*\{([^{}]*)\}")
BOX = re.compile(r"\\(?:boxed|fbox|framebox|fboxed)\s*\{")
_TYPESETTING = " &\n~"
_LAST_LETTER = re.compile(r"\s*(?P<words>[A-Za-z]+(?:\s+[A-Za-z]+)?)\s+(?P<letter>[B-HJ-Zb-hj-z])\s*")
"""A word or two before a letter that no language has for a word."""
_FEW_WORDS = 3
"""Words within a formula that part two statements only if one of them connects them."""
_LETTER = re.compile(r"(?:[A-Za-z]|\\[a-z]+)(?:_\w|_\{\w+\})?")
_DIFFERENTIAL = re.compile(r"\A(?:d|\\mathrm\s*\{d\})\s*(?=\S)")
_VALUE = re.compile(r"[-+]?\s*(?:\d+(?:\.\d+)?|\\[dt]?frac\s*\{\d+\}\s*\{\d+\})")
_ORDERS = ("<", "<=", ">", ">=", "!=")
_NEGATED = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
"""What a relation says behind \\not; of others only that they do not hold, which is not judged."""


@dataclass(slots=True)
class FormulaStatement:
    """Sides with the relations between them, (relation, line) each.

    Attributes:
        connective: As of a `ChainLink`.
        begins_with_relation: Whether its first side, which is empty, stands in the statement before it.
        arrow: The arrow of logic that leads from the statement before it, if one does.
        beside: By the index of a relation that begins a row, the other sides that the row may go on from:
            those of remarks in the row above.
    """

    sides: list[str]
    relations: list[tuple[str, int]]
    connective: str
    begins_with_relation: bool = False
    arrow: str = ""
    beside: dict[int, tuple[str, ...]] = field(default_factory=dict)


def split_statements(latex: str, line: int = 1) -> list[FormulaStatement]:
    r"""Split the LaTeX of a formula into statements.

    Args:
        latex: The formula.
        line: The line of the document where it begins.

    >>> statements = split_statements(r"a &= b \\ &\le c, d=1")
    >>> [(statement.sides, [name for name, _ in statement.relations]) for statement in statements]
    [(['a ', ' b ', ' c'], ['=', '<=']), ([' d', '1'], ['='])]
    """
    statements = _StatementSplitter(latex, line).split()
    _share_relation(statements)
    _share_letter(statements)
    for statement in statements:
        if "congruent" in [relation for relation, _ in statement.relations]:
            _join_implications(statement)
    return _join_equivalent_implications(statements)


class _StatementSplitter:
    """Walks over the tokens of a formula and collects its statements.

    Methods named `_read_…` return what a token adds to the side that is being read, "" where it adds nothing.
    """

    def __init__(self, latex: str, line: int) -> None:
        self.latex = latex = _CLASSED.sub(r"\1", latex)
        self.line = line
        # A formula of connectives alone is a side of the equivalence that the next formula goes on with.
        is_side = _CONNECTED.search(latex) is not None and not _has_any_relation(latex)
        self.in_equivalence = is_side or _EQUIVALENT.match(latex) is not None
        self.statements: list[FormulaStatement] = []
        self.current = FormulaStatement([""], [], "")
        self.offset = 0
        """Where the last token begins."""
        self.skipped_to = 0
        """Tokens that begin before this offset were read together with an earlier one."""
        self.depth = 0
        self.box_depths: list[int] = []
        """The depths of the boxes that are open: a box is no bracket, but its braces are."""
        self.open_quantifiers = 0
        self.has_bound_variable = False
        """Whether the current statement says which values the variable of a quantifier has."""
        self.begins_row = self.is_indented = self.has_empty_cell = False
        """Whether a row begins here, which is moved to the right, or whose first cell is empty."""
        self.has_gone_on = False
        """Whether the row at hand, or the one before where a row begins, goes on with the one above it."""
        self.columns: list[FormulaStatement] = []
        """The statements of the row above that stand in columns side by side."""
        self.row: list[FormulaStatement] = []
        """The statements of this row before the current one."""

    def split(self) -> list[FormulaStatement]:
        """Return the statements of the formula."""
        for token in _TOKEN.finditer(self.latex):
            if token.start() < self.skipped_to:
                continue
            self.line += self.latex.count("\n", self.offset, token.start())
            self.offset = token.start()
            is_display = token[1] is not None and _DISPLAY.fullmatch(token[1]) is not None
            if is_display or (self.begins_row and self._begin_row(token)):
                continue
            addition = self._read_token(token)  # which may begin another statement
            self.current.sides[-1] += addition
        self._close_statement("")
        return self.statements

    @property
    def _has_no_side(self) -> bool:
        """Whether nothing of the current statement was read, or only what typesets it."""
        return not self.current.sides[0].strip(_TYPESETTING)

    def _close_statement(self, connective: str) -> None:
        """End the current statement, and begin the next."""
        if self.current.relations or not self._has_no_side:
            self.statements.append(self.current)
        elif connective == ",":
            connective = self.current.connective or connective  # wide spaces around a word
        self.current = FormulaStatement([""], [], connective)

    def _begin_row(self, token: re.Match[str]) -> bool:
        """Return whether a token only moves the row that it begins; go on with the row above where the first
        sign of the row says so."""
        if token[0] == "&":
            self.has_empty_cell = True
        if token[0].isspace() or token[0] in ("&", "~"):
            return False
        if _is_wide(token[0]):
            self.is_indented = True
            return True
        # A minus can begin an equation of its own, but not in a row without a relation.
        is_within = self.has_empty_cell or self.has_gone_on
        is_term = self.is_indented or (is_within and not _has_relation(self.latex, token.end()))
        goes_on = token[0] in OPERATORS or (token[0] == "-" and is_term)
        if goes_on and self.statements and self.statements[-1].relations and self._has_no_side:
            # A row that begins with an operator goes on with the side before it.
            self.current = self.statements.pop()
        self.begins_row, self.has_gone_on = False, goes_on
        return False

    def _read_token(self, token: re.Match[str]) -> str:
        if token[0] in _SKIPPED_BRACKETS and (self._skip_bracket(token) or self._skip_box(token[0])):
            return ""
        if token[1]:
            self.depth += 1 if token[0].startswith(r"\begin") else -1
        elif (change := _measure_nesting(token[0])) is not None:
            self.depth = max(0, self.depth + change)
        elif self.depth == 0:
            return self._read_outside(token)
        return token[0]

    def _skip_bracket(self, token: re.Match[str]) -> bool:
        """Return whether a token is a bracket around a remark, which is skipped with it, or around a
        quantifier, which ends a statement."""
        if self.depth:
            return False
        if token[0] == ")" and self.open_quantifiers:
            self.open_quantifiers -= 1
            self._close_statement(",")
            return True
        end = _find_remark_end(self.latex, token.start()) if token[0] == "(" else 0
        if token[0] == "(" and not end and not self.current.relations and self._has_no_side:
            end = _find_label_end(self.latex, token.start())
        if end:
            self.skipped_to = end
            return True
        if token[0] == "(" and _QUANTIFIED.match(self.latex, token.end()):
            self.open_quantifiers += 1
            return True
        return False

    def _skip_box(self, token: str) -> bool:
        """Return whether a token is a brace around what is boxed; a relation in a box is split as outside."""
        side = self.current.sides[-1]
        if token == "{" and self.depth == 0 and BOX.search(side[-12:] + "{"):
            self.current.sides[-1] = side[: side.rfind("\\")]
            self.box_depths.append(self.depth)
            return True
        if token == "}" and self.box_depths and self.box_depths[-1] == self.depth:
            self.box_depths.pop()
            return True
        return False

    def _read_outside(self, match: re.Match[str]) -> str:
        """Read a token that stands in no brackets."""
        token = match[0]
        opens = not self.current.relations
        if token == ":" and opens and _NUMBERED.fullmatch(self.current.sides[0]):
            self.current.sides[0] = ""  # (1) - 2(2): what equations are added
            return ""
        if token == ":" and opens and _names_equation(self.current.sides[0], self.latex, match.end()):
            self.current.sides[0] = ""
            return ""
        if token == ":" and self._gives_value() and _begins_equation(self.latex, match.end()):
            self._close_statement(",")
            return ""
        if token in (":", r"\colon") and self.has_bound_variable:
            self.has_bound_variable = False
            self._close_statement(",")
            return ""
        if token in (":", r"\colon") and not opens and self._begins_condition(match.end()):
            self._close_statement(",")
            return ""
        if token in _LEADING_ON and self._leads_on(match.end()):
            self._close_statement("so")
            return ""
        sign = match[2] or token
        is_map = token == ":" and opens and _MAPPED.match(self.latex, match.end()) is not None
        if sign in WRITTEN or sign in _UNJUDGED_RELATIONS or is_map or _LONG_ARROW.match(token):
            return self._read_relation(match)
        if token.startswith(r"\\"):  # or \\[4pt]
            return self._read_row_end()
        if token == "&":
            if _begins_column(self.latex, match.end(), self.current):
                self.row.append(self.current)
                self._close_statement("column")
            return ""
        if token in _ARROWS or token in _REVERSED_ARROWS:
            self._close_statement("so" if token in _ARROWS else "since")
            self.current.arrow = token if token in _ARROWS_OF_LOGIC else ""
            return ""
        return self._read_separator(match)

    def _begins_condition(self, at: int) -> bool:
        r"""Return whether a colon behind a relation says under which condition it holds, as that in `M =
        \begin{pmatrix} … \end{pmatrix} : a + b = 1`, and is none of a ratio: a matrix is no part of one."""
        behind_matrix = _MATRIX_END.search(self.current.sides[-1]) is not None
        return behind_matrix and _has_relation(self.latex, at)

    def _leads_on(self, at: int) -> bool:
        r"""Return whether an arrow stands between two equations, `2x = 4 \rightarrow x = 2`, and leads from
        the first to the second; behind that of a limit, `1/n \rightarrow 0 = L`, stands a value."""
        if not any(relation == "=" for relation, _ in self.current.relations):
            return False
        cell = _split_row(self.latex, at)[0]
        ends = [index for index, token in enumerate(cell) if token in WRITTEN or token in _ENDING]
        first = ends[0] if ends else 0
        return first > 0 and cell[first] == "=" and "".join(cell[:first]) not in ("0", r"\infty")

    def _gives_value(self) -> bool:
        """Return whether the current statement gives a letter a number, as `x = -2` before a colon."""
        sides = [side.strip() for side in self.current.sides]
        is_equation = [relation for relation, _ in self.current.relations] == ["="]
        return is_equation and bool(_LETTER.fullmatch(sides[0]) and _VALUE.fullmatch(sides[1]))

    def _read_relation(self, match: re.Match[str]) -> str:
        token, relation = match[0], WRITTEN.get(match[2] or match[0], "")
        current = self.current
        if scripts := _SCRIPTS.match(self.latex, match.end()):
            self.skipped_to, relation, token = scripts.end(), "", f"{token}{scripts[0]}"
        side = current.sides[-1]
        doubled = token in ("<", ">") and not side and current.relations and current.relations[-1][0] == token
        spaced = current.relations and _SPACE_ALONE.fullmatch(side) and side.strip(" &\n")
        if doubled or spaced:
            # Two signs with nothing but space between them are one relation, as the << of a shift.
            current.relations[-1] = (current.relations[-1][0] + token, self.line)
            current.sides[-1] = ""
            return ""
        if relation and side.rstrip().endswith(r"\not"):
            current.sides[-1] = side.rstrip()[:-4]
            relation = _NEGATED.get(relation, f"not {relation}")
        elif token == r"\not":
            return token
        if not current.relations and self._has_no_side:
            current.begins_with_relation = True
            current.sides[0] = ""
            if self.statements and current.connective in ("row", "", "column"):
                self.current = current = self._take_statement_above()
        current.relations.append((relation or token, self.line))
        current.sides.append("")
        return ""

    def _take_statement_above(self) -> FormulaStatement:
        """Remove and return the statement with which a row goes on that begins with a relation: the one above
        it in its column, or the last."""
        column = len(self.row)
        above = self.columns[column] if column < len(self.columns) else None
        if above is not None and column and above is self.columns[column - 1]:
            above = None  # that went on with the column before it, and so does this one
        statement = next((one for one in self.statements if one is above), self._find_explained())
        self.statements.remove(statement)
        others = (one.sides[-1] for one in self._list_row_above() if one is not statement and one.relations)
        statement.beside[len(statement.relations)] = tuple(others)
        return statement

    def _find_explained(self) -> FormulaStatement:
        r"""Return the last statement of the row above, or the one before it that its remarks explain: a row
        behind `= \int e^u \, du, \quad u = x^2` goes on with the integral."""
        row = self._list_row_above()
        explained = (
            statement
            for at, statement in enumerate(row)
            if statement.relations and all(_explains(remark, statement) for remark in row[at + 1 :])
        )
        return next(explained, row[-1])

    def _list_row_above(self) -> list[FormulaStatement]:
        begun = len(self.statements) - 1
        while begun > 0 and self.statements[begun].connective not in ("row", "", "so", "since"):
            begun -= 1
        return self.statements[max(begun, 0) :]

    def _read_row_end(self) -> str:
        side = self.current.sides[-1].rstrip(_TYPESETTING)
        if side.endswith((*OPERATORS, "-")):
            self.current.sides[-1] = f"{side} "
            return ""  # a sum goes on in the next row
        row = [*self.row, self.current]
        self._close_statement("row")
        self.columns, self.row = row if len(row) > 1 else [], []
        self.begins_row, self.is_indented, self.has_empty_cell = True, False, False
        return ""

    def _read_separator(self, match: re.Match[str]) -> str:
        """Read a token that is no relation and ends no row: punctuation, space, words."""
        token = match[0]
        spaced = _is_row_of_spaces(token) and self.current.relations
        if spaced and self.current.sides[-1].strip(_TYPESETTING) and not _goes_on(self.latex, match.end()):
            token = ","
        joins = token in _JOINING and not self.in_equivalence
        if token == "," or joins or _is_wide(token):
            self._close_statement("and" if joins else ",")
            self.has_bound_variable = token in _QUANTIFIERS or (self.has_bound_variable and token == ",")
            return ""
        if words := WORDS.fullmatch(token):
            # \text{Let u} &= x^2: the letter that the words end with is the side.
            named = _LAST_LETTER.fullmatch(words[1])
            if named and self._has_no_side and _begins_with_equality(self.latex, match.end(), in_row=True):
                self._close_statement(named["words"].lower() or ",")
                return named["letter"]
            # Words before the first relation name what it is said of: \text{Price in 1990} = 12.
            if self._has_no_side and _begins_with_equality(self.latex, match.end()):
                return token
            connects = mentions("connective", words[1]) or len(words[1].split()) > _FEW_WORDS
            if connects or token.startswith(r"\intertext"):
                self._close_statement(" ".join(words[1].split()).lower() or ",")
                return ""
            return token
        return "" if _LEFT_OUT.match(token) else token


def is_implication(latex: str) -> bool:
    r"""Return whether a formula is an arrow of logic alone, which leads from the one before it to the next.

    >>> is_implication(r"\;\Rightarrow\;"), is_implication(r"\Rightarrow x = 1")
    (True, False)
    """
    signs = _iterate_signs(latex)
    return next(signs, "") in _ARROWS_OF_LOGIC and next(signs, "") == ""


def begins_with_implication(latex: str) -> bool:
    """Return whether a formula begins with an arrow of logic."""
    return next(_iterate_signs(latex), "") in _ARROWS_OF_LOGIC


def _iterate_signs(latex: str) -> Iterator[str]:
    return (token[0] for token in _TOKEN.finditer(latex) if not _is_space(token[0]))


def _is_space(token: str) -> bool:
    return _is_wide(token) or token in ("~", "&") or _SPACE_ALONE.fullmatch(token) is not None


def _names_equation(name: str, latex: str, at: int) -> bool:
    r"""Return whether a letter before a colon names the equation behind it: `\pi_1: x + 2y = 3`."""
    behind = latex[at:]
    row = _split_row(latex, at)[0]
    relations = [index for index, token in enumerate(row) if token in WRITTEN]
    # a : b = 2 : 3 is an equation of ratios, and one term before a relation can be a member of it.
    is_sum = bool(relations) and not {"+", "-"}.isdisjoint(row[1 : relations[0]])
    return is_sum and ":" not in behind and _LETTER.fullmatch(name.strip()) is not None


def _explains(remark: FormulaStatement, statement: FormulaStatement) -> bool:
    """Return whether a statement says what a letter of another is, or stands in brackets."""
    if not remark.relations:
        tokens = [token[0] for token in _TOKEN.finditer(remark.sides[0].strip())]
        opened = bool(tokens) and (tokens[0] in ("(", "[") or tokens[0].startswith(r"\left"))
        return opened and any(token in WRITTEN for token in tokens)
    name = _DIFFERENTIAL.sub("", remark.sides[0].strip())
    if not _LETTER.fullmatch(name) or statement.sides[0].strip() == remark.sides[0].strip():
        return False
    letter = _TOKEN.match(name)
    # Beside an integral a letter is what is substituted, and the next row has it.
    return letter is not None and any(
        token[0] in (letter[0], r"\int") for side in statement.sides for token in _TOKEN.finditer(side)
    )


def _measure_nesting(token: str) -> int | None:
    """Return by how many brackets what follows a token is deeper, or None if the token is no bracket."""
    if delimited := _DELIMITED.match(token):
        return 1 if token.startswith(r"\left") or delimited["side"] == "l" else -1
    sized = _SIZED.match(token)
    bracket = sized["bracket"] if sized else token
    change = (bracket in _OPENING) - (bracket in _CLOSING)
    return change if change or sized else None


def _is_wide(token: str) -> bool:
    """Return whether a token is a space that parts formulas; one of nothing, or a negative one, does not."""
    width = _SPACE_WIDTH.fullmatch(token) if token.startswith(("\\hspace", "\\hskip")) else None
    return token in _WIDE or (width is not None and float(width[1]) > 0)


def _is_row_of_spaces(token: str) -> bool:
    r"""Return whether a token is several small spaces, `\ \ \ `, which part statements as a wide one does."""
    return len(token) > 2 and token[0] == "\\" and token[1] in " ;"


def _join_implications(statement: FormulaStatement) -> None:
    r"""Make one side of what an arrow joins: `p \to q \equiv \neg p \lor q` says that two statements are
    equivalent."""
    for index in reversed(range(len(statement.relations))):
        relation, _ = statement.relations[index]
        if relation in _CONDITIONALS:
            statement.sides[index : index + 2] = [relation.join(statement.sides[index : index + 2])]
            del statement.relations[index]


def _join_equivalent_implications(statements: Sequence[FormulaStatement]) -> list[FormulaStatement]:
    r"""Return statements in which a letter with an arrow to or from an equivalence is a part of that: the
    arrow binds closer than the sign of equivalence in `P \implies Q \equiv \neg Q \implies \neg P`.

    >>> [each.sides for each in split_statements(r"P \implies Q \equiv \neg Q \implies \neg P")]
    [['P \\implies  Q ', ' \\neg Q \\implies  \\neg P']]
    >>> [each.sides for each in split_statements(r"a \equiv b \implies b \equiv a")]
    [['a ', ' b '], [' b ', ' a']]
    """
    joined: list[FormulaStatement] = []
    for statement in statements:
        before = joined[-1] if joined and statement.arrow else None
        relations = [{name for name, _ in each.relations} for each in (before, statement) if each]
        # Of two congruences the second follows from the first.
        if before is None or set() not in relations or {"congruent"} not in relations:
            joined.append(statement)
            continue
        before.sides[-1:] = [
            f"{before.sides[-1]}{statement.arrow} {statement.sides[0]}",
            *statement.sides[1:],
        ]
        before.relations += statement.relations
    return joined


def _find_remark_end(latex: str, offset: int) -> int:
    r"""Return where a reason in brackets ends, `(\text{by statement 1})`; 0 where a bracket holds none, or
    one that is an equation."""
    words = WORDS.match(latex, offset + 1)
    if not (words and starts_with_phrase("justifying", words[1].strip())):
        return 0
    end = find_closing(latex, offset) + 1
    tokens = _TOKEN.finditer(latex, offset, end)
    return 0 if any(token[2] or token[0] in WRITTEN for token in tokens) else end


def _find_label_end(latex: str, offset: int) -> int:
    r"""Return where the number of an equation ends that stands before it: `(2)\ x - y = 1`, where the space
    says that nothing is multiplied; 0 for none."""
    tokens = list(islice(_TOKEN.finditer(latex, offset), _TOKENS_OF_LABEL))
    inner = list(takewhile(str.isdecimal, (token[0] for token in tokens[1:])))
    behind = tokens[len(inner) + 1 : len(inner) + 3]
    is_label = inner and [token[0] for token in behind] in ([")", r"\ "], [")", "~"])
    return behind[-1].end() if is_label else 0


def _begins_column(latex: str, at: int, statement: FormulaStatement) -> bool:
    r"""Return whether `&` parts two statements of a row: `a &= b && c &= d`, `a &= b & c &= d`."""
    if not (statement.relations and statement.sides[-1].strip()):
        return False
    cell, *others = _split_row(latex, at)
    if not cell:
        return any(token in WRITTEN for other in others for token in other)
    if cell[0] in ("(", "[") and cell[-1] in (")", "]") and any(token in WRITTEN for token in cell):
        return True  # a remark in brackets
    goes_on = cell[0] in WRITTEN or cell[0] in (*OPERATORS, "-") or WORDS.fullmatch(cell[0]) is not None
    return not goes_on and bool(others) and bool(others[0]) and others[0][0] in WRITTEN


def _has_any_relation(latex: str) -> bool:
    """Return whether a formula has a relation anywhere."""
    tokens = {match[0] for match in _TOKEN.finditer(latex)}
    return not tokens.isdisjoint(WRITTEN) or not tokens.isdisjoint(_UNJUDGED_RELATIONS)


def _begins_with_equality(latex: str, at: int, *, in_row: bool = False) -> bool:
    """Return whether an equals sign comes next, in the same cell or somewhere in the row."""
    cells = _split_row(latex, at) if in_row else _split_row(latex, at)[:1]
    return next((cell[0] for cell in cells if cell), "") == "="


def _goes_on(latex: str, at: int) -> bool:
    """Return whether a relation or an operator comes next, so that a statement goes on."""
    cell = _split_row(latex, at)[0]
    return not cell or cell[0] in WRITTEN or cell[0] in _UNJUDGED_RELATIONS or cell[0] in (*OPERATORS, "-")


def _has_relation(latex: str, at: int) -> bool:
    """Return whether the rest of a row has a relation."""
    return any(
        token in WRITTEN or token in _UNJUDGED_RELATIONS for cell in _split_row(latex, at) for token in cell
    )


def _split_row(latex: str, at: int) -> list[list[str]]:
    """Return the cells of a row from a place on, each as its tokens without spaces."""
    cells: list[list[str]] = [[]]
    depth = 0
    for match in _TOKEN.finditer(latex, at):
        token = match[0]
        if depth <= 0 and (token.startswith(r"\\") or match[1]):
            break
        depth += (token in _OPENING) - (token in _CLOSING)
        if token == "&" and depth <= 0:
            cells.append([])
        elif not token.isspace():
            cells[-1].append(match[2] or token)
    return cells


def _begins_equation(latex: str, at: int) -> bool:
    """Return whether a side with a letter and a relation come next; 3 = 2 behind 6 is a quotient."""
    cell = _split_row(latex, at)[0]
    ends = [index for index, token in enumerate(cell) if token in WRITTEN]
    return bool(ends) and any(_LETTER.fullmatch(token) for token in cell[: ends[0]])


def _share_relation(statements: Sequence[FormulaStatement]) -> None:
    """Give the relation of the last of several letters to the others: of `a, b > 0` both are above 0."""
    letters: list[FormulaStatement] = []
    for statement in statements:
        is_letter = _LETTER.fullmatch(statement.sides[0].strip()) is not None
        if is_letter and not statement.relations:
            # \exists N, \forall m, n > N: each quantifier begins a list of its own.
            letters = [*(letters if statement.connective == "," else ()), statement]
            continue
        orders = [relation for relation, _ in statement.relations if relation in _ORDERS]
        if is_letter and len(orders) == len(statement.relations) == 1 and statement.connective == ",":
            for letter in letters:
                letter.sides.append(statement.sides[1])
                letter.relations.append(statement.relations[0])
        letters = []


def _share_letter(statements: Sequence[FormulaStatement]) -> None:
    """Give the letter of the first of several values to the others: of `x = 1, 4` both are values of x, and
    each is one of several."""
    first: FormulaStatement | None = None
    for statement in statements:
        is_value = _VALUE.fullmatch(statement.sides[-1].strip()) is not None
        relations = [relation for relation, _ in statement.relations]
        is_listed = not relations and statement.connective == "," and statement.sides[0][:1] == " "
        if first and is_value and is_listed:
            statement.sides.insert(0, first.sides[0])
            statement.relations.append(first.relations[0])
            first.connective, statement.connective = first.connective or "or", "or"
            continue
        is_letter = _LETTER.fullmatch(statement.sides[0].strip()) is not None
        first = statement if is_letter and is_value and relations == ["="] else None
