"""Drawing the pairs of question and answer that a cross-encoder is fine-tuned on, as a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from engines.arqmath.choices import SomeCollection
from engines.core.errors import EngineError
from engines.core.spec import Arg, no_effect, refused

__all__ = ["DrawPairs", "pairs"]


@dataclass(frozen=True, slots=True)
class DrawPairs:
    """Draw pairs of question and answer: correct ones (1) and as many incorrect ones (0).

    Incorrect answers belong to questions with a tag in common. A tenth of the questions is held out.
    """

    folder: SomeCollection
    out: Annotated[Path, Arg("The table to write, with tabs: .tsv.", option=True, writes=True)]
    per_question: Annotated[
        int | None, Arg("Correct answers of a question, at most: 1 or 10.", low=1, shown="1")
    ] = None
    annotated: Annotated[Path | None, Arg("Relevant answers of judged topics instead.", metavar="QRELS")] = (
        None
    )
    run: Annotated[Path | None, Arg("Of a model: the incorrect answers to judged topics.")] = None
    hard_negatives: Annotated[
        Path | None, Arg("Of a first stage; its topics are question ids.", metavar="RUN")
    ] = None
    hard_share: Annotated[
        float | None, Arg("How many incorrect answers are hard ones.", low=0, high=1, shown="0.5")
    ] = None
    exclude: Annotated[Path | None, Arg("Ids of posts that are evaluated on, one per line.")] = None
    seed: Annotated[int, Arg("Chooses answers, order and sides.", low=0)] = 0

    def __post_init__(self) -> None:
        """Raises: EngineError E427 for a run without judgements, and for what would have no effect."""
        if self.annotated is None and self.run is not None:
            raise EngineError(
                "--run belongs to --annotated",
                code="E427",
                exit_code=2,
                remedy="A first stage's run over questions is --hard-negatives.",
            )
        if self.out.name.endswith((".json", ".jsonl", ".csv", ".gz")):
            what = f"pairs are written as a plain table with tabs, and {self.out.name} says otherwise"
            raise refused(what, "E430", "Name a file that ends in .tsv.")
        if self.hard_negatives is None and self.hard_share is not None:
            raise refused("--hard-share has no effect without --hard-negatives", "E427", "Leave it out.")
        if self.annotated is not None:
            idle = {"--per-question": self.per_question, "--hard-negatives": self.hard_negatives}
            no_effect(idle, "--annotated")


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
        hard_share=0.5 if spec.hard_share is None else spec.hard_share,
        exclude=spec.exclude,
    )
    many = len(threads.known) if spec.annotated is not None else spec.per_question or 1
    drawn = draw_pairs(source, per_question=many, seed=spec.seed)
    write_pairs(drawn, spec.out)
    return {"out": str(spec.out), **drawn.counts, "left_out": threads.left_out, "seed": spec.seed}
