"""Maps of the plane in words, as `reflection in the x-axis`, and functions, as `the identity function`."""

from __future__ import annotations

from collections.abc import Sequence

from engines.grading.answer_vocabulary import map_phrases
from engines.grading.compare import AnswerComparison
from engines.grading.forms import Many, Matrix, Named
from engines.grading.meanings.sentence_items import fold_word, list_phrases
from engines.grading.messages import latex_of_form
from engines.grading.reading import read_form
from engines.grading.tokens import AnswerToken, Phrases, is_blank, join_formulas, tokenize, unwrap_texts
from engines.grading.verdicts import GradeVerdict, combine_verdicts, with_policy

_MOST_TOKENS = 60
_KINDS = map_phrases(
    (
        (
            "rotation",
            "rotation, rotate, rotates, Drehung, rotación, rotazione, поворот, 旋转, a rotation, turn",
        ),
        ("reflection", "reflection, reflect, Spiegelung, réflexion, reflexión, riflessione, symétrie"),
        ("reflection", "отражение, симметрия, axial symmetry, a reflection"),
        (
            "translation",
            "translation, translate, shift, Verschiebung, traslación, traslazione, a translation",
        ),
        ("translation", "параллельный перенос, 平移"),
        ("dilation", "dilation, dilatation, homothety, enlargement, scaling, Streckung, homothétie"),
        ("dilation", "zentrische Streckung, homotecia, гомотетия"),
        (
            "half-turn",
            "half-turn, half turn, point reflection, Punktspiegelung, symétrie centrale, point symmetry",
        ),
        (
            "half-turn",
            "reflection through the origin, reflection about the origin, reflection in the origin",
        ),
        ("identity", "identity, identity map, identity transformation"),
    )
)
_DETAILS = map_phrases(
    (
        (
            "clockwise",
            "clockwise, im Uhrzeigersinn, dans le sens horaire, en sentido horario, по часовой стрелке",
        ),
        ("counterclockwise", "counterclockwise, anticlockwise, counter-clockwise, anti-clockwise"),
        (
            "counterclockwise",
            "gegen den Uhrzeigersinn, dans le sens trigonométrique, против часовой стрелки",
        ),
        ("origin", "origin, Ursprung, origine, origen, начала координат, Koordinatenursprung"),
        ("x axis", "x-axis, x axis, horizontal axis, x-Achse, axe des abscisses, eje x, оси x, $x$-axis"),
        ("y axis", "y-axis, y axis, vertical axis, y-Achse, axe des ordonnées, eje y, оси y, $y$-axis"),
        ("right", "units to the right, unit to the right, units right, unit right, to the right, right"),
        ("left", "units to the left, unit to the left, units left, unit left, to the left, left"),
        ("up", "units up, unit up, units upward, units upwards, up, upwards, upward"),
        ("down", "units down, unit down, units downward, units downwards, down, downwards, downward"),
    )
)
_SKIPPED = Phrases(
    dict.fromkeys(
        (
            *(
                "a",
                "an",
                "the",
                "by",
                "of",
                "about",
                "around",
                "in",
                "across",
                "over",
                "through",
                "an angle of",
            ),
            *(
                "angle",
                "line",
                "with",
                "and",
                "vector",
                "factor",
                "scale factor",
                "centred at",
                "centered at",
            ),
            *(
                "center",
                "centre",
                "center at",
                "it is",
                "is",
                "um",
                "den",
                "die",
                "der",
                "das",
                "an",
                "de",
                "du",
            ),
            *(
                "degrees",
                "degree",
                "units",
                "unit",
                "mit",
                "faktor",
                "vom",
                "from",
                "at",
                "along",
                "graph",
                "axis",
            ),
            *(
                "final answer",
                "answer",
                ":",
                "*",
                "direction",
                "point",
                "transformation",
                "map",
                "plane",
                "d'angle",
                "autour",
                "l",
                "'",
                "eine",
                "un",
            ),
            *(
                "une",
                "una",
                "por",
                "alrededor",
                "del",
                "at the",
                "des",
                "zentrum",
                "winkel",
                "gerade",
                "droite",
            ),
        ),
        "",
    )
)


def read_map(text: str) -> tuple[str, str] | None:
    r"""Return the image of (x, y) under the map of the plane that a text describes or states as a formula;
    None for other texts.

    >>> read_map("reflection across the $x$-axis"), read_map(r"(x,y)\mapsto(-y,x)")
    (('x', '-(y)'), ('-y', 'x'))
    """
    plain = text.strip(" .")
    for arrow in ("\\mapsto", "↦", "\\to", "→"):
        if arrow in plain:
            return _read_image(plain.strip("$"), arrow)
    tokens = [
        token
        for token in unwrap_texts(join_formulas(plain, tokenize(plain)))
        if not is_blank(token) and token.text != "$"
    ]
    return _describe_image(tokens) if len(tokens) < _MOST_TOKENS else None


