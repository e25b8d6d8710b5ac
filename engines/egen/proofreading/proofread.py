r"""Where is the mistake: the chains of a document, each link told right, wrong or given.

A link that holds wherever both sides are defined is *right*, under a hypothesis *right if*; one that holds by
what was said before *follows*. What fails is *wrong* only where it claims something of numbers, where a chain
of equal expressions changes its value, or where it contradicts what was said: a definition, a condition or an
equation to be solved fails alone and is *given*, anything else is *not shown*.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from engines.core.errors import DataError, EngineError
from engines.core.events import Sink, Stop, ignore, never, warn_of_lines
from engines.core.shown import Shown
from engines.core.spec import Arg
from engines.core.tree import Tree
from engines.documents.reading import Document, documents, of_row, pieces
from engines.egen.algebra.rational import Space, TooLargeError
from engines.egen.proofreading.chains import MAX_FORMULA, TOO_LONG, Link, chains
from engines.egen.proofreading.facts import Fact, Facts, variables
from engines.egen.proofreading.given import is_denied, is_given, is_one_of_several, is_refused, is_rewriting
from engines.formula.judge import CheckedLink, Judge, Judgement
from engines.formula.meaning import Names, Reading, names_of, read

Verdict = Literal["right", "right if", "follows", "given", "loses domain", "wrong", "not shown", "unread"]
VERDICTS: tuple[Verdict, ...] = (
    "right", "right if", "follows", "given", "loses domain", "wrong", "not shown", "unread",
)  # fmt: skip
_JUDGED = ("=", "<", ">", "<=", ">=", "!=", "approx")
_DEGREES = re.compile(
    r"\^\s*(?:\\circ(?![A-Za-z])|\{\s*\\circ\s*\})|\\degree(?![A-Za-z])|°|\^\s*\{\s*\\text\s*\{o\}\s*\}"
)
_ANGLES = re.compile(r"\\(?:sin|cos|tan|cot|sec|csc|pi|arc\w+|cis|operatorname|text\{cis\})")
_MARKS = re.compile(r"\\[%$]|\\(?:text|mbox|textrm|mathrm)\s*\{[^{}]*\}(?:\^\{?\d\}?)?")
_DECIMAL = re.compile(r"\d*\.(\d+)\Z")
_WHOLE = re.compile(r"-?\d{1,12}\Z")
_STAR = re.compile(r"(?<!\\)\*|\\ast(?![A-Za-z])")
_OWN = re.compile(r"[a-z]\s*(?:\*|\\ast)\s*[a-z]\s*&?=")
_RUN_ON = re.compile(r"\^\d{2,}")
MAX_LINKS = 2_000
"""Of one document; the links behind them are not judged, which is said of the first."""
_MOST_FORMULAS = 10_000
"""So many formulas at the beginning say what the letters of a document are."""
_MOST_TERMS = 200
"""Of the sums and products of a link, with those inside others; more are not added up."""
_LARGEST = 160
"""Nodes of a term: equality of larger ones is sought by exact algebra alone."""
_UNSURE = frozenset(("pm", "unit", "text", "abs", "call"))
_NEAREST = re.compile(r"\b(?:nearest|approximat\w*|about|roughly|round\w*|closest|estimat\w*)\b")
_PAIR = re.compile(r"\(\s*\d{1,3},\d{3}\s*\)|\A\(\d+\)\s|(?<![A-Za-z\\])e\(")
_VECTORS = re.compile(r"\\(?:mathbf|vec|overrightarrow|boldsymbol|bm|hat|overline)(?![a-z])")


@dataclass(frozen=True, slots=True)
class Proofread:
    """Find the mistakes in a document.

    Every link of a chain of relations is right, right if a hypothesis holds, follows from what was said,
    given, loses domain, wrong, not shown, or unread. Exits with 1 if a link is wrong or loses
    domain, or a part cannot be read.
    """

    file: Annotated[
        Path, Arg("A .tex, .md, .ipynb, .html, .jsonl or .xml file, or a run with --posts.", inline=".md")
    ]
    posts: Annotated[Path | None, Arg("The posts that FILE, a run of ARQMath, ranks.")] = None
    only: Annotated[tuple[str, ...], Arg("Only the documents of these ids.", metavar="ID")] = ()
    sarif: Annotated[Path | None, Arg("Also write SARIF 2.1.0 for editors and CI.", writes=True)] = None
    html: Annotated[Path | None, Arg("Also write an HTML page with colours.", writes=True)] = None
    every: Annotated[bool, Arg("Show every link, not only those that need a look.")] = False


@dataclass(frozen=True, slots=True)
class Judged:
    """A link with its verdict, and why."""

    link: Link
    verdict: Verdict
    reason: str = ""


@dataclass(slots=True)
class Reader:
    """Judges the links of one document in their order, and keeps what was said."""

    judge: Judge
    names: Names
    facts: Facts = field(default_factory=Facts)
    read_: dict[str, Reading] = field(default_factory=dict)
    own: bool = False

    def read(self, latex: str) -> Reading:
        found = self.read_.get(latex)
        if found is None:
            found = self.read_[latex] = read(latex, self.names)
        return found

    def chain(self, links: Sequence[Link]) -> Iterator[Judged]:
        """The links of a chain, judged."""
        equalities = sum(link.relation == "=" for link in links)
        for link in links:
            if link.relation == TOO_LONG:
                yield Judged(link, "unread", f"the formula has more than {MAX_FORMULA:,} characters")
                continue
            if link.relation not in (*_JUDGED, "congruent", ":="):
                yield Judged(link, "unread", f"the relation {link.relation} is not judged")
                continue
            left, right = self.sides(link)
            if left.tree is None or right.tree is None:
                unread = left if left.tree is None else right
                yield Judged(link, "unread", unread.reason)
                continue
            yield self._link(link, left.tree, right.tree, equalities)

    def sides(self, link: Link) -> tuple[Reading, Reading]:
        """Both sides, read. Degrees are plain numbers where nothing is taken of an angle."""
        sides = link.left, link.right
        if any(_DEGREES.search(side) for side in sides) and not any(_ANGLES.search(side) for side in sides):
            sides = _DEGREES.sub("", sides[0]), _DEGREES.sub("", sides[1])
        return self.read(sides[0]), self.read(sides[1])

    def _link(self, link: Link, left: Tree, right: Tree, equalities: int) -> Judged:
        if _terms(left) + _terms(right) > _MOST_TERMS:
            return Judged(link, "not shown", "a sum or product has too many terms")
        if self.own and _STAR.search(link.left + link.right):
            return Judged(link, "unread", "the text defines an operation * of its own")
        if link.relation == ":=":
            self._say(link, left, right)
            return Judged(link, "given", "a definition")
        if link.relation == "congruent" or (link.modulus and link.relation == "="):
            return self._congruent(link, left, right)
        free = variables(left) | variables(right)
        if not free:
            return self._numbers(link, left, right)
        if link.relation != "=":
            return self._relation(link, left, right)
        judged = self._equation(link, left, right, free, equalities)
        if judged.verdict not in ("right", "wrong", "right if") or judged.reason.startswith("given"):
            self._say(link, left, right)
        return judged

    def _say(self, link: Link, left: Tree, right: Tree) -> None:
        sure = not is_one_of_several(link.before, link.after)
        self.facts.add(left, right, f"{link.left} = {link.right}", link.line, sure)

    # Numbers

    def _numbers(self, link: Link, left: Tree, right: Tree) -> Judged:
        found = self._compared(link.relation, left, right)
        if found.verdict == "equal":
            return Judged(link, "right", found.reason)
        if found.verdict == "equal if":
            return Judged(link, "right if", found.condition)
        if found.verdict == "undecided":
            return Judged(link, "not shown", found.reason)
        if link.relation in ("=", "approx") and (said := self._rounded(left, right, link.relation)):
            return Judged(link, "right", said)
        if self._plain(link):
            return Judged(link, "right", "units are left out on one side")
        if link.said or is_refused(link.before, link.after):
            return Judged(
                link, "given" if link.said else "not shown", f"it is only supposed: {found.witness}"
            )
        if _NEAREST.search(link.before + link.after):
            return Judged(link, "not shown", f"rounded otherwise: {found.witness}")
        if r"\div" in link.left + link.right:
            return Judged(link, "not shown", "a division can leave a remainder")
        if _PAIR.search(link.left + " " + link.right):
            return Judged(link, "not shown", "it can be read in two ways")
        labels = {*left.labels(), *right.labels()}
        if labels & {"unit", "text"}:
            return Judged(link, "not shown", "the units differ")
        if any(side.label in ("e", "i") for side in (left, right)):
            return Judged(link, "given", "e and i can be variables")
        if "matrix" in labels and not left.label == right.label == "matrix":
            return Judged(link, "not shown", "a matrix and a letter or number")
        if link.left.startswith("+") or _RUN_ON.search(link.left + " " + link.right):
            return Judged(link, "not shown", "where a side begins or an exponent ends is not clear")
        if labels & {"pm"} or _DEGREES.search(link.left + link.right):
            return Judged(link, "not shown", "signs ± and degrees can be meant in several ways")
        if notes := [note for side in self.sides(link) for note in side.notes if "mixed" in note]:
            return Judged(link, "not shown", notes[0])
        return Judged(link, "wrong", found.witness)

    def _compared(self, relation: str, left: Tree, right: Tree) -> Judgement:
        if relation == "=":
            return self.judge.equal(left, right)
        return self.judge.holds(Tree(relation, (left, right)))

    def _rounded(self, left: Tree, right: Tree, relation: str) -> str:
        """Whether one side is the other, rounded to the digits that it shows."""
        for one, other in ((left, right), (right, left)):
            shown = relation == "approx" or any(map(_DECIMAL.match, one.labels()))
            if shown and self.judge.holds(Tree("approx", (other, one))).verdict == "equal":
                return "rounded"
        decimal = any(_DECIMAL.match(label) for label in (*left.labels(), *right.labels()))
        if relation == "approx" or decimal:
            share = Tree("*", (Tree("0.02" if relation == "approx" else "0.001"), Tree("abs", (right,))))
            close = Tree("<=", (Tree("abs", (Tree("-", (left, right)),)), share))
            if self.judge.holds(close).verdict == "equal":
                return "rounded"
        return ""

    def _plain(self, link: Link) -> bool:
        """Whether the sides are equal where signs of per cent, of money and units are left out."""
        sides = [_MARKS.sub(" ", _DEGREES.sub("", side)) for side in (link.left, link.right)]
        if sides == [link.left, link.right]:
            return False
        marks = [_MARKS.findall(side) for side in (link.left, link.right)]
        if marks[0] and marks[1] and {*marks[0]} != {*marks[1]}:
            return False
        left, right = map(self.read, sides)
        if left.tree is None or right.tree is None:
            return False
        return self._compared(link.relation, left.tree, right.tree).verdict == "equal"

    def _congruent(self, link: Link, left: Tree, right: Tree) -> Judged:
        if not link.modulus:
            found = self.judge.equal(left, right)
            if found.verdict == "equal":
                return Judged(link, "right")
            return Judged(link, "unread", "the modulus of the congruence is not named beside it")
        modulus = self.read(link.modulus)
        if modulus.tree is None:
            return Judged(link, "unread", modulus.reason)
        found = self.judge.holds(Tree("congruent", (left, right, modulus.tree)))
        if found.verdict == "equal":
            return Judged(link, "right")
        free = variables(left) | variables(right) | variables(modulus.tree)
        given = link.said or is_given(link.before) or is_denied(link.before, link.after)
        given = given or link.left.startswith("+") or "{-" in link.left
        if found.verdict == "different" and not free and not given:
            return Judged(link, "wrong", found.witness)
        if given or (free and not left.children):
            return Judged(link, "given")
        return Judged(link, "not shown", found.reason)

    # Statements about variables

    def _relation(self, link: Link, left: Tree, right: Tree) -> Judged:
        statement = Tree(link.relation, (left, right))
        given = link.said or is_given(link.before)
        simple = not left.children or not right.children
        if not simple and len(statement) < _LARGEST:
            found = self.judge.holds(statement, self.facts.conditions[-4:])
            if found.verdict == "equal":
                return Judged(link, "right", found.reason)
        reduced = self.facts.reduced(left, right)
        if reduced is not None and not (variables(reduced.left) | variables(reduced.right)):
            found = self.judge.holds(Tree(link.relation, (reduced.left, reduced.right)))
            if found.verdict == "equal":
                return Judged(link, "follows", _by(reduced.used))
        if statement in self.facts.conditions:
            return Judged(link, "follows", "it was said before")
        if simple and link.relation in ("<", ">", "<=", ">="):
            self.facts.conditions.append(statement)
        if given or simple:
            return Judged(link, "given")
        return Judged(link, "not shown", "it depends on its variables")

    def _equation(self, link: Link, left: Tree, right: Tree, free: frozenset[str], equalities: int) -> Judged:
        lone = not left.children or not right.children or left.label == "call"
        plain = _difference(left, right)
        if plain == 0:
            return Judged(link, "right")
        found: Judgement | None = None
        shared = not lone or (variables(left) == variables(right) and left.label != "call" != right.label)
        if plain is None and shared and len(left) + len(right) < _LARGEST:
            found = self.judge.equal(left, right, self._assumed(free))
            if found.verdict == "equal":
                return Judged(link, "right", found.reason)
            if found.verdict == "equal if" and not link.said and not (lone and is_given(link.before)):
                if found.witness:
                    return Judged(link, "right if", found.condition)
                if _is_domain(found.condition) or not self._loses(left, right, free):
                    return Judged(link, "right", f"where {found.condition}")
                return Judged(link, "loses domain", found.condition)
        reduced = self.facts.reduced(left, right)
        if reduced is not None:
            if reduced.same:
                return Judged(link, "follows", _by(reduced.used))
            if reduced.used and len(reduced.left) + len(reduced.right) < _LARGEST:
                now = self.judge.equal(reduced.left, reduced.right, self._assumed(free))
                if now.verdict == "equal":
                    return Judged(link, "follows", _by(reduced.used))
                if now.verdict == "equal if" and not lone:
                    return Judged(link, "right if", now.condition)
        if link.said or (is_given(link.before) and not link.joined and link.place == 0):
            return Judged(link, "given")
        constrained = bool(self.facts.about(free))
        if not constrained and plain == 1 and not is_given(link.before) and _is_expansion(left, right):
            if is_denied(link.before, link.after) or is_one_of_several(link.before, link.after):
                return Judged(link, "not shown", "its sides differ")
            return Judged(link, "wrong", self.judge.equal(left, right).witness)
        if not constrained and (
            lone or (link.place == 0 and equalities == 1 and not is_rewriting(link.before))
        ):
            return Judged(link, "given", "its variables are first mentioned here" if lone else "")
        denied = is_denied(link.before, link.after) or is_one_of_several(link.before, link.after)
        rounded = _NEAREST.search(link.before + link.after)
        if not denied and not rounded and (said := self._contradicted(left, right)):
            return Judged(link, "wrong", said)
        if (
            not denied
            and not lone
            and (not constrained or reduced is None or not reduced.used)
            and (link.place or plain == 1)
            and self._transforms(left, right, equalities, link)
        ):
            found = found or self.judge.equal(left, right, self._assumed(free))
            if found.verdict == "different":
                return Judged(link, "wrong", found.witness)
        if lone and (not constrained or self._is_new(left)):
            return Judged(link, "given", "its variables are first mentioned here")
        reason = found.reason if found and found.verdict == "undecided" else ""
        return Judged(link, "not shown", reason or "it holds neither always nor by what was said before")

    def _is_new(self, left: Tree) -> bool:
        """Whether a variable stands alone that no statement was about."""
        names = variables(left)
        return not left.children and all(names.isdisjoint(fact.variables) for fact in self.facts.said)

    def _loses(self, left: Tree, right: Tree, free: frozenset[str]) -> bool:
        """Whether the right side is undefined where the left is defined."""
        beside = Tree("+", (left, Tree("*", (Tree("0"), right))))
        return self.judge.equal(left, beside, self._assumed(free)).verdict == "equal if"

    def _assumed(self, free: frozenset[str]) -> list[Tree]:
        return [each for each in self.facts.conditions[-8:] if variables(each) <= free][-3:]

    def _transforms(self, left: Tree, right: Tree, equalities: int, link: Link) -> bool:
        """Whether an expression is written in another way: both sides share their variables."""
        one, other = variables(left), variables(right)
        if not one or one != other or any(name.endswith("(") for name in one | other):
            return False
        if _VECTORS.search(link.left + link.right) or {"pm", "unit", "text"} & {
            *left.labels(),
            *right.labels(),
        }:
            return False
        return equalities >= 2

    def _contradicted(self, left: Tree, right: Tree) -> str:
        """By which facts a claim is false: they determine its variables, and no case was distinguished since.

        "" where none say so.
        """
        reduced = self.facts.reduced(left, right, sure=True)
        if reduced is None or reduced.same or not reduced.used:
            return ""
        if variables(reduced.left) | variables(reduced.right):
            return ""
        base = left.children[0] if left.label == "pow" else left
        first = min(fact.number for fact in reduced.used)
        last = len(reduced.used) == 1 and first == len(self.facts.said) - 1
        defined = any(fact.left == base for fact in reduced.used)
        if base.children or variables(right) or not (last or (defined and first >= len(self.facts.said) - 4)):
            return ""
        if not all(fact.sure for fact in self.facts.said[first:]):
            return ""
        sides = [left, right, *(side for fact in reduced.used for side in (fact.left, fact.right))]
        if any(not _UNSURE.isdisjoint(side.labels()) for side in sides):
            return ""
        if any(not side.children and side in (left, right) and variables(side) for side in sides[2:]):
            # The variable has another value now.
            return ""
        found = self.judge.equal(reduced.left, reduced.right)
        if found.verdict != "different" or self._rounded(reduced.left, reduced.right, "="):
            return ""
        return f"{found.witness}, {_by(reduced.used)}"


def _difference(left: Tree, right: Tree) -> int | None:
    """0 for what exact algebra shows equal, 1 for rational functions that are not, None for anything else."""
    if left == right:
        return 0
    try:
        space = Space((left, right))
        difference = space.combined("-", space.of(left), space.of(right)).top
    except (TooLargeError, OverflowError, ZeroDivisionError, EngineError, RecursionError):
        return None
    if difference.is_zero():
        return 0
    return 1 if all(not atom.children and variables(atom) for atom in space.atoms) else None


def _is_expansion(left: Tree, right: Tree) -> bool:
    """Whether a product of sums is written as a sum of products, all of one degree in several variables."""
    if variables(left) != variables(right) or len(variables(left)) < 2 or right.label not in "+-":
        return False
    sums = [each for each in (left, *left.children) if each.label in ("+", "-") and len(each.children) > 1]
    nested = any(each.label in "+-" and each.children for node in right.children for each in node.children)
    if left.label not in ("*", "pow") or not sums or nested:
        return False
    space = Space((left, right))
    degrees = {sum(powers) for side in (left, right) for powers in space.of(side).top.monoms()}
    return len(degrees) == 1


def _terms(tree: Tree) -> int:
    """How many terms the sums and products of a term have, those inside others multiplied."""
    inside = max(map(_terms, tree.children), default=1)
    if tree.label not in ("sum", "prod") or len(tree.children) != 4:
        return inside
    ends = [each.label for each in tree.children[1:3]]
    span = int(ends[1]) - int(ends[0]) + 1 if all(_WHOLE.match(end) for end in ends) else 50
    return inside * max(1, span)


def _is_domain(condition: str) -> bool:
    return "≠" in condition or "!=" in condition


def _by(facts: Sequence[Fact]) -> str:
    """`by x = 3 (line 2)`."""
    if not facts:
        return ""
    told = [f"{' '.join(fact.text.split())} (line {fact.line})" for fact in facts[:4]]
    return f"by {' and '.join(told)}" + (" and others" if len(facts) > 4 else "")


def proofread_document(document: Document, judge: Judge) -> list[Judged]:
    """Every link of a document, judged in its order."""
    formulas = [each.text for each in document.pieces if each.formula and len(each.text) <= MAX_FORMULA]
    formulas = formulas[:_MOST_FORMULAS]
    words = " ".join(piece.text for piece in document.pieces if not piece.formula)
    reader = Reader(judge, names_of(formulas, words), own=any(map(_OWN.search, formulas)))
    found: list[Judged] = []
    for chain in chains(document):
        room = MAX_LINKS - len(found)
        found += reader.chain(chain[:room])
        if len(chain) > room:
            found.append(
                Judged(
                    chain[room],
                    "unread",
                    f"the document has more than {MAX_LINKS:,} links: left out from here",
                )
            )
            break
    return found


class TextProofreader:
    """A `Proofreader` of single texts."""

    def __init__(self) -> None:
        from engines.egen.judging import judge

        self._judge = judge()

    def links(self, text: str, said: str = "") -> list[CheckedLink]:
        row = {"id": "", "problem": said, "solution": text}
        document = of_row(row, "solution", 1, lambda *_: None)
        found = ((each.link, each) for each in proofread_document(document, self._judge))
        return [
            CheckedLink(link.left, link.relation, link.right, each.verdict, each.reason)
            for link, each in found
            if not link.said
        ]


def proofread(spec: Proofread | str, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Judge every link of the chains of a file's documents, or of a text with formulas between dollar signs.

    >>> found = proofread("So $(a+b)^2 = a^2 + b^2$.")
    >>> [link["verdict"] for link in found["documents"][0]["links"]]
    ['wrong']

    Returns: `file`; `documents`: id, row (the line that it begins on in a file of several) and `links` with
    left, relation, right, line, reason and verdict; `counts` of the verdicts; `bad`: what could not be read,
    as line and what; `complete`, whether it was not stopped.
    """
    from engines.egen.judging import judge
    from engines.egen.proofreading.written import write_html, write_sarif

    bad: list[DataError] = []
    arbiter = judge()
    found: list[dict[str, Any]] = []
    complete = True
    if isinstance(spec, str):
        text, spec = spec, Proofread(Path("text"))
        told = partial(_unended, bad)
        read: Iterable[Document] = [Document("text", tuple(pieces(text, told)))]
    else:
        read = documents(spec.file, spec.posts, on_bad=bad.append)
    wanted = set(spec.only)
    for document in read:
        if stop():
            complete = False
            break
        if wanted and document.id not in wanted:
            continue
        links = [_row(each) for each in proofread_document(document, arbiter) if not each.link.said]
        found.append({"id": document.id, "row": document.row, "links": links})
    if wanted and complete and (missing := wanted - {each["id"] for each in found}):
        raise DataError(
            f"no document has the id {sorted(missing)[0]}", path=spec.file, remedy="Check --only."
        )
    if not found and complete:
        raise (
            bad[0]
            if bad
            else DataError(
                "the file has no documents", path=spec.file, code="E317", remedy="Check that it is whole."
            )
        )
    warn_of_lines(events, spec.file, ((each.line, each.what) for each in bad))
    result: dict[str, Any] = {
        "file": spec.file,
        "documents": found,
        "counts": {
            verdict: sum(link["verdict"] == verdict for each in found for link in each["links"])
            for verdict in VERDICTS
        },
        "bad": [{"line": error.line, "what": error.what} for error in bad],
        "complete": complete,
    }
    if spec.sarif is not None:
        write_sarif(spec.sarif, result)
    if spec.html is not None:
        write_html(spec.html, result)
    rows = [{"document": each["id"], **link} for each in found for link in each["links"]]
    said = ", ".join(f"{count:,} {verdict}" for verdict, count in result["counts"].items() if count)
    names = ("document", "line", "left", "relation", "right", "verdict", "reason")
    return Shown(result, lambda: rows, names, title=said)


def _unended(bad: list[DataError], line: int, what: str) -> None:
    bad.append(DataError(what, path="text", line=line, remedy="Close the formula."))


def _row(judged: Judged) -> dict[str, Any]:
    link = judged.link
    return {
        "left": link.left,
        "relation": link.relation,
        "right": link.right,
        "line": link.line,
        "verdict": judged.verdict,
        "reason": judged.reason,
        "chain": link.chain,
        "before": link.before[-80:],
    }


def code(document: Mapping[str, Any]) -> int:
    """The exit code: 1 if a link is wrong or loses domain, or something could not be read; 130 if stopped."""
    if not document["complete"]:
        return 130
    counts = document["counts"]
    return 1 if document["bad"] or counts["wrong"] or counts["loses domain"] else 0
