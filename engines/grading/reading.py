r"""What a text says as an answer: `engines.formula` reads it as a whole, and its tree is seen as a form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from engines.core.errors import EngineError
from engines.core.expression_language import is_constant_token
from engines.core.tree import Tree
from engines.formula.brackets import are_braces_balanced
from engines.formula.listings import OMITTED_SIDE
from engines.formula.statement_view import Statement, read_statement
from engines.formula.vocabulary import HALF_LINES, PROBABILITIES, count_repetitions
from engines.grading.braced_systems import open_systems
from engines.grading.bracketed_conditions import open_conditions
from engines.grading.continued_values import settle_ellipses
from engines.grading.counts import read_counts
from engines.grading.definitions import put_definitions, spell_definition
from engines.grading.families import cases_of, read_family
from engines.grading.finite_families import list_values, split_family
from engines.grading.forms import (
    EMPTY,
    REALS,
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
    UnreadForm,
    Without,
    WordsForm,
)
from engines.grading.integers_in_words import spell_integers
from engines.grading.lexicon import is_figures, read_words, unwrap_text
from engines.grading.normalising import flatten_spaces, normalise_text
from engines.grading.numbers import Term, plain_number
from engines.grading.permutations import read_permutations
from engines.grading.quantity_reader import read_figures, read_measure
from engines.grading.ranges_in_words import spell_ranges
from engines.grading.spans import read_span
from engines.grading.tokens import AnswerToken, is_blank, text_at, tokenize
from engines.grading.unit_reader import mark_shaped_unit, read_unit
from engines.grading.unknown_functions import apply_unknown_functions
from engines.grading.word_answers import drop_direction
from engines.mathematics.judging.names import INTEGERS, NUMBER_SETS, TURNED, free_variables
from engines.mathematics.terms.notation import to_latex

LONGEST = 4_000
"""A longer answer is not read."""
_ORDERS = ("<", "<=", ">", ">=", "!=")
_CALCULATIONS = ("antiderivative", "integral", "limit", "sum", "prod")
_MINUS_ONE = Tree("-1")


@lru_cache(maxsize=4096)
def read_form(text: str, log_base: str = "", counts: bool = False) -> Form:
    r"""Return the form of an answer, in which logarithms without a base are natural or to that base.

    Args:
        text: An answer.
        log_base: The base of logarithms without one; "" for natural ones.
        counts: Whether C_5^2 and C(5, 2) are numbers of combinations.

    >>> read_form("1{,}024").value, type(read_form("[0, 2)")).__name__
    (Fraction(1024, 1), 'IntervalForm')
    """
    if len(text) > LONGEST:
        return UnreadForm(f"an answer of {len(text):,} characters, and at most {LONGEST:,} are read")
    # Most answers of data sets are integers: they need no grammar.
    if text.removeprefix("-").isdecimal():
        return plain_number(text) or UnreadForm("the number is too long")
    written = normalise_text(spell_definition(spell_ranges(text)))
    flat = flatten_spaces(written)
    plain = drop_direction(flat)
    written = written if plain == flat else plain
    if not plain:
        return UnreadForm("the answer is empty")
    if not are_braces_balanced(plain):
        return UnreadForm("its brackets do not match")
    if family := spell_integers(plain) or ("form" in text and spell_integers(text)):
        return read_form(family)
    if plain.startswith("(") and "," in plain and plain.endswith((")^T", ")^{T}", ")ᵀ")):
        return read_form(plain[: plain.rindex(")") + 1], log_base, counts)  # a column in a row
    if (special := read_span(plain, read_form) or read_permutations(plain, read_form)) is not None:
        return special
    if plain.startswith(("∇", "\\nabla")) and plain.count("=") == 1:
        return read_form(plain.partition("=")[2].strip(), log_base, counts)
    # Numbers and words before formulas: the grammar would read `2 h` as a product, and `no` as letters.
    known = read_figures(plain) or _read_measure_in_text(plain) or read_words(plain)
    if known is not None:
        return known
    if (named := _read_named_measure(plain)) is not None:
        return named
    # A unit that is known settles it; others, such as `3 apples`, may still be formulas.
    measured = None if "\\" in written and "10^" not in written else read_measure(plain)
    if measured is not None and measured.value is not None and measured.unit and measured.unit.known:
        return measured
    if marked := mark_shaped_unit(plain):
        return read_form(marked, log_base, counts)
    # Everything else is read by the grammar, and its tree is seen as a form.
    statement = read_statement(written, is_answer=True, log_base=log_base)
    tree = None if isinstance(statement, str) else settle_ellipses(statement.tree)
    if tree is None:
        return read_measure(plain) or _read_labelled_number(plain) or _read_chain_end(plain) or Term(plain)
    tree = apply_unknown_functions(open_conditions(open_systems(tree)))
    if "mL" in plain and free_variables(tree):
        return read_form(plain.replace("mL", "m L"), log_base, counts)  # among letters it is no millilitre
    form = form_of(read_counts(tree) if counts else tree)
    if measured is not None and measured.value is None and measured.unit is not None and "=" in measured.text:
        inside = read_form(measured.text, log_base, counts)
        if isinstance(inside, Named) and isinstance(inside.value, Term) and inside.value.unit is None:
            return replace(inside, value=replace(inside.value, unit=measured.unit))
    if isinstance(form, WordsForm) and measured is not None:
        return measured
    if isinstance(form, Term) and form.unit is None and form.value is None:
        return measured or replace(form, text=plain)
    return form


def _read_measure_in_text(plain: str) -> Term | None:
    r"""Return the quantity in words alone, as `\text{8 ways}`."""
    inside = unwrap_text(plain)
    return read_measure(inside) if inside is not None and inside[:1].isdecimal() else None


def _read_named_measure(plain: str) -> Named | None:
    """Return `v = 20 m/s` as a name with a quantity, if its unit can be no letters of a formula; None for
    others."""
    tokens = [token for token in tokenize(plain) if not is_blank(token)]
    if text_at(tokens, 1) != "=" or tokens[0].kind != "word" or len(tokens[0].text) > 1:
        return None
    name, last = tokens[0].text, max(at for at, token in enumerate(tokens) if token.text == "=")
    value, behind = plain[tokens[last].end :].strip(), tokens[last + 1 :]
    to_ten = any(one.text == "10" and other.text == "^" for one, other in pairwise(behind))
    if not to_ten and any(token.kind == "command" for token in behind):
        return None
    measure = read_measure(value)
    if measure is None or measure.value is None or measure.unit is None or not measure.unit.known:
        return None
    letters = [token.text for token in tokenize(measure.unit.text) if token.kind == "word"]
    scientific = to_ten or any(token.text == "⁻" for token in behind)
    plain_letters = not scientific and "/" not in measure.unit.text and max(map(len, letters), default=0) < 2
    return None if plain_letters else Named(name, measure, Tree(name))


def _read_labelled_number(plain: str) -> Form | None:
    """Return `max = 32` and `m.c.m. = 36` as a name with a number; None for others."""
    label, sign, value = plain.partition("=")
    words = [token for token in tokenize(label) if not is_blank(token) and token.text != "."]
    letters = "".join(token.text for token in words)
    is_label = bool(words) and all(token.kind == "word" for token in words) and len(letters) > 2
    if not sign or not is_label or " " in label.strip() or label.strip()[-1:] in "<>!:":
        return None
    number = read_form(value.strip())
    is_number = isinstance(number, Term) and number.value is not None
    return Named(letters, number, Tree(letters)) if is_number else None


def _read_chain_end(plain: str) -> Form | None:
    """Return what a calculation that cannot be read comes to, as `30 x $2.5 = $75`; None for others."""
    tokens = [token for token in tokenize(plain) if not is_blank(token)]
    signs = [at for at, token in enumerate(tokens) if token.text == "="]
    if not signs or signs[-1] in (0, len(tokens) - 1) or tokens[signs[-1] - 1].text[-1] in "<>!:=":
        return None
    ends = read_form(plain[tokens[signs[-1]].end :].strip())
    first, between = tokens[: signs[0]], tokens[signs[0] : signs[-1]]
    if any(token.kind == "word" and len(token.text) > 1 for token in between) or _states_several(between):
        return None
    if not isinstance(ends, Term) or ends.value is None or (len(signs) == 1 and not _is_calculation(first)):
        return None
    name = Tree(first[0].text) if len(first) == 1 and first[0].kind == "word" else None
    return ends if name is None else Named(name.label, ends, name)


def _states_several(tokens: Sequence[AnswerToken]) -> bool:
    """Return whether another statement begins among tokens, as behind the comma of `min A = 0, max A = 1`."""
    return any(
        token.text in (",", ";", "，", "；", "、")
        and not (text_at(tokens, at - 1).isdecimal() and text_at(tokens, at + 1).isdecimal())
        for at, token in enumerate(tokens)
    )


def _is_calculation(tokens: Sequence[AnswerToken]) -> bool:
    """Return whether numbers with an operator between them are among tokens."""
    numbers = sum(token.kind == "digits" for token in tokens)
    return numbers > 1 and any(token.text in tuple("+-*/×÷·x") for token in tokens)


# ---- trees as forms


def form_of(tree: Tree) -> Form:
    """Return the form that a tree says."""
    label, parts = tree.label, tree.children
    if not parts:
        if label in HALF_LINES:
            return form_of(HALF_LINES[label])
        return REALS if label == "ℝ" else EMPTY if label == "set" else term_of(tree)
    match label:
        case "text":
            words = parts[0].label
            return read_form(words) if is_figures(words) else read_words(words) or WordsForm(words)
        case "list":
            return _make_list([form_of(part) for part in parts])
        case "tuple":
            return Many("tuple", tuple(map(form_of, parts))) if len(parts) > 1 else form_of(parts[0])
        case "=" if parts[0].label == parts[1].label == "ratio":
            name, members = subject_name(parts[0]), tuple(map(form_of, parts[1].children))
            return Named(name, Many("ratio", members), parts[0]) if name else _relation_of(tree)
        case "ratio":
            clock = read_words(":".join(part.label for part in parts))
            return clock or Many("ratio", tuple(map(form_of, parts)))
        case "set":
            return _set_of(parts) if (family := _take_family(parts)) is None else form_of(family)
        case "interval":
            closed = (parts[0].label[0] == "c", parts[0].label[1] == "c")
            return IntervalForm(form_of(parts[1]), form_of(parts[2]), closed)
        case "union" | "without":
            return _join_sets(tree)
        case "-" if parts[1].label == "set" and len(parts) == 2:
            return _join_sets(Tree("without", parts))
        case "such":
            if (values := list_values(tree)) is not None:
                return Many("set", tuple(map(form_of, values)))
            return _statement_of(tree)
        case "implies" if (defined := put_definitions(tree)) is not None:
            return form_of(defined)
        case "cases" if (points := _take_points(tree)) is not None:
            return form_of(points)
        case "cases" if (defined := put_definitions(tree)) is not None:
            return form_of(defined)
        case "matrix":
            return Matrix(tuple(tuple(map(form_of, row.children)) for row in parts))
        case "=" | "approx" | "in" | "subset" | "congruent" | "<" | "<=" | ">" | ">=" | "!=":
            return _relation_of(tree)
        case "and":
            return _conjunction_of(tree)
        case "or":
            return _disjunction_of(tree)
        case "forall" if _is_definition(tree):
            return form_of(parts[-1])
        case "intersection" | "cases" | "implies" | "iff" | "not" | "forall" | "exists":
            return _statement_of(tree)
    # One sign ± gives two values; with several signs it is not known which go together.
    if tree.list_labels().count("pm") == 1:
        return Many("list", tuple(form_of(_with_sign(tree, sign)) for sign in "+-"))
    if label == "*" and (times := count_repetitions(parts[1])):
        return Repeated(form_of(parts[0]), times)
    return _scale_collection(tree) or _quantity_of(tree) or term_of(tree)


def term_of(tree: Tree) -> Term:
    """Return a tree as a term, with its value if it is a number."""
    if not tree.children and (number := plain_number(tree.label)) is not None:
        return replace(number, tree=tree)
    return Term(write_tree(tree), tree=_with_numbers(tree))


def _statement_of(tree: Tree) -> Statement:
    return Statement(_with_numbers(tree))


def _with_numbers(tree: Tree) -> Tree:
    """A tree in which percent and degree signs are the numbers that they multiply by."""
    if not tree.children:
        return tree
    if tree.label == "unit":
        return _SIGNS_OF_NUMBERS.get(tree.children[0].label, tree)
    return Tree(tree.label, tuple(map(_with_numbers, tree.children)))


_SIGNS_OF_NUMBERS = {
    "%": Tree("/", (Tree("1"), Tree("100"))),
    "°": Tree("/", (Tree("pi"), Tree("180"))),
}


def write_tree(tree: Tree) -> str:
    """Write a tree for messages: in LaTeX, or by its labels if LaTeX has no sign for one of them."""
    try:
        return to_latex(tree)
    except (KeyError, IndexError, EngineError):
        return " ".join(tree.list_labels())


def _with_sign(tree: Tree, sign: str) -> Tree:
    """A term with one of the two signs in the place of ±."""
    if not tree.children:
        return tree
    parts = tuple(_with_sign(part, sign) for part in tree.children)
    if tree.label != "pm":
        return Tree(tree.label, parts)
    if len(parts) == 2:
        return Tree(sign, parts)
    return parts[0] if sign == "+" else negate_tree(parts[0])


def negate_tree(tree: Tree) -> Tree:
    """Return the opposite of a term: -3 for 3, and (-1)·x for x."""
    if not tree.children and is_constant_token(tree.label):
        return Tree(tree.label[1:] if tree.label[0] == "-" else f"-{tree.label}")
    return Tree("*", (_MINUS_ONE, tree))


def _make_list(items: list[Form]) -> Form:
    """A list; a name goes on to the bare values after it, and lists in it are parts of it."""
    flat: list[Form] = []
    named: Named | None = None
    for item in items:
        named = item if isinstance(item, Named) else named
        inner = item.value if isinstance(item, Named) else item
        values = inner.items if isinstance(inner, Many) and inner.kind == "list" else (inner,)
        flat += [
            replace(named, value=value)
            if named is not None and not isinstance(value, RelationForm | Statement)
            else value
            for value in values
        ]
    if len(flat) == 1:
        return flat[0]
    flat = _name_function(flat)
    names = [item for item in flat if isinstance(item, Named)]
    if len(names) == len(flat) and len({_base_name(item.name) for item in names}) == 1:
        base = _base_name(names[0].name)
        indexed = tuple(item.name for item in names) if names[0].name != base else ()
        return Named(base, Many("list", tuple(item.value for item in names)), Tree(base), indexed)
    return Many("list", tuple(flat))


def _name_function(items: list[Form]) -> list[Form]:
    """Return what is said of `f` as said of `f(x)` where that is among the names."""
    calls = {
        item.subject.children[0].label: item
        for item in items
        if isinstance(item, Named) and item.subject.label == "call"
    }
    return [
        replace(item, name=calls[item.name].name, subject=calls[item.name].subject)
        if isinstance(item, Named) and item.name in calls
        else item
        for item in items
    ]


_PRIMED_ROOTS = ("x'", "x''")
"""Names of the roots of an equation in x."""


def _base_name(name: str) -> str:
    """A name without its number: `x_1` and `x_2` are two values of x, as are `x'` and `x''`."""
    if name in _PRIMED_ROOTS:
        return _PRIMED_ROOTS[0][0]
    base, _, index = name.rpartition("_")
    return base if base and index.isdigit() else name


def _set_of(parts: Sequence[Tree]) -> Form:
    members = _make_list([form_of(part) for part in parts])
    members = members.value if isinstance(members, Named) else members
    listed = members.items if isinstance(members, Many) and members.kind == "list" else (members,)
    if any(isinstance(one, SetOfSets) or (isinstance(one, Many) and one.kind == "set") for one in listed):
        return SetOfSets(listed)
    return Many("set", listed)


def _take_family(parts: Sequence[Tree]) -> Tree | None:
    """Return `{2k + 1, k ∈ ℤ}` as all values for such integers; None for a set that lists its members."""
    if len(parts) != 2 or parts[1].label != "in" or parts[1].children[1].label not in INTEGERS:
        return None
    letter = parts[1].children[0].label
    return Tree("such", tuple(parts)) if letter in free_variables(parts[0]) else None


def _take_points(tree: Tree) -> Tree | None:
    """Return `(a, 2a) if a ≠ 0` as all such points; None for values by cases."""
    if len(tree.children) != 2 or tree.children[0].label not in ("tuple", "matrix"):
        return None
    point, condition = tree.children
    about = free_variables(condition)
    return Tree("such", tree.children) if about and about <= free_variables(point) else None


def _join_sets(tree: Tree) -> Form:
    """Unions and differences of sets of the line; of sets that have only names, what is said as a whole."""
    whole, other = map(form_of, tree.children)
    if not all(isinstance(_as_interval(one), SetForm | Many) for one in (whole, other)):
        return Statement(tree)
    whole, other = _as_interval(whole), _as_interval(other)
    if tree.label == "without":
        return Without(whole, other)
    parts = [part for one in (whole, other) for part in (one.parts if isinstance(one, Union) else (one,))]
    return Union(tuple(parts))


def _as_interval(form: Form) -> Form:
    if isinstance(form, Many) and form.kind == "tuple" and len(form.items) == 2:
        return IntervalForm(form.items[0], form.items[1], (False, False))
    return form


# ---- relations


def _write_event(tree: Tree) -> str:
    """Write an event as the name of its probability has it: `X=2`, `A|B`, `A∩B`."""
    label, parts = (
        (tree.children[0].label, tree.children[1:]) if tree.label == "call" else (tree.label, tree.children)
    )
    if not parts:
        return label
    if label == "given":
        return f"|{','.join(map(_write_event, parts))}"
    signs = {"union": "∪", "intersection": "∩"}
    return f"{_write_event(parts[0])}{signs.get(label, label)}{''.join(map(_write_event, parts[1:]))}"


def subject_name(tree: Tree) -> str:
    """Return the name that a term is: `x`, `f(x)`, `AB`, `(p,q)`, `dy/dx`; "" for anything else."""
    label, parts = tree.label, tree.children
    if not parts:
        named = label[:1].isalpha() or label[:1] in "∠Δ"
        return label if label and named and label not in ("inf", "pi", "set", *NUMBER_SETS[1::2]) else ""
    if label == "call" and parts[0].label in PROBABILITIES and any(part.children for part in parts):
        return f"{parts[0].label}({''.join(map(_write_event, parts[1:]))})"
    if label == "call" and not any(part.children for part in parts):
        return f"{parts[0].label}({','.join(part.label for part in parts[1:])})"
    if label == "call" and len(parts) == 2 and parts[1].label == "call" and (inner := subject_name(parts[1])):
        return f"{parts[0].label}({inner})"
    if label in ("tuple", "ratio"):
        names = [subject_name(part) for part in parts]
        return "" if not all(names) else f"({','.join(names)})" if label == "tuple" else ":".join(names)
    if label == "pow" and parts[0].label in ("σ", "sigma") and parts[1].label == "2":
        return "σ²"
    if label in ("pow", "inverse", "transpose") and (power := _name_power(tree)):
        return power
    if (
        label == "abs"
        and len(ends := "".join(parts[0].list_labels()).replace("*", "")) == 2
        and ends.isupper()
    ):
        return ends  # a length is not negative
    if label in ("det", "tr") and not parts[0].children:
        return f"{label} {parts[0].label}"
    if label == "*":
        points = _list_points(tree)
        return "".join(points) if len(points) <= _MOST_POINTS else ""
    if label == "d" and parts[1].label == "call" and not any(part.children for part in parts[1].children):
        return f"d{parts[1].children[0].label}/d{parts[0].label}"
    return ""


def _name_power(tree: Tree) -> str:
    """Return the name of the inverse or transpose of a matrix, as A^-1; "" for other powers."""
    base, *exponents = tree.children
    power = exponents[0].label if exponents else tree.label
    capital = not base.children and len(base.label) == 1 and "A" <= base.label <= "Z"
    return f"{base.label}^{power}" if capital and power in _OF_MATRICES else ""


_OF_MATRICES = ("-1", "T", "inverse", "transpose")


_MOST_POINTS = 4
"""Letters of a figure that is named by its corners."""


def _list_points(tree: Tree) -> list[str]:
    """Return the capital letters that a product is of, as AB; none for other terms."""
    if not tree.children:
        return [tree.label] if len(tree.label) == 1 and "A" <= tree.label <= "Z" else []
    if tree.label != "*":
        return []
    parts = [_list_points(part) for part in tree.children]
    return [point for part in parts for point in part] if all(parts) else []


def is_constant(tree: Tree) -> bool:
    """Return whether a term is a number: nothing in it varies."""
    if not tree.children:
        return tree.label not in ("", *NUMBER_SETS) and not free_variables(tree)
    return tree.label == "unit" or (tree.label != "call" and all(map(is_constant, tree.children)))


def is_calculation(form: Form) -> bool:
    """Return whether a form is a number that is worked out, perhaps with values of functions at numbers."""
    if not isinstance(form, Term):
        return False
    if form.value is not None or form.tree is None:
        return form.value is not None
    heads = {node.children[0].label for node in form.tree if node.label == "call"}
    return free_variables(form.tree) <= heads


def _relation_of(tree: Tree) -> Form:
    label, (left, right, *_) = tree.label, tree.children
    if label == "in":
        return _membership_of(tree)
    if label in ("subset", "congruent"):
        return RelationForm(_with_numbers(tree))
    if cases_of(tree):
        defined = put_definitions(tree)
        return _statement_of(tree) if defined is None else form_of(defined)
    if len(signed := _split_signs(tree)) > 1:
        return _conjunction_of(Tree("and", signed))
    if label in _ORDERS:
        return _solution_of(label, left, right) or RelationForm(_with_numbers(tree))
    # `= 5` has nothing on its left: it is the value.
    if left == OMITTED_SIDE:
        return form_of(right)
    if label == "approx" and not subject_name(left) and is_constant(left):
        return form_of(left)  # of what is about another the exact side counts
    # A name on either side makes it a value of that name; otherwise it is an equation, or a chain of
    # numbers whose last one is the answer.
    if name := subject_name(left):
        value = form_of(right)
        if isinstance(value, Repeated):
            return replace(value, value=Named(name, value.value, left))
        return _statement_of(tree) if isinstance(value, Statement | UnreadForm) else Named(name, value, left)
    if (name := subject_name(right)) and label == "=" and not (is_constant(left) and is_constant(right)):
        return Named(name, form_of(left), right)
    # A calculation and its result.
    if is_constant(left) or (label == "=" and left.label in _CALCULATIONS):
        return form_of(right)
    return RelationForm(_with_numbers(tree))


def _membership_of(tree: Tree) -> Form:
    left, right = tree.children
    value = form_of(right)
    if not (name := subject_name(left)):
        return RelationForm(_with_numbers(tree))
    value = value if name.startswith("(") else _as_interval(value)
    if isinstance(value, Statement):
        return _statement_of(tree)
    return (
        Named(name, value, left) if isinstance(value, SetForm | Many) else RelationForm(_with_numbers(tree))
    )


def _solution_of(label: str, left: Tree, right: Tree) -> Form | None:
    """An inequality over a name alone, or its absolute value, as the set of its values."""
    if left == OMITTED_SIDE:
        return _bound_set(label, right)
    if not (subject_name(left) or _take_absolute(left)):
        label, left, right = TURNED[label], right, left
    name, inside = subject_name(left), _take_absolute(left)
    if name and not subject_name(right):
        return Named(name, _bound_set(label, right), left)
    edge = form_of(right)
    if inside is None or label == "!=" or not isinstance(edge, Term) or edge.value is None or edge.value < 0:
        return None
    minus, closed = form_of(negate_tree(right)), label in ("<=", ">=")
    if label[0] == "<":
        return Named(subject_name(inside), IntervalForm(minus, edge, (closed, closed)), inside)
    outside = (
        IntervalForm(REALS.low, minus, (False, closed)),
        IntervalForm(edge, REALS.high, (closed, False)),
    )
    return Named(subject_name(inside), Union(outside), inside)


def _bound_set(label: str, bound: Tree) -> Form:
    """All numbers that are less than a bound, or more, or another."""
    edge, closed = form_of(bound), label in ("<=", ">=")
    below, above = (
        IntervalForm(REALS.low, edge, (False, closed)),
        IntervalForm(edge, REALS.high, (closed, False)),
    )
    return Union((below, above)) if label == "!=" else below if label[0] == "<" else above


def _take_absolute(tree: Tree) -> Tree | None:
    return tree.children[0] if tree.label == "abs" and subject_name(tree.children[0]) else None


def _conjunction_of(tree: Tree) -> Form:
    parts = _drop_reals(tree.children)
    if len(parts) == 1:
        return form_of(parts[0])
    tree = Tree("and", parts)
    if (family := split_family(tree)) is not None:
        subject, members = family
        return Named(subject.label, Many("list", tuple(map(form_of, members))), subject)
    if (counted := _count_values(parts)) is not None:
        return counted
    chained = all(
        one.children and other.children and len(one.children) > 1 and one.children[1] == other.children[0]
        for one, other in pairwise(parts)
    )
    if read_family(_with_numbers(tree)):
        return _statement_of(tree)
    if len(parts) == 2 and (between := _read_opposed_bounds(*parts)) is not None:
        return between
    if chained and all(part.label in ("=", "approx") for part in parts):
        return _chain_of(parts)
    if chained and len(parts) == 2 and (within := _read_bounds(*parts)) is not None:
        return within
    if all(part.label == "!=" for part in parts) and len({part.children[0] for part in parts}) == 1:
        name, values = subject_name(parts[0].children[0]), [form_of(part.children[1]) for part in parts]
        if name and all(isinstance(value, Term) for value in values):
            return Named(name, Without(REALS, Many("set", tuple(values))), parts[0].children[0])
    return _assignments_of(tree) or _statement_of(tree)


def _count_values(parts: tuple[Tree, ...]) -> Form | None:
    """Return the values of one name of which some count several times, as `x = 1 (double), x = 4`; None for
    other statements."""
    if not all(part.label == "=" and part.children[0] == parts[0].children[0] for part in parts):
        return None
    name = subject_name(parts[0].children[0])
    values = tuple(form_of(part.children[1]) for part in parts)
    if not name or not any(isinstance(value, Repeated) for value in values):
        return None
    return Named(name, Many("list", values), parts[0].children[0])


def _drop_reals(parts: tuple[Tree, ...]) -> tuple[Tree, ...]:
    """Return statements that hold together without `x ∈ ℝ` where another excludes values of x, and with each
    value of `x ≠ ±1` excluded on its own."""
    parts = tuple(one for part in parts for one in _split_signs(part))
    excluded = {part.children[0] for part in parts if part.label == "!="}
    kept = (
        part
        for part in parts
        if not (part.label == "in" and part.children[1] == Tree("ℝ") and part.children[0] in excluded)
    )
    return tuple(kept)


def _split_signs(tree: Tree) -> tuple[Tree, ...]:
    """Return `x ≠ ±1` as two statements; another one as it is."""
    if tree.label != "!=" or tree.children[1].list_labels().count("pm") != 1:
        return (tree,)
    return tuple(Tree("!=", (tree.children[0], _with_sign(tree.children[1], sign))) for sign in "+-")


def _chain_of(parts: Sequence[Tree]) -> Form:
    """`A = πr^2 = 9π`: what the first side is said to be, without what that is about."""
    while len(parts) > 1 and parts[-1].label == "approx":
        parts = parts[:-1]
    first, last = parts[0].children[0], parts[-1].children[1]
    sides = [part.children[0] for part in parts]
    if len(parts) > 1 and all(map(subject_name, sides)) and not subject_name(last):
        value = form_of(last)
        return _make_list([Named(subject_name(side), value, side) for side in sides])
    names = [free_variables(side) for side in (*sides, last)]
    if not subject_name(first) and any(one != names[0] for one in names if one):
        return _statement_of(Tree("and", tuple(parts)))  # (x - 1)/2 = y = z says two things
    return _relation_of(Tree(parts[0].label if len(parts) == 1 else "=", (first, last)))


def _read_bounds(one: Tree, other: Tree) -> Form | None:
    """`0 < x \\le 1` and `1 < |x| < 2` as sets of values."""
    if one.label not in _ORDERS[:4] or other.label not in _ORDERS[:4] or one.label[0] != other.label[0]:
        return None
    if one.label[0] == ">":
        swapped = (Tree(TURNED[each.label], each.children[::-1]) for each in (other, one))
        one, other = swapped
    middle, low, high = one.children[1], form_of(one.children[0]), form_of(other.children[1])
    closed = (one.label == "<=", other.label == "<=")
    if name := subject_name(middle):
        return Named(name, IntervalForm(low, high, closed), middle)
    inside = _take_absolute(middle)
    if inside is None or not isinstance(low, Term) or low.value is None or low.value < 0:
        return None
    minus = [form_of(negate_tree(side)) for side in (other.children[1], one.children[0])]
    sides = (IntervalForm(minus[0], minus[1], closed[::-1]), IntervalForm(low, high, closed))
    return Named(subject_name(inside), Union(sides), inside)


def _read_opposed_bounds(one: Tree, other: Tree) -> Form | None:
    """`x > 1 and x \\le 3` as what is between the bounds; None where these are no numbers in this order."""
    if one.label[0] == "<" and other.label[0] == ">":
        one, other = other, one
    bounded = one.label in (">", ">=") and other.label in ("<", "<=")
    if not bounded or one.children[0] != other.children[0]:
        return None
    low, high = (form_of(side.children[1]) for side in (one, other))
    values = [side.value if isinstance(side, Term) and side.unit is None else None for side in (low, high)]
    if values[0] is None or values[1] is None or values[0] >= values[1]:
        return None
    return _read_bounds(Tree(TURNED[one.label], one.children[::-1]), other)


def _assignments_of(tree: Tree) -> Form | None:
    """Equations that hold together, each of a name and its value, as what is said of each name; those of one
    name as its values; None where other statements are among them."""
    items = [form_of(part) for part in tree.children]
    equations = [
        item if isinstance(item, Named) and not isinstance(item.value, SetForm) else None for item in items
    ]
    return None if None in equations else _make_list(items)


def _disjunction_of(tree: Tree) -> Form:
    """Equations of one name as its values; solutions, each of several names, as a list of them."""
    parts = tree.children
    if all(part.label == "and" for part in parts):
        solutions = [form for part in parts if isinstance(form := form_of(part), Many)]
        named = all(isinstance(item, Named) for one in solutions for item in one.items)
        if len(solutions) == len(parts) and named:
            return Many("list", tuple(replace(one, kind="tuple") for one in solutions))
    values = _assignments_of(tree)
    return values if isinstance(values, Named) else _statement_of(tree)


def _is_definition(tree: Tree) -> bool:
    """Return whether an equation for all real numbers says what a function is: `f(t) = t` for all real t."""
    name, *ranges, body = tree.children
    everywhere = not ranges or ranges == [Tree("in", (name, Tree("ℝ")))]
    return (
        everywhere
        and body.label == "="
        and body.children[0].label == "call"
        and name in body.children[0].children
        and bool(subject_name(body.children[0]))
    )


# ---- quantities and vectors


def _quantity_of(tree: Tree) -> Form | None:
    """A term with its unit; None for other terms."""
    if tree.label not in ("*", "/", "+", "-") or "unit" not in tree.list_labels():
        return None
    number, words = _split_unit(tree)
    unit = read_unit(words) if words and number is not None else None
    if unit is None or number is None or "unit" in number.list_labels():
        return None
    return replace(term_of(number), unit=unit)


def _split_unit(tree: Tree) -> tuple[Tree | None, str]:
    """Return what stands before a unit, and the words of that; no words where there is none."""
    label, parts = tree.label, tree.children
    if label == "unit":
        return None, parts[0].label
    if label == "pow" and parts[0].label == "unit":
        return None, f"{parts[0].children[0].label}^{parts[1].label}"
    if label in ("+", "-") and len(parts) == 2 and "unit" not in parts[0].list_labels():
        # Behind a sum of numbers the unit is that of the sum: 6 + 3π cm.
        number, words = _split_unit(parts[1])
        return (Tree(label, (parts[0], number)), words) if words and number is not None else (tree, "")
    if label not in ("*", "/"):
        return tree, ""
    (above, words), (below, below_words) = map(_split_unit, parts)
    if not (words or below_words):
        return tree, ""
    words += f"{'/' if label == '/' else ' '}{below_words}" if below_words else ""
    if above is None or below is None:
        return (above if below is None else below if label == "*" else None), words
    return Tree(label, (above, below)), words


def _scale_collection(tree: Tree) -> Form | None:
    """A tuple or matrix times a number, with each of its entries times that; None for other terms."""
    scaled = _distribute(tree) if tree.label in ("*", "/") else None
    return None if scaled is None else form_of(scaled)


def _distribute(tree: Tree) -> Tree | None:
    """Return a product with one tuple or matrix as that, each of its entries multiplied."""
    label, parts = tree.label, tree.children
    if label in ("tuple", "matrix"):
        return tree
    if label not in ("*", "/") or len(parts) != 2:
        return None
    inner = [_distribute(part) for part in parts]
    if (inner[0] is None) == (inner[1] is None) or (label == "/" and inner[0] is None):
        return None
    collection, factor = (inner[0], parts[1]) if inner[0] is not None else (inner[1], parts[0])
    assert collection is not None

    def scale(entry: Tree) -> Tree:
        return Tree("/", (entry, factor)) if label == "/" else Tree("*", (factor, entry))

    if collection.label == "tuple":
        return Tree("tuple", tuple(map(scale, collection.children)))
    rows = (Tree("row", tuple(map(scale, row.children))) for row in collection.children)
    return Tree("matrix", tuple(rows))
