"""Maps, neighbours and analogies as tasks: judged by the verifier, encoded once, kept by content."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from engines.core.errors import EngineError
from engines.core.events import Stop, never
from engines.egen.corpora import save_cluster
from engines.egen.corpus.folder import GrownHead, StoredMember
from engines.egen.models import vectors
from engines.egen.models.encode import load_encoder
from engines.egen.models.model_encoder import ModelEncoder
from engines.egen.models.model_folder import models_among
from engines.egen.settings import EgenConfig
from engines.mathematics.verification.verdicts import MemberVerdict
from tests.egen.small_clusters import clusters, random_model, write_clusters
from workbench.cli.command import app
from workbench.folders import cache_dir
from workbench.operations import find_operation
from workbench.repro import paper_tables
from workbench.workspace import Workspace


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_model(tmp_path_factory.mktemp("models") / "random")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpora") / "small"
    for texts in clusters()[:6]:
        rows = tuple(StoredMember(text, MemberVerdict("equal", 1.0)) for text in texts)
        save_cluster(folder, GrownHead(0, rows, "saturated", 2, 50, 20, "1000"), EgenConfig())
    return folder


@pytest.fixture(autouse=True)
def nothing_open() -> Iterator[None]:
    vectors._open.clear()
    yield
    vectors._open.clear()


def ask(name: str, model: Path, data: Path, *, stop: Stop = never, **params: Any) -> dict[str, Any]:
    if "member" in params:
        place = params["cluster"], params["member"]
        params["expr"] = next(text for *found, text in texts_of(data) if tuple(found) == place)
    row = find_operation(f"egen.{name}")
    spec = row.resolve_spec({"model": str(model), "data": str(data), **params})
    found: dict[str, Any] = row.perform(spec, stop=stop).document
    return found


def kept(pattern: str = "*.npy") -> list[Path]:
    """The files of pools."""
    return list((cache_dir() / "egen").glob(pattern))


def texts_of(corpus: Path) -> list[tuple[int, int, str]]:
    from engines.egen.corpus.folder import open_corpus

    return [
        (cluster, number, text)
        for cluster, members in open_corpus(corpus).iterate_members()
        for number, text in enumerate(members["prefix"].to_pylist())
    ]


def test_neighbours_of_a_member_are_those_of_a_full_sort(model: Path, corpus: Path) -> None:
    found = ask("nearest", model, corpus, cluster=2, member=1, count=12)
    rows = texts_of(corpus)
    matrix = load_encoder(model, device="cpu").encode([text for *_, text in rows])
    own = next(n for n, row in enumerate(rows) if row[:2] == (2, 1))
    scores = matrix @ matrix[own]
    order = [n for n in np.argsort(-scores, kind="stable").tolist() if n != own][:12]
    assert [each["cosine"] for each in found["neighbours"]] == pytest.approx(scores[order].tolist(), abs=1e-5)
    assert (2, 1) not in [(each["cluster"], each["member"]) for each in found["neighbours"]]
    for each in found["neighbours"]:
        assert (each["cluster"], each["member"], each["prefix"]) in rows
        assert each["same"] == (each["cluster"] == 2)
        assert each["same"] == (each["verdict"] == "equal")


def test_a_corpus_is_encoded_once_and_again_when_the_model_is_another(
    model: Path, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded: list[int] = []
    encode = ModelEncoder.encode

    def counted(self: ModelEncoder, texts: Any, **more: Any) -> Any:
        if len(texts) > 1:  # an expression alone is encoded to see whether the model knows its notation
            encoded.append(len(texts))
        return encode(self, texts, **more)

    monkeypatch.setattr(ModelEncoder, "encode", counted)
    first = ask("nearest", model, corpus, cluster=0, member=0)
    vectors._open.clear()  # as a new process finds it
    assert ask("nearest", model, corpus, cluster=0, member=0) == first
    assert encoded == [len(texts_of(corpus))]
    import shutil

    from safetensors.numpy import load_file, save_file

    other = tmp_path / "other"
    shutil.copytree(model, other)
    weights = load_file(other / "model.safetensors")
    save_file({name: value * 1.5 for name, value in weights.items()}, other / "model.safetensors")
    assert ask("nearest", other, corpus, cluster=0, member=0) != first
    assert len(encoded) == 2


def test_a_large_corpus_is_left_to_a_job(model: Path, corpus: Path) -> None:
    with pytest.raises(EngineError) as raised:
        ask("nearest", model, corpus, cluster=0, member=0, at_most=20)
    assert (raised.value.code, raised.value.exit_code) == ("E647", 3)
    made = ask("index", model, corpus)
    assert (made["expressions"], made["clusters"]) == (len(texts_of(corpus)), 6)
    assert ask("nearest", model, corpus, cluster=0, member=0, at_most=20)["neighbours"]


def test_encoding_that_is_stopped_leaves_nothing(model: Path, corpus: Path) -> None:
    with pytest.raises(EngineError) as raised:
        ask("nearest", model, corpus, cluster=0, member=0, stop=lambda: True)
    assert raised.value.code in ("E645", "E646")
    assert not kept()


def test_old_pools_go(model: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "LIMIT_BYTES", 1)
    ask("nearest", model, corpus, cluster=0, member=0)
    ask("map", model, corpus, clusters=True, method="pca")
    assert len(kept()) == 1
    assert len(kept("*.parquet")) == 1


def test_an_analogy_is_answered_and_judged(model: Path, corpus: Path) -> None:
    asked = {"x1": "sin(x)", "y1": "sin(-x)*(-1)", "x2": "tan x", "expected": "-1*tan(-x)"}
    found = ask("analogy", model, corpus, count=200, **asked)
    texts = [hit["prefix"] for hit in found["hits"]]
    assert len(set(texts)) == len(texts) == 200
    given = {found[name]["prefix"] for name in ("x1", "y1", "x2")}
    assert not given & set(texts)
    cosines = [hit["cosine"] for hit in found["hits"]]
    assert cosines == sorted(cosines, reverse=True)
    encoder = load_encoder(model, device="cpu")
    x1, y1, x2, best = encoder.encode(
        [*(found[name]["prefix"] for name in ("x1", "y1", "x2")), texts[0]], normalise=False
    )
    target = y1 - x1 + x2
    assert cosines[0] == pytest.approx(
        float(target @ best / np.linalg.norm(target) / np.linalg.norm(best)), abs=1e-5
    )
    assert found["expected"]["prefix"] in texts
    right = [n for n, hit in enumerate(found["hits"], 1) if hit["verdict"] == "equal"]
    assert found["place"] == (right[0] if right else None)
    # What is expected is a form of x2, so nothing is left without those.
    assert all(hit["echo"] for hit in found["hits"] if hit["verdict"] == "equal")
    assert found["place_without_echo"] is None


def test_analogies_on_the_command_line(model: Path, corpus: Path) -> None:
    words = ["egen", "analogy", str(model), "ln(x)", "2*ln(x)", "-sin(x)", "--corpus", str(corpus), "-k", "3"]
    done = CliRunner().invoke(app, [*words, "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["x2"]["prefix"] == "* -1 sin x"
    assert (len(found["hits"]), found["expected"], found["place"]) == (3, None, None)
    done = CliRunner().invoke(app, [*words, "--expected", "-2*sin(x)"])
    assert done.exit_code == 0
    assert "expected −2·sin(x): " in done.stdout


def test_a_map_of_clusters_is_kept_and_found_again(model: Path, corpus: Path, tmp_path: Path) -> None:
    unknown = ask("map", model, corpus, clusters=True, known=True)
    assert unknown["points"] is None
    ask("map", model, corpus, clusters=True, file=str(tmp_path / "map.svg"))
    assert (tmp_path / "map.svg").read_text().startswith("<svg")
    known = ask("map", model, corpus, clusters=True, known=True, file=str(tmp_path / "map.csv"))
    rows = list(csv.DictReader((tmp_path / "map.csv").open()))
    written = np.array([[float(row["x"]), float(row["y"])] for row in rows])
    assert np.allclose(written, known["points"], atol=1e-4)
    assert [int(row["cluster"]) for row in rows] == known["clusters"] == list(range(6))
    assert known["exprs"] == [texts[0] for texts in clusters()[:6]]


def test_a_map_by_principal_components_keeps_distances(model: Path, corpus: Path) -> None:
    found = ask("map", model, corpus, clusters=True, method="pca")
    matrix = load_encoder(model, device="cpu").encode(found["exprs"])
    centred = matrix - matrix.mean(0)
    values = np.linalg.eigvalsh(centred.T @ centred)[::-1][:2]
    assert (np.array(found["points"]) ** 2).sum(0) == pytest.approx(values, rel=1e-3)


def test_models_are_those_that_embed(tmp_path: Path) -> None:
    for name, config in (("mine", {"egen": {}}), ("classifier", {"model_type": "bert"})):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(json.dumps(config))
    (tmp_path / "minilm").mkdir()
    (tmp_path / "minilm" / "modules.json").write_text("[]")
    found = {path.name for path in models_among(tmp_path.iterdir())}
    assert {"mine", "minilm"} <= found
    assert "classifier" not in found


@pytest.mark.parametrize(
    ("task", "number"), [("kmeans", 4), ("semantic", 6), ("algebra", 10), ("retrieval", 15)]
)
def test_a_kept_result_fills_its_row_of_the_papers_table(
    task: str, number: int, model: Path, tmp_path: Path
) -> None:
    file = write_clusters(tmp_path / "c.jsonl")
    drawn = ["--count", "20", "--seed", "3"] if task in ("semantic", "algebra") else []
    words = ["egen", "eval", task, str(model), "--data", str(file), *drawn]
    done = CliRunner().invoke(app, [*words, "--worst", "4", "--row", "CL Max", "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    costs = [mistake["cost"] for mistake in found["mistakes"]]
    assert costs == sorted(costs, reverse=True)
    assert len(costs) == min(4, found["wrong"])
    assert {figure["protocol"] for figure in found["figures"]} - {"informed"} == {"paper", "better"}
    (table,) = paper_tables(Workspace.open(), "egen", number=number)
    row = next(row for row in table.rows if row.name == "CL Max")
    for cell in row.cells:
        assert cell.ours is not None
        assert cell.low is not None
        assert cell.high is not None
        assert 0 <= cell.low <= cell.ours <= cell.high <= 100
    published = {round(figure["value"], 6) for figure in found["figures"] if figure["protocol"] == "paper"}
    assert {round(cell.ours, 6) for cell in row.cells if cell.ours is not None} == published
    command = json.loads(Path(found["kept"]).read_text())["command"]
    assert " ".join([f"--data={file}", *(["--count=20", "--seed=3"] if drawn else [])]) in command


def test_the_costliest_mistake_of_retrieval_is_the_most_confident(model: Path, tmp_path: Path) -> None:
    file = write_clusters(tmp_path / "c.jsonl")
    found = ask("eval", model, file, task="retrieval", worst=1000)
    labels = {text: label for label, texts in enumerate(clusters()) for text in texts}
    encoder = load_encoder(model, device="cpu")
    assert found["wrong"] == len(found["mistakes"]) > 0
    for mistake in found["mistakes"]:
        query, expected, predicted = (mistake[name] for name in ("query", "expected", "predicted"))
        assert labels[query] == labels[expected] != labels[predicted]
        ask_, right, wrong = encoder.encode([query, expected, predicted])
        assert mistake["cost"] == pytest.approx(float(ask_ @ wrong - ask_ @ right), abs=1e-4)
