"""Challenge sets: problems made from a file by a seed, so that no solver has seen them.

They are reversed problems, or families of robustness variants: other numbers, another order, a distractor …
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from engines.chat.settings import ChatSettings
from engines.core.errors import EngineError, StoppedError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.spec import Arg, Flat, make_refusal, specification
from engines.mwp.augmentation.augment import make_variants
from engines.mwp.augmentation.robustness_variants import (
    FAMILY_KINDS,
    FamilyKind,
    certify_variant,
    make_family,
)
from engines.mwp.augmentation.variant import VariantKind
from engines.mwp.problems.problem import Problem
from engines.mwp.problems.readers import read_problems, write_problems

if TYPE_CHECKING:
    import numpy as np

T = TypeVar("T")

ChallengeMethod = Literal["reversed", "question-first", "given-that", "families"]


@specification
class Challenge:
    """Make a challenge set of problems that no solver has seen.

    `reversed` is the procedure of HE-MWP: sample 600 reversed problems, drop those with doubtful text, sample
    400 of the rest. `question-first` and `given-that` put the question before the facts, the latter with
    these words in between (English), like the reordering attack of Adv-ASDiv. `families` keeps problems and
    writes with each its variants: other numbers, facts in another order, another number asked for, a sentence
    that does not matter, a missing fact, other names, things and units, and with --llm URL --model NAME a
    paraphrase by a language model, taken only if the equation survives. `mwp eval` then reports the drop for
    each kind and the share of whole families that are right.
    """

    data: Annotated[Path, Arg("Problems, or a registered name.", ref="problems")]
    out: Annotated[Path, Arg("Write the set to this file as JSON Lines.", option=True, writes=True)]
    how: Annotated[ChallengeMethod, Arg("The procedure.")] = "reversed"
    draw: Annotated[int, Arg("How many problems to sample first.", low=1)] = 600
    keep: Annotated[int, Arg("How many coherent problems to sample from those.", low=1)] = 400
    seed: Annotated[int, Arg("Seed for both samples, and for the variants of families.", low=0)] = 0
    chat: Annotated[ChatSettings, Flat()] = ChatSettings()

    if TYPE_CHECKING:  # checkers see no flat settings

        def __init__(self, data: Path, out: Path, **settings: Any) -> None: ...

    def __post_init__(self) -> None:
        self.chat.check_settings()
        if self.chat.llm is not None and self.how != "families":
            what = "a language model only makes paraphrases of families"
            raise make_refusal(what, "E427", "Add --how families, or leave --llm out.")
        if self.keep > self.draw:
            raise make_refusal(f"keep is {self.keep}, but only {self.draw} are sampled", "E424")


def challenge(
    spec: Challenge, *, cache: Path | None = None, events: Sink = ignore, stop: Stop = never
) -> dict[str, Any]:
    """Draw, filter, draw again, and write; the same seed gives the same set.

    Raises:
        DataError: As `read_problems` does.
        EngineError: E683 for a procedure that there is not for the language, E686 where nothing can be made,
            E691 and E692 as language models, E646 where asking one is stopped.
    """
    import numpy as np

    read = read_problems(spec.data)
    usable = read.usable
    if spec.how == "families":
        return {**_write_families(spec, usable, cache, events, stop), **read.list_skipped()}
    given_that = spec.how == "given-that"
    if given_that and any(problem.language != "en" for problem in usable):
        what = 'the form "given that" is for English only'
        raise EngineError(what, code="E683", remedy="Use --how question-first.")
    kind: VariantKind = "roda" if spec.how == "reversed" else "qr"
    result = make_variants(usable, (kind,), given_that=given_that, events=events, stop=stop)
    if not result.made:
        reasons = [reason for (_, reason), _ in result.refused.most_common(1)]
        what = ": ".join(["no challenge can be made from any of these problems", *reasons])
        remedy = f"`mathwb mwp augment {spec.data.name}` shows why."
        raise EngineError(what, where=str(spec.data), code="E686", remedy=remedy)
    # Two draws: candidates first, then the set among those that read well, so that doubtful texts do not
    # make it smaller.
    chance = np.random.default_rng(spec.seed)
    sampled = _sample_rows(chance, result.made, spec.draw)
    coherent = [variant for variant in sampled if not variant.doubts]
    selected = _sample_rows(chance, coherent, spec.keep)
    # Folds are those of the source; a challenge set has none.
    write_problems(spec.out, [replace(variant.problem, fold=None) for variant in selected])
    return {
        "how": spec.how,
        "problems": len(usable),
        "made": len(result.made),
        "drawn": len(sampled),
        "doubtful": len(sampled) - len(coherent),
        "doubts": dict(Counter(doubt for variant in sampled for doubt in variant.doubts).most_common()),
        "kept": len(selected),
        "asked": spec.keep,
        "templates": len({variant.problem.template for variant in selected}),
        "seed": spec.seed,
        **read.list_skipped(),
        "out": spec.out,
    }


def _sample_rows(chance: np.random.Generator, rows: Sequence[T], count: int) -> list[T]:
    """Return a sample in the order of the rows, so that the file reads like its source."""
    positions = chance.choice(len(rows), size=min(count, len(rows)), replace=False)
    return [rows[index] for index in sorted(positions.tolist())]


def _write_families(
    spec: Challenge, usable: Sequence[Problem], cache: Path | None, events: Sink, stop: Stop
) -> dict[str, Any]:
    """Write problems, each with its variants behind it; the key `kinds` counts what was made and refused."""
    import numpy as np

    # Everything is drawn from one seed, so that a new one gives variants that no public copy has.
    chance = np.random.default_rng(spec.seed)
    sampled = _sample_rows(chance, usable, spec.draw)
    families: list[list[Problem]] = []
    refused: Counter[tuple[FamilyKind, str]] = Counter()
    for done, problem in enumerate(sampled, start=1):
        if stop():
            break
        variants, reasons = make_family(problem, FAMILY_KINDS, spec.seed)
        refused += reasons
        if variants:
            families.append([replace(problem, fold=None), *variants])
        if done % 100 == 0 or done == len(sampled):
            events(Event("progress", {"done": done, "total": len(sampled), "unit": "problems"}))
    # A language model is asked last, for all families at once: it is slow, and its answers are kept.
    kinds_made: tuple[FamilyKind, ...] = FAMILY_KINDS
    if spec.chat.llm is not None:
        kinds_made = (*FAMILY_KINDS, "paraphrase")
        refused += _add_paraphrases(spec, sampled, families, cache, events, stop)
    if not families:
        what = "no family can be made from any of these problems"
        remedy = "Problems need equations, and texts of several sentences."
        raise EngineError(what, where=str(spec.data), code="E686", remedy=remedy)
    # Whole families are kept or left out, since accuracy is measured over whole ones.
    selected = _sample_rows(chance, families, spec.keep)
    write_problems(spec.out, [problem for family in selected for problem in family])
    variants = [problem for family in selected for problem in family[1:]]
    kinds = Counter(problem.id.rpartition("/")[2] for problem in variants)
    return {
        "how": spec.how,
        "problems": len(usable),
        "made": sum(len(family) - 1 for family in families),
        "drawn": len(sampled),
        "doubtful": 0,
        "doubts": {},
        "kept": len(selected),
        "asked": spec.keep,
        "templates": len({family[0].template for family in selected}),
        "kinds": {
            kind: {
                "variants": kinds[kind],
                "refused": {reason: n for (one, reason), n in refused.most_common() if one == kind},
            }
            for kind in kinds_made
        },
        "seed": spec.seed,
        "out": spec.out,
    }


def _add_paraphrases(
    spec: Challenge,
    sampled: Sequence[Problem],
    families: list[list[Problem]],
    cache: Path | None,
    events: Sink,
    stop: Stop,
) -> Counter[tuple[FamilyKind, str]]:
    """Add the paraphrases of problems to their families, and return why there is none of others."""
    from engines.mwp.augmentation.paraphrases import ask_paraphrases

    refused: Counter[tuple[FamilyKind, str]] = Counter()
    known = {family[0].id: family for family in families}
    answers = ask_paraphrases(spec.chat, sampled, cache=cache, events=events, stop=stop)
    for problem, paraphrase in zip(sampled, answers, strict=True):
        if paraphrase is None:
            raise StoppedError("asking was stopped", remedy="Run it again: replies so far are kept.")
        reason = paraphrase
        if isinstance(paraphrase, Problem):
            reason = certify_variant(problem, paraphrase, "paraphrase")
        if reason:
            refused["paraphrase", str(reason)] += 1
            continue
        assert isinstance(paraphrase, Problem)
        if problem.id not in known:
            known[problem.id] = [replace(problem, fold=None)]
            families.append(known[problem.id])
        variant = replace(paraphrase, id=f"{problem.id}/paraphrase", source=problem.id, fold=None)
        known[problem.id].append(variant)
    return refused
