"""Settings of E-Gen's generation: families of operators and forms, weights, limits, modes and orders."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any, Literal

from engines.core.errors import EngineError
from engines.core.expression_language import HYPERBOLIC, TRIGONOMETRIC, show_controls
from engines.core.spec import Arg, Flat, make_refusal
from engines.mathematics.verification.verdicts import MemberOutcome

# How much the families of rules weigh where terms are drawn: `hyperbolic=0.2, inverse trig=0.5`.
#
# A family of the rule table brings operators of its own, and the weight of a term is the product of the
# weights of its operators; what is not named weighs 1. Among terms of one length and one weight the drawing
# is uniform.

FAMILIES: dict[str, tuple[str, ...]] = {
    "arithmetic": ("+", "-", "*", "/"),
    "power": ("pow", "sqrt", "abs"),
    "logarithm": ("ln", "log"),
    "trig": TRIGONOMETRIC,
    "inverse trig": tuple(f"a{name}" for name in TRIGONOMETRIC),
    "hyperbolic": HYPERBOLIC,
    "inv hyperbolic": tuple(f"a{name}" for name in HYPERBOLIC),
    "derivative": ("d",),
}
"""The operators that the rules of a family bring; families by their first words in the rule table."""
FORMS = (
    *("expand", "factor", "common denominator", "partial fractions", "square completed", "Horner"),
    *("conjugate", "roots", "multiple angles", "half angles", "powers reduced", "sum to product"),
    *("double angle", "squares", "tangent", "sines and cosines", "exponential form", "logarithms"),
    *("logarithmic form", "arctangents", "inverse functions", "absolute value", "derivative", "symmetric"),
)
"""The families of classical forms (`algebra.classical`)."""


def families_of(forms: str) -> tuple[str, ...]:
    """Return the families that a setting names: `all`, `none`, or some with commas between them.

    Empty is what there was before forms had a setting: the head multiplied out and factored.

    Raises:
        EngineError: E457.

    >>> families_of("factor, Horner"), families_of("none")
    (('factor', 'Horner'), ())
    """
    if not forms:
        return ("multiplied out",)
    if forms in ("all", "none"):
        return FORMS if forms == "all" else ()
    names = tuple(filter(None, map(str.strip, forms.split(","))))
    for name in names:
        if name not in FORMS:
            what = f"{show_controls(name)[:60]!r} is not a family of forms"
            raise make_refusal(what, "E457", f"Write all, none, or some of {', '.join(FORMS)}.")
    return names


# Weights multiply along a term, so extreme ones would leave a single term that is ever drawn.
_LEAST, _MOST = 1e-3, 1e3
_PART = re.compile(r"([a-z ]+?)\s*[=:]\s*(\S+)\Z")


def read_weights(text: str) -> dict[str, float]:
    """Return the weight of every family that weighs something else than 1.

    Raises:
        EngineError: E457.

    >>> read_weights("trig = 1, hyperbolic=.2, power=3")
    {'hyperbolic': 0.2, 'power': 3.0}
    """
    results: dict[str, float] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        match = _PART.match(part)
        if match is None or match[1] not in FAMILIES:
            raise _unreadable_error(part)
        try:
            weight = float(match[2])
        except ValueError:
            raise _unreadable_error(part) from None
        if math.isnan(weight) or not _LEAST <= weight <= _MOST:
            raise _unreadable_error(part)
        results[match[1]] = weight
    return {name: weight for name, weight in sorted(results.items()) if weight != 1}


def normalise_family_weights(text: str) -> str:
    """Normalise the text of weights of families: `name=weight`, by name, separated by commas."""
    return ", ".join(f"{name}={weight!r}" for name, weight in read_weights(text).items())


def _unreadable_error(part: str) -> EngineError:
    what = f"{show_controls(part)[:60]!r} is not a family's weight"
    remedy = f"Write hyperbolic=0.2, power=3: from {_LEAST} to {_MOST:g}, of {', '.join(FAMILIES)}."
    return make_refusal(what, "E457", remedy)


Assume = Annotated[
    str, Arg("Assumptions: x > 0, n integer, a != 0, -1 < x < 1.", shown="nothing", words=True)
]
AssumeAny = Annotated[
    str,
    Arg("Assumptions: x > 0, n integer, a != 0, -1 < x < 1; for logic p -> q.", shown="nothing", words=True),
]
"""The same where the theory can be chosen."""
FamilyWeights = Annotated[
    str | None,
    Arg(
        "Relative weight of a rule family's operators, from 0.001: hyperbolic=0.2, inverse trig=0.5.",
        shown="1 each",
        words=True,
    ),
]
"""Of `FAMILIES`; None is what a begun corpus has, and else no weights."""
NodeLimit = Annotated[int, Arg("The largest e-graph.", low=1, hidden=True)]
IterationLimit = Annotated[int, Arg("The most rounds of growth.", low=1, hidden=True)]
TimeLimit = Annotated[float, Arg("The longest growth, in seconds of work.", low=0, hidden=True)]
OwnRules = Annotated[
    Path | None,
    Arg(
        "Also use these rules, which are checked first: TOML, lines `left -> right`, or a table.",
        metavar="FILE",
    ),
]
"""A file that `rules.own` reads."""
MAX_MEMBERS = 1_000_000
"""More members of one head are refused: they would not fit into memory."""
FEW = 100
"""So many members are put into an interesting order; what comes after them is not."""
MAX_TOKENS = 128
"""Longer members are refused: drawing takes long, and the numbers of terms come near the largest doubles."""
Mode = Literal["strict", "common", "paper"]
"""strict: members equal wherever the head is defined, up to isolated points. common: equal wherever both are
defined, and that is somewhere. paper: anything that does not disagree on the reals, as E-Gen published."""
Style = Literal["plain", "distinct", "any"]
"""plain: members without detours (`detour_free_egraph` and `syntactic_detours`) that have a value
wherever the head has one, the head multiplied out and factored, and a few written ones for heads that no rule
gives another form. distinct: the same, where members that differ by signs
or by undoing a function (`canonical.Canonical`) count as one. any: whatever the rules give."""
Holes = Annotated[
    bool,
    Arg("Also members without a value at single points where EXPR has one, after the others."),
]
"""Of the styles `plain` and `distinct`; `any` has them among the others."""
StyleChoice = Annotated[
    Style | None,
    Arg(
        "plain: without detours such as tan(acot u). distinct: one of sin(3-u) and -sin(u-3). any: all.",
        shown="plain, or any for paper",
    ),
]
TheoryName = Annotated[
    str,
    Arg("Theory of the expressions: reals, logic, another theory's name, or FILE.toml.", metavar="NAME|FILE"),
]
"""What `theories.registry.theory_text` takes."""
Order = Literal["interesting", "shortest", "readable", "random"]
"""How members are listed. interesting: each as unlike those before it as can be (`order_by_novelty`), out of
more than are asked for. readable: first those with fewest functions that the head has not, then those least
nested, then the shortest."""
ACCEPTED: dict[Mode, frozenset[MemberOutcome]] = {
    "strict": frozenset({"equal", "extends"}),
    "common": frozenset({"equal", "extends", "shrinks"}),
    "paper": frozenset({"equal", "extends", "shrinks", "nowhere", "undecided"}),
}
"""Which verdicts make a member, by mode; `shrinks` needs a common point."""
SplitName = Literal["paper", "shapes"]
Layout = Literal["blocks", "jsonl", "csv", "parquet", "dataset"]
"""How a corpus is written. blocks: lines, as E-Gen published. jsonl: an object a cluster, with verdicts and
split too. The others have a row for each expression, with cluster, verdict and split; dataset is a folder."""
StopReason = Literal[
    "saturated", "iteration_limit", "node_limit", "memory_limit", "time_limit", "contradiction", "stopped"
]


@dataclass(frozen=True, slots=True)
class Limits:
    """When growth ends. Iterations and nodes decide the result; time and memory are safety stops. The time is
    the processor's, so that other work on the machine changes nothing."""

    iterations: IterationLimit = 12
    nodes: NodeLimit = 3_000
    time_s: TimeLimit = 10.0
    memory_bytes: int = 2 * 2**30


