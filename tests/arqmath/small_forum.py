"""A forum of two dozen questions, written for these tests, and a model of two layers of width 32 for it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

SUBJECTS = (
    (
        "Sum of the first odd numbers",
        r"Why is $\sum_{k=1}^{n} (2k-1) = n^2$ true? I tried small cases.",
        "sums",
    ),
    (
        "Order of a group element",
        r"Let $g^n = e \in G \subset H$ be given. Is the order of $g$ at most $n$?",
        "groups",
    ),
    (
        "Derivative of a product",
        r"How does one get $(fg)' = f'g + fg'$; is there a picture of it?",
        "calculus",
    ),
    (
        "Rank of a matrix",
        r"Show that $\operatorname{rank}(A) \le \min(m, n)$. I know it for squares.",
        "matrices",
    ),
)
REPLIES = (
    r"Draw squares: each odd number adds a border. So $n^2 + 2n + 1 = (n+1)^2$ follows.",
    r"Yes. The order divides $n$: write $n = qd + r$ with $0 \le r < d$; then $r = 0$.",
    r"Look at the difference quotient. Add and subtract $f(x+h)g(x)$ and let $h \to 0$.",
    r"Rows span a space of dimension at most $m$. Columns one of at most $n$: both are equal.",
)
QUESTIONS = 24


def forum(folder: Path) -> Path:
    """Question `n` has n % 4 answers (none, one, two, three) and the tag of its subject, every third one also
    `proof`; question 5 is a duplicate of 1, and 9 one of 5."""
    folder.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    for number in range(1, QUESTIONS + 1):
        title, body, tag = SUBJECTS[number // 4 % 4]
        tags = [tag, "proof"] if number % 3 == 0 else [tag]
        text = body.replace("$", '<span class="math-container" id="1">$', 1).replace("$ ", "$</span> ", 1)
        row: dict[str, Any] = {"id": number, "type": 1, "title": f"{title}, case {number}", "body": text}
        rows.append({**row, "tags": tags, "duplicates": {5: ["1"], 9: ["5"]}.get(number, [])})
    for number in range(1, QUESTIONS + 1):
        for turn in range(number % 4):
            body = REPLIES[(number // 4 + turn) % 4] + f" This is remark {turn} on case {number}."
            rows.append({"id": 100 * number + turn, "type": 2, "body": body, "parent_id": number})
    (folder / "posts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


@cache
def backbone(place: Path, family: str = "bert") -> Path:
    """Without weights; it reads 64 tokens."""
    from engines.arqmath.training.new_backbone import NewBackbone, new_backbone

    texts = [text for title, body, _ in SUBJECTS for text in (title, body)] + list(REPLIES)
    spec = NewBackbone(
        place,
        place / family,
        family,  # type: ignore[arg-type]
        vocabulary=300,
        layers=2,
        hidden=32,
        heads=2,
        ffn=64,
        max_length=64,
    )
    new_backbone(spec, texts * 3)
    return place / family
