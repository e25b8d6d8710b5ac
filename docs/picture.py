"""Make the pictures of the README: the screens on the sample workspace, drawn without a terminal.

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
    "triplets": ("triplets", ("G",)),
    "jobs": ("jobs", ("space", "space", "right_square_bracket")),
    "arqmath": ("arqmath", ("S", "enter", "S", "enter")),
    "mathamr": ("mathamr", (*"jjjjj", "enter")),
}
"""File name: the screen, and the keys that lead to what is worth seeing; what begins with : is typed."""
TRAINED = "train egen/cl-mean-tiny --headless --seeds 1,2"
"""What the jobs to be seen come from."""
FONTS = "ui-monospace, 'Cascadia Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace"


def plain(svg: str) -> str:
    """Without the fonts that would be fetched from elsewhere: every system has one that will do."""
    svg = re.sub(r"@font-face\s*\{[^}]*\}\s*", "", svg)
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    return re.sub(r"font-family:\s*[^;]*;", f"font-family: {FONTS};", svg)


async def draw(name: str, screen: str, keys: tuple[str, ...]) -> None:
    """Open a screen, press the keys, save what is there as SVG."""
    from engines.core.files import write_text
    from screens.app import Workbench
    from workbench.workspace import Workspace, ensure_sample

    workspace = Workspace.open()
    ensure_sample(workspace)
    app = Workbench(workspace, screen=screen)
    async with app.run_test(size=SIZE) as pilot:
        # What is listed is read first.
        await pilot.pause(8)
        for key in keys:
            await pilot.press(*(("colon", *key[1:]) if key.startswith(":") else (key,)))
            await pilot.pause(1)
        # The engine loads what it needs with the first question.
        await pilot.pause(15)
        write_text(TARGET / f"{name}.svg", plain(app.export_screenshot()))


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
        subprocess.run(
            [sys.executable, "-c", "from workbench.cli import main; main()", *TRAINED.split()], check=True
        )
        # First, while the screens are as they open: they keep where one was.
        asyncio.run(move())
        print(f"docs/{TARGET.name}/film.svg")
        for name, (screen, keys) in SHOTS.items():
            asyncio.run(draw(name, screen, keys))
            print(f"docs/{TARGET.name}/{name}.svg")


if __name__ == "__main__":
    main()
