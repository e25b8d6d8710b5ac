r"""Chains of relations in and across formulas, as `a = b \le c` and rows of `align`; what words beside say.

A formula is cut at the relations that stand in no brackets, and at what separates statements: a comma, a
new row, an arrow, words, wide spaces. What begins with a relation goes on where the statement before it
ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engines.documents.reading import Document, TextPiece
from engines.formula.brackets import find_closing
from engines.mathematics.judging.names import WRITTEN
from engines.proofreading.cue_phrases import (
    distinguishes_cases,
    is_made_of,
    last_clause,
    last_sentence,
    mentions,
    starts_with_phrase,
    starts_with_refusal,
    words_of,
)
from engines.proofreading.scopes import NOWHERE, Position, read_positions

MAX_FORMULA = 50_000
"""Characters of a formula; a longer one is a link of the relation `TOO_LONG`, which is not read."""
TOO_LONG = "…"
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
_REVERSED_ARROWS = frozenset((r"\impliedby", r"\Leftarrow", r"\Longleftarrow", r"\because", "∵", "⇐", "⟸"))
"""Arrows before a reason."""
_WIDE = {r"\quad", r"\qquad", r"\hfill", ";"}
_SPACE_WIDTH = re.compile(
    r"\\hspace\*?\s*\{\s*(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})\s*(?:em|in|cm|ex|mm|pc)\s*\}"
)
_OPERATORS = {"+", r"\cdot", r"\times"}
_WRITTEN_OPERATORS = ("×", "·", "÷", "∙")
"""Signs of operations in words, where they begin no item of a list."""
_EQUIVALENT = re.compile(r"(?!.*mod)(?=.*(?:\\equiv|≡))", re.DOTALL)
"""A formula that says of statements, and not of numbers, that they are equivalent."""
_JOINED = {r"\land", r"\wedge", r"\lor", r"\vee", r"\forall", r"\exists"}
_TOKEN = re.compile(
    r"\\(?:begin|end)\{(\w+)\*?\}(?:\{\d+\}|\{[lcr|\s]+\}(?=.))?|\\(?:text|mbox|textrm|textbf|textit|mathrm|rm)\s*\{[^{}$]*\}"
    r"|\\(?:tag|label|ref|eqref|intertext)\*?\s*\{[^{}]*\}|\\(?:stackrel|overset|underset)\s*\{(?!\s*\?)(?:[^{}]|\{[^{}]*\})*\}\s*\{(=|\\\w+|[<>])\}"
    r"|\\(?:stackrel|overset)\s*\{\s*\?\s*\}\s*\{=\}|\\hspace\*?\s*\{[^{}]*\}"
    r"|\\x[A-Za-z]*arrow(?![A-Za-z])\s*(?:\[[^\]]*\])?\s*(?:\{[^{}]*\}|[A-Za-z\d])"
    r"|(?:\\[ ;]\s*){3,}"
    r"|\\(?:left|right|[bB]igg?[lrm]?)(?![A-Za-z])\s*(?:\\[A-Za-z]+|\\.|.)?|\\(?:[A-Za-z]+\*?|.|\Z)"
    r"|\d+(?:,(?:\\!\s*)?\d{3})+(?!\d)|:=|&(?:lt|gt|amp);|.",
    re.DOTALL,
)
_LINED = re.compile(
    r"(?:align|gather|split|multline|eqnarray|flalign|alignat|aligned|gathered|math|equation|dmath)\w*"
)
_DELIMITED = re.compile(r"\\(?:left|right|[bB]igg?(?P<side>[lr]))(?![A-Za-z])")
_QUANTIFIED = re.compile(r"\s*\\(?:forall|exists|nexists)(?![A-Za-z])")
"""What begins behind a bracket that holds a quantifier alone, `(\\forall x \\in A)`."""
_OPENING_QUOTES = ("``", '"', "“", "„", "«", "'")
_CLOSING_QUOTES = ("''", '"', "”", "“", "»", "'")
_GOING_ON = re.compile(r"(?<=\d)\.\.\.")
"""The dots of a decimal that goes on, which are no points at the end of a sentence."""
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
_OPENING, _CLOSING = _BRACKETS.split()[::2], _BRACKETS.split()[1::2]
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
_WORDS = re.compile(r"\\(?:text|mbox|textrm|textbf|textit|mathrm|rm|intertext)\s*\{([^{}]*)\}")
_MODULUS = re.compile(
    r"[\s,;]*(?:\\(?:quad|qquad|,|;|!|:| ))*\s*(?:\\pmod\s*(?:\{([^{}]*)\}|(\d|[a-z]))|"
    r"(?:\\left)?\((?:\\(?:text|mathrm|operatorname|textrm|mbox)\{\s*mod\s*\}|\\bmod|\\mod|mod)(?:~|\\[ ,;])*"
    r"\s*(?:\{([^{}]*)\}|([^()]*?))(?:\\right)?\)|"
    r"\\mod\s*(?:\{([^{}]*)\}|(\d+|[a-z])))\s*\.?\s*$"
)
_BOXED = re.compile(r"\\(?:boxed|fbox|framebox|fboxed)\s*\{")
_TRIMMED = re.compile(
    r"^(?:\s|\\[,;:! ]|\\(?:displaystyle|quad|qquad|negthinspace|indent|noindent)(?![A-Za-z])|~|&|\{\})+"
    r"|(?:\s|(?<!\\)[.,;:]|\\[,;:! ]|\\(?:quad|qquad|displaystyle|checkmark|square|blacksquare)(?![A-Za-z])"
    r"|~|&|\{\}|\\+$)+$"
)
_ALONE = re.compile(r"(?:[A-Za-z]|\\[a-z]+)(?:_\w|_\{\w+\})?")
_ORDERS = ("<", "<=", ">", ">=", "!=")
_NEGATED = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
"""What a relation says behind \\not; of others only that they do not hold, which is not judged."""
_SENTENCE_ENDED = re.compile(r"\.\s*(?:\\\]|\\end\{\w+\*?\})?\s*$")
_PARAGRAPH_BEGUN = re.compile(r"\s*?\n[ \t]*\n\s*(?:<[^<>]*>\s*)*[A-Z]")
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)")
_LEADING_ON = re.compile(r"(?m)^(?P<word>(?![#|>])(?=.*[a-z])(?:.*[\w,:)])?)\s*\n[ \t]*\n\s*\Z")
"""Words that no point ends, with the blank line before the formula in which their sentence goes on."""
SENTENCE = re.compile(r"(?<!\be\.g)(?<!\bi\.e)[.!?](?=\s|$)|\n[ \t]*\n|;\s|[。！？；]")


@dataclass(frozen=True, slots=True)
class ChainLink:
    """A relation between two formulas that stand next to each other.

    Attributes:
        left: The formula on the left of the relation.
        relation: The label of the relation.
        right: The formula on the right of it.
        line: The line of the relation in the file.
        words_before: The words of its sentence before its formula, with formulas as `§`.
        words_after: The words that follow its formula.
        chain_index: The index of its chain in the document.
        index: The index of the link in its chain.
        connective: What connects it with the statement before it in the same formula: "so" or "since" (an
            arrow), "and", ",", "row", "column", the words between them, or "" (nothing).
        modulus: The modulus of a congruence.
        of_problem: Whether the problem states it.
        position: The section, paragraph and scope in which it stands.
        piece_index: The index of its formula among the pieces of the document.
        formulas: The formulas of its sentence before it.
        next_formula: The formula that follows its own, behind `words_after`.
        words_after_next: The words that follow the next formula.
        bracketed: The conditions in brackets behind it.
        remarks: The words within its formula.
    """

    left: str
    relation: str
    right: str
    line: int
    words_before: str
    words_after: str = ""
    chain_index: int = 0
    index: int = 0
    connective: str = ""
    modulus: str = ""
    of_problem: bool = False
    position: Position = NOWHERE
    piece_index: int = 0
    formulas: tuple[str, ...] = ()
    next_formula: str = ""
    words_after_next: str = ""
    bracketed: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def restricting_formulas(self) -> tuple[str, ...]:
        """The formulas after it that restrict the numbers for which it holds."""
        behind = bool(self.next_formula) and is_made_of("restricting", self.words_after)
        return (*self.bracketed, self.next_formula) if behind else self.bracketed

    @property
    def begins_before(self) -> bool:
        """Whether its left side begins before its formula, with a sign of an operation or relation."""
        if self.index or self.connective:
            return False
        touching = self.formulas[-1].rstrip(" ~") if self.formulas else ""
        return touching.endswith((*_OPERATORS, "=")) or self.words_before.endswith(_WRITTEN_OPERATORS)

    @property
    def goes_on_behind(self) -> bool:
        """Whether a sign of an operation behind its formula goes on with its right side."""
        return self.words_after.startswith(_WRITTEN_OPERATORS)

    @property
    def is_unannounced(self) -> bool:
        """Whether no words and no other statement of its formula lead to it, as in a list."""
        return not (self.connective or self.index or words_of(last_sentence(self.words_before)))

    @property
    def is_denied_directly(self) -> bool:
        """Whether the words right before or after a statement deny it or say that it is another's."""
        announcing = last_sentence(self.words_before).rpartition(":")[0]  # "the following is wrong:"
        words = (last_clause(text[-60:]).split()[-4:] for text in (self.words_before, announcing))
        return (
            any(mentions("refused", " ".join(cue_words)) for cue_words in words)
            or self.is_denied_by_words_after
        )

    @property
    def has_denial_nearby(self) -> bool:
        """Whether its sentence has a word that denies or supposes, of this statement or another."""
        return mentions("denied", self.words_before[-120:]) or self.is_denied_by_words_after

    @property
    def is_denied_by_words_after(self) -> bool:
        if self.next_formula and words_of(self.words_after) == ["not"]:
            return False  # "x = 1, not y = 1" denies the next
        return starts_with_refusal(self.words_after) or self.is_quoted

    @property
    def is_quoted(self) -> bool:
        """Whether its formula stands between quotation marks: it is mentioned, and not claimed."""
        return self.words_before.endswith(_OPENING_QUOTES) and self.words_after.startswith(_CLOSING_QUOTES)

    @property
    def may_be_one_of_several(self) -> bool:
        """Whether words nearby speak of several cases or values, or suppose one, as "when" and "root" do."""
        return mentions("several", f"{self.words_before} {self.connective}") or self.has_alternative_after

    @property
    def is_one_of_alternatives(self) -> bool:
        """Whether words nearby say that it is one of several values or cases, as "either" does."""
        words = f"{self.words_before} {self.connective}", _SENTENCE_END.split(self.words_after[:40])[0]
        return any(
            (mentions("alternative", part) and not mentions("equivalent", part)) or distinguishes_cases(part)
            for part in words
        )

    @property
    def has_alternative_after(self) -> bool:
        return mentions("several", _SENTENCE_END.split(self.words_after[:40])[0])

    @property
    def is_rounded(self) -> bool:
        return mentions("rounded", self.words_before + self.words_after)


