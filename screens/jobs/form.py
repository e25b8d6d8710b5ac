"""The form for a new job, its fields checked while they are typed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static
from textual.worker import get_current_worker

from engines.core.errors import EngineError
from screens.jobs.form_fields import FormField, FormFields, FormValues, form_fields
from screens.jobs.run_reading import Machine, look_at_machine
from screens.shell.theme import safe_text
from screens.widgets.dialogs import Chooser, Dialog, MenuChoice, frame_dialog
from screens.widgets.line_input import LineInput
from screens.widgets.table import Table
from screens.widgets.table_columns import Record
from workbench.tables import Column, format_duration

if TYPE_CHECKING:
    from workbench.engine_process import EngineProcess
    from workbench.jobs.job_views import JobView
    from workbench.recipes import Recipe
    from workbench.train import LaunchDraft
    from workbench.workspace import Workspace


_PATIENCE_S = 0.3
"""The engine is asked when nothing has been typed for so long."""


class _Line(LineInput):
    """Leaves `?` to the form."""

    async def on_key(self, event: events.Key) -> None:
        if event.character == "?":
            event.prevent_default()


class FormRow(Horizontal):
    """A line of the form: table, key, value, and either what is wrong or what it means."""

    DEFAULT_CSS = """
    FormRow { height: 1; }
    FormRow .table { width: 8; color: $quiet; }
    FormRow .key { width: 15; }
    FormRow Input { border: none; height: 1; padding: 0 1; width: 26; background: $panel; }
    FormRow Input:focus { background: $cursor; }
    FormRow .say {
        width: 1fr; height: 1; padding-left: 2; color: $quiet; text-wrap: nowrap; text-overflow: ellipsis;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "app.focus_next", show=False),
        Binding("up", "app.focus_previous", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.field: FormField | None = None
        self._said: tuple[str, str] | None = None

    def compose(self) -> ComposeResult:
        yield Static(classes="table")
        yield Static(classes="key")
        # What stands there is selected: what is typed takes its place, an arrow keeps it.
        yield _Line(compact=True)
        yield Static(classes="say")

    @property
    def value(self) -> str:
        """Return the text that is typed in the field."""
        return self.query_one(Input).value

    def show_field(self, field: FormField, text: str, first: bool) -> None:
        """Show a field with a text; the table's name stands only in its first line."""
        self.field = field
        self.query_one(".table", Static).update(field.table if first else "")
        self.query_one(".key", Static).update(safe_text(field.key))
        box = self.query_one(Input)
        # The text is set by the program, which must not count as typing.
        with self.prevent(Input.Changed):
            box.value = text
        box.cursor_position = len(text)

    def show_help(self, wrong: str, help_: str) -> None:
        """Show what is wrong with the value, or else what the field means."""
        if (wrong, help_) == self._said:
            return
        self._said = wrong, help_
        said = Content.styled(f"✗ {safe_text(wrong).plain}", "$warning") if wrong else safe_text(help_)
        self.query_one(".say", Static).update(said)


class NewJob(Dialog[Any]):
    """The form for a new job; the dialog returns a function that starts the job or the sweep, or None.

    Args:
        recipes: the recipes to choose from.
        workspace: where names are looked up.
        engine: returns the engine process, which checks the settings of trainers.
        chosen: the recipe to begin with, its fields filled in; without it the cursor is on the quickest.
        jobs: the jobs that have run here, to estimate the time.
        drafts: the fields that were changed but not started, by recipe, the latest last; kept up to date.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("f5", "reset", "reset", show=False)]
    DEFAULT_CSS = """
    NewJob > Vertical { width: 116; max-width: 98%; height: auto; max-height: 96%; padding: 0 1; }
    NewJob Table { height: 7; margin-bottom: 1; }
    NewJob VerticalScroll { height: auto; max-height: 26; scrollbar-size-vertical: 1; }
    NewJob #device { margin-top: 1; height: auto; max-height: 5; color: $quiet; }
    NewJob #foot { height: auto; min-height: 1; max-height: 3; }
    NewJob.-narrow Input { width: 20; }
    NewJob.-high Table { height: 12; }
    NewJob.-low Table { height: 5; margin-bottom: 0; }
    NewJob.-low VerticalScroll { max-height: 11; }
    NewJob.-low #device { margin-top: 0; max-height: 2; }
    """

    def __init__(
        self,
        recipes: Iterable[Recipe],
        workspace: Workspace,
        engine: Callable[[], EngineProcess],
        *,
        chosen: LaunchDraft | None = None,
        jobs: Sequence[JobView] = (),
        drafts: dict[str, FormValues] | None = None,
    ) -> None:
        super().__init__()
        self._drafts = {} if drafts is None else drafts
        results = {recipe.name: recipe for recipe in recipes}
        own = chosen.recipe if chosen is not None else None
        if own is not None:
            # A recipe from a file, or one with settings of its own, takes the place of the one of its name.
            results = {own.name: own, **{name: r for name, r in results.items() if name != own.name}}
        self._recipes = results
        self._chosen = own
        self._how = chosen.how if chosen is not None else None
        self._workspace = workspace
        self._engine = engine
        self._jobs = jobs
        self._shown: Recipe | None = None
        self._fields: FormFields | None = None
        self._machine: Machine | None = None
        self._wrong: dict[str, EngineError] = {}
        self._engine_wrong: EngineError | None = None
        self._edited = ""
        self._measures: Sequence[str] = ()
        """What the evaluation of the training computes, once the engine has said it."""
        self._table = Table(
            [
                Column("engine", "engine", 8),
                Column("recipe", "recipe", 22),
                Column("title", "what it makes"),
                Column("time", "expected here", 15, "right", drop=1),
            ],
            id="recipes",
        )

    def compose(self) -> ComposeResult:
        fields = VerticalScroll(id="fields", can_focus=False)
        yield frame_dialog("new job", "", self._table, fields, Static(id="device"), Static(id="foot"))

    async def on_mount(self) -> None:
        self.on_resize()
        self.expect_times(self._jobs)
        quick = next((name for name, recipe in self._recipes.items() if recipe.quickest), "")
        begun = next(reversed(self._drafts), "")
        if self._chosen is not None:
            # What was written before for another opening has no part in this one.
            self._drafts.pop(self._chosen.name, None)
        self._table.go_to(self._chosen.name if self._chosen else begun if begun in self._recipes else quick)
        await self._show_recipe()
        self._table.focus()
        if self._chosen is not None and (row := next(iter(self.query(FormRow)), None)) is not None:
            row.query_one(Input).focus()
        self._look_at_machine()
        # The table has its height only now.
        self.call_after_refresh(self._table.show_cursor)

    def expect_times(self, jobs: Sequence[JobView]) -> None:
        """Take the jobs by which the durations of recipes are estimated."""
        self._jobs = jobs
        self._table.load([_recipe_record(recipe, jobs) for recipe in self._recipes.values()])

    def on_resize(self) -> None:
        self.set_class(self.app.size.height < 36, "-low")
        self.set_class(self.app.size.height >= 46, "-high")
        self.set_class(self.app.size.width < 100, "-narrow")

    @property
    def recipe(self) -> Recipe | None:
        """Return the recipe under the cursor, or None."""
        current = self._table.current
        return None if current is None else self._recipes[current["id"]]

    @work(thread=True, exclusive=True, group="machine", exit_on_error=False)
    def _look_at_machine(self) -> None:
        worker = get_current_worker()
        machine = look_at_machine(self._workspace.runs)
        if not worker.is_cancelled:
            self.app.call_from_thread(self._take_machine, machine)

    def _take_machine(self, machine: Machine) -> None:
        self._machine = machine
        self._check_values()

    # The fields

    @on(Table.Moved)
    async def _show_recipe(self) -> None:
        recipe = self.recipe
        if recipe is None or recipe is self._shown:
            return
        # What was typed for the recipe before is kept under its name.
        self._keep_draft()
        self._shown = recipe
        self._edited, self._measures = "", ()
        how = self._how if recipe is self._chosen else None
        self._fields = form_fields(recipe, self._workspace, how, self._jobs)
        fields = self.query_one("#fields", VerticalScroll)
        # Rows are reused, since making and removing widgets takes long.
        rows = list(self.query(FormRow))
        missing = [FormRow() for _ in range(len(self._fields.fields) - len(rows))]
        if missing:
            await fields.mount(*missing)
            if not all(row.children for row in missing):
                return  # the app is being left
        before, draft = "", self._drafts.get(recipe.name, {})
        for row, field in zip([*rows, *missing], self._fields.fields, strict=False):
            row.show_field(field, draft.get(field.name, field.text), field.table != before)
            before = field.table
        for number, row in enumerate([*rows, *missing]):
            row.display = number < len(self._fields.fields)
            if not row.display:
                row.field = None
        fields.scroll_home(animate=False)
        self._check_values()

    def list_rows(self) -> dict[str, FormRow]:
        """Return the rows in use, by the names of their fields."""
        return {row.field.name: row for row in self.query(FormRow) if row.field is not None}

    def list_values(self) -> Mapping[str, str]:
        """Return what the fields contain, by name."""
        return {name: row.value for name, row in self.list_rows().items()}

    def _keep_draft(self) -> None:
        if self._fields is None or self._shown is None:
            return
        before, values = {field.name: field.text for field in self._fields.fields}, self.list_values()
        # Only what differs from the recipe is a draft.
        changed = {name: text for name, text in values.items() if text != before.get(name, text)}
        self._drafts.pop(self._shown.name, None)
        if changed:
            self._drafts[self._shown.name] = changed

    async def action_reset(self) -> None:
        if self._shown is not None:
            self._fields = None
            self._drafts.pop(self._shown.name, None)
            self._shown = None
            await self._show_recipe()

    def action_close(self) -> None:
        self._keep_draft()
        super().action_close()

    @on(Input.Changed)
    def _take_typed_text(self) -> None:
        if self._here is not None and self._here.field is not None:
            # Remembered for errors that name no field.
            self._edited = self._here.field.name
        self._check_values()

    def _check_values(self) -> bool:
        """Say what is wrong, at once as far as it can be told here; the engine is asked when it is right."""
        if self._fields is None:
            return False
        values = self.list_values()
        if values.keys() != {field.name for field in self._fields.fields}:
            return False  # its rows are not there yet, or the app is being left
        self._wrong = self._fields.find_problems(values)
        self._engine_wrong = None
        self._show_problems()
        if not self._wrong:
            self._ask_engine(self._fields, values)
        return not self._wrong

    @work(exclusive=True, group="ask", exit_on_error=False)
    async def _ask_engine(self, form: FormFields, values: Mapping[str, str]) -> None:
        # Wait for a pause in the typing; a newer check ends this one.
        await asyncio.sleep(_PATIENCE_S)
        error = await self._engine_says(form, values)
        # Otherwise typing has gone on, and the answer is about older values.
        if form is self._fields and values == self.list_values():
            self._engine_wrong = error
            self._show_problems()

    async def _engine_says(self, form: FormFields, values: Mapping[str, str]) -> EngineError | None:
        from workbench.engine_process import CallResult

        try:
            for question in form.list_questions(values):
                async for item in self._engine().call("train.check", question):
                    if isinstance(item, CallResult):
                        self._measures = item.value["measures"]
                        break
        except EngineError as error:
            return error
        return None

    def _show_problems(self) -> None:
        wrong = dict(self._wrong)
        if self._engine_wrong is not None and self._fields is not None:
            wrong.setdefault(self._fields.find_field(self._engine_wrong), self._engine_wrong)
        if "" in wrong and self._edited:
            # It names no field; before the last change all was right.
            wrong.setdefault(self._edited, wrong.pop(""))
        device = self._describe_device(wrong)
        for name, row in self.list_rows().items():
            assert row.field is not None
            row.show_help(wrong[name].what if name in wrong else "", row.field.help)
        lines = [f"{'':8}{'runs on':<15}{device}"] if device else []
        runs = self._fields.count_runs(self.list_values()) if self._fields is not None and not wrong else 1
        if runs > 1:
            lines.insert(0, f"{'':8}{'sweep':<15}{runs:,} runs; each model stays in its run folder")
        if self._machine is not None and self._machine.gpus:
            lines += self._machine.describe_devices()
        self.query_one("#device", Static).update(Content("\n").join(map(safe_text, lines)))
        self._tell_foot(wrong)

    def _describe_device(self, wrong: dict[str, EngineError]) -> str:
        """Return what the job will run on and why; what is wrong with it is added to `wrong`."""
        if self._machine is None or self._fields is None:
            return ""
        policy = self.list_rows().get("job.device")
        if policy is None:
            return f"{self._machine.cpu}: this work does not use a GPU"
        try:
            return self._machine.explain_device(policy.value.strip())
        except EngineError as error:
            wrong.setdefault("job.device", error)
            return ""

    @on(Input.Blurred)
    @on(events.DescendantFocus)
    def _show_foot(self) -> None:
        self._tell_foot(self._wrong)

    @property
    def _here(self) -> FormRow | None:
        widget = self.focused.parent if self.focused is not None else None
        return widget if isinstance(widget, FormRow) and widget.field is not None else None

    def _list_choices(self, field: FormField) -> Mapping[str, str]:
        results: Mapping[str, str] = {}
        # A registry that cannot be read is told of where its data are looked up.
        with suppress(EngineError):
            results = self._fields.list_choices(field) if self._fields is not None else {}
        if field.name == "job.device" and self._machine is not None:
            results = {**results, **{str(card.index): card.name for card in self._machine.gpus}}
        return dict.fromkeys(self._measures, "") if field.key in ("best", "stop_worst") else results

    def on_key(self, event: events.Key) -> None:
        """List what may stand in a field when `?` is typed; in a field without choices it is a letter like
        any other.
        """
        row = self._here
        if event.character != "?" or row is None or row.field is None:
            return
        event.stop()
        line, known = row.query_one(Input), self._list_choices(row.field)
        choices = [MenuChoice(word, word, detail) for word, detail in known.items()]
        if not choices:
            # Without choices the question mark is typed like any other letter.
            line.replace("?", *line.selection)
        else:
            chooser = Chooser(row.field.name, choices, typed=True)
            chooser.ask(self.app, lambda word: setattr(line, "value", word))

    def _tell_foot(self, wrong: Mapping[str, EngineError]) -> None:
        """What is wrong with the focused field, or else with the first, with its remedy; when all is right,
        the choices of the focused field, or what it means. In the frame the keys of where one is."""
        field = self._here.field if self._here is not None else None
        error = wrong.get(field.name if field is not None else "") or next(iter(wrong.values()), None)
        said, keys = Content(), ["up/down recipe", "tab its fields"]
        if field is not None:
            choices = self._list_choices(field)
            said = safe_text(f"? lists: {', '.join(choices)}" if choices else field.help, "$quiet")
            keys = ["tab next field", *(["? choices"] if choices else [])]
        if error is not None:
            said = Content.styled(safe_text(f"✗ {error.what}. {error.remedy}".rstrip()).plain, "$warning")
        self.query_one("#foot", Static).update(said)
        changed = any(row.field is not None and row.value != row.field.text for row in self.query(FormRow))
        keys += ["f5 reset", "esc leave, kept"] if changed else ["esc leave"]
        self.query_one(Vertical).border_subtitle = "   ".join(["enter start", *keys])

    # The end

    @on(Table.Opened)
    @on(Input.Submitted)
    def _submit_form(self) -> None:
        if self._check_values():
            self._start_job()
            return
        # The focus goes to the first field that is wrong.
        rows = self.list_rows()
        if name := next((name for name in self._wrong if name in rows), ""):
            rows[name].query_one(Input).focus()

    @work(exclusive=True, group="ask", exit_on_error=False)
    async def _start_job(self) -> None:
        form, values = self._fields, self.list_values()
        assert form is not None
        # Asked once more, because the values may have changed since the last answer.
        self._engine_wrong = await self._engine_says(form, values)
        try:
            start = form.prepare_start(values)
        except EngineError as error:
            self._engine_wrong = error
        if self._engine_wrong is not None:
            self._show_problems()
        elif self.is_current:
            self._drafts.pop(self._shown.name if self._shown is not None else "", None)
            self.dismiss(start)


def _recipe_record(recipe: Recipe, jobs: Sequence[JobView]) -> Record:
    engine, _, name = recipe.name.rpartition("/")
    time = _format_duration(recipe, jobs)
    return {"id": recipe.name, "engine": engine, "recipe": name, "title": recipe.title, "time": time}


def _format_duration(recipe: Recipe, jobs: Sequence[JobView]) -> str:
    """Return what it took here the last time that it ran as long, or what its author expects."""
    for view in jobs:
        alike = view.params.get("recipe") == recipe.name and _training_length(
            view.params
        ) == _training_length(recipe.params)
        if view.state == "succeeded" and alike and view.wall_s:
            return f"took {format_duration(view.wall_s)}"
    return f"about {format_duration(recipe.minutes * 60)}" if recipe.minutes else ""


def _training_length(params: Mapping[str, Any]) -> tuple[Any, ...]:
    """For how long something trains, as far as its settings say it."""
    train = params.get("train") or {}
    return tuple(train.get(key) for key in ("steps", "epochs", "batch_size"))
