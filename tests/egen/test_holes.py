"""Members of the style `plain` have a value wherever the head has one; others are an option."""

from __future__ import annotations

from collections.abc import Iterator

import mpmath
import pytest

from engines.core.expression_language import LETTERS
from engines.egen.egraph.growth import EGraphRunner
from engines.egen.egraph.holes import remove_holes
from engines.egen.egraph.member_selection import grow_cluster
from engines.egen.generation import cluster_document, without_members
from engines.egen.records import Cluster
from engines.egen.settings import EgenConfig, Limits
from engines.egen.theories.registry import theory_of
from engines.formula.reader import read_expression
from tests.mathematics.point_values import DIGITS, value_at

LIMITS = Limits(nodes=800)
with mpmath.workdps(DIGITS):
    SPECIAL = [mpmath.mpf(n) for n in (0, 1, -1, 2, -2)]
    SPECIAL += [n * mpmath.pi / 4 for n in (-4, -2, -1, 1, 2, 3, 4)]


def grown(head: str, *, holes: bool, members: int = 150) -> Cluster:
    tree = read_expression(head, "auto", LETTERS)
    config = EgenConfig(members=members, limits=LIMITS, style="plain", forms="all", holes=holes)
    theory = theory_of("reals", "", tree)
    return grow_cluster(tree, config, grower=EGraphRunner("strict", theory=theory))


@pytest.fixture(autouse=True)
def many_digits() -> Iterator[None]:
    with mpmath.workdps(DIGITS):
        yield


@pytest.mark.slow
@pytest.mark.parametrize("head", ["x*exp(-x^2)", "sin(2*x)+3", "x/(x^2-1)"])
def test_members_have_values_at_special_points(head: str) -> None:
    cluster = grown(head, holes=False)
    assert cluster.members
    for x in SPECIAL:
        wanted = value_at(cluster.head, {"x": x})
        for member in cluster.members if wanted is not None else ():
            found = value_at(member.tree, {"x": x})
            assert found is not None, (member.prefix, x)
            assert abs(found - wanted) < 1e-9, (member.prefix, x)


def test_members_with_holes_come_after_the_others_and_are_counted() -> None:
    cluster = grown("sin(2*x)+3", holes=True)
    rows = cluster_document(cluster)["members"]
    holed = [row.get("holes", False) for row in rows]
    assert sorted(holed) == holed
    assert {True, False} == set(holed)
    for row, member in zip(rows, cluster.members, strict=True):
        values = [value_at(member.tree, {"x": x}) for x in SPECIAL]
        assert row.get("holes") or None not in values


def test_a_head_that_has_only_forms_with_holes_says_so() -> None:
    config = EgenConfig(style="plain", holes=False).to_dict()
    stats = {"stop_reason": "saturated", "total_members": 5, "dropped": {"holes": 5}}
    assert without_members({"head": "x", "stats": stats, "config": config})[1] == {"holes": True}


def test_terms_without_a_value_at_a_point_leave_the_egraph() -> None:
    zero = mpmath.mpf(0)
    egraph = EGraphRunner("strict").grow_egraph(read_expression("x*exp(-x^2)"), Limits(nodes=500))
    whole = remove_holes(egraph, {"x": [0.0]})
    assert 0 < len(whole.labels) < len(egraph.labels)
    terms = [list(map(grown.term_of_node, grown.classes[grown.root])) for grown in (egraph, whole)]
    assert [value_at(term, {"x": zero}) for term in terms[1]] == [0] * len(terms[1])
    assert None in [value_at(term, {"x": zero}) for term in terms[0]]