def _read_image(text: str, arrow: str) -> tuple[str, str] | None:
    before, _, behind = text.partition(arrow)
    if "".join(before.split()).rpartition("(")[2] != "x,y)" or not behind.strip().startswith("("):
        return None
    inside = behind.strip()[1:].rpartition(")")[0]
    depth = 0
    for at, char in enumerate(inside):
        depth += (char in "([{") - (char in ")]}")
        if char == "," and not depth:
            return inside[:at].strip(), inside[at + 1 :].strip()
    return None


def _describe_image(tokens: Sequence[AnswerToken]) -> tuple[str, str] | None:
    """Return the image under a map in words."""
    kind = ""
    details: list[str] = []
    formulas: list[str] = []
    at = 0
    while at < len(tokens):
        if (named := _KINDS.match(tokens, at)) is not None and not kind:
            at, kind = named
        elif (detail := _DETAILS.match(tokens, at)) is not None:
            at = detail[0]
            details.append(detail[1])
            if detail[1] in _STEPS and formulas:
                formulas[-1] = f"{detail[1]} {formulas[-1]}"
        elif (behind := _find_axis_end(tokens, at)) is not None:
            details.append(f"{tokens[at].text} axis")
            at = behind
        elif (skipped := _SKIPPED.match(tokens, at)) is not None:
            at = skipped[0]
        elif tokens[at].kind == "word" and len(tokens[at].text) > 1:
            return None
        elif tokens[at].text in (",", ";") or _is_hyphen(tokens, at):
            at += 1
        else:
            end = at + 1
            depth = 0
            if tokens[at].kind != "formula":
                for end in range(at, len(tokens) + 1):
                    token = tokens[end] if end < len(tokens) else None
                    if (
                        token is None
                        or (token.kind == "word" and len(token.text) > 1)
                        or token.kind == "formula"
                    ):
                        break
                    depth += (token.text in "([{") - (token.text in ")]}")
                    if depth == 0 and token.text in ",;":
                        break
            formulas.append("".join(token.text for token in tokens[at:end]))
            at = max(end, at + 1)
    return _make_image(kind, details, formulas)


def _is_hyphen(tokens: Sequence[AnswerToken], at: int) -> bool:
    behind = tokens[at + 1] if at + 1 < len(tokens) else None
    return tokens[at].text == "-" and behind is not None and behind.kind == "word" and len(behind.text) > 1


def _find_axis_end(tokens: Sequence[AnswerToken], at: int) -> int | None:
    """Return the index behind `x-axis`; None where it does not begin."""
    behind = at + 1 + (at + 1 < len(tokens) and _is_hyphen(tokens, at + 1))
    named = behind < len(tokens) and tokens[behind].text.lower() in _AXES
    return behind + 1 if named and tokens[at].text in ("x", "y") else None


_STEPS = {"right": (1, 0), "left": (-1, 0), "up": (0, 1), "down": (0, -1)}
_AXES = ("axis", "achse")


def _make_image(kind: str, details: Sequence[str], formulas: list[str]) -> tuple[str, str] | None:
    if kind == "identity" and not formulas:
        return "x", "y"
    if kind == "translation":
        return _shift(formulas)
    centre = ("0", "0")
    points = [one for one in formulas if one.strip().startswith("(") and "," in one]
    if len(points) == 1:
        inside = points[0].strip()[1:-1].split(",")
        centre = inside[0], inside[1]
        formulas.remove(points[0])
    elif points or (kind in ("rotation", "dilation") and "origin" not in details and kind == "rotation"):
        return None
    a, b = centre
    if kind == "half-turn" and not formulas:
        return f"2({a})-x", f"2({b})-y"
    if kind == "rotation" and len(formulas) == 1:
        sign = "-" if "clockwise" in details else ""
        angle = f"{sign}({_in_degrees(formulas[0])})"
        cos, sin = rf"\cos({angle})", rf"\sin({angle})"
        return f"({a})+{cos}(x-({a}))-{sin}(y-({b}))", f"({b})+{sin}(x-({a}))+{cos}(y-({b}))"
    if kind == "dilation" and len(formulas) == 1:
        return f"({a})+({formulas[0]})(x-({a}))", f"({b})+({formulas[0]})(y-({b}))"
    return _reflect(details, formulas) if kind == "reflection" and centre == ("0", "0") else None


def _in_degrees(angle: str) -> str:
    """Return an angle with its sign; a bare integer is in degrees."""
    return (
        rf"{angle}^\circ"
        if angle.isdecimal() and int(angle) > _MOST_RADIANS
        else angle.replace("°", r"^\circ")
    )


_MOST_RADIANS = 7


