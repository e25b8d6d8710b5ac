"""For each operation something to do on the sample workspace: `f(workspace, place)` gives what it is asked.

`place` is a folder of the call's own, for what it reads and writes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["SAMPLES"]

Given = dict[str, Any]


def corpus(workspace: Path, place: Path) -> Given:
    (place / "mine.txt").write_text("sin(2*x) + 3\n3 + sin(2*x)\nln(x)\n")
    return {"out": str(place / "c"), "templates": str(place / "mine.txt"), "members": 5, "workers": 1}


def stats(workspace: Path, place: Path) -> Given:
    return {"corpus": str(next(iter(sorted((workspace / "corpora").iterdir()))))}


def search_formulas(workspace: Path, place: Path) -> Given:
    from engines.mathamr import IndexFormulas
    from engines.mathamr import index as index_formulas

    index_formulas(IndexFormulas(workspace / "arqmath" / "sample-forum", place / "index"))
    return {"index": str(place / "index"), "latex": "a+b", "k": 3}


def index(workspace: Path, place: Path) -> Given:
    return {"folder": "sample-forum", "out": str(place / "index")}


def of_corpus(**more: Any) -> Callable[[Path, Path], Given]:
    return lambda workspace, place: {**stats(workspace, place), **more}


def import_(workspace: Path, place: Path) -> Given:
    (place / "clusters.txt").write_text("+ x x\n* 2 x\n\nsin x\n- 0 sin - 0 x\n")
    return {"file": str(place / "clusters.txt"), "out": str(place / "imported")}


def extract(workspace: Path, place: Path) -> Given:
    nodes = {"a": {"op": "x", "eclass": "0"}, "b": {"op": "f", "children": ["a"], "eclass": "0"}}
    (place / "graph.json").write_text(json.dumps({"nodes": nodes, "root_eclasses": ["0"]}))
    return {"file": str(place / "graph.json"), "members": 3, "max_size": 6}


def export(workspace: Path, place: Path) -> Given:
    return {**stats(workspace, place), "file": str(place / "corpus.jsonl"), "layout": "jsonl"}


def _model() -> Given:
    """The encoder that ships, asked about a few clusters of the sample."""
    return {"model": "egen-cl-mean"}


def _clusters(place: Path) -> str:
    rows = [["sin x", "/ 1 csc x", "* -1 sin * -1 x"], ["cos x", "/ 1 sec x"], ["tan x", "/ 1 cot x"]]
    path = place / "clusters.jsonl"
    path.write_text("".join(json.dumps({"head": row[0], "exprs": row}) + "\n" for row in rows))
    return str(path)


def treebank(_: Path, place: Path) -> Given:
    """One sentence, often enough for a parser to learn from."""
    words = (
        ("I", "PRP", 2, "nsubj"),
        ("want", "VB", 0, "root"),
        ("proof", "NN", 2, "obj"),
        (".", ".", 2, "punct"),
    )
    rows = "".join(
        f"{number}\t{word}\t{word}\t_\t{tag}\t_\t{head}\t{relation}\t_\t_\n"
        for number, (word, tag, head, relation) in enumerate(words, start=1)
    )
    for part in ("train", "dev"):
        (place / f"own-{part}.conllu").write_text(f"{rows}\n" * 25)
    return {"treebank": str(place), "out": str(place / "english"), "epochs": 1, "width": 16}


def annotated(_: Path, place: Path) -> Given:
    """One graph with its sentence."""
    graph = "# ::snt The boy eats an apple .\n(e / eat-01 :ARG0 (b / boy) :ARG1 (a / apple))\n"
    (place / "own.amr").write_text(graph)
    return {"amr": [str(place / "own.amr")], "out": str(place / "roles.tsv.gz")}


def lines_of(place: Path, *rows: Given) -> Given:
    """A file of JSON Lines."""
    file = place / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return {"file": str(file)}


def analogy(workspace: Path, place: Path) -> Given:
    asked = {"x1": "sin x", "y1": "* -1 sin * -1 x", "x2": "-tan(x)", "expected": "tan(-x)"}
    return {**_model(), **asked, "data": _clusters(place), "count": 4}


def check(workspace: Path, place: Path) -> Given:
    (place / "d.txt").write_text("1/0\n0\n\nln(x^2)\n2*ln(x)\n\nx\nx+1\n")
    return {**_model(), "file": str(place / "d.txt"), "threshold": 0.5}


def embed(workspace: Path, place: Path) -> Given:
    (place / "e.txt").write_text("sin x\n0.00032\n")
    return {**_model(), "file": str(place / "e.txt"), "out": str(place / "v.npy")}


def evaluate(workspace: Path, place: Path) -> Given:
    return {**_model(), "task": "retrieval", "data": _clusters(place), "worst": 2}


def semvec(workspace: Path, place: Path) -> Given:
    import torch

    from engines.egen.semvec.network import new_network, save_network
    from tests.egen.test_semvec import written

    (place / "semvec").mkdir()
    torch.manual_seed(0)
    save_network(new_network(["a", "b"], ["+", "-", "*", "neg"], 8, 8), place / "semvec")
    return {"model": str(place / "semvec"), "classes": str(written(place))}


def index_corpus(workspace: Path, place: Path) -> Given:
    return {**_model(), "data": _clusters(place)}


def draw_map(workspace: Path, place: Path) -> Given:
    return {**_model(), "data": _clusters(place), "method": "pca", "file": str(place / "map.svg")}


def nearest(workspace: Path, place: Path) -> Given:
    return {**_model(), "expr": "- 0 sin x", "data": _clusters(place), "count": 3}


def rewrite(workspace: Path, place: Path) -> Given:
    from tests.egen.small_clusters import random_model

    return {"model": str(random_model(place / "seq2seq")), "expr": "sin x", "beams": 2}


def semembed(workspace: Path, place: Path) -> Given:
    (place / "mine.txt").write_text("(x+3)^2\nx\n")
    return {"out": str(place / "c"), "templates": str(place / "mine.txt")}


def grow(workspace: Path, place: Path) -> Given:
    return {"expr": "-sin(x) + 2", "members": 5, "nodes": 300, "out": str(place / "cluster.json")}


def grade(workspace: Path, place: Path) -> Given:
    (place / "pairs.csv").write_text('gold,pred\n1/2,"0.5"\n"(1,2)","(2,1)"\n3\n')
    return {"pairs": str(place / "pairs.csv")}


def proofread(workspace: Path, place: Path) -> Given:
    (place / "text.md").write_text("So $2+2=4=5$.\n")
    return {"file": str(place / "text.md")}


def verify(workspace: Path, place: Path) -> Given:
    (place / "pairs.tsv").write_text("x\ttan atan x\nx\tpow sqrt x 2\nx\t)(\n")
    return {"file": str(place / "pairs.tsv")}


def save_document(workspace: Path, place: Path) -> Given:
    given = save(workspace, place)
    return {"document": Path(given["cluster"]).read_text(), "out": given["out"]}


def save(workspace: Path, place: Path) -> Given:
    row = {"prefix": "* -1 sin * -1 x", "verdict": "equal", "kept": 1.0}
    stats = {"stop_reason": "saturated", "iterations": 1, "nodes": 2, "classes": 2, "total_members": 10**20}
    document = {"head": "sin x", "members": [row], "stats": stats, "config": {"limits": {}}}
    (place / "cluster.json").write_text(json.dumps(document))
    return {"cluster": str(place / "cluster.json"), "out": str(place / "saved")}


_TUNED = (("topics", "xml"), ("qrels", "tsv"))


def _forum(workspace: Path) -> Path:
    return workspace / "arqmath" / "sample-forum"


def _run(workspace: Path, name: str = "bm25") -> str:
    return str(_forum(workspace) / "runs" / f"{name}.tsv")


def _index(workspace: Path, place: Path) -> str:
    from engines.arqmath.collection.indexing import IndexCollection
    from engines.arqmath.collection.indexing import index as build

    build(IndexCollection(_forum(workspace), place / "index"))
    return str(place / "index")


def backbone(workspace: Path, place: Path) -> Given:
    small = {"vocabulary": 200, "layers": 1, "hidden": 8, "heads": 2, "ffn": 8, "max_length": 16}
    return {"folder": "sample-forum", "out": str(place / "model"), "posts": 5, **small}


def compare_runs(workspace: Path, place: Path) -> Given:
    qrels = str(_forum(workspace) / "qrels_task1.tsv")
    return {"runs": [_run(workspace), _run(workspace, "dense")], "qrels": [qrels], "seed": 3}


def evaluate_run(workspace: Path, place: Path) -> Given:
    topics = str(_forum(workspace) / "topic_info.csv")
    return {"run": _run(workspace), "qrels": str(_forum(workspace) / "qrels_task1.tsv"), "topics_by": topics}


def tune(workspace: Path, place: Path) -> Given:
    files = {name: [str(_forum(workspace) / f"{name}_task1.{kind}")] for name, kind in _TUNED}
    return {"index": _index(workspace, place), **files, "folds": 3}


def generate(workspace: Path, place: Path) -> Given:
    runs = sorted(map(str, (_forum(workspace) / "answers").glob("*.tsv")))
    topics = str(_forum(workspace) / "topics_task1.xml")
    return {"topics": topics, "out": str(place / "run.tsv"), "shortest": runs}


def judgements(workspace: Path, place: Path) -> Given:
    from workbench.papers.arqmath.data import Judgements

    Judgements(_forum(workspace) / "judgements.jsonl").set_grade("A.901", "9001015", 2)
    return {"folder": "sample-forum"}


def pretrain_data(workspace: Path, place: Path) -> Given:
    return {"folder": "sample-forum", "strategy": "2", "out": str(place / "segments.jsonl")}


def rank(workspace: Path, place: Path) -> Given:
    topics = str(_forum(workspace) / "topics_task1.xml")
    given = {"source": _index(workspace, place), "topics": [topics], "rerank": False, "depth": 5}
    return {**given, "run": str(place / "run.tsv")}


def search(workspace: Path, place: Path) -> Given:
    return {"index": _index(workspace, place), "query": "- a sum of $\\frac{1}{n}$", "k": 3}


def word_problems(place: Path) -> str:
    """A file of problems."""
    rows = [
        {
            "text": "Tom has 3 red pens and 4 blue pens. How many pens does he have?",
            "equation": "3+4",
            "answer": 7,
        },
        {"text": "Ann had 9 pens and lost 2. How many pens are left?", "equation": "x=9-2", "answer": 7},
    ]
    file = place / "problems.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(file)


def of_solver(**more: Any) -> Callable[[Path, Path], Given]:
    """About a solver of random weights."""

    def given(_workspace: Path, place: Path) -> Given:
        from tests.mwp.solver_problems import random_solver

        return {"model": str(random_solver(place / "solver")), **more}

    return given


def of_problems(**more: Any) -> Callable[[Path, Path], Given]:
    """About such a solver and a file of problems, which is called by its own name, not its folder's."""

    def given(workspace: Path, place: Path) -> Given:
        file = Path(word_problems(place)).rename(place / "rows.jsonl")
        return of_solver(data=str(file), **more)(workspace, place)

    return given


