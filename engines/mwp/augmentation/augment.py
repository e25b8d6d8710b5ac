"""Augmentation of problems, and challenge sets made by the papers' procedures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.files import write_rows
from engines.core.spec import Arg, make_refusal, specification, suggest_name
from engines.mwp.augmentation.reordering import reorder_question
from engines.mwp.augmentation.reversal import Refused, reversed_operations
from engines.mwp.augmentation.variant import (
    ProblemVariant,
    VariantKind,
)
from engines.mwp.problems.problem import Problem
from engines.mwp.problems.readers import read_problems

_KINDS: tuple[VariantKind, ...] = ("qr", "roda")
_SHOWN = 5


@specification
class Augment:
    """Make new problems from old ones: question first (qr), or asking for another number (roda)."""

    data: Annotated[Path, Arg("Problems, or a registered name.", ref="problems")]
    kinds: Annotated[str, Arg("Which kinds: qr, roda or both.")] = "qr,roda"
    coherent: Annotated[bool, Arg("Only variants whose text raises no doubt.")] = False
    out: Annotated[
        Path | None,
        Arg("Write the variants to this file as JSON Lines; it can be read as problems.", writes=True),
    ] = None


@dataclass(slots=True)
class Variants:
    """The variants made of problems, and how often none was made, by kind and reason."""

    made: list[ProblemVariant] = field(default_factory=list)
    refused: Counter[tuple[VariantKind, str]] = field(default_factory=Counter)


def kinds_of(text: str) -> tuple[VariantKind, ...]:
    """Return the kinds that are meant by `qr,roda`."""
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in _KINDS:
            raise make_refusal(f"unknown way to augment: {name!r}", "E424", suggest_name(name, _KINDS))
    return tuple(kind for kind in _KINDS if kind in names)


def make_variants(
    problems: Sequence[Problem],
    kinds: Sequence[VariantKind] = _KINDS,
    *,
    given_that: bool = False,
    events: Sink = ignore,
    stop: Stop = never,
) -> Variants:
    """Return the variants that can be made of problems with an equation, in the order of the problems.

    Args:
        given_that: As `reorder_question` has it.
    """
    results = Variants()
    for done, problem in enumerate(problems, start=1):
        if stop():
            break
        if problem.equation is None:
            continue
        if "qr" in kinds:
            _record_variant(results, "qr", reorder_question(problem, given_that=given_that))
        if "roda" in kinds:
            for result in reversed_operations(problem):
                _record_variant(results, "roda", result.reason if isinstance(result, Refused) else result)
        if done % 500 == 0 or done == len(problems):
            events(Event("progress", {"done": done, "total": len(problems), "unit": "problems"}))
    return results


def _record_variant(variants: Variants, kind: VariantKind, result: ProblemVariant | str) -> None:
    if isinstance(result, ProblemVariant):
        variants.made.append(result)
    else:
        variants.refused[kind, result] += 1


def augment(spec: Augment, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Make the variants of a file and say what became of its problems.

    Raises:
        DataError: As `read_problems` does.

    >>> from engines.core.system import asset
    >>> found = augment(Augment(asset("sample/problems/sample-en/problems.jsonl")))
    >>> {kind: (counts["made"], counts["from"]) for kind, counts in found["kinds"].items()}
    {'qr': (181, 181), 'roda': (204, 111)}
    """
    kinds = kinds_of(spec.kinds)
    read = read_problems(spec.data)
    result = make_variants(read.usable, kinds, events=events, stop=stop)
    made = [variant for variant in result.made if not (spec.coherent and variant.doubts)]
    if spec.out:
        write_rows(spec.out, (variant.to_row() for variant in made))
    return {
        "problems": len(read.rows),
        "usable": len(read.usable),
        "kinds": {kind: _count_variants(kind, made, result) for kind in kinds},
        "complete": not stop(),
        **read.list_skipped(),
        "out": spec.out,
        "variants": [variant.to_row() for variant in (made if spec.out is None else made[:_SHOWN])],
    }


def _count_variants(kind: VariantKind, made: Sequence[ProblemVariant], variants: Variants) -> dict[str, Any]:
    of_kind = [variant for variant in made if variant.kind == kind]
    return {
        "made": len(of_kind),
        "from": len({variant.of for variant in of_kind}),
        "positive": sum(variant.relation == "positive" for variant in of_kind),
        "negative": sum(variant.relation == "negative" for variant in of_kind),
        "doubts": dict(Counter(doubt for variant in of_kind for doubt in variant.doubts).most_common()),
        "refused": {reason: n for (one, reason), n in variants.refused.most_common() if one == kind},
    }
