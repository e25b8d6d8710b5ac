"""Facts that are worked out together are those that follow one by one."""

from __future__ import annotations

from egglog.bindings import EGraph
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.egen.egraph.analysis import FACTS, Implication, gather_implications, note_action
from tests.conftest import count_examples

_FEW = (FACTS[0], FACTS[4], FACTS[-1])
_NODES = ("(= e (F u))", "(= e (G u v))")
_PROGRAM = """(sort Math) (constructor A () Math) (constructor F (Math) Math) (constructor G (Math Math) Math)
(function Known (Math) i64 :merge (| old new)) (relation Deg (Math)) (relation Applied (Math Math))
(ruleset shapes) (ruleset facts)"""
_TERMS = ("(A)", "(F (A))", "(F (F (A)))", "(G (A) (F (A)))", "(G (F (A)) (A))", "(G (F (F (A))) (F (A)))")
_CHILDREN = ((), (0,), (1,), (0, 1), (1, 0), (2, 1))


@st.composite
def _implication(draw: st.DrawFn) -> Implication:
    nodes = draw(st.sampled_from([*_NODES, ""]))
    names = [name for name in "euv" if f" {name}" in nodes.replace(")", " ").replace("(", " ")] or ["e"]
    fact = st.tuples(st.sampled_from(_FEW), st.sampled_from(names))
    conditions = draw(st.lists(fact, min_size=0 if nodes else 1, max_size=3))
    query = " ".join([nodes, *(f"({name} {of})" for name, of in conditions)]).strip()
    return Implication(query, (" ".join(draw(fact)),))


@settings(deadline=None, max_examples=count_examples(150))
@given(st.lists(_implication(), min_size=1, max_size=14), st.lists(st.sampled_from(_FEW), max_size=3))
def test_facts_follow_as_they_do_one_by_one(implications: list[Implication], first: list[str]) -> None:
    graph = EGraph()
    every = [Implication("(= e (A))", ()), *(Implication(nodes, ()) for nodes in _NODES), *implications]
    program = "\n".join(
        [_PROGRAM, *gather_implications(every), note_action("(A)", *dict.fromkeys(first)), *_TERMS]
    )
    graph.run_program(*graph.parse_program(program))
    schedule = "(run-schedule (saturate (seq (run shapes) (saturate (run facts)))))"
    graph.run_program(*graph.parse_program(schedule))
    for place, facts in enumerate(_closure(implications, first)):
        wanted = sum(1 << FACTS.index(fact) for fact in facts)
        graph.run_program(*graph.parse_program(f"(check (= (Known {_TERMS[place]}) {wanted}))"))


def _closure(implications: list[Implication], first: list[str]) -> list[set[str]]:
    """What is known of each of the terms, by trying every implication at every term until nothing is new."""
    found: list[set[str]] = [set(first), *(set() for _ in _TERMS[1:])]
    before = -1
    while before != (before := sum(map(len, found))):
        for query, (fact,) in implications:
            nodes = next((one for one in _NODES if query.startswith(one)), "")
            conditions = query[len(nodes) :].replace("(", " ").replace(")", " ").split()
            for place, below in enumerate(_CHILDREN):
                if nodes and len(below) != _NODES.index(nodes) + 1:
                    continue
                at = dict(zip("euv", (place, *below), strict=False))
                if all(
                    name in found[at[of]] for name, of in zip(conditions[::2], conditions[1::2], strict=True)
                ):
                    name, of = fact.split()
                    found[at[of]].add(name)
    return found
