"""Answers to topics (Task 3): written by GPT-2, extracted, or the shortest of several."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.arqmath.generation.training import HINT, UNOPENED, make_prompt, open_gpt2, split_digits
from engines.arqmath.training.model_folder import open_tokenizer
from engines.core.build import Journal
from engines.core.errors import DataError, EngineError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.hashing import sha256
from engines.retrieval.trec import Answer

if TYPE_CHECKING:
    from engines.forum.topics import Topic


LIMIT = 1_200
"""Unicode characters an answer may have (ARQMath-3, Task 3)."""

_FORMULA = re.compile(r"\$\$.+?\$\$|\$[^$]+\$", re.DOTALL)
_END = re.compile(r"(?<=[.!?])\s+(?=\S)")
_LOOP = re.compile(r"(.{4,200}?)(?:\s*\1){2,}", re.DOTALL)
_SHORT_LOOP = re.compile(r"(\s?\S{1,2}\s\S{1,2}|\S{1,3})(?:\s*\1){2,}(?!\S)")
"""One of less than four characters that goes on for long: `= b = b = b`."""


def one_line(text: str) -> str:
    """Replace white space and control characters by single spaces: a run has one answer a line.

    >>> one_line("a\\tb\\n\\n c")
    'a b c'
    """
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def split_answer_sentences(text: str) -> list[str]:
    """Return the sentences of a text; a formula is never divided.

    >>> split_answer_sentences("Let $a=1. 5$. Then stop! Done")
    ['Let $a=1. 5$.', 'Then stop!', 'Done']
    """
    held = [match.span() for match in _FORMULA.finditer(text)]
    parts, begin = [], 0
    for match in _END.finditer(text):
        if not any(start < match.start() < end for start, end in held):
            parts.append(text[begin : match.start()])
            begin = match.end()
    return [part.strip() for part in (*parts, text[begin:]) if part.strip()]


def remove_repetition(text: str) -> str:
    """Return a text without what generators fall into: a piece that follows itself three times or more stays
    once, and a sentence that has been said is not said again.

    >>> remove_repetition("We have $x=1$. We have $x=1$. So $x=1$. We have $x=1$.")
    'We have $x=1$. So $x=1$.'
    >>> remove_repetition("a = b = b = b = b")
    'a = b'
    """
    text = _LOOP.sub(r"\1", _SHORT_LOOP.sub(r"\1", text))
    said: set[str] = set()
    kept = []
    for sentence in split_answer_sentences(text):
        key = "".join(sentence.lower().split())
        if key not in said:
            said.add(key)
            kept.append(sentence)
    return " ".join(kept)


def cut_to_limit(text: str, limit: int = LIMIT) -> str:
    """Return a text of at most `limit` characters: cut after the last sentence that fits, else after the last
    word outside of a formula; an odd dollar is left out.

    >>> cut_to_limit("One two. Three four.", 12)
    'One two.'
    >>> cut_to_limit("Let $x = 1 + 2$ be", 12)
    'Let'
    """
    text = one_line(text)
    if len(text) > limit:
        kept = ""
        for sentence in split_answer_sentences(text):
            longer = f"{kept} {sentence}".strip()
            if len(longer) > limit:
                break
            kept = longer
        text = kept or _cut_after_word(text, limit)
    if text.count("$") % 2:
        at = text.rindex("$")
        text = text[:at] + text[at + 1 :]
    return text.strip()


def _cut_after_word(text: str, limit: int) -> str:
    held = [match.span() for match in _FORMULA.finditer(text)]
    for at in range(limit, 0, -1):
        inside = any(start < at < end for start, end in held)
        if not inside and (at == len(text) or text[at] == " "):
            return text[:at]
    return text[:limit]


class AnswerDraft:
    """Answers by topic as they were made, in a journal. A topic that has no answer has an empty one."""

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        key = hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()
        self.path, self._journal = path, Journal(path, {"made by": key})

        def foreign_file_error(head: str) -> DataError | None:
            if head.startswith('{"made by": "'):
                return None
            what = "answers are cached in this file until the run is written, but it is another file"
            return DataError(what, path=path, code="E452", remedy="Choose another --out, or move the file.")

        rows = self._journal.read_items(foreign_file_error)
        self.answers = {
            row["topic"]: Answer(row["topic"], row["text"], row["score"], "", row["sources"]) for row in rows
        }
        self._journal.begin_file(rows)

    @staticmethod
    def for_run(out: Path, topics: Path, model: Path | None, settings: Mapping[str, Any]) -> AnswerDraft:
        """Return the draft of the run `out`; one that other topics, weights or settings made is begun
        anew.
        """
        files = sorted(model.glob("*.safetensors")) if model else []
        weights = {file.name: sha256(file) for file in files}
        about = {"topics": sha256(topics), "weights": weights, **settings}
        return AnswerDraft(out.with_name(out.name + ".draft"), about)

    def answer_topics(
        self,
        topics: Sequence[Topic],
        answer: Callable[[int, Topic], Answer],
        *,
        events: Sink = ignore,
        stop: Stop = never,
    ) -> list[Answer]:
        """Return the answers to the topics in their order, those that are missing made, until a stop.

        Args:
            answer: Gets the topic's number too.

        Events:
            Progress in topics.
        """
        started, made = time.monotonic(), 0
        for number, topic in enumerate(topics):
            if topic.id in self.answers:
                continue
            if stop():
                break
            self.add_answer(answer(number, topic))
            made += 1
            done = len(self.answers)
            rate = made / max(time.monotonic() - started, 1e-9)
            eta_s = (len(topics) - done) / rate
            data = {"done": done, "total": len(topics), "unit": "topics", "rate_per_s": rate, "eta_s": eta_s}
            events(Event("progress", data, done))
        return [self.answers[topic.id] for topic in topics if topic.id in self.answers]

    def add_answer(self, answer: Answer) -> None:
        """Add an answer and write it to the draft on disk."""
        self._journal.append({name: getattr(answer, name) for name in ("topic", "text", "score", "sources")})
        self.answers[answer.topic] = answer

    def remove(self) -> None:
        """Delete the draft on disk."""
        self._journal.remove()


# Answers to topics out of answers that exist: the passage of the best answers that fits the topic best.
#
# A stronger baseline than free generation: what is returned was written by a person.

FindAnswers = Callable[[str, int], Sequence[str]]
"""Ids of the best answers to a text, at most so many."""
ReadTexts = Callable[[Sequence[str]], Mapping[str, str]]
"""The texts of posts."""
ScorePassages = Callable[[str, Sequence[str]], Sequence[float]]
"""How well each passage answers a text, the higher the better."""


def split_passages(text: str, limit: int = LIMIT) -> list[str]:
    """Return runs of whole sentences of at most `limit` characters, each as long as possible.

    The first begins the text, and each later one begins half a passage further on.

    >>> split_passages("One two. Three four. Five.", 21)
    ['One two. Three four.', 'Three four. Five.']
    """
    sentences = [part for part in split_answer_sentences(one_line(text)) if len(part) <= limit]
    if not sentences:
        short = cut_to_limit(text, limit)
        return [short] if short else []
    passages: list[str] = []
    begin = 0
    while begin < len(sentences):
        end, length = begin, -1
        while end < len(sentences) and length + 1 + len(sentences[end]) <= limit:
            length += 1 + len(sentences[end])
            end += 1
        passages.append(cut_to_limit(" ".join(sentences[begin:end]), limit))
        if end == len(sentences):
            break
        begin = max(begin + 1, (begin + end) // 2)
    return passages


def extract_answers(
    topics: Sequence[Topic],
    search: FindAnswers,
    texts: ReadTexts,
    score: ScorePassages,
    draft: AnswerDraft,
    *,
    tag: str,
    depth: int = 10,
    events: Sink = ignore,
    stop: Stop = never,
) -> list[Answer]:
    """Return the best passage for each topic among those of its `depth` best answers; `sources` is the
    answer's id.

    What the draft has is taken from it. A topic for which nothing is found has no answer.
    """

    def extract_answer(_number: int, topic: Topic) -> Answer:
        result = search(topic.text, depth)
        held = texts(result)
        offers = [
            (post, passage) for post in result if post in held for passage in split_passages(held[post])
        ]
        if not offers:
            return Answer(topic.id, "", 0.0, tag, "")
        scores = score(topic.text, [passage for _, passage in offers])
        at = max(range(len(offers)), key=lambda index: scores[index])
        return Answer(topic.id, offers[at][1], float(scores[at]), tag, offers[at][0])

    answers = draft.answer_topics(topics, extract_answer, events=events, stop=stop)
    return [replace(answer, tag=tag) for answer in answers if answer.text]


@dataclass(frozen=True, slots=True)
class Decoding:
    """How an answer is written (Reusch, Thiele and Lehner 2022, table 7).

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
        if min(self.beams, self.top_k, self.new_tokens) < 1 or self.no_repeat < 0:
            what = "beams, top_k and new_tokens must be at least 1, and no_repeat at least 0"
            raise EngineError(what, code="E653", remedy="Change the decoding settings.")


