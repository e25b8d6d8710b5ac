"""Roles of dependents: what a subject, an object or a prepositional phrase means to a frame.

A log-linear model, learnt from PropBank's examples, chooses among the numbered roles that the frame has and
the modifiers. It knows a dependent by its relation, preposition and tag, a role by its number and by its
function in PropBank (PAG, PPT, GOL, …), and how often the role stood there in examples of the frame.
"""

from __future__ import annotations

import gzip
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Annotated, Any

from engines.core.errors import DataError, EngineError
from engines.core.files import atomic_writer
from engines.core.rows import json_objects, read_lines
from engines.core.spec import Arg, specification
from engines.core.system import asset
from engines.language.english import Word, analyse_sentences
from engines.mathamr.graph.amr import Block, Graph, read_blocks, read_graph
from engines.mathamr.parsing.lexicon import load_frames

MODIFIERS: Mapping[str, str] = {
    "LOC": ":location",
    "TMP": ":time",
    "MNR": ":manner",
    "PRP": ":purpose",
    "PNC": ":purpose",
    "CAU": ":cause",
    "GOL": ":destination",
    "DIR": ":direction",
    "COM": ":accompanier",
    "EXT": ":degree",
    "PRD": ":mod",
    "ADV": ":mod",
}
"""The role of each of PropBank's modifiers."""
_BEST = 4
"""So many of the likeliest roles of each dependent are tried together."""
_UNKNOWN: Mapping[str, str] = {"0": "PAG", "1": "PPT", "2": "GOL"}
"""What a word has for roles that is no frame."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A frame in its sentence: its word's tag, and its voice: P passive, O with an object, N neither."""

    frame: str
    tag: str
    voice: str


@dataclass(frozen=True, slots=True)
class Dependent:
    """A word below a predicate: `preposition` is its mark if it is a clause, "" where there is none."""

    relation: str
    preposition: str
    tag: str


def _count_key(predicate: Predicate, dependent: Dependent) -> str:
    return f"{predicate.frame} {dependent.relation} {dependent.preposition}"


@dataclass(frozen=True, slots=True)
class Roles:
    """The model: `counts` of roles by "frame relation preposition", `weights` of features."""

    counts: Mapping[str, Mapping[str, int]]
    weights: Mapping[str, float]

    def score_roles(self, predicate: Predicate, dependent: Dependent) -> dict[str, float]:
        """Return the score of each role that the dependent could have: 0, 1, …, LOC, TMP, …"""
        counts = self.counts.get(_count_key(predicate, dependent), {})
        result = {}
        for role, own in list_role_candidates(predicate.frame):
            score = sum(self.weights.get(one, 0.0) for one in list_features(predicate, dependent, role, own))
            named = zip(("seen", "often"), count_features(counts, role), strict=True)
            result[role] = score + sum(self.weights[name] * value for name, value in named)
        return result

    def choose_roles(
        self,
        predicate: Predicate,
        dependents: Sequence[Dependent],
        taken: Collection[str],
        barred: Sequence[Collection[str]],
    ) -> list[str | None]:
        """Return the likeliest roles (:ARG2, :location …) of dependents together, a numbered role at most
        once.

        Args:
            taken: Numbered roles that are gone.
            barred: For each dependent, roles that it cannot have.

        Returns:
            None for a dependent without a role left.
        """
        choices: list[list[tuple[float, str | None]]] = []
        for dependent, no in zip(dependents, barred, strict=True):
            named = (
                (score, f":ARG{role}" if role.isdigit() else MODIFIERS[role])
                for role, score in self.score_roles(predicate, dependent).items()
            )
            free = [one for one in named if one[1] not in no and one[1] not in taken]
            choices.append([*sorted(free, key=lambda one: (-one[0], one[1]))[:_BEST], (-99.0, None)])
        return _choose_jointly(choices)


