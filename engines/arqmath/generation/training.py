"""The answer generator of Task 3 as a training task: GPT-2 continues a problem with its solution."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from engines.arqmath.training.forum_task import ForumTask, move_to_model
from engines.arqmath.training.model_folder import (
    longest_first,
    open_model,
    open_tokenizer,
    pad_rows,
    read_architecture,
    refuse_lost,
    save_model,
    tokenize_named_texts,
    unusable_model_error,
)
from engines.core.errors import DataError
from engines.core.files import model_files
from engines.core.model_checks import check_weights
from engines.core.spec import Arg, make_refusal, specification
from engines.training.libraries import quick_imports
from engines.training.token_cache import cached_rows

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerFast


# A problem and its solution as one sequence of GPT-2, `PROBLEM: …SOLUTION: …`; the solution is learned.
#
# Also the tokenizer: digits are tokens of their own (paper section 4.3), so that numbers are read digit by
# digit.

END = "<|endoftext|>"
HINT = "HINT"
"""A solution that begins with this word comes out shorter; the training knows nothing of it."""


def make_prompt(problem: str, *, hint: bool = False) -> str:
    """Return the prompt that a solution follows: PROBLEM, the question, and SOLUTION.

    >>> make_prompt("What is 1+1?", hint=True)
    'PROBLEM: What is 1+1?SOLUTION: HINT'
    """
    return f"PROBLEM: {problem}SOLUTION: {HINT if hint else ''}"


def split_digits(tokenizer: PreTrainedTokenizerFast) -> PreTrainedTokenizerFast:
    """Return the same tokenizer with every digit a token of its own: as if no merge had a digit in it. Ids
    stay.
    """
    from tokenizers.pre_tokenizers import Digits, PreTokenizer
    from tokenizers.pre_tokenizers import Sequence as Steps

    backend = tokenizer.backend_tokenizer
    first: PreTokenizer = Digits(individual_digits=True)
    if "Digits" not in str(backend.pre_tokenizer):
        backend.pre_tokenizer = Steps([first, backend.pre_tokenizer])
    if tokenizer.eos_token is None:
        tokenizer.add_special_tokens({"eos_token": END})
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def train_tokenizer(texts: Iterable[str], size: int) -> PreTrainedTokenizerFast:
    """Return a byte-level BPE tokenizer of at most `size` tokens, learned from texts; digits apart."""
    from tokenizers import Tokenizer
    from tokenizers.decoders import ByteLevel as Joined
    from tokenizers.models import BPE
    from tokenizers.pre_tokenizers import ByteLevel, Digits
    from tokenizers.pre_tokenizers import Sequence as Steps
    from tokenizers.trainers import BpeTrainer
    from transformers import PreTrainedTokenizerFast

    backend = Tokenizer(BPE())
    backend.pre_tokenizer = Steps([Digits(individual_digits=True), ByteLevel(add_prefix_space=False)])
    backend.decoder = Joined()
    trainer = BpeTrainer(
        vocab_size=size, special_tokens=[END], initial_alphabet=ByteLevel.alphabet(), show_progress=False
    )
    backend.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=backend, eos_token=END, bos_token=END, pad_token=END)


# Problems with solutions to train a generator on: questions of a collection with one answer each, AMPS.
#
# Texts are tokenised once, into a file: a full collection has billions of tokens.

KHAN_TIMES = 5
MATHEMATICA_SHARE = 0.5
"""How often AMPS's exercises are taken (paper section 4.3)."""


@dataclass(frozen=True, slots=True)
class ProblemTexts:
    """Texts by number, and which of them belong together: `pairs` is (examples, 2), problem and solution."""

    read: Iterable[tuple[int, str]]
    count: int
    pairs: NDArray[np.int64]