@dataclass(frozen=True, slots=True, kw_only=True)
class EgenConfig:
    """All that determines the cluster of a head, with the versions of rule table and libraries."""

    members: Annotated[int, Arg("How many members to generate.", low=1, high=MAX_MEMBERS)] = 1_000
    max_tokens: Annotated[int, Arg("Longest member, in tokens.", low=1, high=MAX_TOKENS)] = 25
    mode: Annotated[
        Mode,
        Arg("strict: equal wherever EXPR is defined. common: wherever both are. paper: as in the paper."),
    ] = "strict"
    padding: Annotated[bool, Arg("Allow * 1, + 0, double negation …")] = False
    seed: Annotated[int, Arg("Seed for members and points.", low=0)] = 0
    limits: Annotated[Limits, Flat()] = field(default_factory=Limits)
    style: Style = "any"
    theory: TheoryName = "reals"
    assume: AssumeAny = ""
    weights: str = ""
    forms: str = ""
    order: Order = "shortest"
    rules: str = ""
    holes: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Return the configuration for a plan, a manifest or JSON.

        Style, theory, assumptions, weights, forms, order, rules and holes are left out where they have the
        value that held before there was such a setting, so that older documents stay comparable.
        """
        document = asdict(self)
        before: dict[str, Any] = {"style": "any", "theory": "reals", "order": "shortest", "holes": True}
        before |= dict.fromkeys(("assume", "weights", "forms", "rules"), "")
        return {name: value for name, value in document.items() if before.get(name, ...) != value}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> EgenConfig:
        """Return the configuration of what `to_dict` returned.

        Raises:
            KeyError, TypeError: For anything else.
        """
        return cls(**{**document, "limits": Limits(**document["limits"])})


CORPUS_CONFIG = EgenConfig(members=120, limits=Limits(nodes=1_000))
"""What a corpus is built with unless asked otherwise. 120 members need no larger e-graphs than this; those of
a single expression, where a thousand are asked for, may grow to three times as much."""


def style_of(mode: Mode) -> Style:
    """Return the style unless asked otherwise: plain, but in the paper's mode, which draws what the paper's
    does.
    """
    return "any" if mode == "paper" else "plain"


def head_seed(seed: int, head: str) -> int:
    """Return a head's own seed (below 2^63) in a corpus: from the corpus seed and the head, never from
    order.
    """
    return int.from_bytes(blake2b(f"{seed}|{head}".encode(), digest_size=8).digest()) >> 1
