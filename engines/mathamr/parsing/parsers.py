"""Parsers of English to AMR, the built-in one and amrlib's; and of one text everything up to its graph."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol

from engines.core.errors import DataError, EngineError, explain_unloadable_model
from engines.core.events import Event, Sink, ignore
from engines.core.model_checks import check_model_folder
from engines.core.notebook_display import Shown
from engines.core.spec import Arg, specification
from engines.language.training import FORMULA
from engines.mathamr.context import find_ids, mark_formulas, read_placeholder
from engines.mathamr.graph.amr import Branch, Graph, GraphPart, build_graph, read_graph, write_graph
from engines.mathamr.graph.grafting import graft_formulas
from engines.mathamr.graph.linearization import linearize_graph
from engines.mathamr.parsing.lexicon import load_frames
from engines.mathamr.parsing.roles import load_roles
from engines.mathamr.parsing.rules import build_sentence

_PLACEHOLDER = re.compile(r'"?eqx\w+?eqx"?')
_RUN = re.compile(r'"?eqx\w+?eqx"?(?:[\s,;.]*"?eqx\w+?eqx"?)*')
_START = re.compile(rf"(?<={FORMULA})\s+(?=[A-Z][a-z]+\b|I\b)|(?<=:)\s+(?=[A-Z][a-z])")
"""Where a sentence begins without a full stop before it: at a capital after a formula or a colon."""


_NOTHING = '"…"'
"""What stands for a context in which nothing is found."""


class BuiltinParser:
    """The built-in parser. Args: labeller: of roles, instead of the one that ships."""

    name = "builtin"

    def __init__(self, labeller: Path | None = None) -> None:
        self._labeller = labeller

    def __call__(self, contexts: Iterable[str]) -> Iterator[Graph]:
        """Yield the AMR graph of each context, in order; its formulas are the constants that stand in it,
        quoted.

        A context of several sentences is a multi-sentence with :snt1, :snt2, … A sentence of formulas alone
        hangs on the one before it; one without a word of content has no graph; a context without any is a
        string-entity "…", never nothing.
        """
        from engines.language.english import analyse_sentences

        split = [_split_sentences(text) for text in contexts]
        # All sentences of all contexts form one stream, from which `next` takes them in the same order.
        words = analyse_sentences(sentence.words for context in split for sentence in context)
        inventory, known = load_frames(), load_roles(self._labeller)
        for context in split:
            parts = [build_sentence(next(words), one.formulas, inventory, known) for one in context]
            results: list[GraphPart] = []
            for sentence, part in zip(context, parts, strict=True):
                if part is None:
                    continue
                if results and sentence.is_formulas():
                    results[-1].add_edge(":mod", part)
                else:
                    results.append(part)
            if not results:
                results = [GraphPart("string-entity").add_edge(":value", _NOTHING)]
            top = results[0]
            if len(results) > 1:
                top = GraphPart("multi-sentence")
                for number, part in enumerate(results, start=1):
                    top.add_edge(f":snt{number}", part)
            yield build_graph(top)


@dataclass(frozen=True, slots=True)
class _MarkedSentence:
    """Words with the blanks after them, and the placeholders of those that are formulas, in quotes."""

    words: list[tuple[str, bool]]
    formulas: dict[int, str]

    def is_formulas(self) -> bool:
        return not any(
            re.search(r"\w", word) and index not in self.formulas
            for index, (word, _) in enumerate(self.words)
        )


def _split_sentences(text: str) -> list[_MarkedSentence]:
    from engines.language.english import split_sentences, tokenize_words

    runs = [
        " ".join(f'"{one.strip(chr(34))}"' for one in _PLACEHOLDER.findall(match.group()))
        for match in _RUN.finditer(text)
    ]
    plain = _RUN.sub(f" {FORMULA} ", re.sub(rf"\b{FORMULA}\b", FORMULA.lower(), text))
    upcoming = iter(runs)
    result = []
    for start, end in split_sentences(plain):
        for piece in _START.split(plain[start:end]):
            # The pipeline takes a capital for a name, which an acronym may be.
            first = re.match(r"[A-Z][a-z]+\b", piece)
            words = tokenize_words(piece[:1].lower() + piece[1:] if first else piece)
            marks = {index: next(upcoming) for index, (word, _) in enumerate(words) if word == FORMULA}
            result.append(_MarkedSentence(words, marks))
    return result


_TOKENIZERS = ("tokenizer.json", "spiece.model", "vocab.json")
_MOST = 4_096
"""Beams, texts of a batch and tokens that a folder may ask for: more take all of the memory."""


class AmrlibParser:
    """A parse_xfm model. Nothing is fetched: the tokenizer's files lie in the folder too.

    Raises:
        DataError: E355 for a folder that is no such model.
    """

    name = "amrlib"

    def __init__(self, folder: Path, device: str | None = None) -> None:
        self.model = _load_amrlib(folder, device)

    def __call__(self, contexts: Sequence[str]) -> Iterator[Graph | None]:
        # What the decoder gives may be no graph; then the next best of its beams is taken, or none.
        for text in self.model.parse_sents(list(contexts), add_metadata=False):
            try:
                graph = None if text is None else read_graph(text)
            except DataError:
                graph = None
            empty = graph is None or not (graph.root.concept or graph.root.branches)
            yield None if empty else graph


def _load_amrlib(folder: Path, device: str | None) -> Any:
    meta, config = _read_document(folder / "amrlib_meta.json"), _read_document(folder / "config.json")
    if ".parse_xfm." not in str(meta.get("inference_module")):
        kind = meta.get("inference_module") or "none"
        raise _unusable_folder_error(folder, f"the folder's kind of parser is {kind}, not parse_xfm")
    tasks, settings = config.get("task_specific_params"), meta.get("kwargs") or {}
    task = tasks.get("parse_amr") if isinstance(tasks, dict) else None
    if not isinstance(task, dict):
        raise _unusable_folder_error(folder, "config.json has no task_specific_params.parse_amr")
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
        raise _unusable_folder_error(folder, "; ".join(faults), remedy)
    import torch
    from amrlib.models.parse_xfm.inference import Inference

    chosen = device or ("cuda:0" if torch.cuda.is_available() else "cpu")
    if not isinstance(settings, dict):
        raise _unusable_folder_error(folder, "amrlib_meta.json has no table kwargs")
    settings = {key: value for key, value in settings.items() if key not in ("device", "tok_name_or_path")}
    # Settings of the folder may name a device or a download; neither is taken from it.
    too_large = next(
        (key for key, value in settings.items() if isinstance(value, int) and value > _MOST), None
    )
    if too_large is not None:
        raise _unusable_folder_error(
            folder,
            f"{too_large} in amrlib_meta.json is {settings[too_large]:,}, above {_MOST:,}",
            # Huge numbers (a beam of a million) would fill the memory.
        )
    try:
        check_model_folder(folder)
        return Inference(str(folder), device=chosen, tok_name_or_path=str(folder), **settings)
    except Exception as error:  # the library raises whatever the fault happens to lead to
        raise _unusable_folder_error(
            folder, *explain_unloadable_model("the model cannot be loaded", error, _WHOLE)
        ) from error


def _read_document(path: Path) -> dict[str, Any]:
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _unusable_folder_error(path.parent, f"{path.name} cannot be read") from error
    return result if isinstance(result, dict) else {}


_WHOLE = "A parse_xfm folder has amrlib_meta.json, config.json, weights, and its tokenizer's files."


def _unusable_folder_error(folder: Path, what: str, remedy: str = _WHOLE) -> DataError:
    return DataError(what, path=folder, code="E355", remedy=remedy)


ParserName = Literal["builtin", "amrlib"]
BATCH = 64
"""Contexts that are given to a parser at once."""


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


def open_parser(
    which: ParserName, model: Path | None = None, device: str | None = None, labeller: Path | None = None
) -> Parser:
    """Return a parser by its name.

    Args:
        model: The folder of amrlib's.
        device: Cpu, cuda:0 …, None: what there is.
        labeller: Of roles, for the built-in parser, instead of the one that ships.

    Raises:
        EngineError: E355 for amrlib without a model, or with a folder that is none.
    """
    if which == "builtin":
        return BuiltinParser(labeller)
    if model is None:
        raise EngineError(
            "amrlib needs a model",
            code="E355",
            remedy=(
                "Give the folder of a parse_xfm model: --model FOLDER, or, permanently: mathwb "
                "config set mathamr.amr_model FOLDER. The built-in parser needs none."
            ),
        )

    return AmrlibParser(model, device)


def parse_contexts(contexts: Iterable[str], chosen: Parser) -> Iterator[Parsed]:
    """Yield the graph of each context, in order. Where a parser gives none, the built-in one does, and says
    so.
    """
    waiting = iter(contexts)
    while batch := list(islice(waiting, BATCH)):
        for context, graph in zip(batch, chosen(batch), strict=True):
            warnings, name = [], chosen.name
            if graph is None:
                name, graph = BuiltinParser.name, next(BuiltinParser()([context]))
                warnings.append(f"{chosen.name} gave no graph; this is the {name} parser's")
            # A placeholder that is in no node or constant of the graph was lost by the parser.
            kept = {read_placeholder(text) for node in graph.iterate_nodes() for text in node.list_texts()}
            lost = tuple(one for one in dict.fromkeys(find_ids(context)) if one.lower() not in kept)
            if graph.root.branches == [Branch(":value", _NOTHING)]:
                warnings.append("the text has no word to make a graph from")
            yield Parsed(graph, name, lost, tuple(warnings))


def replace_placeholders(graph: Graph) -> None:
    """Put the constant "MATH" for every placeholder of a graph, which is changed."""
    for node in graph.iterate_nodes():
        for branch in node.branches:
            if isinstance(branch.target, str) and read_placeholder(branch.target) is not None:
                branch.target = '"MATH"'


_Parser = Annotated[ParserName, Arg("Which parser to use.")]
_Model = Annotated[
    Path | None,
    Arg("The folder of amrlib's model.", metavar="FOLDER", shown="the setting mathamr.amr_model"),
]
_Device = Annotated[str | None, Arg("Device for amrlib's model.", shown="a GPU if there is one")]
_Labeller = Annotated[
    Path | None,
    Arg(
        "Role labeller for the built-in parser, made by mathamr roles.",
        metavar="FILE",
        shown="the built-in one",
    ),
]


@specification
class ParseAmr:
    """Parse contexts to AMR graphs, with each formula as the constant "MATH".

    The built-in parser is approximate: rules over a dependency parse. amrlib's models are better but large;
    give a model's folder with --model.
    """

    file: Annotated[
        Path, Arg('Lines {"topic_id": …, "context": text with placeholders}.', metavar="FILE", option=True)
    ]
    parser: _Parser = "builtin"
    model: _Model = None
    device: _Device = None
    labeller: _Labeller = None
    placeholders: Annotated[bool, Arg('Keep the placeholders instead of "MATH".')] = False


@specification
class Parse:
    """Build a text's MathAMR graph: its AMR, with the formulas' operator trees grafted in."""

    text: Annotated[str, Arg("A text with formulas between dollar signs.")]
    parser: _Parser = "builtin"
    model: _Model = None
    device: _Device = None
    labeller: _Labeller = None
    query: Annotated[str | None, Arg("Mark the formula with this id, counting from 1.")] = None


def parse_rows(spec: ParseAmr, *, events: Sink = ignore) -> Iterator[dict[str, Any]]:
    """Yield rows `{"topic_id", "amr"}`. What a parser could not parse, and what it lost, is warned of.

    Raises:
        DataError: E317 for a row without topic_id or context.
        EngineError: E355 for a model that is none.
    """
    from engines.mathamr.rows import read_named_rows

    chosen = open_parser(spec.parser, spec.model, spec.device, spec.labeller)
    if spec.parser == "amrlib":
        events(Event("log", {"message": f"the graphs are by amrlib's model {spec.model}"}))
    lines = list(read_named_rows(spec.file, "topic_id", "context", events=events))
    for row, made in zip(lines, parse_contexts((row["context"] for row in lines), chosen), strict=True):
        for warning in made.warnings:
            row.warn_of_row(warning)
        if made.lost:
            row.warn_of_row(f"the parser lost the formulas {', '.join(made.lost)}")
        if not spec.placeholders:
            replace_placeholders(made.graph)
        yield {"topic_id": row["topic_id"], "amr": write_graph(made.graph)}


def parse(spec: Parse) -> dict[str, Any]:
    """Parse a text with formulas to its AMR and MathAMR graphs.

    Returns:
        `{"context", "formulas", "parser", "amr", "mathamr", "linear_mathamr", "lost", "warnings"}`; `lost`
            are the formulas whose placeholder the parser lost, which hang on the root.

    Raises:
        EngineError: E376 for a query that is no formula of the text, E355 for a model that is none.

    >>> found = parse(Parse("Find $x$ such that $x^2=2$."))
    >>> found["formulas"], found["linear_mathamr"]
    ({'1': 'x', '2': 'x^2=2'}, 'find-01 you string-entity x string-entity eq 2 SUP x 2 imperative')
    """
    from engines.formula.operator_tree_parser import operator_tree
    from engines.mathamr.graph.drawing import to_svg

    # 1. Formulas become placeholders, the text an AMR graph.
    result = mark_formulas(spec.text)
    result.require_formula(spec.query)
    parsed = next(
        parse_contexts([result.text], open_parser(spec.parser, spec.model, spec.device, spec.labeller))
    )
    warnings = [*result.warnings, *parsed.warnings]
    if parsed.parser == "builtin":
        warnings.append("the built-in parser is approximate")
    else:
        warnings.append(f"the graph is by amrlib's model {spec.model}")
    if not result.formulas:
        warnings.append("the text has no formula")
    # 2. The operator trees of the formulas take the place of their placeholders (MathAMR, section 3.2).
    text = write_graph(parsed.graph)
    trees = {name: operator_tree(latex) for name, latex in result.formulas.items()}
    for name, tree in trees.items():
        if tree.list_errors():
            warnings.append(f"part of formula {name} could not be parsed")
    grafted = graft_formulas(text, trees, query=spec.query)
    if grafted.lost:
        warnings.append(f"the parser lost {len(grafted.lost)} formulas, which are attached to the root")
    document = {
        "context": result.text,
        "formulas": dict(result.formulas),
        "parser": parsed.parser,
        "amr": text,
        "mathamr": write_graph(grafted.graph),
        "linear_mathamr": linearize_graph(grafted.graph),
        "lost": list(grafted.lost),
        "warnings": warnings,
    }
    rows = [{"formula": name, "latex": latex} for name, latex in result.formulas.items()]
    return Shown(
        document,
        lambda: rows,
        ("formula", "latex"),
        title="; ".join(warnings),
        draw=lambda: to_svg(grafted.graph),
    )