def collection_texts(folder: Path, *, seed: int) -> ProblemTexts:
    """Return every question of a collection that has an answer, with one of its answers, drawn by the seed.

    The posts are read twice: for their ids, and for their texts.

    Raises:
        DataError: E651 without any.
    """
    from engines.forum.folder import ArqmathFolder
    from engines.forum.readers import Report, read_posts

    posts = ArqmathFolder.open(folder).need_posts()
    answers: dict[str, list[str]] = {}
    questions: set[str] = set()
    for post in read_posts(posts, Report()):
        if post.kind == 1:
            questions.add(post.id)
        elif post.body.text:
            answers.setdefault(post.parent, []).append(post.id)
    rng = np.random.default_rng(seed)
    chosen = [(asked, ids[int(rng.integers(len(ids)))]) for asked, ids in sorted(answers.items())]
    chosen = [pair for pair in chosen if pair[0] in questions]
    if not chosen:
        remedy = "Name a Posts file with questions and their answers."
        raise DataError("no question has an answer", path=posts, code="E651", remedy=remedy)
    number = {post: n for n, post in enumerate(post for pair in chosen for post in pair)}

    def read_texts() -> Iterator[tuple[int, str]]:
        for post in read_posts(posts, Report()):
            if post.id in number:
                yield number[post.id], post.text

    return ProblemTexts(read_texts(), len(number), np.arange(len(number)).reshape(-1, 2))


def amps_texts(folder: Path, *, seed: int) -> ProblemTexts:
    """Return the texts of AMPS: Khan Academy's exercises five times, and half of Mathematica's, drawn by the
    seed.

    The proportions are those of Reusch, Thiele and Lehner (2022), section 4.3.
    """
    from engines.arqmath.training.corpora import read_amps
    from engines.forum.readers import Report

    rng = np.random.default_rng(seed)
    texts: list[tuple[int, str]] = []
    pairs: list[tuple[int, int]] = []
    for problem in read_amps(folder, Report()):
        times = KHAN_TIMES if problem.source == "khan" else int(rng.random() < MATHEMATICA_SHARE)
        if times:
            pairs += [(len(texts), len(texts) + 1)] * times
            texts += [(len(texts), problem.problem), (len(texts) + 1, problem.solution)]
    if not pairs:
        remedy = "Expected AMPS's folders khan/<exercise>/N.json or mathematica/<topic>/N.txt."
        raise DataError("no exercises found here", path=folder, code="E651", remedy=remedy)
    return ProblemTexts(texts, len(texts), np.array(pairs, np.int64))


class ProblemSequences:
    """Pairs of tokenised texts with random access: an item is (number, tokens of the training sequence)."""

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerFast,
        sources: Sequence[ProblemTexts],
        *,
        max_length: int,
        cache_path: Path | None = None,
    ) -> None:
        self.max_length = max_length
        self._before, self._between = tokenizer(["PROBLEM: ", "SOLUTION: "], add_special_tokens=False)[
            "input_ids"
        ]
        self._end = tokenizer.eos_token_id
        self._room = max_length - len(self._before) - len(self._between) - 1
        begins = np.cumsum([0, *(source.count for source in sources)])

        def iterate_texts() -> Iterator[tuple[int, str]]:
            for begin, source in zip(begins.tolist(), sources, strict=False):
                for number, text in source.read:
                    yield begin + number, text

        # No more of a text is ever read than one that stands alone would keep.
        numbers, self._texts = cached_rows(
            cache_path, lambda: tokenize_named_texts(tokenizer, iterate_texts()), keep=max_length
        )
        rows = np.argsort(numbers)
        pairs = [source.pairs + begin for source, begin in zip(sources, begins, strict=False)]
        self.pairs = rows[np.concatenate(pairs)]
        """(pairs, 2) rows of problem and solution."""
        self.cut = float((self._texts.lengths[self.pairs].sum(axis=1) > self._room).mean())
        """The share of pairs that had to be shortened."""

    def build_sequence(self, pair: int) -> tuple[list[int], int]:
        """Return the token ids of a pair with the end token, and how many of them belong to the prompt.

        If the pair is too long, the longer text is cut first.
        """
        question, answer = (self._texts[row].tolist() for row in self.pairs[pair])
        first, second = longest_first(len(question), len(answer), self._room)
        head = [*self._before, *question[:first], *self._between]
        return [*head, *answer[:second], self._end], len(head)

    def __len__(self) -> int:
        return len(self.pairs)


LIMITS = (
    "It writes fluent text that is often wrong: the paper's best run is relevant for 8 of 100 topics.",
    "Answers repeat the question and themselves; treat them as drafts.",
)
CODE, UNOPENED = "E652", "E650"
_HELD_OUT = 0.05
_MEASURED = 200


