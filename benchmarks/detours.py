"""How many members make a detour that a reader would not, by style, and how long a cluster takes.

    .venv/bin/python -m benchmarks.detours

Heads, numbers and lengths are those of `benchmarks.generate`. A detour is counted on the members as they are
written, apart from how the style `plain` avoids them: a function of an inverse function of its family or the
other way round (`sin acos u`, `tan acot u`), and a sign that could have been left out (a factor or numerator
-1 in a product, a sum, the argument of an odd or even function or the base of an integer power, or before a
difference). A member that counts as another one differs from it by signs or by a function of its own inverse
only (`direct_key`).
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from benchmarks._record import Record, parser_of
from benchmarks.generate import HEADS, MAX_TOKENS, MEMBERS
from engines.egen.expressions.canonical import direct_key
from engines.egen.expressions.language import ARITY, HYPERBOLIC, TRIGONOMETRIC, read_prefix

_FAMILY = dict.fromkeys(TRIGONOMETRIC, "circular") | dict.fromkeys(HYPERBOLIC, "hyperbolic")
_INVERSE = {f"a{name}": family for name, family in _FAMILY.items()}
_ODD_OR_EVEN = {*_FAMILY, "abs", "asin", "atan", "acsc", "asinh", "atanh", "acsch", "acoth"}
_MINUS, _DIFFERENCE, _INTEGER = 1, 2, 4


def detours(tokens: Sequence[str]) -> tuple[int, int]:
    """How many functions meet an inverse of their family, and how many signs could be left out.

    >>> detours("* -1 sin / -1 x".split()), detours("tan acot x".split()), detours("- x sin x".split())
    ((0, 1), (1, 0), (0, 0))
    """
    met = signs = 0
    stack: list[int] = []
    for at in range(len(tokens) - 1, -1, -1):
        token = tokens[at]
        arity = ARITY.get(token)
        if arity is None:
            stack.append(_INTEGER * ("." not in token))
        elif arity == 0:
            stack.append(0)
        elif arity == 1:
            inside, below = stack.pop(), tokens[at + 1]
            direct = token in _FAMILY and _INVERSE.get(below) == _FAMILY[token]
            met += direct or (token in _INVERSE and _FAMILY.get(below) == _INVERSE[token])
            signs += bool(inside & _MINUS) and token in _ODD_OR_EVEN
            stack.append(0)
        else:
            left, right = stack.pop(), stack.pop()
            minus = token == "*" and tokens[at + 1] == "-1"
            if minus:
                signs += bool(right & (_MINUS | _DIFFERENCE))
            elif token in "*/+-":
                signs += bool((left | right) & _MINUS)
            elif token == "pow":
                signs += bool(left & _MINUS) and bool(right & _INTEGER)
            minus |= token == "/" and tokens[at + 1] == "-1"
            stack.append(_MINUS if minus else _DIFFERENCE if token == "-" else 0)
    return met, signs


def main() -> None:
    result = Record("detours", parser_of(__doc__).parse_args().out)
    from engines.egen.egraph.process import kept
    from engines.egen.records import EgenConfig, Style

    styles: tuple[Style, ...] = ("plain", "distinct", "any")
    figures: dict[str, object] = {"members_asked": MEMBERS, "max_tokens": MAX_TOKENS}
    columns = ("with an inverse met", "with a needless sign", "with either", "that count as another")
    print(f"| style | members | {' | '.join(columns)} | longest, s |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for style in styles:
        kept().generate(read_prefix("sin x"), EgenConfig(members=50, style=style))
        counts: list[tuple[int, int]] = []
        seconds, again = [], 0
        for head in HEADS:
            began = time.perf_counter()
            cluster = kept().generate(read_prefix(head), EgenConfig(members=MEMBERS, style=style))
            seconds.append(time.perf_counter() - began)
            terms = [member.prefix.split() for member in cluster.members]
            counts += map(detours, terms)
            again += len(terms) - len(set(map(direct_key, terms)))
        total = len(counts)
        shares = {
            "inverse": sum(met > 0 for met, _ in counts) / total,
            "sign": sum(signs > 0 for _, signs in counts) / total,
            "either": sum(any(both) for both in counts) / total,
            "another": again / total,
        }
        figures[style] = {"members": total, **shares, "seconds": seconds}
        percent = " | ".join(f"{share:.1%}" for share in shares.values())
        print(f"| `{style}` | {total:,} | {percent} | {max(seconds):.2f} |")
    result.write(figures, libraries=["egglog", "numpy", "numba"])


if __name__ == "__main__":
    main()
