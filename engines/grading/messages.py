"""Forms of answers in the messages of verdicts."""

from __future__ import annotations

from engines.formula.statement_view import Statement
from engines.grading.forms import (
    Form,
    IntervalForm,
    Many,
    Matrix,
    Named,
    RelationForm,
    Repeated,
    SetForm,
    SetOfSets,
    Union,
    Without,
    WordsForm,
)
from engines.grading.numbers import Term
from engines.grading.reading import write_tree


def to_message_text(item: Form) -> str:
    """Return a form as its text had it, for messages; of a long one, the beginning."""
    text = _write_form(item)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


_LONGEST = 60


def _write_form(item: Form) -> str:
    if isinstance(item, Term):
        return f"{item.text} {item.unit.text}" if item.unit else item.text
    return item.text if isinstance(item, WordsForm) else latex_of_form(item)


def latex_of_form(item: Form) -> str:
    """Return a form as LaTeX that can be read again."""
    if isinstance(item, Term | WordsForm):
        return item.text
    if isinstance(item, Named):
        sign = "\\in" if isinstance(item.value, SetForm) else "="
        return f"{item.name} {sign} {latex_of_form(item.value)}"
    if isinstance(item, RelationForm):
        return write_tree(item.tree)
    if isinstance(item, Matrix):
        rows = (" & ".join(map(latex_of_form, row)) for row in item.rows)
        return "\\begin{pmatrix}" + " \\\\ ".join(rows) + "\\end{pmatrix}"
    if isinstance(item, IntervalForm):
        opening, closing = "[" if item.closed[0] else "(", "]" if item.closed[1] else ")"
        return f"{opening}{latex_of_form(item.low)}, {latex_of_form(item.high)}{closing}"
    if isinstance(item, Union):
        return " \\cup ".join(map(latex_of_form, item.parts))
    if isinstance(item, Without):
        return f"{latex_of_form(item.whole)} \\setminus {latex_of_form(item.taken)}"
    if isinstance(item, Repeated):
        return f"{latex_of_form(item.value)} ({item.times} times)"
    if isinstance(item, SetOfSets):
        return "\\{" + ", ".join(map(latex_of_form, item.items)) + "\\}"
    if isinstance(item, Many):
        opening, closing = {"set": ("\\{", "\\}"), "tuple": ("(", ")")}.get(item.kind, ("", ""))
        return (
            opening + (" : " if item.kind == "ratio" else ", ").join(map(latex_of_form, item.items)) + closing
        )
    return ""


_KINDS: dict[type, str] = {
    Term: "a number or formula",
    WordsForm: "words",
    Many: "a list",
    SetOfSets: "a set of sets",
    IntervalForm: "an interval",
    Union: "a union",
    Without: "a set",
    Matrix: "a matrix",
    Statement: "a statement",
    RelationForm: "a relation",
    Named: "an equation",
}


def describe_kind(item: Form) -> str:
    """Return what sort of answer a form is, with its article."""
    if isinstance(item, Many):
        return f"a {item.kind}"
    if isinstance(item, Term) and item.value is not None:
        return "a number"
    return _KINDS.get(type(item), "unread")
