"""The gradients of one step, here or in one of several processes.

As a module it is such a process: `python -m tests.training.steps FOLDER` writes the loss and the gradients of
every case to `FOLDER/<processes>.pt`. The batches are those that `cases` says, divided among the processes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from engines.training import TrainConfig, TrainingTask

ROOT = Path(__file__).parents[2]


def gradients(task: TrainingTask, model: Any, batches: Sequence[Any]) -> tuple[float, dict[str, Any]]:
    """Loss and gradients by weight of a step made of these batches; dropout is off."""
    from engines.training.libraries import start_accelerator
    from engines.training.loop import accumulate_gradients, make_objective

    accelerator = start_accelerator(TrainConfig(steps=1, device="cpu"))
    module = accelerator.prepare_model(make_objective(model.eval(), task))
    # Twice: with several processes it is the second that fails when a weight got no gradient.
    for _ in range(2):
        model.zero_grad()
        loss = accelerator.reduce(accumulate_gradients(module, task, batches, accelerator), "mean")
    found = {name: weight.grad for name, weight in model.named_parameters() if weight.requires_grad}
    return float(loss), {name: gradient.clone() for name, gradient in found.items()}


def rows(batch: Any, begin: int, end: int) -> dict[str, Any]:
    """A part of a batch, with the padding of the whole."""
    return {name: tensor[begin:end] for name, tensor in batch.items()}


def alike(left: tuple[float, dict[str, Any]], right: tuple[float, dict[str, Any]]) -> None:
    """Fail unless losses and gradients are the same up to rounding."""
    import torch

    torch.testing.assert_close(left[0], right[0], rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(left[1], right[1], rtol=1e-4, atol=1e-6)


def cases(folder: Path, rank: int, world: int) -> Iterator[tuple[str, TrainingTask, list[Any]]]:
    """Names, tasks, and the batches of this process: mostly one of 5 examples or 3, or all 8."""
    yield from _cases_of_expressions(folder, rank, world)
    yield from _cases_of_formulas(folder, rank, world)
    yield from _cases_of_problems(folder, rank, world)
    yield from _cases_of_answers(folder, rank, world)


def _cases_of_expressions(
    folder: Path, rank: int, world: int
) -> Iterator[tuple[str, TrainingTask, list[Any]]]:
    from engines.arqmath.training.pretraining import PretrainTask
    from engines.egen.models.trainers import make_contrastive_task, make_seq2seq_task

    begin, end = (0, 8) if world == 1 else [(0, 5), (5, 8)][rank]
    small = {"d_model": 32, "heads": 4, "ffn": 64, "layers": 1}
    corpus = {"corpus": folder / "corpus"}
    for negatives in ("one", "batch", "positives"):
        task = make_contrastive_task({**small, "negatives": negatives}, corpus, seed=0)
        yield negatives, task, [task.collate(task.train_data().__getitems__(range(begin, end)))]
    writer = make_seq2seq_task({**small, "decoder_layers": 1}, corpus, seed=0)
    pairs = sorted(writer.train_data().__getitems__(range(8)), key=writer.length)
    yield "seq2seq", writer, [rows(writer.collate(pairs), begin, end)]
    texts = {"collection": folder / "forum", "backbone": folder / "bert"}
    for order in (True, False):
        language = PretrainTask({"max_length": 48, "order": order}, texts, seed=0)
        posts = language.train_data()
        examples = sorted((posts[place] for place in range(8)), key=language.length)
        yield f"order {order}", language, [rows(language.collate(examples), begin, end)]


def _cases_of_formulas(folder: Path, rank: int, world: int) -> Iterator[tuple[str, TrainingTask, list[Any]]]:
    from engines.core.system import asset
    from engines.mathamr.sentences import make_sentence_task

    begin, end = (0, 8) if world == 1 else [(0, 5), (5, 8)][rank]
    data = {"collection": asset("sample/arqmath/sample-forum")}
    settings = {"kind": "opt", "block": 8, "last_topic": 999, "contrastive": "online", "max_length": 24}
    sentences = make_sentence_task(settings, {**data, "encoder": folder / "words"}, seed=0)
    pairs = sentences.train_data()
    # The first block is of all grades, the second of equal pairs.
    turns = [[pairs[place] for place in range(first, first + 8)] for first in (0, 8)]
    for name, block in zip(("sentences apart", "sentences ranked"), turns, strict=True):
        yield name, sentences, [sentences.collate(block[begin:end])]
    both = [sentences.collate(block) for block in turns]
    yield "sentences in turns", sentences, both if world == 1 else [both[rank]]


def _cases_of_problems(folder: Path, rank: int, world: int) -> Iterator[tuple[str, TrainingTask, list[Any]]]:
    from engines.mwp.solver.training import SolverTask

    begin, end = (0, 8) if world == 1 else [(0, 5), (5, 8)][rank]
    sizes = {"encoder": "transformer", "width": 32, "layers": 1, "dropout": 0.0, "rare": 1, "embedding": 16}
    task = SolverTask({**sizes, "alpha": 0.5, "tau": 0.1}, {"problems": folder / "problems.jsonl"}, seed=0)
    task.model()  # it is what reads the problems
    examples = list(task.train_data())[:8]
    yield "problems", task, [task.collate(examples[begin:end])]
    # One of the processes has nothing to contrast.
    some = [*examples[:5], *((anchor, -1, -1) for anchor, _, _ in examples[5:])]
    yield "some contrasted", task, [task.collate(some[begin:end])]


def _cases_of_answers(folder: Path, rank: int, world: int) -> Iterator[tuple[str, TrainingTask, list[Any]]]:
    from engines.arqmath.training.bi_encoder import DenseTask, SpladeTask

    begin, end = (0, 8) if world == 1 else [(0, 5), (5, 8)][rank]
    data = {"collection": folder / "forum", "backbone": folder / "bert"}
    # The second step has 4/9 of the weights.
    cost = {"question_flops": 0.1, "answer_flops": 0.2, "flops_warmup": 3}
    for name, task in (
        ("dense", DenseTask({"max_length": 32}, data, seed=0)),
        ("splade", SpladeTask({"max_length": 32, **cost}, data, seed=0)),
    ):
        questions = task.train_data()
        yield name, task, [task.collate([questions[row] for row in range(begin, end)])]


def start(folder: Path, world: int) -> None:
    """Run the cases in so many processes."""
    environment = {
        **os.environ,
        "WORLD_SIZE": str(world),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(_free_port()),
        "OMP_NUM_THREADS": "1",
        "CUDA_VISIBLE_DEVICES": "",
    }
    words = [sys.executable, "-m", "tests.training.steps", str(folder)]
    done = subprocess.run(
        words, env=environment, cwd=ROOT, stderr=subprocess.PIPE, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr


def _free_port() -> int:
    import socket

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def main(folder: Path) -> int:
    """Fork the processes from this one, which has imported what they need: that takes longer than the cases.

    Returns:
        How many have failed.
    """
    import accelerate  # noqa: F401
    import sentence_transformers  # noqa: F401
    from transformers import AutoModel, AutoModelForMaskedLM, AutoTokenizer  # noqa: F401

    processes = []
    for rank in range(int(os.environ["WORLD_SIZE"])):
        if process := os.fork():
            processes.append(process)
            continue
        os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank))
        try:
            run_cases(folder)
        except BaseException:  # whatever it is, this process does not go on as the other
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return sum(os.waitpid(process, 0)[1] != 0 for process in processes)


def run_cases(folder: Path) -> None:
    """Write the gradients of every case, as one of the processes."""
    import torch

    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    found = {}
    for name, task, batches in cases(folder, rank, world):
        torch.manual_seed(0)
        found[name] = gradients(task, task.model(), batches)
    if rank == 0:
        torch.save(found, folder / f"{world}.pt")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
