"""How fast a model is trained here, beside plain loops.

`python -m benchmarks.training` takes a recipe of each kind, contrastive, sequence to sequence and
cross-encoder, `--recipe NAME` others. The same data, sizes, batch size, optimiser and precision run in three
ways by turns: our loop; our model and loss in a plain loop in random order that pads every batch to 200
tokens; and the same padding to the longest of the batch. What is compared is real tokens a second, not those
of padding, in each round by itself; on a machine that does other work too also those of a second of processor
time. Medians, of times with the least and the most of the rounds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from benchmarks._record import Record, parser_of
from engines.core.events import Event
from engines.training import TrainConfig, TrainingTask, train
from engines.training.data import Batches
from workbench.recipes import Recipe, load_recipe, with_settings
from workbench.train import job_spec, load_trainer
from workbench.workspace import Workspace, ensure_sample

KINDS = ("egen/cl-mean-tiny", "egen/seq2seq-tiny", "arqmath/finetune-tiny")
WIDTH = 200


@dataclass(frozen=True, slots=True)
class Way:
    """A model, how examples become a batch, and the loss of a batch."""

    model: torch.nn.Module
    collate: Callable[[list[Any]], dict[str, Any]]
    loss: Callable[[torch.nn.Module, dict[str, Any]], Any]


def tokens_of(task: TrainingTask, examples: list[Any]) -> int:
    """Real tokens, as our loop counts them."""
    return sum(task.length(example) for example in examples)


def padded(batch: Any, width: int) -> dict[str, Any]:
    """The batch with every matrix of whole numbers or truth values padded with zeros to a width."""
    made = {}
    for name, value in batch.items():
        if torch.is_tensor(value) and value.dim() > 1 and not value.is_floating_point():
            value = torch.nn.functional.pad(value, (0, max(0, width - value.shape[-1])))
        made[name] = value
    return made


def own_model(task: TrainingTask, width: int) -> Way:
    """Our model, batches and loss, padded to a width at least."""
    return Way(task.model(), lambda rows: padded(task.collate(rows), width), task.loss)


def plain(
    task: TrainingTask, config: TrainConfig, device: str, way: Callable[[], Way], seconds: float
) -> dict[str, float]:
    """A plain loop for so long: real tokens and examples a second; the first steps do not count."""
    torch.manual_seed(config.seed)
    made = way()
    model = made.model.to(device).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=config.lr, weight_decay=config.weight_decay)
    plan = replace(config, bucket=1, batch_tokens=0)
    source: Iterator[Any] = iter(
        Batches(task.train_data(), plan, length=task.length, collate=lambda rows: {"rows": list(rows)})
    )
    bf16 = device == "cuda"
    tokens = examples = 0
    started = used = 0.0
    for step in range(10**9):
        if step == 3:
            started, used = time.perf_counter(), time.process_time()
            tokens = examples = 0
        if step > 5 and time.perf_counter() - started > seconds:
            break
        rows = next(source)["rows"]
        batch = {name: value.to(device) for name, value in made.collate(rows).items()}
        with torch.autocast("cuda", torch.bfloat16, enabled=bf16):
            loss = made.loss(model, batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), config.clip or 1e9)
        optimizer.step()
        optimizer.zero_grad()
        loss.item()
        tokens += tokens_of(task, rows)
        examples += len(rows)
    took, used = time.perf_counter() - started, time.process_time() - used
    return {
        "tokens_per_s": tokens / took,
        "examples_per_s": examples / took,
        "tokens_per_processor_s": tokens / used,
    }


def ours(task: TrainingTask, config: TrainConfig, seconds: float) -> dict[str, float]:
    """Our loop for so long, the first log left out."""
    heard: list[dict[str, Any]] = []
    clocks: list[tuple[float, float]] = []
    until = 0.0

    def hear(event: Event) -> None:
        nonlocal until
        if event.kind == "metric" and "tokens_per_s" in event.data:
            until = until or time.perf_counter() + seconds
            heard.append(dict(event.data))
            clocks.append((time.perf_counter(), time.process_time()))

    plan = replace(config, steps=10**6, epochs=0.0, eval_every=0, save_every=0, patience=0, log_every=3)
    with tempfile.TemporaryDirectory() as scratch:
        enough = 3  # logs, of which the first does not count
        train(
            task,
            plan,
            Path(scratch),
            events=hear,
            stop=lambda: len(heard) >= enough and time.perf_counter() > until,
        )
    names = ("tokens_per_s", "examples_per_s")
    found = {name: statistics.fmean(item[name] for item in heard[1:]) for name in names}
    (began, used_before), (ended, used) = clocks[0], clocks[-1]
    processors = (used - used_before) / (ended - began)
    return {**found, "tokens_per_processor_s": found["tokens_per_s"] / processors}


def compared(workspace: Workspace, recipe: Recipe, given: argparse.Namespace) -> dict[str, Any]:
    """A recipe's task in the three ways by turns: the median of each."""
    spec = job_spec(workspace, recipe, device="cpu" if given.device == "cpu" else "auto", publish=False)
    data = {kind: Path(place) for kind, place in spec.params["data"].items()}
    task = load_trainer(spec.params["trainer"])(spec.params.get("model", {}), data, seed=recipe.seed)
    config = TrainConfig.from_table({**spec.params["train"], "seed": recipe.seed, "device": given.device})
    loops: dict[str, Callable[[], Way]] = {
        "own_model_padded_to_200": lambda: own_model(task, WIDTH),
        "own_model_padded_to_longest": lambda: own_model(task, 0),
    }
    ways: dict[str, list[dict[str, float]]] = {"ours": [], **{name: [] for name in loops}}
    for _ in range(given.rounds + 1):
        ways["ours"].append(ours(task, config, given.seconds))
        for name, way in loops.items():
            ways[name].append(plain(task, config, given.device, way, given.seconds))
    for rounds in ways.values():
        del rounds[0]  # what is made once for new shapes, or read for the first time, is of no way
    parameters = sum(each.numel() for each in task.model().parameters())
    result: dict[str, Any] = {"parameters": parameters}
    for name, rounds in ways.items():
        for unit in rounds[0]:
            result[f"{name}_{unit}"] = round(statistics.median(item[unit] for item in rounds), 1)
    for name in loops:
        for unit, key in (("", "tokens_per_s"), ("_by_processor_time", "tokens_per_processor_s")):
            times = [own[key] / each[key] for own, each in zip(ways["ours"], ways[name], strict=True)]
            result[f"times_{name}{unit}"] = round(statistics.median(times), 2)
            result[f"times_{name}{unit}_range"] = [round(min(times), 2), round(max(times), 2)]
    return result


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--recipe", action="append", help="name or file; those of each kind without")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="settings")
    parser.add_argument("--seconds", type=float, default=20.0, help="for each way in each round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    given = parser.parse_args()
    asked = {"recipes": given.recipe, "settings": given.settings}
    kept = Record("training" if given.device == "cpu" else "training-gpu", given.out, **asked)
    figures: dict[str, Any] = {"device": given.device, "rounds": given.rounds, "seconds": given.seconds}
    with tempfile.TemporaryDirectory() as scratch:
        workspace = Workspace.open(Path(scratch) / "workspace")
        ensure_sample(workspace)
        for name in given.recipe or KINDS:
            recipe = with_settings(load_recipe(name), given.settings)
            figures[recipe.name] = compared(workspace, recipe, given)
    print(json.dumps(figures, indent=1))
    kept.write(figures, libraries=("accelerate", "torch"))


if __name__ == "__main__":
    main()
