"""Terms of a grammar, listed and drawn: what counting and sampling are held against."""

from __future__ import annotations

from collections.abc import Iterator

from engines.core.expression_language import ARITY
from engines.core.tree import Tree, parse_prefix
from engines.egen.egraph.term_grammar import Sampler, TermGrammar

Tokens = tuple[str, ...]


def terms(grammar: TermGrammar, length: int) -> list[Tokens]:
    """All terms of one length as prefix tokens, in the order of productions."""
    tables = grammar.tables
    known: dict[tuple[int, int], list[Tokens]] = {}

    def of(row: int, size: int) -> list[Tokens]:
        if (row, size) in known:
            return known[row, size]
        found: list[Tokens] = []
        home, barred = tables.rows[row].tolist()
        for place in range(int(tables.starts[home]), int(tables.starts[home + 1])):
            if barred >= 0 and barred in tables.children[place]:
                continue
            head = tuple(tables.names[tables.labels[place]].split())
            rest = size - int(tables.own[place])
            left, right = tables.operands[place].tolist()
            if left < 0:
                found += [head] if rest == 0 else []
            elif right < 0:
                found += [head + body for body in of(left, rest)] if rest > 0 else []
            else:
                for first in range(1, rest):
                    found += [head + a + b for a in of(left, first) for b in of(right, rest - first)]
        known[row, size] = found
        return found

    return of(grammar.root, length)


def enumerated(grammar: TermGrammar, longest: int) -> Iterator[Tree]:
    """Every term, shortest first."""
    for length in range(1, longest + 1):
        for tokens in terms(grammar, length):
            yield parse_prefix(tokens, lambda token: ARITY.get(token, 0))


def drawn(sampler: Sampler, length: int, count: int) -> list[Tokens]:
    """At most `count` further terms of one length."""
    printed = [*(sampler.tables.names[label] for label in sampler.tables.labels), ""]
    rows = sampler.draw_rows(length, count).tolist()
    return [tuple(" ".join(printed[place] for place in row).split()) for row in rows]


def sample(grammar: TermGrammar, length: int, count: int, seed: int = 0) -> list[Tokens]:
    """So many distinct terms of one length, all of them when there are fewer."""
    sampler = Sampler(grammar, length, seed)
    found: list[Tokens] = []
    while len(found) < min(count, sampler.count_supply(length)):
        found += drawn(sampler, length, count - len(found))
    return found