@dataclass(slots=True)
class _Statement:
    """Sides with the relations between them, (relation, line) each.

    Attributes:
        connective: As of a `ChainLink`.
        begins_with_relation: Whether its first side, which is empty, stands in the statement before it.
    """

    sides: list[str]
    relations: list[tuple[str, int]]
    connective: str
    begins_with_relation: bool = False


def iterate_chains(document: Document, positions: Sequence[Position] = ()) -> Iterator[list[ChainLink]]:
    """Yield the chains of relations in a document, each as its links; a side without a relation has none.

    Args:
        document: The document, as pieces of words and formulas.
        positions: The positions of its pieces in the theorems and proofs of the text; read if not given.
    """
    words_before = ""
    number = 0
    end = ""
    opened = False
    compared = "", ""
    """The sides of the last statement that began with its relation."""
    formulas_before: list[str] = []
    positions = positions or read_positions(document)
    for index, piece in enumerate(document.pieces):
        # Words: what stands before the next formula is the rest of the last sentence; a chain goes on behind
        # them only where they are no more than a comma or space.
        if not piece.formula:
            parts = SENTENCE.split(_LEADING_ON.sub(r"\g<word>", piece.text))
            words_before = parts[-1] if len(parts) > 1 else words_before + parts[0]
            words_before = words_before[-400:]
            formulas_before = [] if len(parts) > 1 else formulas_before
            opened = opened and not piece.text.strip(" ,\n\t~\\")
            continue
        if len(piece.text) > MAX_FORMULA:
            beginning = " ".join(piece.text[:40].split()) + " …"
            long = ChainLink(
                beginning,
                TOO_LONG,
                "…",
                piece.line,
                _separate_words(words_before),
                chain_index=number,
                of_problem=piece.said,
            )
            yield [replace(long, position=positions[index], piece_index=index)]
            number, end = number + 1, ""
            continue
        # A formula: the words behind it may deny or restrict what it says.
        after = document.pieces[index + 1].text[:80] if index + 1 < len(document.pieces) else ""
        ended = _SENTENCE_ENDED.search(piece.text) is not None
        after = f". {after}" if ended or _PARAGRAPH_BEGUN.match(after) else after
        behind, beyond = (
            document.pieces[index + step].text if index + step < len(document.pieces) else ""
            for step in (2, 3)
        )
        last = ""
        words_before += " for all " if r"\forall" in piece.text else ""
        statements = split_statements(piece.text, piece.line)
        bracketed = tuple(
            each.sides[0].strip()[1:-1]
            for each in statements
            if not each.relations and each.sides[0].strip()[:1] == "(" and each.sides[0].strip()[-1:] == ")"
        )
        remarks = tuple(
            " ".join(words[1].split())
            for each in statements
            if not each.relations and (words := _WORDS.match(each.sides[0].strip()))
        )
        for statement in statements:
            # A statement that begins with a relation, `= 3`, goes on from the side before.
            if statement.begins_with_relation and not statement.sides[0]:
                # `> 1`, `< 1` and `\ne 1` in turn are said of the same side.
                is_of_same_side = opened and statement.sides[-1].strip() == compared[1]
                statement.sides[0] = compared[0] if is_of_same_side else last or (end if opened else "")
                compared = statement.sides[0], statement.sides[-1].strip()
            last = statement.sides[-1]
            result = _make_links(statement, piece, number, _separate_words(words_before), after)
            if result:
                number += 1
                sentence_formulas = tuple(formulas_before)
                yield [
                    replace(
                        link,
                        position=positions[index],
                        piece_index=index,
                        formulas=sentence_formulas,
                        next_formula=behind,
                        words_after_next=_separate_words(beyond[:80]),
                        bracketed=bracketed,
                        remarks=remarks,
                    )
                    for link in result
                ]
        end, opened = last, True
        words_before = (words_before + " § ")[-400:]
        formulas_before.append(piece.text)
        if ended:
            words_before, formulas_before = "", []