def _choose_jointly(choices: Sequence[Sequence[tuple[float, str | None]]]) -> list[str | None]:
    """Return a role of each with the highest sum of scores, a numbered one at most once; of equal sums the
    first.

    Of all beginnings that use the same numbered roles only the best can go on.
    """
    # Dynamic programming over the set of used roles: its size grows with the few numbered roles, not with
    # the number of dependents.
    begun: dict[frozenset[str], tuple[float, tuple[int, ...]]] = {frozenset(): (0.0, ())}
    for ranked in choices:
        longer: dict[frozenset[str], tuple[float, tuple[int, ...]]] = {}
        for used, (cost, position) in begun.items():
            for index, (score, role) in enumerate(ranked):
                numbered = {role} if role is not None and role.startswith(":ARG") else set()
                if not numbered & used:
                    results = cost - score, (*position, index)
                    now = used | numbered
                    # The position breaks ties, so that the first of equal sums wins.
                    longer[now] = min(longer.get(now, results), results)
        begun = longer
    _, best = min(begun.values())
    return [ranked[number][1] for ranked, number in zip(choices, best, strict=True)]


@cache
def list_role_candidates(frame: str) -> tuple[tuple[str, str], ...]:
    """Return the roles that a frame's dependents can have, each with its description, which may be empty."""
    numbered = (one for one in load_frames().roles.get(frame, _UNKNOWN).items() if one[0].isdigit())
    return (*sorted(numbered), *((name, "") for name in MODIFIERS))


def list_features(predicate: Predicate, dependent: Dependent, role: str, function: str) -> Iterator[str]:
    """Yield the features of a role of a dependent: each that is known of the one with each of the other."""
    roles = (role, function, role + function) if function else (role,)
    # Features are conjunctions of a property of the dependent and the role, for a linear model.
    relation, preposition = dependent.relation, dependent.preposition
    for one in (
        relation,
        f"{relation} {preposition}",
        f"{relation}/{predicate.voice}",
        f"{relation}~{predicate.tag[:2]}",
        f"{preposition}^{dependent.tag[:2]}",
    ):
        for other in roles:
            yield f"{one}|{other}"


def count_features(counts: Mapping[str, int], role: str) -> tuple[float, float]:
    """Return whether a role occurred at such a dependent of the frame (0 or 1), and the logarithm of its
    share.
    """
    total = sum(counts.values())
    if not total:
        return 0.0, 0.0
    return float(counts.get(role, 0) > 0), math.log((counts.get(role, 0) + 0.1) / (total + 1))


@cache
def load_roles(file: Path | None = None) -> Roles:
    """Return the model that ships, or another that was trained.

    Raises:
        DataError: E317 for a file that is none.
    """
    path = file or asset("mathamr/roles.tsv.gz")
    counts: dict[str, dict[str, int]] = {}
    weights: dict[str, float] = {}
    for number, line in read_lines(path):
        try:
            kind, key, values = line.split("\t")
            if kind == "weight":
                weights[key] = float(values)
            else:
                pairs = (one.partition("=") for one in values.split())
                counts[key] = {role: int(count) for role, _, count in pairs}
        except ValueError as error:
            raise _labeller_error(path, number) from error
    if not weights.keys() >= {"seen", "often"}:
        raise _labeller_error(path)
    return Roles(counts, weights)


def _labeller_error(path: Path, line: int | None = None) -> DataError:
    remedy = "Name a file that mathwb mathamr roles made."
    return DataError("not a labeller of roles", path=path, line=line, code="E317", remedy=remedy)


_NAMES = {role: name for name, role in reversed(list(MODIFIERS.items()))}
"""PropBank's name of each role that is a modifier; the first where several have one role."""


def align_words(words: Sequence[Word], graph: Graph) -> dict[str, int]:
    """Return the word of each variable, by its concept: a frame that the word can stand for, or its lemma.

    Only where there is one such word, and no other node that it could be.
    """
    known = load_frames().words
    lemmas = [word.lemma.lower() for word in words]
    can_be = [
        {lemma, *(one for kind in "vnj" for one in known.get(f"{lemma}/{kind}", ()))} for lemma in lemmas
    ]
    concepts = {name: node.concept for name, node in graph.map_variables().items()}
    result: dict[str, int] = {}
    for name, concept in concepts.items():
        # Only unambiguous alignments are used: a wrong example does more harm than a missing one.
        indices = [number for number, own in enumerate(can_be) if concept in own]
        others = [one for one in concepts.values() if indices and one in can_be[indices[0]]]
        if len(indices) == 1 and len(others) == 1:
            result[name] = indices[0]
    return result


