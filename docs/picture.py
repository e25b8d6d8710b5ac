"""Make the pictures of the README: the screens on the sample workspace, drawn without a terminal.

make picture
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path

TARGET = Path(__file__).resolve().parent / "img"
SIZE = (120, 34)
SHOTS = {"egraphs": ("egraphs", ("enter", "j", "j", "j"))}
"""File name: the screen, and the keys that lead to what is worth seeing."""


async def draw(name: str, screen: str, keys: tuple[str, ...]) -> None:
    """Open a screen, press the keys, save what is there as SVG."""
    from screens.app import Workbench
    from workbench.workspace import Workspace, ensure_sample

    workspace = Workspace.open(Path(os.environ["MATHWB_HOME"]) / "sample")
    ensure_sample(workspace)
    app = Workbench(workspace, screen=screen)
    async with app.run_test(size=SIZE) as pilot:
        for key in ("", *keys):
            if key:
                await pilot.press(key)
            await pilot.pause(1.5)
        app.save_screenshot(f"{name}.svg", path=str(TARGET))


def main() -> None:
    """Draw every picture."""
    TARGET.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        os.environ["MATHWB_HOME"] = home
        for name, (screen, keys) in SHOTS.items():
            asyncio.run(draw(name, screen, keys))
            print(TARGET.name + "/" + name + ".svg")


if __name__ == "__main__":
    main()
