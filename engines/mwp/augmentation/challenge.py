"""Challenge sets made by the papers' procedures: reversed questions (HE-MWP), questions told first."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from engines.core.errors import EngineError
from engines.core.events import Sink, Stop, ignore, never
from engines.core.spec import Arg, refused
from engines.mwp.augmentation.augment import Variants, variants
from engines.mwp.augmentation.reorder import reordered
from engines.mwp.augmentation.variant import Variant
from engines.mwp.problems.describe import write_problems
from engines.mwp.problems.readers import read_problems

__all__ = ["Challenge", "challenge"]

How = Literal["reversed", "question-first", "given-that"]


@dataclass(frozen=True, slots=True)
class Challenge:
    """Make a challenge set of problems that no solver has seen.

    `reversed` is the procedure of HE-MWP: 600 reversed problems are drawn at random, those of doubtful text
    are dropped, 400 of the rest are kept. `question-first` and `given-that` tell the question before the
    facts, the latter with these words between (English), as the reordering attack of Adv-ASDiv does.
    """

    data: Annotated[Path, Arg("Problems, or a registered name.", ref="problems")]
    out: Annotated[Path, Arg("Write the set there as JSON Lines.", option=True, writes=True)]
    how: Annotated[How, Arg("The procedure.")] = "reversed"
    draw: Annotated[int, Arg("How many are drawn at first.", low=1)] = 600
    keep: Annotated[int, Arg("How many are kept of the coherent ones.", low=1)] = 400
    seed: Annotated[int, Arg("Of both draws.", low=0)] = 0

    def __post_init__(self) -> None:
        if self.keep > self.draw:
            raise refused(f"keep is {self.keep}, and only {self.draw} are drawn", "E424")


def challenge(spec: Challenge, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Draw, filter, draw again, and write; the same seed gives the same set.

    Raises: DataError as `read_problems` does, EngineError E683 for a procedure that there is not for the
    language, E686 where nothing can be made.
    """
    import numpy as np

    read = read_problems(spec.data)
    usable = read.usable
    if spec.how == "given-that" and any(problem.language != "en" for problem in usable):
        raise EngineError(
            'the form "given that" is English',
            code="E683",
            exit_code=2,
            remedy="Take --how question-first.",
        )
    if spec.how == "given-that":
        found = Variants()
        for problem in usable:
            made = reordered(problem, given_that=True)
            if isinstance(made, Variant):
                found.made.append(made)
            else:
                found.refused["qr", made] += 1
    else:
        found = variants(usable, ("roda" if spec.how == "reversed" else "qr",), events=events, stop=stop)
    if not found.made:
        raise EngineError(
            "of none of these problems a challenge can be made",
            code="E686",
            exit_code=2,
            remedy="`mathwb mwp augment` says why.",
        )
    chance = np.random.default_rng(spec.seed)

    def some(rows: list[Variant], count: int) -> list[Variant]:
        places = chance.choice(len(rows), size=min(count, len(rows)), replace=False)
        return [rows[place] for place in sorted(places.tolist())]

    drawn = some(found.made, spec.draw)
    coherent = [variant for variant in drawn if not variant.doubts]
    kept = some(coherent, spec.keep)
    write_problems(spec.out, [replace(variant.problem, fold=None) for variant in kept])
    return {
        "how": spec.how,
        "problems": len(usable),
        "made": len(found.made),
        "drawn": len(drawn),
        "doubtful": len(drawn) - len(coherent),
        "doubts": dict(Counter(doubt for variant in drawn for doubt in variant.doubts).most_common()),
        "kept": len(kept),
        "asked": spec.keep,
        "templates": len({variant.problem.template for variant in kept}),
        "seed": spec.seed,
        "out": spec.out,
    }