def list_arguments(graph: Graph) -> Iterator[tuple[str, str, str]]:
    """Yield the variable of a frame, PropBank's name of a role, and the variable of what has the role.

    Inverse roles are turned round; numbered roles are 0, 1, …, modifiers LOC, TMP, ….
    """
    known = graph.map_variables()
    for node in graph.iterate_nodes():
        for branch in node.branches:
            target = branch.name
            role = branch.role.lower()
            if target not in known:
                continue
            source, argument = node.variable, target
            if role.startswith(":arg") and role.endswith("-of"):
                source, argument, role = target, node.variable, role.removesuffix("-of")
            if role.startswith(":arg") and role[4:].isdigit():
                yield source, role[4:], argument
            elif role in _NAMES:
                yield source, _NAMES[role], argument


_RELATIONS = (
    "nsubj",
    "nsubj:pass",
    "obj",
    "iobj",
    "obl",
    "nmod",
    "nmod:poss",
    "ccomp",
    "xcomp",
    "advcl",
    "acl",
)
_EPOCHS = 4
_BATCH = 256
_RATE = 0.03
_DECAY = 1e-5
_LEAST = 0.02
"""Weights below are not kept."""


@dataclass(frozen=True, slots=True)
class RoleExample:
    """A dependent with its role."""

    predicate: Predicate
    dependent: Dependent
    role: str


def find_preposition(words: Sequence[Word], number: int) -> str:
    """Return the preposition or mark of a word."""
    for index, word in enumerate(words):
        if word.head == number and index != number and word.relation in ("case", "mark"):
            return word.lemma.lower()
    return ""


def find_voice(relations: set[str]) -> str:
    """Return the voice of a predicate with these relations below it: P passive, O with an object, N
    neither.
    """
    return "P" if relations & {"nsubj:pass", "aux:pass"} else "O" if "obj" in relations else "N"


def fit_roles(
    examples: Path | None, out: Path, *, amr: Sequence[Path] = (), held_out: float = 0.0
) -> dict[str, float]:
    """Write a file as `roles.tsv.gz` from PropBank's examples (JSON Lines: roleset, text, rel, args), from
    files of AMR graphs with their sentences, or both.

    Args:
        held_out: The share of the sentences that is not learnt from, and on which accuracy is measured.

    Returns:
        Sentences (that teach something), dependents, features, graphs, left_out (lines and blocks that cannot
        be read); with `held_out` tested and accuracy too: the share of dependents whose role, taken alone, is
        right. The same files give the same model.

    Raises:
        DataError: E674 where nothing can be learnt.
    """
    unread_errors: list[DataError] = []
    rows = [] if examples is None else list(_read_annotated(examples, unread_errors.append))
    graphs: list[tuple[Block, Graph]] = []
    for path in amr:
        for block in read_blocks(path, on_bad=unread_errors.append):
            try:
                graphs.append((block, read_graph(block.graph)))
            except DataError as error:
                code, remedy = error.code, error.remedy
                unread_errors.append(
                    DataError(error.what, path=path, line=block.line, code=code, remedy=remedy)
                )
    texts = [row["text"] for row in rows] + [one.sentence for one, _ in graphs]
    parsed = list(analyse_sentences([(word or "_", True) for word in text.split(" ")] for text in texts))
    examples_by_sentence = [_build_examples(row, words) for row, words in zip(rows, parsed, strict=False)]
    examples_by_sentence += [
        _build_graph_examples(graph, words)
        for (_, graph), words in zip(graphs, parsed[len(rows) :], strict=True)
    ]
    sentences = [one for one in examples_by_sentence if one]
    if not sentences:
        remedy = "Name PropBank's examples, or files of graphs under their sentences."
        raise DataError("no sentence has a usable role", path=examples, code="E674", remedy=remedy)
    # Shuffle sentences, not dependents: those of one sentence are alike and must stay on one side.
    Random(0).shuffle(sentences)
    tested = [
        one
        for examples_by_sentence in sentences[: int(held_out * len(sentences))]
        for one in examples_by_sentence
    ]
    learned = [
        one
        for examples_by_sentence in sentences[int(held_out * len(sentences)) :]
        for one in examples_by_sentence
    ]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for one in learned:
        counts[_count_key(one.predicate, one.dependent)][one.role] += 1
    weights = _fit_weights(learned, counts)
    lines = [f"weight\t{name}\t{value:.2f}" for name, value in sorted(weights.items())]
    for key, own in sorted(counts.items()):
        lines.append(f"count\t{key}\t" + " ".join(f"{role}={count}" for role, count in sorted(own.items())))
    # Without name and time in the packed file, the same model has the same bytes.
    with (
        atomic_writer(out, "wb") as file,
        gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed,
    ):
        packed.write("\n".join(lines).encode() + b"\n")
    figures: dict[str, float] = {
        "sentences": len(sentences),
        "dependents": len(learned),
        "features": len(weights),
        "graphs": len(graphs),
        "left_out": len(unread_errors),
    }
    if tested:
        model = Roles(counts, weights)
        scores = [(model.score_roles(one.predicate, one.dependent), one.role) for one in tested]
        right = sum(
            max(sorted(examples_by_sentence), key=examples_by_sentence.__getitem__) == role
            for examples_by_sentence, role in scores
        )
        figures |= {"tested": len(tested), "accuracy": right / len(tested)}
    return figures