def _separate_words(words: str) -> str:
    return " ".join(words.split()).lower()


def _make_links(
    statement: _Statement, piece: TextPiece, number: int, words_before: str, after: str
) -> list[ChainLink]:
    modulus = ""
    if match := _MODULUS.search(statement.sides[-1]):
        modulus = next((group for group in match.groups() if group), "")
        statement.sides[-1] = statement.sides[-1][: match.start()]
    sides = [trim_side(side) for side in statement.sides]
    return [
        ChainLink(
            sides[index],
            relation,
            sides[index + 1],
            line,
            words_before,
            _separate_words(after),
            number,
            index,
            statement.connective,
            modulus,
            piece.said,
        )
        for index, (relation, line) in enumerate(statement.relations)
        if sides[index] and sides[index + 1]
    ]


def trim_side(side: str) -> str:
    r"""Return a side without what only typesets it: punctuation, spaces, a box around it.

    >>> trim_side(r"\boxed{\frac12}. \quad")
    '\\frac12'
    >>> trim_side("0.999...")
    '0.999\\ldots'
    """
    side = _TRIMMED.sub("", _GOING_ON.sub(r"\\ldots ", side))
    while match := _BOXED.search(side):
        end = find_closing(side, match.end() - 1)
        end = len(side) if end < 0 else end
        side = side[: match.start()] + " " + side[match.end() : end] + " " + side[end + 1 :]
        side = _TRIMMED.sub("", side)
    return _TRIMMED.sub("", side)


