"""The paper's five evaluations of a model, each on data that is named, made or shipped; three of them may be
asked of a language model instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from engines.chat.settings import ChatSettings
from engines.core.errors import EngineError
from engines.core.events import Sink, Stop, ignore, never
from engines.core.spec import Arg, Flat, specification
from engines.egen.settings import SplitName

if TYPE_CHECKING:
    from engines.egen.evaluations.analogies import Analogy
    from engines.egen.evaluations.figures import EvaluationReport
    from engines.egen.evaluations.mistakes import MarkedDerivation
    from engines.egen.evaluations.semantic import SemanticItem
    from engines.egen.models.datasets import Labelled


EvaluationName = Literal["kmeans", "semantic", "mistakes", "algebra", "retrieval"]
EvaluatedSide = Literal["validation", "train", "all"]

_ITEMS, _DERIVATIONS, _LEARNED_ON = 1_000, 3_000, 1_000
"""Of semantic, of mistakes, and those that the threshold is learned on: at most."""
_IN_WORDS = ("semantic", "mistakes", "algebra")
"""What a language model can be asked."""
_BY_VECTORS: Mapping[EvaluationName, tuple[str, str]] = {
    "kmeans": ("clusters", "kmeans"),
    "semantic": ("semantic", "evaluate"),
    "mistakes": ("mistakes", "evaluate"),
    "algebra": ("analogies", "algebra"),
    "retrieval": ("clusters", "retrieval"),
}
"""Where each is measured for an encoder: the module and its function."""
_NOT_EVALUATED = "SymPy cannot evaluate it"


@specification
class Evaluate:
    """Evaluate a model by the paper's protocol and by a stricter one, with 95 % bootstrap intervals.

    A corpus is evaluated on its validation side. FILE may also be a test set saved by --write. With --llm the
    questions of semantic, mistakes and algebra go to a language model instead; put its key, if it needs one,
    in MATHWB_LLM_KEY. Prompts and answers are cached, and a stopped run continues from them.
    """

    task: Annotated[EvaluationName, Arg("What to measure.")]
    model: Annotated[
        Path | None,
        Arg("A folder (of sentence-transformers too), or a model's name.", ref="model", option=False),
    ] = None
    chat: Annotated[ChatSettings, Flat()] = ChatSettings()
    data: Annotated[
        Path | None, Arg("Clusters to measure on.", ref="corpus", metavar="FILE|CORPUS", shown="the sample")
    ] = None
    split: Annotated[SplitName, Arg("Which split of a corpus.")] = "paper"
    side: Annotated[
        EvaluatedSide | None, Arg("Which side of that split to evaluate on.", shown="validation")
    ] = None
    partial: Annotated[
        bool, Arg("Include members that a file lists as equal on part of the domain only.")
    ] = False
    count: Annotated[int | None, Arg("At most this many items, derivations or analogies.", low=1)] = None
    train: Annotated[
        Path | None, Arg("mistakes: data to learn the threshold from.", ref="corpus", metavar="FILE|CORPUS")
    ] = None
    analogies: Annotated[Path | None, Arg("algebra: file with four tab-separated expressions per line.")] = (
        None
    )
    seed: Annotated[int, Arg("Seed for the test set.", low=0)] = 0
    write: Annotated[Path | None, Arg("Save the test set to this file.", writes=True)] = None
    worst: Annotated[
        int | None, Arg("How many mistakes to list, costliest first.", low=1, shown="5, of 20 with --json")
    ] = None

    if TYPE_CHECKING:  # checkers see no flat settings

        def __init__(
            self, task: EvaluationName, model: Path | str | None = None, **settings: Any
        ) -> None: ...

    def __post_init__(self) -> None:
        if self.train is not None and (self.task != "mistakes" or self.chat.llm is not None):
            raise _sides_error("only mistakes learns a threshold", "Leave out --train.")
        if self.analogies is not None and self.task != "algebra":
            raise _sides_error("only algebra uses analogies", "Leave out --analogies.")
        asked = self.count is not None or self.write is not None or self.seed != 0
        if self.task in ("kmeans", "retrieval") and asked:
            what = f"{self.task} uses all clusters, and has no test set"
            raise _sides_error(what, "Leave out --count, --write and --seed.")
        self.chat.check_settings()
        if self.chat.llm is None:
            if self.model is None:
                raise _sides_error(
                    "there is no model to evaluate", "Name a folder, or an address with --llm."
                )
        elif self.model is not None:
            raise _sides_error("--llm takes exactly one model", "Name it with --model, without a folder.")
        elif self.task not in _IN_WORDS:
            what = f"{self.task} needs vectors, and a language model gives text"
            raise _sides_error(what, f"Tasks for a language model: {', '.join(_IN_WORDS)}.")

    @property
    def place(self) -> Path:
        """The data to measure on, the sample corpus unless another is given."""
        from engines.egen.models.datasets import sample_corpus

        return self.data or sample_corpus()


def _sides_error(what: str, remedy: str) -> EngineError:
    return EngineError(what, code="E427", remedy=remedy)


def evaluate(
    spec: Evaluate, *, cache: Path | None = None, events: Sink = ignore, stop: Stop = never
) -> dict[str, Any]:
    """Return one of the five evaluations.

    The threshold of `mistakes` is learned on derivations of `train`, or of the training side of `data` when
    that is a corpus, or else of the sample.

    Args:
        cache: Where answers of a language model are kept, each with its prompt.

    Returns:
        A `Report`'s fields, `data` (its name) and `seed`; of a language model the `setting` has the address,
        the refusals, the unreadable answers, the tokens of all answers and, with prices, their cost.

    >>> from engines.egen.models.model_folder import shipped_models
    >>> found = evaluate(Evaluate("retrieval", shipped_models()[0]))
    >>> found["figures"][0]["name"], found["figures"][0]["value"] > 90
    ('retrieval_at_5', True)
    """
    from engines.egen.models.vectors import stopped_error

    document = asdict(_measure(spec, cache, events, stop))
    if spec.chat.llm:
        document["setting"] = spec.chat.add_cost(document["setting"])
    if stop():
        raise stopped_error("evaluation")
    return {**document, "data": spec.place.name, "seed": spec.seed}


def _read_clusters(spec: Evaluate, default: EvaluatedSide = "validation") -> Labelled:
    from engines.egen.models.datasets import read_labelled

    return read_labelled(spec.place, side=spec.side or default, split=spec.split, partial=spec.partial)


def _read_items(spec: Evaluate, events: Sink, stop: Stop) -> list[SemanticItem]:
    from engines.egen.evaluations import semantic

    if semantic.holds_items(spec.place):
        items = list(semantic.read_items(spec.place))[: spec.count]
    else:
        count = spec.count or _ITEMS
        items = semantic.build_items(_read_clusters(spec), count, seed=spec.seed, events=events, stop=stop)
    if spec.write:
        semantic.write_items(items, spec.write)
    return items


def _read_derivations(
    spec: Evaluate, events: Sink, stop: Stop, *, learned: bool
) -> tuple[list[MarkedDerivation], list[MarkedDerivation], dict[str, int]]:
    """Return those that are tested, those that the threshold is learned on, and by reason how many
    expressions none could be made of.
    """
    from engines.egen.evaluations import mistakes
    from engines.egen.models.datasets import sample_corpus

    left_out: Counter[str] = Counter()
    made = partial(
        mistakes.open_derivations,
        split=spec.split,
        on_bad=lambda _: left_out.update([_NOT_EVALUATED]),
        events=events,
        stop=stop,
    )
    count, side = spec.count or _DERIVATIONS, spec.side or "validation"
    test = made(spec.place, count, side=side, partial=spec.partial, seed=spec.seed)[: spec.count]
    if spec.write:
        mistakes.write_derivations(test, spec.write)
    if not learned:
        return test, [], left_out
    train_folder = spec.train or (spec.place if spec.place.is_dir() else sample_corpus())
    known = made(train_folder, min(count, _LEARNED_ON), side="train", seed=spec.seed + 1)
    return test, known, left_out


def _read_analogies(spec: Evaluate) -> list[Analogy]:
    from engines.egen.evaluations import analogies

    if spec.analogies:
        result = list(analogies.read_analogies(spec.analogies))[: spec.count]
    else:
        result = analogies.build_analogies(spec.count or analogies.PAPER_COUNT, seed=spec.seed)
    if spec.write:
        analogies.write_analogies(result, spec.write)
    return result


def _measure(spec: Evaluate, cache: Path | None, events: Sink, stop: Stop) -> EvaluationReport:
    from engines.egen.evaluations.figures import WORST

    asked = bool(spec.chat.llm)
    subject: Any
    measure: Callable[..., EvaluationReport]
    if asked:
        from engines.egen.evaluations import language_model

        subject = spec.chat.open_chat(cache)
        measure = getattr(language_model, spec.task)
    else:
        from engines.egen.models.encode import cached_encoder

        assert spec.model is not None
        subject = cached_encoder(spec.model)
        module, name = _BY_VECTORS[spec.task]
        measure = getattr(import_module(f"engines.egen.evaluations.{module}"), name)
    measure = partial(measure, subject, worst=spec.worst or WORST, events=events, stop=stop)
    match spec.task:
        case "semantic":
            return measure(_read_items(spec, events, stop), seed=spec.seed)
        case "mistakes":
            test, known, left_out = _read_derivations(spec, events, stop, learned=not asked)
            return measure(*([] if asked else [known]), test, left_out=left_out)
        case "algebra":
            analogies = _read_analogies(spec)
            return measure(analogies, *([] if asked else [_read_clusters(spec, "all").texts]))
    return measure(_read_clusters(spec))
