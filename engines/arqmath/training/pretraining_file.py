"""Writing what a language model is pre-trained on: segments of posts, or sentence-order pairs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from engines.core.errors import EngineError, did_you_mean
from engines.core.events import Event, Sink, ignore
from engines.core.spec import Arg, refused

__all__ = ["PretrainData", "pretrain_data"]

_CORPORA = {"1": "mathse1", "2": "mathse2", "3": "mathse3", "khan": "khan", "amps": "amps"}


@dataclass(frozen=True, slots=True)
class PretrainData:
    """Cut a collection into segments for pre-training, or into sentence-order pairs of up to 512 tokens."""

    folder: Annotated[
        Path, Arg("A collection or its name, or the folder of AMPS.", ref="collection", metavar="FOLDER")
    ]
    strategy: Annotated[
        str,
        Arg("1 sentences, 2 text and formulas, 3 parts of formulas; khan or amps: exercises.", option=True),
    ]
    out: Annotated[Path, Arg("The JSON lines to write, .jsonl or .jsonl.gz.", option=True, writes=True)]
    pairs: Annotated[bool, Arg("Sentence-order pairs instead of segments; label 1 is swapped.")] = False
    split_inside_formulas: Annotated[
        bool, Arg("End sentences at marks inside formulas too, as the published code does.")
    ] = False
    backbone: Annotated[
        str, Arg("Of --pairs: the model whose tokens are counted, a folder or minilm.", ref="encoder")
    ] = "minilm"
    seed: Annotated[int, Arg("Of the pairs.", low=0)] = 0

    def __post_init__(self) -> None:
        """Raises: EngineError E404 for a strategy that there is not, E427 for a model where no tokens are
        counted."""
        if not self.pairs and self.backbone != "minilm":
            raise refused("--backbone has no effect without --pairs", "E427", "Add --pairs, or leave it out.")
        if self.strategy not in _CORPORA:
            raise EngineError(
                f"there is no strategy {self.strategy!r}",
                code="E404",
                exit_code=2,
                remedy=did_you_mean(self.strategy, _CORPORA) or f"Strategies: {', '.join(_CORPORA)}.",
            )


def pretrain_data(spec: PretrainData, *, events: Sink = ignore) -> dict[str, Any]:
    """Write segments or pairs; see `write_segments`.

    Returns: out, strategy, documents, single, segments, with pairs also pairs and swapped, left_out (rows
    that could not be read), broken (rows read with something missing), seed. Events: a warning for each of
    the first such rows. Raises: DataError for files that cannot be read or written.
    """
    from engines.arqmath.training.pretraining_data import documents
    from engines.arqmath.training.sentence_order import write_segments
    from engines.arqmath.training.settings import PretrainSettings
    from engines.forum.readers import Report

    tokenizer = None
    if spec.pairs:
        from engines.arqmath.training.backbones import open_backbone
        from engines.arqmath.training.latex_tokens import add_latex_tokens

        tokenizer = open_backbone(spec.backbone).tokenizer
        add_latex_tokens(tokenizer)
    report = Report()
    settings = PretrainSettings(
        corpora=_CORPORA[spec.strategy], split_inside_formulas=spec.split_inside_formulas
    )
    read = documents(settings, {"collection": spec.folder, "amps": spec.folder}, report)
    counts = write_segments(read, spec.out, tokenizer=tokenizer, seed=spec.seed)
    for line, reason in sorted(report.first + report.broken):
        events(Event("warning", {"message": f"{spec.folder}: row {line}: {reason}"}))
    left = {"left_out": report.bad, "broken": report.warned}
    return {"out": str(spec.out), "strategy": spec.strategy, **counts, **left, "seed": spec.seed}