def _read_annotated(path: Path, on_bad: Callable[[DataError], None]) -> Iterator[dict[str, Any]]:
    shape = '{"roleset": "give-01", "text": "…", "rel": "2", "args": [["ARG0", 0, 1]]}'
    remedy = f"Each line is like {shape}."
    for number, row in json_objects(path, remedy=remedy, on_bad=on_bad):
        try:
            args = [(str(name), int(first), int(last)) for name, first, last in row["args"]]
            (rel, *_), roleset, text = str(row["rel"]).split(), row["roleset"], row["text"]
            if not isinstance(roleset, str) or not isinstance(text, str):
                raise TypeError("roleset and text are texts")
        except (KeyError, TypeError, ValueError) as error:
            what = f"this is not a PropBank example: {error}"
            on_bad(DataError(what, path=path, line=number, code="E317", remedy=remedy))
            continue
        yield {"roleset": roleset, "text": text, "rel": rel, "args": args}


def _build_examples(row: Mapping[str, Any], words: Sequence[Word]) -> list[RoleExample]:
    frame = row["roleset"].replace("_", "-")
    first_of = row["rel"]
    if not first_of.isdigit() or int(first_of) >= len(words):
        return []
    result = []
    for named, first, last in row["args"]:
        # ARG0 and ARGM-LOC become 0 and LOC, the short names that the frames use.
        role = named.removeprefix("ARGM-").removeprefix("ARG")
        if last < len(words):
            # Of the words of an argument, the example is the first one that hangs on the predicate.
            shown = (_build_example(words, int(first_of), frame, n, role) for n in range(first, last + 1))
            result += [one for one in shown if one is not None][:1]
    return result


def _build_graph_examples(graph: Graph, words: Sequence[Word]) -> list[RoleExample]:
    """Return each role of a frame in a graph, where the words of both are known and one hangs on the
    other.
    """
    positions = align_words(words, graph)
    concepts = graph.map_variables()
    return [
        result
        for frame, role, argument in list_arguments(graph)
        if frame in positions
        and argument in positions
        and (
            result := _build_example(
                words, positions[frame], concepts[frame].concept, positions[argument], role
            )
        )
    ]


def _build_example(
    words: Sequence[Word], index: int, frame: str, number: int, role: str
) -> RoleExample | None:
    """Return a dependent of a predicate, if it hangs on it and the inventory has the frame and the role."""
    word = words[number]
    if word.head != index or number == index or word.relation not in _RELATIONS:
        return None
    if frame not in load_frames().roles or role not in dict(list_role_candidates(frame)):
        return None
    below = {one.relation for at, one in enumerate(words) if one.head == index and at != index}
    predicate = Predicate(frame, words[index].tag, find_voice(below))
    return RoleExample(predicate, Dependent(word.relation, find_preposition(words, number), word.tag), role)


