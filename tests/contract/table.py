"""The command lines whose behaviour is held, by section, and the files that they use."""

from __future__ import annotations

from pathlib import Path

__all__ = ["FILES", "SECTIONS"]

FORUM = "ws/arqmath/sample-forum"
NAMES = {
    "$TOPICS": f"{FORUM}/topics_task1.xml",
    "$QRELS": f"{FORUM}/qrels_task1.tsv",
    "$BM25": f"{FORUM}/runs/bm25.tsv",
    "$DENSE": f"{FORUM}/runs/dense.tsv",
    "$FORUM": FORUM,
    "$CORPUS": "ws/corpora/sample-e",
}

FILES = {
    "pairs.tsv": "sin x\t/ 1 csc x\nx\tsqrt pow x 2\nx\tsin asin x\n* 2 ln x\tln pow x 2\n",
    "bad.tsv": "sin x\t/ 1 csc x\nno tab\nx\tfoo x\ny\tx\n",
    "prose.tsv": "just prose\n",
    "empty.txt": "",
    "binary.bin": "\x7fELF\0\0\0",
    "mine.txt": "sin(2*x) + 3\nno(x)\ncos(x - 5)\n",
    "good.txt": "sin(2*x) + 3\n- tanh - * 3 x -4 6\nx^2\n",
    "steps.txt": "(x+1)^2\nx^2 + 2*x + 1\nx^2 + 2*x + 2\n\nsin(x)^2\n1 - cos(x)^2\n",
    "right.txt": "(x+1)^2\nx^2 + 2*x + 1\n",
    "blocks.txt": "sin x\n/ 1 csc x\ncos - x / pi 2\n\nln x\n- ln x 0\n",
    "clusters.txt": "".join(
        f"{head}\n- {head} 0\n* 1 {head}\n+ {head} * 0 x\n\n"
        for head in (
            "sin x",
            "cos x",
            "pow x 2",
            "exp x",
            "tan x",
            "sinh x",
            "+ x 3",
            "* 5 x",
            "atan x",
            "pow x 3",
        )
    ),
    "analogies.txt": "sin x\tcos x\texp x\texp x\n",
    "settings.toml": 'theme = "no-such"\nfps = "many"\n',
    "recipe.toml": 'task = "egen.corpus"\ntitle = "two"\nseed = 0\n\n[params]\n'
    'templates = "./good.txt"\nmembers = 5\nworkers = 1\n',
    "minutes.toml": 'task = "egen.corpus"\nminutes = 0.1\n\n[params]\n'
    'templates = "./good.txt"\nmembers = 2\nworkers = 1\n',
    "broken.toml": "task = \n",
    "notrec.toml": 'title = "no task"\n',
    "run.tsv": "A.901\tQ0\t1\t1\t2.5\tmine\n",
    "broken-run.tsv": "A.901 Q0\n",
    "broken-qrels.tsv": "A.901 0 1\n",
    "exclude.txt": "9001008\n",
    "by.csv": "topic,kind\nA.901,a\nA.902,b\n",
    "notes.md": "mine\n",
    "future/workspace.toml": "version = 99\n",
    "others/file.txt": "something\n",
    "two.xml": '<Topics><Topic number="A.901"><Title>A prime</Title><Question>Is $p$ prime?</Question>'
    '<Tags>t</Tags></Topic><Topic number="A.902"><Title>A sum</Title><Question>Why $1+1$?</Question>'
    "<Tags>t</Tags></Topic></Topics>",
    "twice.jsonl": '{"id": 1, "type": 1, "title": "a", "body": "b", "tags": ["t"]}\n{"id": 2}\nnot json\n',
}


def _sections() -> dict[str, list[str]]:
    """`commands.txt` with its names put in."""
    found: dict[str, list[str]] = {}
    for line in (Path(__file__).parent / "commands.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            lines = found[line.strip("[]")] = []
        elif line and not line.startswith("#"):
            for name, text in NAMES.items():
                line = line.replace(name, text)
            lines.append(line)
    return found


SECTIONS = _sections()
