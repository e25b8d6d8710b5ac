"""Generating: expressions equal to one, each verified."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

from engines.core.events import Sink, Stop, ignore, never
from engines.core.expression_language import VARIABLE, to_prefix, variables_of
from engines.core.spec import Arg, Flat, make_refusal, specification
from engines.egen.records import Cluster, Member
from engines.egen.settings import (
    ACCEPTED,
    FEW,
    EgenConfig,
    FamilyWeights,
    Holes,
    Mode,
    Order,
    OwnRules,
    Style,
    StyleChoice,
    families_of,
    normalise_family_weights,
    style_of,
)
from engines.egen.theories.registry import theory_of, theory_text
from engines.egen.theories.theory import Theory
from engines.formula.reader import Notation
from engines.mathematics.assumptions import order_variables, read_assumptions


@specification
class Generate:
    """Grow an e-graph from an expression, sample equal expressions from it and verify each one."""

    expr: Annotated[str, Arg("Infix, LaTeX or prefix; may begin with -.", metavar="EXPR", words=True)]
    notation: Annotated[Notation, Arg("How EXPR is written.")] = "auto"
    config: Annotated[EgenConfig, Flat()] = EgenConfig()
    """What is asked for; `complete_config` adds what follows from it and from the settings below."""
    style: StyleChoice = None
    weights: FamilyWeights = None
    rules: OwnRules = None
    forms: Annotated[
        str | None,
        Arg(
            "Families of classical forms that members may grow from: all, none, or names.",
            shown="all",
            words=True,
        ),
    ] = None
    order: Annotated[
        Order | None,
        Arg(
            "interesting: each as different as possible from the earlier ones. "
            "readable: functions of EXPR and little nesting first. "
            "random: shuffled by the seed.",
            shown=f"interesting up to {FEW} members, then shortest",
        ),
    ] = None
    holes: Holes = False
    out: Annotated[Path | None, Arg("Also write the JSON document to this file.", writes=True)] = None

    if TYPE_CHECKING:  # checkers see no flat settings

        def __init__(self, expr: str, notation: Notation = "auto", **settings: Any) -> None: ...

    def __post_init__(self) -> None:
        theory = self.config.theory
        if self.weights and theory != "reals":
            what = f"the rules of {theory} have no families to weigh"
            raise make_refusal(what, "E457", "Leave out --weights.")
        if self.rules and theory != "reals":
            raise make_refusal(f"{theory} takes no further rules", "E427", "Leave out --rules.")
        families_of(self.forms or "")

    @property
    def listing(self) -> Order:
        """The order that is meant: only real functions without detours have interesting members."""
        usual: Order = "interesting" if self.config.members <= FEW else "shortest"
        order = self.order or usual
        return "shortest" if order == "interesting" and not self._plain else order

    @property
    def _plain(self) -> bool:
        return self.config.theory == "reals" and self._style != "any"

    @property
    def _style(self) -> Style:
        return self.style or style_of(self.config.mode)

    def complete_config(self) -> EgenConfig:
        """Return all that determines the cluster: files of rules and theories are read, defaults settled.

        Raises:
            EngineError: If a file of rules or a theory cannot be used.
        """
        own = ""
        if self.rules:
            from engines.egen.rules.user_rules import checked_rules

            own = checked_rules(self.rules)
        return replace(
            self.config,
            style=self._style,
            theory=theory_text(self.config.theory),
            weights=normalise_family_weights(self.weights or ""),
            rules=own,
            forms=(self.forms or "all") if self._plain else "",
            holes=self.holes or not self._plain,
            order="interesting" if self.listing == "interesting" else "shortest",
        )


def generate(spec: Generate | str, *, events: Sink = ignore, stop: Stop = never, **settings: Any) -> Cluster:
    """Return the cluster of an expression; a stop keeps what there is.

    Args: spec: or an expression, with settings of `Generate`. events: `progress` of stage `grow` (nodes,
    classes, seconds; its step is the iteration), then of stage `members` (done, total, unit, and as `members`
    those that came, in prefix notation, unordered).
    Raises: ExpressionError for what is no expression or divides by zero everywhere, EngineError E210 or E211
    when a rule is wrong.

    >>> cluster = generate("sin(2*x) + 3", members=3, nodes=200)
    >>> len(cluster.members)
    3
    >>> sorted({member.verdict.outcome for member in cluster.members})
    ['equal']
    """
    from engines.egen.egraph.process import shared_process

    spec = Generate(spec, **settings) if isinstance(spec, str) else spec
    # It loads the rules while this process loads what reads the expression.
    shared_process().warm_up()
    config = spec.complete_config()
    head = theory_of(config.theory, config.assume).read_term(spec.expr, spec.notation)
    cluster = shared_process().generate(head, config, events=events, stop=stop)
    cluster = replace(cluster, members=_sort_for_listing(cluster, spec.listing))
    if spec.out is not None:
        from engines.core.files import write_json

        write_json(spec.out, cluster_document(cluster))
    return cluster


def _sort_for_listing(cluster: Cluster, order: Order) -> tuple[Member, ...]:
    """Return the members in an order of those that need only the members themselves.

    A cluster comes with the shortest first, or in the order `interesting`, for which `member_selection`
    chooses among more members than it returns, by `order_by_novelty`.
    """
    if order == "random":
        members = list(cluster.members)
        random.Random(cluster.config.seed).shuffle(members)
        return tuple(members)
    if order == "readable":
        theory = theory_of(cluster.config.theory, "")
        unary = {label for label, count in theory.arity.items() if count == 1} - set(
            cluster.head.list_labels()
        )

        def effort_of(member: Member) -> tuple[int, int]:
            return sum(label in unary for label in member.tree.list_labels()), member.tree.depth

        return tuple(sorted(cluster.members, key=effort_of))
    return cluster.members


def cluster_document(cluster: Cluster) -> dict[str, Any]:
    """Return a cluster for JSON: head, members, stats and config.

    A member's `gained` is present if it is also defined where the head is not, though it has lost some of
    the head's domain; `holes`, in the styles `plain` and `distinct`, if it has no value at single points
    where the head has one.
    """
    stats, theory = cluster.stats, theory_of(cluster.config.theory, "")
    names = set[str]()
    if cluster.config.theory == "reals":
        names = variables_of(cluster.head) | read_assumptions(cluster.config.assume).variables
    return {
        "head": to_prefix(cluster.head),
        **({"variables": list(order_variables(names))} if names - {VARIABLE} else {}),
        "members": [
            _to_row(member, theory, holes=cluster.config.style != "any") for member in cluster.members
        ],
        "stats": {
            **asdict(stats),
            **{name: round(getattr(stats, name), 4) for name in ("grow_s", "sample_s", "verify_s")},
        },
        "config": cluster.config.to_dict(),
    }


def without_members(document: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return why a cluster came out without members, and what to change.

    Args: document: of it. Returns: a clause, and the settings of `Generate` with which there may be some.

    >>> stats = {"stop_reason": "saturated", "total_members": 0}
    >>> without_members({"head": "+ x 1", "stats": stats, "config": {"max_tokens": 2, "mode": "strict"}})
    ('it has 3 tokens, and nothing equal to it has 2 or fewer', {'max_tokens': 3})
    """
    stats, config = document["stats"], document["config"]
    length, most, mode = len(document["head"].split()), config["max_tokens"], config["mode"]
    dropped = {reason: number for reason, number in stats.get("dropped", {}).items() if number}
    forms = {"same form", "padding", "detour"}
    # The causes are tried in order, from the growth of the e-graph to the judging of its terms.
    if stats["stop_reason"] in ("stopped", "time_limit", "memory_limit") and not stats["total_members"]:
        how = stats["stop_reason"].replace("_", " ")
        return f"growth ended before any could be sampled ({how})", {}
    if not stats["total_members"] and length > most:
        what = f"nothing equal to it has {most} or fewer"
        return f"it has {length} tokens, and {what}", {"max_tokens": length}
    style = config.get("style", "any")
    if not stats["total_members"]:
        wider = {} if style == "any" else {"style": "any"}
        return f"nothing of style {style} equal to it has {most} tokens or fewer", wider
    if "holes" in dropped and not config.get("holes", True):
        return "all other forms have no value at points where it has one", {"holes": True}
    if not dropped:
        return "it has no value, or none that can be computed, at almost all points", {}
    # Only forms that are the same up to trivial changes were found.
    if set(dropped) <= forms:
        plain = style == "any" and config.get("theory", "reals") == "reals"
        padded = {} if config.get("padding") else {"padding": True}
        return "no rule gives it another form", {"style": "plain"} if plain else padded
    left_out = ", ".join(f"{number:,} {reason}" for reason, number in dropped.items())
    modes = get_args(Mode)
    # Look for the next wider mode that accepts what this one has dropped.
    kept = (wide for wide in modes[modes.index(mode) + 1 :] if ACCEPTED[wide] & {*dropped})
    wider = next(({"mode": wide} for wide in kept), {})
    return f"mode {mode} excludes all other forms ({left_out})", wider


def _to_row(member: Member, theory: Theory, *, holes: bool) -> dict[str, Any]:
    verdict = member.verdict
    row: dict[str, Any] = {
        "prefix": member.prefix,
        "infix": theory.to_infix(member.tree),
        "tokens": member.tokens,
        "verdict": verdict.outcome,
        "kept": verdict.kept_share,
    }
    if verdict.gained:
        row["gained"] = True
    if verdict.exceptional_text:
        row["except"] = verdict.exceptional_text
    if holes and verdict.exceptional_points.has_holes:
        row["holes"] = True
    if member.by:
        row["by"] = member.by
    return row