SAMPLES: dict[str, Callable[[Path, Path], Given]] = {
    "egen.generate": grow,
    "grade": grade,
    "proofread": proofread,
    "egen.verify": verify,
    "egen.explain": lambda _workspace, _place: {"head": "-x", "member": "- 0 pow sqrt x 2", "seed": 3},
    "egen.curve": lambda _workspace, _place: {"exprs": ["-x", "ln(x)"], "low": -1.0, "count": 5},
    "egen.derive": lambda _workspace, _place: {"start": "-tan(-x)", "target": "tan(x)"},
    "egen.egraph": lambda _workspace, _place: {"expr": "-sin(x)", "nodes": 200, "number": 0},
    "egen.save": save,
    "egen.save-document": save_document,
    "egen.analogies": lambda _workspace, _place: {},
    "egen.analogy": analogy,
    "egen.check": check,
    "egen.corpus": corpus,
    "egen.embed": embed,
    "egen.eval": evaluate,
    "egen.semvec": semvec,
    "egen.index": index_corpus,
    "egen.map": draw_map,
    "egen.nearest": nearest,
    "egen.rewrite": rewrite,
    "egen.semembed": semembed,
    "egen.stats": stats,
    "egen.rules": lambda workspace, place: {"family": "expansion"},
    "egen.extract": extract,
    "egen.theory": lambda workspace, place: {"theory": "sets"},
    "egen.find": of_corpus(expr="- 0 sinh x"),
    "egen.show": of_corpus(cluster=0),
    "egen.pairs": of_corpus(triplets=True, limit=3, seed=1),
    "egen.import": import_,
    "egen.export": export,
    "mwp.problems": lambda _, place: {"data": [word_problems(place)], "out": str(place / "mine.jsonl")},
    "mwp.audit": lambda _, place: {"data": word_problems(place)},
    "mwp.solutions": lambda _, place: {"data": word_problems(place)},
    "mwp.steps": lambda *_: {
        "text": "48/2 = <<48/2=24>>24, and 48+24 = <<48+24=72>>72",
        "problem": "Natalia sold 48 clips in April and half as many in May. How many altogether?",
    },
    "mwp.augment": lambda _, place: {"data": word_problems(place), "kinds": "qr"},
    "mwp.triplets": lambda _, place: {
        "data": word_problems(place),
        "pool": "train,qr",
        "out": str(place / "t.jsonl"),
    },
    "mwp.anchors": lambda _, place: {"data": word_problems(place), "pool": "train,qr"},
    "mwp.labels": lambda _, place: {"out": str(place / "labels.jsonl")},
    "mwp.explain": lambda _, place: {"data": word_problems(place), "anchor": "problems-1"},
    "mwp.generate": lambda _, place: {"count": 20, "seed": 3, "out": place / "generated.jsonl"},
    "mwp.challenge": lambda _, place: {
        "data": word_problems(place),
        "out": str(place / "c.jsonl"),
        "how": "question-first",
    },
    "mwp.similarity": lambda _, place: {"left": "N_0+N_1", "right": "N_0-N_1"},
    "mwp.solve": of_solver(text="Tom has 3 red pens and 4 blue pens . How many pens has he ?", beam=2),
    "mwp.eval": of_problems(probes=True, seed=1),
    "mwp.tsne": of_problems(templates=2, method="pca"),
    "mathamr.opt": lambda _, place: lines_of(place, {"id": "q_1", "latex": "x^2 < )"}),
    "mathamr.slt": lambda _, place: lines_of(place, {"id": "q_1", "latex": r"\frac{1}{x^2}"}),
    "mathamr.draw": lambda _, place: lines_of(
        place, {"topic_id": "B.1", "mathamr": "(s / solve-01 :arg0 (i / i) :arg1 (r / run-01 :arg0 i))"}
    ),
    "mathamr.compare": lambda *_: {"one": "(s / solve-01 :arg0 (i / i))", "other": "(s / solve-01)"},
    "mathamr.topics": lambda _workspace, _place: {"folder": "sample-forum"},
    "mathamr.inspect": lambda _workspace, _place: {"folder": "sample-forum", "topic": "B.901", "k": 3},
    "mathamr.index": lambda _, place: {"folder": "sample-forum", "out": str(place / "index")},
    "mathamr.search": search_formulas,
    "mathamr.represent": lambda workspace, place: {
        "folder": "sample-forum",
        "index": search_formulas(workspace, place)["index"],
        "kind": "raw-opt",
    },
    "mathamr.embed": lambda _, place: {
        **lines_of(place, {"id": "1", "string": "eq x 2"}),
        "out": str(place / "out"),
    },
    "mathamr.rerank": lambda workspace, place: {
        "folder": "sample-forum",
        "index": search_formulas(workspace, place)["index"],
        "out": str(place / "run.tsv"),
        "kind": "paths",
    },
    "mathamr.fuse": lambda workspace, place: {
        "runs": [str(workspace / "arqmath/sample-forum/runs_task2/paths.tsv")] * 2,
        "out": str(place / "run.tsv"),
    },
    "mathamr.eval": lambda workspace, place: {
        "runs": [str(workspace / "arqmath/sample-forum/runs_task2/paths.tsv")],
        "index": search_formulas(workspace, place)["index"],
        "qrels": [str(workspace / "arqmath/sample-forum/qrels_task2.tsv")],
    },
    "mathamr.standings": lambda _workspace, _place: {"folder": "sample-forum"},
    "mathamr.context": lambda _, place: lines_of(place, {"topic_id": "B.1", "text": "Solve $x^2=2$."}),
    "mathamr.amr": lambda _, place: lines_of(place, {"topic_id": "B.1", "context": 'Solve "eqx1eqx".'}),
    "mathamr.parse": lambda _workspace, _place: {"text": "Solve $x^2=2$ for me."},
    "mathamr.language": treebank,
    "mathamr.roles": annotated,
    "mathamr.graft": lambda _, place: lines_of(
        place, {"topic_id": "B.1", "amr": '(s / solve-01 :arg1 "eqx1eqx")', "formulas": {"1": "x^2"}}
    ),
    "mathamr.linearize": lambda _, place: lines_of(
        place, {"topic_id": "B.1", "mathamr": "(s / solve-01 :arg1 MATH :math (V1 / x))"}
    ),
    "arqmath.backbone": backbone,
    "arqmath.compare": compare_runs,
    "arqmath.eval": evaluate_run,
    "arqmath.export": lambda workspace, place: {
        "index": _index(workspace, place),
        "out": str(place / "documents.jsonl"),
    },
    "arqmath.fuse": lambda workspace, place: {
        "runs": [str(workspace / f"arqmath/sample-forum/runs/{name}.tsv") for name in ("bm25", "dense")],
        "out": str(place / "run.tsv"),
    },
    "arqmath.generate": generate,
    "arqmath.index": index,
    "arqmath.judgements": judgements,
    "arqmath.pairs": lambda _, place: {"folder": "sample-forum", "out": str(place / "pairs.tsv")},
    "arqmath.picture": lambda _workspace, _place: {"folder": "sample-forum", "run": "bm25"},
    "arqmath.post": lambda _workspace, _place: {"folder": "sample-forum", "id": "9001015"},
    "arqmath.prepare": lambda _, place: {"folder": "sample-forum", "index": str(place / "index")},
    "arqmath.pretrain-data": pretrain_data,
    "arqmath.rank": rank,
    "arqmath.ranking": lambda _workspace, _place: {"folder": "sample-forum", "topic": "A.901"},
    "arqmath.search": search,
    "arqmath.show": lambda _workspace, _place: {"folder": "sample-forum", "topic": "A.901", "run": "bm25"},
    "arqmath.snippets": lambda _workspace, _place: {"folder": "sample-forum", "ids": ["9001015", "9001022"]},
    "arqmath.topics": lambda _workspace, _place: {"folder": "sample-forum"},
    "arqmath.tune": tune,
    "arqmath.write-run": lambda _, place: {
        "folder": "sample-forum",
        "run": "bm25",
        "out": str(place / "r.tsv"),
    },
}