def _shift(formulas: Sequence[str]) -> tuple[str, str] | None:
    if len(formulas) == 1 and formulas[0].startswith("(") and formulas[0].count(",") == 1:
        across, up = formulas[0][1:-1].split(",")
        return f"x+({across})", f"y+({up})"
    vector = read_form(formulas[0]) if len(formulas) == 1 else None
    if isinstance(vector, Matrix) and [len(row) for row in vector.rows] == [1, 1]:
        steps = [latex_of_form(row[0]) for row in vector.rows]
        return f"x+({steps[0]})", f"y+({steps[1]})"
    images = ["x", "y"]
    for formula in formulas:
        step, _, size = formula.partition(" ")
        if step not in _STEPS:
            return None
        for at, sign in enumerate(_STEPS[step]):
            if sign:
                images[at] += f"{'+' if sign > 0 else '-'}({size})"
    return (images[0], images[1]) if formulas else None


def _reflect(details: Sequence[str], formulas: Sequence[str]) -> tuple[str, str] | None:
    axes = [detail for detail in details if detail.endswith("axis")]
    if len(axes) == 1 and not formulas:
        return ("x", "-(y)") if axes[0] == "x axis" else ("-(x)", "y")
    if axes or len(formulas) != 1 or details:
        return None
    name, equal, value = formulas[0].replace(" ", "").partition("=")
    if not equal or name not in ("x", "y"):
        return None
    if name == "y" and value in ("x", "-x", "−x"):
        return ("y", "x") if value == "x" else ("-(y)", "-(x)")
    if "x" in value or "y" in value:
        return None
    return (f"2({value})-x", "y") if name == "x" else ("x", f"2({value})-y")


def compare_maps(gold: str, pred: str, comparison: AnswerComparison) -> GradeVerdict | None:
    """Compare two maps of the plane by the image of (x, y); None where one text describes none."""
    mine = read_map(gold)
    theirs = read_map(pred) if mine is not None else None
    if mine is None or theirs is None:
        return None
    pairs = zip(mine, theirs, strict=True)
    compared = combine_verdicts(comparison.compare(read_form(one), read_form(other)) for one, other in pairs)
    return with_policy(compared, "maps are compared by the image of a point")


_FUNCTIONS = Phrases(
    {
        phrase: formula
        for formula, group in (
            (
                "x",
                "identity function, identity, identity map, identische Funktion, Identität",
            ),
            ("x", "fonction identité"),
            ("x", "función identidad, функция тождественная, funzione identità, 恒等函数, 恒等写像"),
            (
                "0",
                "zero function, zero map, constant zero function, Nullfunktion, fonction nulle, función nula",
            ),
            ("0", "constant function zero, constant function 0, identically zero function, 零函数"),
            ("1", "constant function 1, constant function one, constant one function"),
            ("x^2", "squaring function, square function"),
            ("|x|", "absolute value function, Betragsfunktion"),
            ("-x", "negation, negative of the identity function"),
        )
        for phrase in list_phrases(group)
    }
)
_FUNCTION_LEADS = Phrases(
    dict.fromkeys(
        list_phrases(
            "the only solutions are, the solutions are, the only solution is, only, solutions are"
            ", the, f is, it is, they are, is, are, both, exactly, solutions, solution, functions"
            ", solution is, function f is"
            ", die, der, und die, la, el, les, le, only functions are, functions are, f, namely, identically"
        ),
        "",
    )
)
_JOINS = (",", "and", "or", "und", "et", "y", "e", "и", ";", ":")


def _list_functions(text: str) -> list[str] | None:
    """Return the values at x of functions that a text names, each as a formula; None for other texts."""
    plain = text.strip(" .$")
    tokens = [
        token._replace(text=fold_word(token.text))
        for token in unwrap_texts(join_formulas(plain, tokenize(plain)))
        if not is_blank(token)
    ]
    found: list[str] = []
    at = 0
    while at < len(tokens):
        if (named := _FUNCTIONS.match(tokens, at)) is not None:
            at = named[0]
            found.append(named[1])
        elif (lead := _FUNCTION_LEADS.match(tokens, at)) is not None:
            at = lead[0]
        elif tokens[at].text in _JOINS:
            at += 1
        else:
            return None
    return found or None


def compare_functions(gold: str, pred: str, comparison: AnswerComparison) -> GradeVerdict | None:
    """Compare functions in words with formulas for them; None where neither side is in words."""
    listed = [_list_functions(side) for side in (gold, pred)]
    if listed[0] is None and listed[1] is None:
        return None
    forms = []
    for functions, text in zip(listed, (gold, pred), strict=True):
        if functions is not None:
            items = tuple(read_form(function) for function in functions)
            forms.append(items[0] if len(items) == 1 else Many("list", items))
            continue
        form = read_form(text.strip(" .$"))
        if not isinstance(form, Named) or not form.name.endswith("(x)"):
            return None
        forms.append(form.value)
    return with_policy(comparison.compare(forms[0], forms[1]), "functions are compared by their values")
