"""Answers to topics: written by GPT-2, or the shortest of those that several runs have."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.arqmath.generation.answer_text import LIMIT, fitted, without_repetition
from engines.arqmath.generation.draft import Draft
from engines.arqmath.generation.generator import UNOPENED, opened
from engines.arqmath.generation.prompts import HINT, prompt, single_digits
from engines.arqmath.training.model_folder import open_tokenizer
from engines.core.errors import DataError, EngineError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.retrieval.run import Answer

if TYPE_CHECKING:
    from engines.forum.topics import Topic

__all__ = ["Decoding", "shortest", "write_topics"]


@dataclass(frozen=True, slots=True)
class Decoding:
    """How an answer is written (paper, Table 7).

    `beams`: width of the beam search. `length_penalty`: exponent of the length by which a beam's score is
    divided, so that above 0 longer ones are favoured. `hint`: begin with the word HINT. `sample`: draw among
    the `top_k` likeliest tokens instead of taking the best. `new_tokens`: at most. `no_repeat`: no sequence
    of so many tokens twice (0: allowed).
    """

    beams: int = 5
    length_penalty: float = 1.0
    hint: bool = False
    sample: bool = False
    top_k: int = 50
    new_tokens: int = 400
    no_repeat: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what cannot be decoded. Raises: EngineError E653."""
        if min(self.beams, self.top_k, self.new_tokens) < 1 or self.no_repeat < 0:
            raise EngineError(
                "beams, top_k and new_tokens are at least 1, and no_repeat at least 0",
                code="E653",
                exit_code=2,
                remedy="Change how the answers are decoded.",
            )


def write_topics(
    topics: Sequence[Topic],
    model: Path,
    decoding: Decoding,
    draft: Draft,
    *,
    tag: str,
    device: str = "cpu",
    events: Sink = ignore,
    stop: Stop = never,
) -> list[Answer]:
    """One answer for each topic; those that the draft has are taken from it.

    A question that leaves no room for `new_tokens` is cut at its end. Returns: answers of the topics that
    were reached before a stop. Raises: DataError E650 for a folder that is no GPT-2 with a tokenizer.
    """
    import torch

    tokenizer = single_digits(open_tokenizer(model, UNOPENED))
    network = opened(model).to(device).eval()
    room = network.config.n_positions - decoding.new_tokens
    if room < 16:
        wanted, read = decoding.new_tokens, network.config.n_positions
        raise EngineError(
            f"{wanted} new tokens of the {read} that the model reads leave no room for a question",
            code="E653",
            exit_code=2,
            remedy="Ask for fewer new tokens.",
        )
    started, done = time.monotonic(), 0
    for number, topic in enumerate(topics):
        if topic.id in draft.answers:
            continue
        if stop():
            break
        # Of its own for each topic, so that a run that was interrupted comes out the same.
        torch.manual_seed(decoding.seed * 1_000_003 + number)
        ids = _prompt_ids(tokenizer, topic.text, room, hint=decoding.hint)
        with torch.inference_mode():
            found = network.generate(
                torch.tensor([ids], device=device),
                attention_mask=torch.ones((1, len(ids)), dtype=torch.long, device=device),
                max_new_tokens=decoding.new_tokens,
                num_beams=decoding.beams,
                length_penalty=decoding.length_penalty,
                do_sample=decoding.sample,
                top_k=decoding.top_k if decoding.sample else None,
                no_repeat_ngram_size=decoding.no_repeat,
                early_stopping=decoding.beams > 1,
                pad_token_id=tokenizer.pad_token_id,
                eos_token_id=tokenizer.eos_token_id,
            )
        written = tokenizer.decode(found[0, len(ids) :], skip_special_tokens=True)
        draft.keep(Answer(topic.id, (HINT if decoding.hint else "") + written, 1.0, tag, model.name))
        done += 1
        rate = done / (time.monotonic() - started)
        left = len(topics) - len(draft.answers)
        data = {"done": len(draft.answers), "total": len(topics), "rate_per_s": rate, "eta_s": left / rate}
        events(Event("progress", {**data, "unit": "topics"}, len(draft.answers)))
    return [
        replace(answer, tag=tag, text=fitted(without_repetition(answer.text)))
        for topic in topics
        if (answer := draft.answers.get(topic.id)) is not None
    ]


def _prompt_ids(tokenizer: Any, question: str, room: int, *, hint: bool) -> list[int]:
    """The prompt in at most `room` tokens: the question is cut at its end, never the pattern."""
    before, after = prompt("\0", hint=hint).split("\0")
    parts: list[list[int]] = tokenizer([before, question, after], add_special_tokens=False)["input_ids"]
    return [*parts[0], *parts[1][: room - len(parts[0]) - len(parts[2])], *parts[2]]


def shortest(runs: Sequence[Sequence[Answer]], tag: str) -> list[Answer]:
    """Of each topic's answers in several runs the shortest that is not empty; the first of equal ones.

    `sources` names the run it comes from. Raises: DataError when there is no run.
    """
    if not runs:
        raise DataError("there is no run to take answers from", remedy="Name the runs.")
    by_topic: dict[str, list[Answer]] = {}
    for run in runs:
        for answer in run:
            by_topic.setdefault(answer.topic, []).append(answer)
    return [
        Answer(topic, best.text, best.score, tag, best.tag)
        for topic, found in by_topic.items()
        for best in _least(found)
    ]


def _least(found: Sequence[Answer]) -> Iterator[Answer]:
    usable = [answer for answer in found if answer.text.strip() and len(answer.text) <= LIMIT]
    if usable:
        yield min(usable, key=lambda answer: len(answer.text))