def generate_answers(
    topics: Sequence[Topic],
    model: Path,
    decoding: Decoding,
    draft: AnswerDraft,
    *,
    tag: str,
    device: str = "cpu",
    events: Sink = ignore,
    stop: Stop = never,
) -> list[Answer]:
    """Return one answer for each topic; those that the draft has are taken from it.

    A question that leaves no room for `new_tokens` is cut at its end.

    Returns:
        Answers of the topics that were reached before a stop.

    Raises:
        DataError: E650 for a folder that is no GPT-2 with a tokenizer.
    """
    import torch

    tokenizer = split_digits(open_tokenizer(model, UNOPENED))
    network = open_gpt2(model).to(device).eval()
    room = network.config.n_positions - decoding.new_tokens
    if room < 16:
        new_tokens, positions = decoding.new_tokens, network.config.n_positions
        what = f"{new_tokens} new tokens leave no room for a question: the model reads {positions}"
        raise EngineError(what, code="E653", remedy="Ask for fewer new tokens.")

    def write_answer(number: int, topic: Topic) -> Answer:
        # Of its own for each topic, so that a run that was interrupted comes out the same.
        torch.manual_seed(decoding.seed * 1_000_003 + number)
        # Cut the question, never the prompt around it or the room for the answer.
        before, after = make_prompt("\0", hint=decoding.hint).split("\0")
        parts = tokenizer([before, topic.text, after], add_special_tokens=False)["input_ids"]
        ids = [*parts[0], *parts[1][: room - len(parts[0]) - len(parts[2])], *parts[2]]
        with torch.inference_mode():
            result = network.generate(
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
        text = tokenizer.decode(result[0, len(ids) :], skip_special_tokens=True)
        return Answer(topic.id, (HINT if decoding.hint else "") + text, 1.0, tag, model.name)

    answers = draft.answer_topics(topics, write_answer, events=events, stop=stop)
    # Cut to the limit of Task 3 only now, so the draft keeps what the model wrote.
    return [replace(one, tag=tag, text=cut_to_limit(remove_repetition(one.text))) for one in answers]


def choose_shortest(runs: Sequence[Sequence[Answer]], tag: str) -> list[Answer]:
    """Choose, for each topic, the shortest answer that is not empty among several runs; of equal ones the
    first.

    `sources` names the run it comes from.

    Raises:
        DataError: When there is no run.
    """
    if not runs:
        raise DataError("there is no run to take answers from", remedy="Name the runs.")
    best: dict[str, Answer] = {}
    for answer in (answer for run in runs for answer in run):
        if answer.text.strip() and len(answer.text) <= LIMIT:
            before = best.get(answer.topic)
            if before is None or len(answer.text) < len(before.text):
                best[answer.topic] = answer
    return [Answer(topic, one.text, one.score, tag, one.tag) for topic, one in best.items()]
