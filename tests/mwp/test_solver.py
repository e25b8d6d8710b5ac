"""The solver: what it reads, how its two heads write equations, and how it is trained."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from engines.core.errors import EngineError  # noqa: E402
from engines.core.spec import read  # noqa: E402
from engines.core.system import asset  # noqa: E402
from engines.mwp.augmentation.augment import make_variants  # noqa: E402
from engines.mwp.problems.near_duplicates import find_look_alikes  # noqa: E402
from engines.mwp.problems.problem import (  # noqa: E402
    Problem,
    evaluate,
    list_placeholders,
    normalise_equation,
)
from engines.mwp.problems.readers import read_problems  # noqa: E402
from engines.mwp.solver.reading import (  # noqa: E402
    EquationWords,
    WordReader,
    to_steps,
)
from engines.mwp.solver.settings import SolverSettings  # noqa: E402
from engines.mwp.solver.solver import open_solver, save_solver  # noqa: E402
from engines.mwp.solver.training import SolverTask, batch_contrastive_loss, select_material  # noqa: E402
from engines.mwp.triplets.hard_triplets import pool_of  # noqa: E402
from engines.training import TrainConfig, train  # noqa: E402
from tests.conftest import card_code, expect_error  # noqa: E402
from tests.mwp.solver_problems import written  # noqa: E402
from workbench.recipes import load_recipe  # noqa: E402
from workbench.train import Sweep  # noqa: E402
from workbench.train import list_variants as variants_of  # noqa: E402

HEADS = ("tree", "deductive")
TINY = {"encoder": "transformer", "width": 32, "layers": 1, "dropout": 0.0, "rare": 1, "embedding": 16}


def task(folder: Path, count: int = 42, **model: Any) -> SolverTask:
    return SolverTask({**TINY, **model}, {"problems": written(folder, count)}, seed=0)


def begun(made: SolverTask) -> Any:
    torch.manual_seed(0)
    return made.model().eval()


def test_the_contrastive_loss_has_the_value_that_was_worked_out() -> None:
    anchor = torch.tensor([[1.0, 0.0]])
    positive = torch.tensor([[0.9, math.sqrt(1 - 0.81)]]) * 3
    negative = torch.tensor([[0.5, math.sqrt(1 - 0.25)]]) * 7
    found = batch_contrastive_loss(anchor, positive, negative, 0.1)
    assert found.item() == pytest.approx(0.01815, abs=1e-5)


def test_the_contrastive_loss_counts_positives_and_negatives_of_the_whole_batch() -> None:
    draw = np.random.default_rng(0)
    anchor, positive, negative = draw.normal(size=(3, 4, 5))

    def share(a: Any, b: Any) -> float:
        return math.exp(float(a @ b) / np.linalg.norm(a) / np.linalg.norm(b) / 0.2)

    losses = [
        -math.log(
            share(anchor[i], positive[i])
            / sum(share(anchor[i], positive[j]) + share(anchor[i], negative[j]) for j in range(4))
        )
        for i in range(4)
    ]
    found = batch_contrastive_loss(*(torch.tensor(part) for part in (anchor, positive, negative)), 0.2)
    assert found.item() == pytest.approx(np.mean(losses))


def fitted(made: SolverTask, model: Any, steps: int) -> Any:
    """The model after some steps on all examples at once, and what it was given."""
    batch = made.collate(list(made.train_data()))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(steps):
        optimizer.zero_grad()
        made.loss(model, batch).sum().backward()
        optimizer.step()
    return batch


@pytest.mark.parametrize("head", HEADS)
def test_a_batch_is_as_likely_as_its_equations_one_token_at_a_time(head: str, tmp_path: Path) -> None:
    made = task(tmp_path, 14, head=head, beam=10, max_steps=3)
    model = begun(made)
    batch = fitted(made, model, 12)
    with torch.no_grad():
        losses = model.compute_losses(model.encode(batch), batch["targets"], batch["values"]).tolist()
    problems = [made.problems[row[0]] for row in made.train_data()]
    compared = set()
    for problem, loss, found in zip(problems, losses, model.solve(problems), strict=True):
        for one in found:
            # The tree decoder writes operands in the problem's own order, the other one in its own.
            if (one.equation if head == "tree" else normalise_equation(one.equation)) in (
                problem.equation,
                problem.normal,
            ):
                assert one.score == pytest.approx(-loss, abs=1e-4)
                compared.add(problem.template)
    assert {"N_0*N_1-N_2", "(N_0+N_1)/N_2"} & compared
    assert len(compared) >= 4


@pytest.mark.parametrize("head", HEADS)
def test_an_equation_that_is_found_is_legal(head: str, tmp_path: Path) -> None:
    made = task(tmp_path, head=head, single_use=True, non_negative=True, beam=5, max_steps=3)
    model = begun(made)
    asked = [replace(row, values=(0.0,) * len(row.values)) for row in made.problems[:7]]
    asked += [replace(row, values=tuple(range(len(row.values)))) for row in made.problems[7:14]]
    for problem, found in zip(asked, model.solve(asked), strict=True):
        assert found
        assert len({normalise_equation(one.equation) for one in found}) == len(found)
        for one in found:
            used = list_placeholders(one.equation)
            assert len(used) == len(set(used))
            assert sum(bool(node.children) for node in one.equation) <= 3
            parts = [node for node in one.equation if node.children]
            assert all(evaluate(part, problem.values) >= 0 for part in parts)


@pytest.mark.slow
@pytest.mark.parametrize("head", HEADS)
def test_a_solver_learns_resumes_bit_identical_and_is_the_same_from_its_folder(
    head: str, tmp_path: Path
) -> None:
    made = task(tmp_path, 63, head=head, single_use=True)
    config = TrainConfig(steps=40, batch_size=8, lr=5e-3, clip=1.0, warmup=5, save_every=16, device="cpu")
    whole = train(made, config, tmp_path / "whole")
    asked = iter(range(1000))
    stopped = train(
        task(tmp_path, 63, head=head, single_use=True),
        config,
        tmp_path / "parts",
        stop=lambda: next(asked) >= 29,
    )
    assert not stopped.complete
    train(task(tmp_path, 63, head=head, single_use=True), config, tmp_path / "parts")
    weights = [(tmp_path / run / "model" / "model.safetensors").read_bytes() for run in ("whole", "parts")]
    assert weights[0] == weights[1]
    opened = open_solver(tmp_path / "whole" / "model")
    answers = opened.solve(made.problems)
    right = [
        normalise_equation(found[0].equation) == problem.normal
        for problem, found in zip(made.problems, answers, strict=True)
    ]
    assert np.mean(right) > 0.5, whole.measures
    save_solver(opened, tmp_path / "again")
    again = open_solver(tmp_path / "again").solve(made.problems)
    assert again == answers
    exec(card_code(tmp_path / "whole" / "model"), {})


def test_the_gru_of_gts_learns_too(tmp_path: Path) -> None:
    made = task(tmp_path, 14, encoder="gru", head="tree", layers=2, pooling="first", numbers="placeholders")
    model = begun(made)
    before = made.loss(model, made.collate(list(made.train_data()))).sum().item()
    batch = fitted(made, model, 12)
    assert made.loss(model, batch).sum().item() < before / 3


def test_constants_come_from_what_is_trained_on_and_are_not_rare(tmp_path: Path) -> None:
    made = task(tmp_path, 42)
    model = begun(made)
    assert model.words == EquationWords(("*", "+", "-", "/"), ("C_4",))
    few = task(tmp_path, 21)
    begun(few)
    assert few.left_out["C_4 is too rare"] == sum("C_4" in (row.template or "") for row in few.material.train)


def test_no_problem_of_the_fold_or_like_one_of_it_is_trained_on(tmp_path: Path) -> None:
    own, also = written(tmp_path, 30), written(tmp_path, 12, seed=9, name="also")
    found = select_material({"problems": own, "also": also}, fold=1, seed=0)
    rows = read_problems(own).rows
    held_out = [row for row in rows if row.fold == 1]
    assert not {row.id for row in held_out} & {row.id for row in (*found.train, *found.development)}
    kept = [row for row in found.train if row.id.startswith("also")]
    assert not find_look_alikes(kept, held_out)
    assert found.left_out["fold 1"] == len(held_out)
    with expect_error("E679"):
        select_material({"problems": own}, fold=7)


def test_the_drawn_development_problems_look_like_no_other(tmp_path: Path) -> None:
    things = ["pens", "cats", "hats", "maps", "cups", "keys", "jars", "toys", "bats", "figs", "nuts", "pies"]
    rows = [
        {
            "id": f"{thing}{place}",
            "equation": "3+4",
            "text": f"Old {thing} {number} {thing} and 4 {thing} : how {thing} {thing} ?",
        }
        for thing in things
        for place, number in enumerate((3, 33) if thing < "h" else (3,))
    ]
    path = tmp_path / "alike.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for seed in range(5):
        found = select_material({"problems": path}, development=0.3, seed=seed)
        assert len(found.development) == round(0.3 * len(rows))
        assert len(found.train) + len(found.development) == len(rows)
        assert not find_look_alikes(found.train, found.development)
        assert found.alike == 0
    # Where all look alike there is nothing else to draw, and that is said.
    found = select_material({"problems": written(tmp_path, 28)}, seed=0)
    assert (len(found.development), found.alike) == (3, 3)


def test_a_card_names_the_folds_by_which_problems_were_left_out(tmp_path: Path) -> None:
    own, unlike = written(tmp_path, 30), written(tmp_path, 1, seed=9, name="unlike")
    found = select_material({"problems": own, "unlike": unlike}, seed=0)
    assert found.left_out["looks like a problem of data.unlike (folds 0 and no other)"] == 5


def test_a_triplet_that_was_labelled_bad_is_not_trained_on(tmp_path: Path) -> None:
    made = task(tmp_path, 24, alpha=0.5)
    begun(made)
    first = next(row for row in made.train_data() if row[1] >= 0)
    names = zip(("anchor", "positive", "negative"), first, strict=True)
    label = {name: made.problems[place].id for name, place in names}
    bad = tmp_path / "bad.jsonl"
    bad.write_text(json.dumps({**label, "label": "negative"}) + "\n")
    again = SolverTask({**TINY, "alpha": 0.5}, {**made.data, "labels": bad}, seed=0)
    begun(again)
    assert [row for row in made.train_data() if row != first] == [
        row for row in again.train_data() if row[0] != first[0]
    ]
    assert (first[0], -1, -1) in list(again.train_data())


def test_a_renamed_problem_is_a_look_alike_and_another_is_none(tmp_path: Path) -> None:
    rows = read_problems(written(tmp_path, 14)).rows
    first = rows[0]
    renamed = replace(
        first, text=first.text.replace("Ann", "Zoe").replace("Bob", "Zoe").replace("Eve", "Zoe")
    )
    assert find_look_alikes([renamed], [first]).keys() == {0}
    assert find_look_alikes([rows[2]], [first]) == {}


@pytest.mark.parametrize("anchors", ["train", "all"])
def test_contrasted_problems_are_triplets_of_the_training(anchors: str, tmp_path: Path) -> None:
    made = task(tmp_path, 42, alpha=0.5, tau=0.1, pool="train,qr", anchors=anchors, development=0.2)
    model, rows = begun(made), made.train_data()
    ids = {row.id for row in made.material.train}
    assert {row.source for row in made.problems if row.id not in ids} <= ids
    assert not ids & {row.id for row in made.material.development}
    assert {made.problems[row[0]].id in ids for row in rows} == (
        {True} if anchors == "train" else {True, False}
    )
    for anchor, positive, negative in rows:
        assert made.problems[anchor].template == made.problems[positive].template
        assert made.problems[anchor].template != made.problems[negative].template
    batch = made.collate(list(rows)[:5])
    with torch.no_grad():
        whole = made.loss(model, batch)
        problems = model.encode(batch)
        alone = batch_contrastive_loss(*problems.vector.split(5), 0.1)
        solved = made.loss(
            model,
            {**batch, "contrasted": torch.tensor([], dtype=torch.long)}
            | {name: batch[name][:5] for name in ("ids", "length", "marks")},
        )
    assert whole.tolist() == pytest.approx([solved[0].item(), 0.5 * alone.item()], rel=1e-4)
    assert solved[1].item() == 0


def test_variants_with_a_doubt_are_left_out_on_request() -> None:
    problems = read_problems(asset("sample/problems/sample-zh/problems.jsonl")).usable
    made = make_variants(problems, ("roda",)).made
    doubtful = {one.problem.id for one in made if one.doubts}
    whole, coherent = (
        {one.problem.id for one in pool_of(problems, ("train", "roda"), coherent=only).examples}
        for only in (False, True)
    )
    assert doubtful
    assert coherent == whole - doubtful


@pytest.mark.parametrize("name", ["bert-gts-en-paper", "bert-gts-en-small", "gts-en-paper", "solver-en-fold"])
def test_a_recipe_for_folds_keeps_each_out_once(name: str) -> None:
    found = variants_of(load_recipe(f"mwp/{name}"), Sweep(folds=True))
    settings = [read(SolverSettings, one.recipe.params["model"], prefix="", code="") for one in found]
    assert [one.fold for one in settings] == [0, 1, 2, 3]
    assert {one.folds for one in settings} == {4}


def test_marks_stand_behind_the_digits_of_their_numbers() -> None:
    reader = WordReader(WordReader.learn_vocabulary([], 1), "digits", 20)
    problem = _problem("N_0 N_1 .", ("12", "3.5"))
    read = reader.read_problem(problem)
    mark = len(reader)
    names = [reader.vocabulary[token] if token < mark else "#" for token in read.ids]
    assert names == ["<problem>", "1", "2", "#", "3", ".", "5", "#", "."]
    assert read.marks == (3, 7)


@pytest.mark.parametrize(
    ("text", "numbers", "reason"),
    [
        ("nothing here", (), "no number"),
        ("N_0 and N_2", ("1", "2"), "N_2"),
        ("N_0 alone", ("1", "2"), "N_1 is not in the text"),
        ("N_0 " + "1 " * 30, ("1",), "tokens"),
    ],
)
def test_what_cannot_be_read_says_why(text: str, numbers: tuple[str, ...], reason: str) -> None:
    reader = WordReader(WordReader.learn_vocabulary([], 1), "digits", 20)
    found = reader.read_problem(_problem(text, numbers))
    assert isinstance(found, str)
    assert reason in found


def test_equal_parts_of_an_equation_are_one_step() -> None:
    from engines.mwp.problems.problem import parse_prefix

    words = EquationWords(("*", "+", "-"), ())
    steps = to_steps(parse_prefix(["*", "+", "N_0", "N_1", "-", "+", "N_1", "N_0", "N_2"]), words)
    assert steps == [(1, 0, 1), (2, -1, 2), (0, -1, -2)]


def test_an_encoder_of_the_users_is_adapted_and_comes_back_from_the_folder(tmp_path: Path) -> None:
    from tests.arqmath.tiny_models import bert

    own = bert(tmp_path / "bert", head=False)
    made = SolverTask(
        {"encoder": "pretrained", "rank": 2, "head": "tree", "embedding": 8, "max_length": 64},
        {"problems": written(tmp_path, 14), "encoder": own},
        seed=0,
    )
    model = begun(made)
    learned = {name for name, weight in model.named_parameters() if weight.requires_grad}
    assert {name.rpartition(".")[2] for name in learned if ".encoder." in name} == {"down", "up"}
    fitted(made, model, 2)
    save_solver(model, tmp_path / "saved")
    assert open_solver(tmp_path / "saved").solve(made.problems) == model.solve(made.problems)
    (own / "model.safetensors").unlink()
    with pytest.raises(EngineError) as caught:
        begun(SolverTask({"encoder": "pretrained"}, dict(made.data), seed=0))
    assert caught.value.code == "E663"


def test_a_training_goes_on_from_a_solver(tmp_path: Path) -> None:
    first = task(tmp_path, 21, head="tree")
    model = begun(first)
    fitted(first, model, 3)
    save_solver(model, tmp_path / "saved")
    data = {"problems": written(tmp_path, 42, seed=5, name="more"), "encoder": tmp_path / "saved"}
    again = SolverTask({**TINY, "head": "tree", "dropout": 0.5, "max_steps": 3}, data, seed=1)
    found = begun(again)
    assert (found.words, found.settings.max_steps) == (model.words, 3)
    assert [answers[0].equation for answers in found.solve(first.problems)] == [
        answers[0].equation for answers in model.solve(first.problems)
    ]
    # What it was not made with is learned by no word: the constant 4 was too rare in the first training.
    assert again.left_out["C_4 is too rare"] == 6
    found.train()
    vectors = [found.encode(again.collate(list(again.train_data())[:4])).vector for _ in range(2)]
    assert not torch.equal(*vectors)
    for settings, code in (({"head": "deductive"}, "E680"), ({"encoder": "gru"}, "E678")):
        with pytest.raises(EngineError) as caught:
            begun(SolverTask({**TINY, "head": "tree", **settings}, data, seed=0))
        assert caught.value.code == code
    with expect_error("E678"):
        begun(SolverTask(TINY, {**data, "encoder": tmp_path}, seed=0))


@pytest.mark.parametrize("head", ["deductive", "tree"])
def test_one_number_and_no_constants_make_no_step(tmp_path: Path, head: str) -> None:
    model = begun(task(tmp_path, count=7, head=head, rare=1000, single_use=True, max_steps=3))
    assert model.words.constants == ()
    (found,) = model.solve([_problem("N_0 pens", ("3",))])
    assert [answer.equation.label for answer in found if answer.equation.children] == []


def test_a_folder_without_a_solver_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineError) as caught:
        open_solver(tmp_path)
    assert caught.value.code == "E680"


def _problem(text: str, numbers: tuple[str, ...]) -> Problem:
    return Problem("x", "en", text, numbers, tuple(map(float, numbers)), None, math.nan, None, "", text)
