"""The form for a new job: a recipe, its fields checked while they are typed, and where it will run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from screens.text import safe_text
from screens.widgets.rows import Column
from screens.widgets.table import Table

if TYPE_CHECKING:
    from workbench.recipes import Recipe

__all__ = ["NewJob", "problem"]

TEMPLATES = ("all", "poly", "functions", "derivatives")
FIELDS = (
    ("templates", "or all, functions, derivatives, a file"),
    ("members", "at most so many per head"),
    ("seed", "same seed, same corpus"),
    ("workers", "processes"),
    ("out", "its name among the corpora"),
)


def problem(name: str, text: str, *, corpora: Path, cores: int) -> str:
    """What is wrong with the value of a field, or nothing.

    >>> problem("members", "many", corpora=Path(), cores=2)
    'a whole number from 1 on'
    """
    text = text.strip()
    if name == "templates":
        known = text in TEMPLATES or Path(text).expanduser().is_file()
        return "" if text and known else f"one of {', '.join(TEMPLATES)}, or a file that exists"
    if name == "out":
        if not text or text in (".", "..") or "/" in text or not text.isprintable():
            return "a name without slashes"
        return f"there is a corpus {text} already" if (corpora / text).exists() else ""
    least = 0 if name == "seed" else 1
    if not text.isascii() or not text.isdigit() or int(text) < least:
        return f"a whole number from {least} on"
    if name == "workers" and int(text) > 4 * cores:
        return f"this machine has {cores} cores"
    return ""


class NewJob(ModalScreen[Any]):
    """Returns the job to start (a `JobSpec`), or None."""

    DEFAULT_CSS = """
    NewJob { align: center middle; background: $background 60%; }
    NewJob > Vertical {
        width: 92; max-width: 98%; height: auto; max-height: 100%; padding: 0 1;
        border: round $accent; background: $background; border-subtitle-color: $quiet;
    }
    NewJob Table { height: 5; margin-bottom: 1; }
    NewJob Horizontal { height: 1; }
    NewJob .name { width: 11; color: $quiet; }
    NewJob Input { border: none; height: 1; padding: 0 1; width: 26; background: $panel; }
    NewJob Input:focus { background: $cursor; }
    NewJob .say {
        width: 1fr; height: 1; padding-left: 2; color: $quiet; text-wrap: nowrap; text-overflow: ellipsis;
    }
    NewJob #device { margin-top: 1; height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "close", show=False),
        Binding("down", "app.focus_next", show=False),
        Binding("up", "app.focus_previous", show=False),
    ]

    def __init__(self, recipes: Sequence[Recipe], corpora: Path, cores: int) -> None:
        super().__init__()
        self._recipes = {recipe.name: recipe for recipe in recipes}
        self._corpora = corpora
        self._cores = cores
        self._table = Table(
            [
                Column("name", "recipe", 18),
                Column("title", "what it makes"),
                Column("minutes", "here", 12, "right", show=lambda record: record["time"]),
            ],
            id="recipes",
        )

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = "new job"
            box.border_subtitle = "⏎ start   tab next field   esc leave"
            yield self._table
            for name, _ in FIELDS:
                with Horizontal():
                    yield Static(name, classes="name")
                    yield Input(id=f"field-{name}", compact=True, select_on_focus=False)
                    yield Static(id=f"say-{name}", classes="say")
            yield Static(id="device")

    def on_mount(self) -> None:
        rows = [
            {"id": recipe.name, "name": recipe.name, "title": recipe.title, "time": _time(recipe.minutes)}
            for recipe in self._recipes.values()
        ]
        self._table.load(rows)
        words = f"device  CPU, {self._cores} cores: growing e-graphs has no use for a GPU"
        self.query_one("#device", Static).update(safe_text(words, "$quiet"))
        self.query_one("#field-templates", Input).focus()

    @on(Table.Moved)
    def _recipe_shown(self) -> None:
        current = self._table.current
        if current is None:
            return
        recipe = self._recipes[current["id"]]
        given = {**recipe.params, "seed": recipe.seed, "workers": self._cores, "out": self._free(recipe.name)}
        for name, _ in FIELDS:
            self.query_one(f"#field-{name}", Input).value = str(given.get(name, ""))
        self._check()

    def _free(self, recipe: str) -> str:
        stem = recipe.rpartition("/")[2]
        names = (stem, *(f"{stem}-{number}" for number in range(2, 1000)))
        return next(name for name in names if not (self._corpora / name).exists())

    def values(self) -> Mapping[str, str]:
        """What is written in the fields."""
        return {name: self.query_one(f"#field-{name}", Input).value.strip() for name, _ in FIELDS}

    @on(Input.Changed)
    def _check(self) -> bool:
        right = True
        for name, help_ in FIELDS:
            text = self.query_one(f"#field-{name}", Input).value
            wrong = problem(name, text, corpora=self._corpora, cores=self._cores)
            said = Content.assemble(("✗ ", "$warning"), (wrong, "$warning")) if wrong else safe_text(help_)
            self.query_one(f"#say-{name}", Static).update(said)
            right = right and not wrong
        return right

    @on(Table.Opened)
    def _to_fields(self) -> None:
        self.query_one("#field-templates", Input).focus()

    @on(Input.Submitted)
    def _start(self) -> None:
        from workbench.jobs.spec import JobSpec

        if not self._check():
            return
        values = self.values()
        current = self._table.current
        assert current is not None
        recipe = self._recipes[current["id"]]
        templates = values["templates"]
        if templates not in TEMPLATES:
            templates = str(Path(templates).expanduser().absolute())
        params: dict[str, Any] = {
            **recipe.params,
            "templates": templates,
            "members": int(values["members"]),
            "workers": int(values["workers"]),
            "out": str(self._corpora / values["out"]),
        }
        self.dismiss(JobSpec(recipe.task, f"egen corpus {values['out']}", params, int(values["seed"])))

    def action_close(self) -> None:
        self.dismiss(None)


def _time(minutes: float) -> str:
    return f"about {minutes:.0f} min" if minutes else ""
