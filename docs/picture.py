"""Make the pictures of the documents: the screens on the sample workspace, drawn without a terminal.

make picture
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TARGET = Path(__file__).resolve().parent / "img"
SIZE = (120, 36)
SHOTS = {
    "egraphs": ("egraphs", ("enter", "j")),
    "first-minute": ("egraphs", ("a", "cos(2*x)", "enter", "j")),
    "theory": ("egraphs", ("a", "A u (B n C) theory sets", "enter", "j", "j")),
    "triplets": ("triplets", ("G",)),
    "jobs": ("jobs", ("space", "space", "]")),
    "ascii": ("jobs", ("space", "space", "]")),
    "arqmath": ("arqmath", ("S", "enter", "S", "enter")),
    "links": ("arqmath", ("a", "triangular matrices that do not commute", "enter", "enter", "[")),
    "mathamr": ("mathamr", ("jjjjj", "enter")),
    "notes": ("mathamr", ("]", "a", "~/notes", "enter", "a", "?a^2 + ?b^2", "enter")),
}
"""File name: the screen, and the keys and texts that lead to what is worth seeing."""
KEYS = {" ": "space", "/": "slash", "[": "left_square_bracket", "]": "right_square_bracket"}
NOTES = """# Means

For $x, y > 0$ the triangle inequality gives $\\sqrt{x^2 + y^2} \\le x + y$.

A circle is $x^2 + y^2 = r^2$, and an ellipse $\\frac{x^2}{a^2} + \\frac{y^2}{b^2} = 1$.

From $(a - b)^2 \\ge 0$ follows $a^2 + b^2 \\ge 2ab$, so $\\sqrt{ab} \\le \\frac{a + b}{2}$.
"""
TRAINED = "train egen/cl-mean-tiny --headless --seeds 1,2"
"""What the jobs to be seen come from."""
FONTS = "ui-monospace, 'Cascadia Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace"


def plain(svg: str) -> str:
    """Without the fonts that would be fetched from elsewhere: every system has one that will do."""
    svg = re.sub(r"@font-face\s*\{[^}]*\}\s*", "", svg)
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    return re.sub(r"font-family:\s*[^;]*;", f"font-family: {FONTS};", svg)


async def draw(name: str, screen: str, words: tuple[str, ...]) -> None:
    """Open a screen, press the keys, save what is there as SVG."""
    from docs.film import settled
    from engines.core.files import write_text
    from screens.app import Workbench
    from workbench.workspace import Workspace, ensure_sample

    workspace = Workspace.open()
    ensure_sample(workspace)
    app = Workbench(workspace, screen=screen, ascii=name == "ascii")
    async with app.run_test(size=SIZE) as pilot:
        # What is listed is read first.
        await pilot.pause(8)
        for word in words:
            await pilot.press(
                *([word] if word in ("enter", "space") else (KEYS.get(key, key) for key in word))
            )
            await settled(app, pilot)
        # Other processes answer too: one that checks links, one that searches.
        await pilot.pause(15)
        while "checking" in (shown := app.export_screenshot()):
            await pilot.pause(5)
        write_text(TARGET / f"{name}.svg", plain(shown))


async def move() -> None:
    """The moving picture: see `docs.film`."""
    from docs.film import film, filmed
    from engines.core.files import write_text
    from screens.app import Workbench
    from workbench.workspace import Workspace, ensure_sample

    workspace = Workspace.open()
    ensure_sample(workspace)
    frames = await filmed(Workbench(workspace, screen="egraphs"))
    write_text(TARGET / "film.svg", film(frames))


def main() -> None:
    """Draw every picture."""
    TARGET.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        os.environ["MATHWB_HOME"] = home
        os.environ["MATHWB_WORKSPACE"] = str(Path(home) / "sample")
        os.environ["HOME"] = home
        (Path(home) / "notes").mkdir()
        (Path(home) / "notes" / "means.md").write_text(NOTES)
        subprocess.run(
            [sys.executable, "-c", "from workbench.cli import main; main()", *TRAINED.split()], check=True
        )
        # First, while the screens are as they open: they keep where one was.
        asyncio.run(move())
        print(f"docs/{TARGET.name}/film.svg")
        for name, (screen, words) in SHOTS.items():
            asyncio.run(draw(name, screen, words))
            print(f"docs/{TARGET.name}/{name}.svg")


if __name__ == "__main__":
    main()
