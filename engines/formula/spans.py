"""Where the nodes of a tree stand in the text that it was read from."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right

from engines.formula.lexer import LatexSource
from engines.formula.operator_tree import OperatorTree
from engines.formula.symbols import list_symbols, symbol_roles


def node_spans(tree: OperatorTree, latex: str | LatexSource) -> list[tuple[int, int] | None]:
    """Return where each node stands, (start, end) in characters, in the order of `walk_nodes()`; None where
    unknown.

    A leaf is the next token of its name that no leaf before it has; an operator reaches over its operands,
    and over a sign of its own before them.

    >>> node_spans(OperatorTree("O!minus", (OperatorTree("V!x"),)), "-(x)")
    [(0, 3), (2, 3)]
    """
    source = LatexSource.from_latex(latex)
    # Every token under all names that a node may have for it.
    tokens: dict[str, list[tuple[int, int]]] = {}
    for token in source.list_tokens():
        known, shown = symbol_roles().get(token.text), list_symbols().get(token.text)
        names = {token.text, token.written, token.text.removeprefix("\\")}
        if known is not None:
            names |= {known.alone.label[2:], known.operator.label[2:]}
        if shown is not None and shown.unicode:
            names.add(unicodedata.normalize("NFKC", shown.unicode))
        for name in names:
            tokens.setdefault(name, []).append((token.start, token.end))
    nodes = list(tree.walk_nodes())
    spans: list[tuple[int, int] | None] = [node.span for node in nodes]
    used: set[tuple[int, int]] = set()
    skipped: dict[str, dict[int, int]] = {}
    # For each name, the next free token: the iterators only move forward, which keeps the search linear.
    left = {name: iter(position) for name, position in tokens.items()}
    # Leaves from left to right: each takes the next unused token of its name.
    for index, node in enumerate(nodes):
        if not node.children and spans[index] is None:
            # Iterators go on where they were: what came before is used.
            result = next((one for one in left.get(_name_of(node), ()) if one not in used), None)
            spans[index] = result
            if result is not None:
                used.add(result)
    # Then operators from the last node up: from the first to the last of their operands.
    sizes = [1] * len(nodes)
    for index in range(len(nodes) - 1, -1, -1):
        # In pre-order the first child follows its parent, and each next child after
        # the nodes of the one before.
        child, inner = index + 1, list[tuple[int, int]]()
        for _ in nodes[index].children:
            if (child_span := spans[child]) is not None:
                inner.append(child_span)
            sizes[index] += sizes[child]
            child += sizes[child]
        if spans[index] is None and inner:
            start, end = min(one[0] for one in inner), max(one[1] for one in inner)
            name = _name_of(nodes[index])
            sign = _last_before(start, tokens.get(name, []), used, skipped.setdefault(name, {}))
            # A sign in front, such as a minus, belongs to the span if only brackets
            # and spaces are in between.
            if sign is not None and not any(one.isalnum() for one in source.latex[sign[1] : start]):
                used.add(sign)
                start = sign[0]
            spans[index] = start, end
    return spans


def _last_before(
    start: int, tokens: list[tuple[int, int]], used: set[tuple[int, int]], skipped: dict[int, int]
) -> tuple[int, int] | None:
    """Return the last token that ends at `start` or before and belongs to no node yet; `skipped` says where
    to look after one that does.
    """
    index = bisect_right(tokens, start, key=lambda one: one[1]) - 1
    passed = []
    while index >= 0 and tokens[index] in used:
        passed.append(index)
        index = skipped.get(index, index - 1)
    skipped.update(dict.fromkeys(passed, index))
    return tokens[index] if index >= 0 else None


def _name_of(node: OperatorTree) -> str:
    return node.label.removeprefix("+!")[2:]
