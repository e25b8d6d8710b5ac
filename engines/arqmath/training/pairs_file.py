"""Drawing the pairs of question and answer that a cross-encoder is fine-tuned on, as a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from engines.arqmath.choices import SomeCollection
from engines.core.errors import EngineError
from engines.core.spec import Arg

__all__ = ["DrawPairs", "pairs"]


@dataclass(frozen=True, slots=True)
class DrawPairs:
    """Draw pairs of question and answer: correct ones (1) and as many incorrect ones (0).

    Incorrect answers belong to questions with a tag in common. A tenth of the questions is held out.
    """

    folder: SomeCollection
    out: Annotated[Path, Arg("The file to write.", option=True, writes=True)]
    per_question: Annotated[int, Arg("Correct answers of a question, at most: 1 or 10.", low=1)] = 1
    annotated: Annotated[Path | None, Arg("Relevant answers of judged topics instead.", metavar="QRELS")] = (
        None
    )
    run: Annotated[Path | None, Arg("Of a model: the incorrect answers to judged topics.")] = None
    hard_negatives: Annotated[
        Path | None, Arg("Of a first stage; its topics are question ids.", metavar="RUN")
    ] = None
    hard_share: Annotated[float, Arg("How many incorrect answers are hard ones.", low=0, high=1)] = 0.5
    exclude: Annotated[Path | None, Arg("Ids of posts that are evaluated on, one per line.")] = None
    seed: Annotated[int, Arg("Chooses answers, order and sides.", low=0)] = 0

    def __post_init__(self) -> None:
        """Raises: EngineError E427 for a run without judgements."""
        if self.annotated is None and self.run is not None:
            raise EngineError(
                "--run belongs to --annotated",
                code="E427",
                exit_code=2,
                remedy="A first stage's run over questions is --hard-negatives.",
            )


def pairs(spec: DrawPairs) -> dict[str, Any]:
    """Draw pairs and write them. Returns: out, the counts of `draw_pairs`, left_out (by reason), seed.

    Raises: DataError E674 when the files do not fit together or give no pair.
    """
    from engines.arqmath.training.finetuning import pair_source
    from engines.arqmath.training.pairs import draw_pairs, write_pairs
    from engines.forum.folder import ArqmathFolder

    source, threads = pair_source(
        ArqmathFolder.open(spec.folder),
        annotated=spec.annotated,
        run=spec.run,
        hard_negatives=spec.hard_negatives,
        hard_share=spec.hard_share,
        exclude=spec.exclude,
    )
    many = len(threads.known) if spec.annotated is not None else spec.per_question
    drawn = draw_pairs(source, per_question=many, seed=spec.seed)
    write_pairs(drawn, spec.out)
    return {"out": str(spec.out), **drawn.counts, "left_out": threads.left_out, "seed": spec.seed}