def _is_wide(token: str) -> bool:
    """Return whether a token is a space that parts formulas; one of nothing, or a negative one, does not."""
    width = _SPACE_WIDTH.fullmatch(token) if token.startswith("\\hspace") else None
    return token in _WIDE or (width is not None and float(width[1]) > 0)


def _is_row_of_spaces(token: str) -> bool:
    r"""Return whether a token is several small spaces, `\ \ \ `, which part statements as a wide one does."""
    return len(token) > 2 and token[0] == "\\" and token[1] in " ;"


def split_statements(latex: str, line: int = 1) -> list[_Statement]:
    r"""Split the LaTeX of a formula into statements: sides with the relations between them.

    Args:
        latex: The formula.
        line: The line of the document where it begins.

    >>> statements = split_statements(r"a &= b \\ &\le c, d=1")
    >>> [(each.sides, [name for name, _ in each.relations]) for each in statements]
    [(['a ', ' b ', ' c'], ['=', '<=']), ([' d', '1'], ['='])]
    """
    result: list[_Statement] = []
    now = _Statement([""], [], "")
    depth = 0
    boxed: list[int] = []
    begins = indented = aligned = False
    """At the beginning of a row, and of one that is moved to the right or has an empty first cell."""
    columns: list[_Statement] = []
    beside: list[_Statement] = []
    """The statements of the row before that stand in columns side by side."""
    column = 0

    def close_statement(connective: str) -> None:
        nonlocal now
        if now.relations or now.sides[0].strip(" &\n~"):
            result.append(now)
        elif connective == ",":
            connective = now.connective or connective  # wide spaces around a word
        now = _Statement([""], [], connective)

    position = skipped = quantified = 0
    in_equivalence = _EQUIVALENT.match(latex) is not None
    for match in _TOKEN.finditer(latex):
        if match.start() < skipped:
            continue
        token = match[0]
        line += latex.count("\n", position, match.start())
        position = match.start()
        if match[1] and _LINED.fullmatch(match[1]):
            continue
        if begins and token == "&":
            aligned = True
        if begins and not token.isspace() and token not in ("&", "~"):
            if _is_wide(token):
                indented = True
                continue
            # A minus can begin an equation of its own, but not in a row without a relation.
            is_term = indented or (aligned and not _has_relation(latex, match.end()))
            goes_on = token in _OPERATORS or (token == "-" and is_term)
            if goes_on and result and result[-1].relations and not now.sides[0].strip(" &\n~"):
                # A row that begins with an operator goes on with the side before it.
                now = result.pop()
            begins = False
        if match[1]:
            depth += 1 if token.startswith(r"\begin") else -1
        elif delimited := _DELIMITED.match(token):
            opens = token.startswith(r"\left") or delimited["side"] == "l"
            depth = max(0, depth + (1 if opens else -1))
        elif sized := _SIZED.match(token):
            depth += (sized["bracket"] in _OPENING) - (sized["bracket"] in _CLOSING)
            depth = max(0, depth)
        elif token == "(" and depth == 0 and (remark := _find_remark(latex, match.start())):
            skipped = remark
            continue
        elif token == "(" and depth == 0 and _QUANTIFIED.match(latex, match.end()):
            quantified += 1
            continue
        elif token == ")" and depth == 0 and quantified:
            quantified -= 1
            close_statement(",")
            continue
        elif token in _OPENING:
            if token == "{" and depth == 0 and _BOXED.search(now.sides[-1][-12:] + "{"):
                now.sides[-1] = now.sides[-1][: now.sides[-1].rfind("\\")]
                boxed.append(depth)
                continue
            depth += 1
        elif token in _CLOSING:
            if token == "}" and boxed and boxed[-1] == depth:
                boxed.pop()
                continue
            depth = max(0, depth - 1)
        elif depth == 0:
            sign = match[2] or token
            if token == ":" and not now.relations and _NUMBERED.fullmatch(now.sides[0]):
                now.sides[0] = ""  # (1) - 2(2): what equations are added
                continue
            relation = WRITTEN.get(sign)
            maps = token == ":" and not now.relations and _MAPPED.match(latex, match.end())
            if relation or sign in _UNJUDGED_RELATIONS or maps or _LONG_ARROW.match(token):
                if behind := _SCRIPTS.match(latex, match.end()):
                    skipped, relation, token = behind.end(), "", f"{token}{behind[0]}"
                if now.relations and _SPACE_ALONE.fullmatch(now.sides[-1]) and now.sides[-1].strip(" &\n"):
                    now.relations[-1] = (now.relations[-1][0] + token, line)
                    now.sides[-1] = ""
                    continue
                side = now.sides[-1].rstrip()
                if relation and side.endswith(r"\not"):
                    now.sides[-1] = side[:-4]
                    relation = _NEGATED.get(relation, f"not {relation}")
                elif token == r"\not":
                    now.sides[-1] += token
                    continue
                if not now.relations and not now.sides[0].strip(" &\n~"):
                    now.begins_with_relation = True
                    now.sides[0] = ""
                    if result and now.connective in ("row", "", "column"):
                        # A new row goes on with the statement before it, in its column.
                        above = columns[column] if column < len(columns) else None
                        # Where that went on with the column before it, so does this one.
                        if above is not None and column and above is columns[column - 1]:
                            above = None
                        before = next((one for one in result if one is above), result[-1])
                        result.remove(before)
                        now = before
                        now.sides.append("")
                        now.relations.append((relation or token, line))
                        continue
                now.relations.append((relation or token, line))
                now.sides.append("")
                continue
            written = now.sides[-1].rstrip(" &\n~")
            if token == r"\\" and written.endswith((*_OPERATORS, "-")):
                now.sides[-1] = f"{written} "
                continue  # a sum goes on in the next row
            if token == r"\\":
                row = [*beside, now]
                close_statement("row")
                columns, beside, column = row if len(row) > 1 else [], [], 0
                begins, indented, aligned = True, False, False
                continue
            if token == "&":
                if _begins_column(latex, match.end(), now):
                    beside.append(now)
                    column += 1
                    close_statement("column")
                continue
            if token in _ARROWS or token in _REVERSED_ARROWS:
                close_statement("so" if token in _ARROWS else "since")
                continue
            parts = _is_row_of_spaces(token) and now.relations and now.sides[-1].strip(" &\n~")
            if parts and not _goes_on(latex, match.end()):
                token = ","
            joined = token in _JOINED and not in_equivalence
            if token == "," or joined or _is_wide(token):
                close_statement("and" if joined else ",")
                continue
            if words := _WORDS.fullmatch(token):
                if (
                    mentions("connective", words[1])
                    or token.startswith(r"\intertext")
                    or len(words[1].split()) > 3
                ):
                    close_statement(" ".join(words[1].split()).lower() or ",")
                    continue
            elif _LEFT_OUT.match(token):
                continue
        now.sides[-1] += token
    close_statement("")
    _share_relation(result)
    for one in result:
        if "congruent" in [relation for relation, _ in one.relations]:
            _join_implications(one)
    return result


