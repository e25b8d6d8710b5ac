"""Run all of them."""

from __future__ import annotations

import json

from docs.notebooks import PLACE, page, run

for path in sorted(PLACE.glob("*.ipynb")):
    done = run(json.loads(path.read_text("utf-8")))
    path.write_text(json.dumps(done, ensure_ascii=False, indent=1) + "\n", "utf-8")
    path.with_suffix(".md").write_text(page(done, path.stem), "utf-8")
    print(f"docs/notebooks/{path.name}")
