"""What the palette finds of the Jobs screen: jobs and recipes."""

from __future__ import annotations

from collections.abc import Iterator

from screens.shell.selection import Thing
from workbench.workspace import Workspace

__all__ = ["things"]


def things(workspace: Workspace) -> Iterator[Thing]:
    """The recipes, then the jobs, newest first."""
    from workbench import jobs
    from workbench.recipes import launched, recipes

    for recipe in recipes():
        if launched(recipe):
            yield Thing((("train", recipe.name),), recipe.title)
    for view in jobs.jobs(workspace):
        yield Thing((("job", str(view.id)),), f"{view.title}, {view.state}")
