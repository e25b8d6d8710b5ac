"""Parsers of English to AMR: the built-in one and amrlib's."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from engines.core.errors import DataError, EngineError
from engines.language.training import FORMULA
from engines.mathamr.context import ids
from engines.mathamr.graph.amr import Branch, Graph, read_graph
from engines.mathamr.parsing.lexicon import frames
from engines.mathamr.parsing.parts import Part, written
from engines.mathamr.parsing.roles import roles
from engines.mathamr.parsing.rules import sentence_graph

_PLACEHOLDER = re.compile(r'"?eqx\w+?eqx"?')
_RUN = re.compile(r'"?eqx\w+?eqx"?(?:[\s,;.]*"?eqx\w+?eqx"?)*')
_START = re.compile(rf"(?<={FORMULA})\s+(?=[A-Z][a-z]+\b|I\b)|(?<=:)\s+(?=[A-Z][a-z])")
"""Where a sentence begins without a full stop before it: at a capital after a formula or a colon."""


_NOTHING = '"…"'


class Builtin:
    """The built-in parser; see `parse`. Args: labeller: of roles, instead of the one that ships."""

    name = "builtin"

    def __init__(self, labeller: Path | None = None) -> None:
        self._labeller = labeller

    def __call__(self, contexts: Sequence[str]) -> Iterator[Graph]:
        return parse(contexts, self._labeller)


def parse(contexts: Iterable[str], labeller: Path | None = None) -> Iterator[Graph]:
    """The AMR graph of each context, in order; its formulas are the constants that stand in it, quoted.

    A context of several sentences is a multi-sentence with :snt1, :snt2, … A sentence of formulas alone hangs
    on the one before it; one without a word of content has no graph; a context without any is a string-entity
    "…", never nothing.
    """
    from engines.language.english import analysed

    split = [_sentences(text) for text in contexts]
    parsed = analysed(sentence.words for context in split for sentence in context)
    inventory, known = frames(), roles(labeller)
    for context in split:
        parts = [sentence_graph(next(parsed), sentence.formulas, inventory, known) for sentence in context]
        found: list[Part] = []
        for sentence, part in zip(context, parts, strict=True):
            if part is None:
                continue
            if found and sentence.is_formulas():
                found[-1].put(":mod", part)
            else:
                found.append(part)
        if not found:
            found = [Part("string-entity").put(":value", _NOTHING)]
        top = found[0]
        if len(found) > 1:
            top = Part("multi-sentence")
            for number, part in enumerate(found, start=1):
                top.put(f":snt{number}", part)
        yield written(top)


def is_nothing(graph: Graph) -> bool:
    """Whether a graph stands for a context in which `parse` found nothing."""
    return graph.root.branches == [Branch(":value", _NOTHING)]


@dataclass(frozen=True, slots=True)
class _Sentence:
    """Words with the blanks after them, and the placeholders of those that are formulas, in quotes."""

    words: list[tuple[str, bool]]
    formulas: dict[int, str]

    def is_formulas(self) -> bool:
        return not any(
            re.search(r"\w", word) and place not in self.formulas
            for place, (word, _) in enumerate(self.words)
        )


def _sentences(text: str) -> list[_Sentence]:
    from engines.language.english import sentences, tokens

    runs = [
        " ".join(f'"{one.strip(chr(34))}"' for one in _PLACEHOLDER.findall(match.group()))
        for match in _RUN.finditer(text)
    ]
    plain = _RUN.sub(f" {FORMULA} ", re.sub(rf"\b{FORMULA}\b", FORMULA.lower(), text))
    upcoming = iter(runs)
    result = []
    for start, end in sentences(plain):
        for piece in _START.split(plain[start:end]):
            words = tokens(_lowered(piece))
            marks = {place: next(upcoming) for place, (word, _) in enumerate(words) if word == FORMULA}
            result.append(_Sentence(words, marks))
    return result


def _lowered(sentence: str) -> str:
    """The sentence with its first word in small letters, unless it is a name or an acronym: the pipeline
    takes a capital for a name."""
    first = re.match(r"[A-Z][a-z]+\b", sentence)
    return sentence[:1].lower() + sentence[1:] if first else sentence


_TOKENIZERS = ("tokenizer.json", "spiece.model", "vocab.json")


class Amrlib:
    """A parse_xfm model. Nothing is fetched: the tokenizer's files lie in the folder too.

    Raises: DataError E355 for a folder that is no such model.
    """

    name = "amrlib"

    def __init__(self, folder: Path, device: str | None = None) -> None:
        self.model = _loaded(folder, device)

    def __call__(self, contexts: Sequence[str]) -> Iterator[Graph | None]:
        # What the decoder gives may be no graph; then the next best of its beams is taken, or none.
        for text in self.model.parse_sents(list(contexts), add_metadata=False):
            try:
                graph = None if text is None else read_graph(text)
            except DataError:
                graph = None
            empty = graph is None or not (graph.root.concept or graph.root.branches)
            yield None if empty else graph


def _loaded(folder: Path, device: str | None) -> Any:
    meta, config = _document(folder / "amrlib_meta.json"), _document(folder / "config.json")
    if ".parse_xfm." not in str(meta.get("inference_module")):
        kind = meta.get("inference_module") or "none"
        raise _unusable(folder, f"the folder's kind of parser is {kind}, not parse_xfm")
    task = (config.get("task_specific_params") or {}).get("parse_amr")
    if not isinstance(task, dict):
        raise _unusable(folder, "config.json has no task_specific_params.parse_amr")
    # As amrlib publishes them, folders have pickled weights, and no tokenizer: it would be downloaded.
    base, faults, remedies = task.get("model_name_or_path", "its base model"), [], []
    if not any(folder.glob("*.safetensors")):
        pickled = next((path.name for path in sorted(folder.glob("*.bin"))), None)
        faults.append(f"{pickled} is a pickle, which could run code when loaded" if pickled else "no weights")
        remedies.append("AutoModelForSeq2SeqLM.from_pretrained(FOLDER).save_pretrained(FOLDER)")
    if not any((folder / name).exists() for name in _TOKENIZERS):
        faults.append(f"no tokenizer of {base}, and none is downloaded")
        remedies.append(f"AutoTokenizer.from_pretrained({base!r}).save_pretrained(FOLDER)")
    if faults:
        remedy = f"If you trust it, complete it with transformers: {'; '.join(remedies)}."
        raise _unusable(folder, "; ".join(faults), remedy)
    import torch
    from amrlib.models.parse_xfm.inference import Inference

    chosen = device or ("cuda:0" if torch.cuda.is_available() else "cpu")
    settings = {key: value for key, value in (meta.get("kwargs") or {}).items() if key != "device"}
    try:
        return Inference(str(folder), device=chosen, tok_name_or_path=str(folder), **settings)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise _unusable(folder, f"the model cannot be loaded: {str(error).splitlines()[0]}") from error


def _document(path: Path) -> dict[str, Any]:
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _unusable(path.parent, f"{path.name} cannot be read") from error
    return result if isinstance(result, dict) else {}


_WHOLE = "A parse_xfm folder has amrlib_meta.json, config.json, weights, and its tokenizer's files."


def _unusable(folder: Path, what: str, remedy: str = _WHOLE) -> DataError:
    return DataError(what, path=folder, code="E355", remedy=remedy)


Which = Literal["builtin", "amrlib"]
BATCH = 64
"""Contexts that are given to a parser at once."""
_KEPT = re.compile(r'"?(?:eqx(\w+?)(?:eqx|eq|e)?|(\w+?)eqx)"?')
"""Placeholders as parsers return them: whole, or with one end lost."""


class Parser(Protocol):
    """Gives each context its AMR graph, in order; None where it has none."""

    name: str

    def __call__(self, contexts: Sequence[str]) -> Iterator[Graph | None]: ...


@dataclass(frozen=True, slots=True)
class Parsed:
    """A context's graph, never empty; the parser that made it; the formulas that are not in it; and what is
    to be said of it."""

    graph: Graph
    parser: str
    lost: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def parser(
    which: Which, model: Path | None = None, device: str | None = None, labeller: Path | None = None
) -> Parser:
    """A parser by its name. Args: model: the folder of amrlib's. device: cpu, cuda:0 …, None: what there is.
    labeller: of roles, for the built-in parser, instead of the one that ships.

    Raises: EngineError E355 for amrlib without a model, or with a folder that is none.
    """
    if which == "builtin":
        return Builtin(labeller)
    if model is None:
        raise EngineError(
            "amrlib needs a model",
            code="E355",
            remedy=(
                "Give the folder of a parse_xfm model: --model FOLDER, or, permanently: mathwb "
                "config set mathamr.amr_model FOLDER. The built-in parser needs none."
            ),
        )

    return Amrlib(model, device)


def parsed(contexts: Iterable[str], chosen: Parser) -> Iterator[Parsed]:
    """The graph of each context, in order. Where a parser gives none, the built-in one does, and says so."""
    batch: list[str] = []
    for context in contexts:
        batch.append(context)
        if len(batch) == BATCH:
            yield from _parsed(batch, chosen)
            batch = []
    if batch:
        yield from _parsed(batch, chosen)


def _parsed(contexts: Sequence[str], chosen: Parser) -> Iterator[Parsed]:

    for context, graph in zip(contexts, chosen(contexts), strict=True):
        name = chosen.name
        if graph is None:
            spare = parser("builtin")
            name, graph = spare.name, next(spare([context]))
        assert graph is not None
        kept = {
            match[1] or match[2]
            for node in graph.nodes()
            for text in (node.concept, *(one.target for one in node.branches if isinstance(one.target, str)))
            if (match := _KEPT.fullmatch(text.lower()))
        }
        lost = tuple(one for one in dict.fromkeys(ids(context)) if one.lower() not in kept)
        warnings = []
        if name != chosen.name:
            warnings.append(f"{chosen.name} gave no graph; this is the {name} parser's")
        if is_nothing(graph):
            warnings.append("the text has no word to make a graph from")
        yield Parsed(graph, name, lost, tuple(warnings))


def math_for_placeholders(graph: Graph) -> None:
    """Put the constant "MATH" for every placeholder of a graph, which is changed."""
    for node in graph.nodes():
        for branch in node.branches:
            if isinstance(branch.target, str) and _KEPT.fullmatch(branch.target.lower()):
                branch.target = '"MATH"'