@specification
class GeneratorSettings:
    """The settings in a recipe's table `model`; the sizes count only without a backbone and default to
    GPT-2's.
    """

    max_length: Annotated[int, Arg("Tokens of an example, including the end token.", low=32)] = 1024
    width: Annotated[int, Arg("Width of the model.", low=1)] = 768
    layers: Annotated[int, Arg("Layers.", low=1)] = 12
    heads: Annotated[int, Arg("Attention heads.", low=1)] = 12
    vocabulary: Annotated[int, Arg("Tokens of the vocabulary.", low=257)] = 50_257

    def __post_init__(self) -> None:
        if self.width % self.heads:
            wrong = f"width {self.width} is no multiple of {self.heads} heads"
            raise make_refusal(wrong, CODE, "Change the model's settings.")


class GeneratorTask(ForumTask[GeneratorSettings]):
    """The trainer `arqmath.generator`. Data: `collection`, `amps` or both; `backbone`: a GPT-2 folder."""

    trainer = "arqmath.generator"
    settings_class, code = GeneratorSettings, CODE
    needs: ClassVar = {}
    measures = ("validation_loss_nats", "cut_share")

    def __init__(self, model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> None:
        if not {"collection", "amps"} & set(data):
            remedy = "Name a collection with --set data.collection=PATH, or AMPS with data.amps."
            raise DataError("the recipe names no training data", code="E651", remedy=remedy)
        super().__init__(model, data, seed=seed)

    def list_source_files(self) -> dict[str, Sequence[Path]]:
        """Return the files that the training reads, by what they serve as."""
        files: dict[str, Sequence[Path]] = {}
        if "collection" in self.data:
            files["collection"] = (self.folder.need_posts(),)
        if "amps" in self.data:
            files["amps"] = (self.data["amps"],)
        if "backbone" in self.data:
            files["backbone"] = model_files(self.data["backbone"])
        return files

    @cached_property
    def tokenizer(self) -> PreTrainedTokenizerFast:
        """The backbone's, or a new one learned from the texts; digits apart."""
        if "backbone" in self.data:
            return split_digits(open_tokenizer(self.data["backbone"], UNOPENED))
        texts = (text for source in self._load_sources() for _, text in source.read)
        return train_tokenizer(texts, self.settings.vocabulary)

    def _load_sources(self) -> list[Any]:
        result = []
        if "collection" in self.data:
            result.append(collection_texts(self.data["collection"], seed=self.seed))
        if "amps" in self.data:
            result.append(amps_texts(self.data["amps"], seed=self.seed))
        return result

    @cached_property
    def problems(self) -> ProblemSequences:
        """The problems and solutions as rows of tokens."""
        most = self.settings.max_length
        stored_path = self._cache.stored_path(
            "problems", "collection", "amps", tokenizer=self.tokenizer, seed=self.seed, most=most
        )
        return ProblemSequences(self.tokenizer, self._load_sources(), max_length=most, cache_path=stored_path)

    @cached_property
    def _order(self) -> Any:
        return np.random.default_rng(self.seed).permutation(len(self.problems))

    @property
    def _held_out(self) -> int:
        return max(1, round(_HELD_OUT * len(self.problems))) if len(self.problems) > 1 else 0

    def model(self) -> torch.nn.Module:
        """Return the model as the training begins with it."""
        with quick_imports():
            from transformers import GPT2Config, GPT2LMHeadModel

        if "backbone" in self.data:
            return open_gpt2(self.data["backbone"], self.settings.max_length)
        end = self.tokenizer.eos_token_id
        config = GPT2Config(
            vocab_size=len(self.tokenizer),
            n_positions=self.settings.max_length,
            n_embd=self.settings.width,
            n_layer=self.settings.layers,
            n_head=self.settings.heads,
            bos_token_id=end,
            eos_token_id=end,
        )
        return GPT2LMHeadModel(config)

    def train_data(self) -> _SequenceSubset:
        """Return the sequences that are not held out (95 %)."""
        return _SequenceSubset(self.problems, self._order[self._held_out :])

    def length(self, example: tuple[list[int], int]) -> int:
        """Return the length of an example in tokens."""
        return len(example[0])

    def collate(self, examples: Sequence[tuple[list[int], int]]) -> dict[str, torch.Tensor]:
        """Return `ids`, `mask`, `labels`: (batch, length); labels are -100 on prompt and padding."""
        import torch

        rows = {
            "ids": pad_rows([ids for ids, _ in examples], self.tokenizer.pad_token_id),
            "mask": pad_rows([[1] * len(ids) for ids, _ in examples], 0),
            "labels": pad_rows([[-100] * begin + ids[begin:] for ids, begin in examples], -100),
        }
        return {name: torch.from_numpy(each) for name, each in rows.items()}

    def counts(self, batch: Mapping[str, Any]) -> tuple[int, ...]:
        """Return tokens of the solutions."""
        return (int((batch["labels"][:, 1:] != -100).sum()),)

    def loss(self, model: torch.nn.Module, batch: Mapping[str, Any]) -> torch.Tensor:
        """Return the cross-entropy of the solution's tokens, in nats per token."""
        result: torch.Tensor = model(
            input_ids=batch["ids"], attention_mask=batch["mask"], labels=batch["labels"]
        ).loss
        return result

    def unmeasured(self, name: str) -> str:
        """Return why a metric cannot be measured, or an empty text."""
        return "" if self._held_out or name == "cut_share" else "no pair is held out"

    def evaluate(self, model: torch.nn.Module) -> dict[str, float]:
        """Measure at most 200 held-out pairs: the loss in nats per token, and the share of all pairs that
        were shortened.
        """
        import torch

        subset = _SequenceSubset(self.problems, self._order[: min(self._held_out, _MEASURED)])
        total = count = 0.0
        for begin in range(0, len(subset), 8):
            batch = self.collate([subset[index] for index in range(begin, min(begin + 8, len(subset)))])
            (tokens,) = self.counts(batch)
            with torch.inference_mode():
                loss = self.loss(model, move_to_model(batch, model))
            total, count = total + float(loss) * tokens, count + tokens
        measures = {"cut_share": self.problems.cut}
        return {"validation_loss_nats": total / count, **measures} if count else measures

    def save(self, model: torch.nn.Module, folder: Path, facts: Mapping[str, Any]) -> None:
        """Write the model, its tokenizer and its card into a folder."""
        data = {kind: path.name for kind, path in self.data.items()}
        data |= {"pairs": f"{len(self.problems):,}", "of them shortened": f"{self.problems.cut:.1%}"}
        save_model(
            model,
            self.tokenizer,
            folder,
            facts,
            title="ARQMath answer generator",
            about="Continues `PROBLEM: …SOLUTION: ` with an answer (ARQMath Task 3).",
            data=data,
            limits=LIMITS,
            use=(
                "from transformers import pipeline\n"
                'pipeline("text-generation", "this-folder")("PROBLEM: What is $1+1$?SOLUTION: ")'
            ),
            tags=("text-generation",),
        )


def open_gpt2(folder: Path, max_length: int = 0) -> Any:
    """Return a GPT-2 folder as a model.

    Raises:
        DataError: E650 for one that is none, has pickled weights, or reads less than `max_length`.
    """
    from transformers import GPT2LMHeadModel

    if (kind := read_architecture(folder, UNOPENED)) != "gpt2":
        what = f"the model is of kind {kind!r}, not gpt2"
        raise unusable_model_error(folder, what, UNOPENED, "Name a folder of GPT-2.")
    model, loading = open_model(GPT2LMHeadModel, folder, UNOPENED)
    refuse_lost(folder, loading["missing_keys"], UNOPENED)
    check_weights(model, folder.name)
    if max_length > model.config.n_positions:
        what = f"the model reads {model.config.n_positions} tokens, fewer than max_length {max_length}"
        raise unusable_model_error(folder, what, UNOPENED, "Name a larger model, or set max_length.")
    return model


class _SequenceSubset:
    def __init__(self, problems: ProblemSequences, places: Any) -> None:
        self.problems, self.places = problems, places

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, index: int) -> tuple[list[int], int]:
        return self.problems.build_sequence(int(self.places[index]))