def _join_implications(statement: _Statement) -> None:
    r"""Make one side of what an arrow joins: `p \to q \equiv \neg p \lor q` says that two statements are
    equivalent."""
    for index in reversed(range(len(statement.relations))):
        relation, _ = statement.relations[index]
        if relation in _CONDITIONALS:
            statement.sides[index : index + 2] = [relation.join(statement.sides[index : index + 2])]
            del statement.relations[index]


def _find_remark(latex: str, at: int) -> int:
    r"""Return where a reason in brackets ends, `(\text{by statement 1})`; 0 where a bracket holds none, or
    one that is an equation."""
    words = _WORDS.match(latex, at + 1)
    end = find_closing(latex, at) + 1 if words and starts_with_phrase("justifying", words[1].strip()) else 0
    return 0 if any(each[2] or each[0] in WRITTEN for each in _TOKEN.finditer(latex, at, end)) else end


def _begins_column(latex: str, at: int, statement: _Statement) -> bool:
    r"""Return whether `&` parts two statements of a row: `a &= b && c &= d`, `a &= b & c &= d`."""
    if not (statement.relations and statement.sides[-1].strip()):
        return False
    cell, *others = _split_row(latex, at)
    if not cell:
        return any(token in WRITTEN for other in others for token in other)
    goes_on = cell[0] in WRITTEN or cell[0] in (*_OPERATORS, "-") or _WORDS.fullmatch(cell[0]) is not None
    return not goes_on and bool(others) and bool(others[0]) and others[0][0] in WRITTEN


def _goes_on(latex: str, at: int) -> bool:
    """Return whether a relation or an operator comes next, so that a statement goes on."""
    cell = _split_row(latex, at)[0]
    return not cell or cell[0] in WRITTEN or cell[0] in _UNJUDGED_RELATIONS or cell[0] in (*_OPERATORS, "-")


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
        if depth <= 0 and (token == r"\\" or match[1]):
            break
        depth += (token in _OPENING) - (token in _CLOSING)
        if token == "&" and depth <= 0:
            cells.append([])
        elif not token.isspace():
            cells[-1].append(match[2] or token)
    return cells


def _share_relation(found: Sequence[_Statement]) -> None:
    """Of `a, b > 0` both are above 0."""
    names: list[_Statement] = []
    for each in found:
        alone = _ALONE.fullmatch(each.sides[0].strip()) is not None
        if alone and not each.relations:
            names.append(each)
            continue
        if alone and len(each.relations) == 1 and each.relations[0][0] in _ORDERS and each.connective == ",":
            for one in names:
                one.sides.append(each.sides[1])
                one.relations.append(each.relations[0])
        names = []