def _fit_weights(
    examples: Sequence[RoleExample], counts: Mapping[str, Mapping[str, int]]
) -> dict[str, float]:
    """Return the weights under which the roles of the examples are likeliest; each is left out of its own
    counts.
    """
    import torch

    names: dict[str, int] = {"seen": 0, "often": 1}
    sparse, dense, right = [], [], []
    for one in examples:
        # Leave the example out of its own counts, or the model would trust rare counts too much.
        own = dict(counts[_count_key(one.predicate, one.dependent)])
        own[one.role] -= 1
        roles = list_role_candidates(one.predicate.frame)
        sparse.append(
            [
                [
                    names.setdefault(name, len(names))
                    for name in list_features(one.predicate, one.dependent, *role)
                ]
                for role in roles
            ]
        )
        dense.append([count_features(own, role) for role, _ in roles])
        right.append([role for role, _ in roles].index(one.role))
    weights = torch.nn.Parameter(torch.zeros(len(names)))
    optimizer = torch.optim.Adam([weights], lr=_RATE)
    for epoch in range(_EPOCHS):
        # The learning rate falls linearly to 0.
        for group in optimizer.param_groups:
            group["lr"] = _RATE * (1 - epoch / _EPOCHS)
        order = list(range(len(examples)))
        Random(epoch).shuffle(order)
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            # Score = sum of the weights of sparse features + two dense ones; one padded row per dependent.
            flat = [role for index in batch for role in sparse[index]]
            sums = torch.nn.functional.embedding_bag(
                torch.tensor([name for role in flat for name in role]),
                weights[:, None],
                torch.tensor([0, *map(len, flat)]).cumsum(0)[:-1],
                mode="sum",
            )[:, 0]
            sums = sums + torch.tensor([value for index in batch for value in dense[index]]) @ weights[:2]
            scores = torch.nn.utils.rnn.pad_sequence(
                list(sums.split([len(sparse[index]) for index in batch])),
                batch_first=True,
                padding_value=-1e9,
            )
            loss = torch.nn.functional.cross_entropy(scores, torch.tensor([right[index] for index in batch]))
            optimizer.zero_grad()
            (loss + _DECAY * weights.square().sum()).backward()
            optimizer.step()
    values = weights.tolist()
    return {
        name: round(values[index], 2)
        for name, index in names.items()
        if index < 2 or abs(values[index]) >= _LEAST
    }


@specification
class TrainRoles:
    """Train the built-in parser's role labeller, on PropBank's examples, AMR graphs, or both.

    From an AMR graph, only roles whose frame and argument are single words of the sentence, one depending on
    the other, are learned. Give the file to mathamr amr and mathamr parse as --labeller.
    """

    out: Annotated[Path, Arg("The labeller to write.", metavar="FILE", option=True, writes=True)]
    examples: Annotated[
        Path | None,
        Arg("PropBank's examples: JSON lines with roleset, text, rel and args.", metavar="FILE", option=True),
    ] = None
    amr: Annotated[
        tuple[Path, ...],
        Arg("AMR graphs with their sentences, or a registered name; repeatable.", ref="amr", option=True),
    ] = ()
    held_out: Annotated[
        float, Arg("Share of the sentences held out to measure accuracy on.", low=0, high=0.9)
    ] = 0.0

    def __post_init__(self) -> None:
        """Raise EngineError E402 where there is nothing to learn from."""
        if self.examples is None and not self.amr:
            raise EngineError(
                "examples or AMR graphs are needed",
                code="E402",
                remedy="Name --examples FILE, --amr NAME, or both.",
            )


def train_roles(spec: TrainRoles) -> dict[str, Any]:
    """Train the labeller of roles and write it to a file.

    Returns:
        Out, and as `derive`.

    Raises:
        DataError: E674 as there.
    """
    result = fit_roles(spec.examples, spec.out, amr=spec.amr, held_out=spec.held_out)
    return {"out": str(spec.out), **result}
