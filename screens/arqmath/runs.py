"""The runs of a collection: which one is shown, which one it is held against, and their figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from screens.shell.export import Export
from screens.shell.theme import count

if TYPE_CHECKING:
    from screens.widgets.dialogs import Chooser
    from workbench.engine_process import EngineProcess
    from workbench.papers.arqmath.data import Collection


def fraction(value: float | None, digits: int = 3) -> str:
    """`.612`; 1 as `1.00`."""
    if value is None:
        return "–"
    text = f"{value:.{digits}f}"
    return text[1:] if text.startswith("0.") else text[: digits + 1]


def signed(value: float | None, digits: int = 3) -> str:
    """`+.104`, `−.220`."""
    if value is None:
        return ""
    if round(value, digits) == 0:
        return fraction(0.0, digits)
    text = f"{abs(value):.{digits}f}"
    return ("+" if value > 0 else "−") + (text[1:] if text.startswith("0.") else text)


@dataclass(frozen=True, slots=True)
class Runs:
    """A collection as it is looked at. `overview` is what the operation `arqmath.overview` says of it."""

    collection: Collection
    overview: Mapping[str, Any] = field(default_factory=dict)
    run: str = ""
    against: str = ""

    def read(self, overview: Mapping[str, Any], wanted: Mapping[str, object]) -> Runs:
        """With what was read, and the runs `run` and `against` that are wanted, as far as they are there.

        The first run is the baseline, as in `mathwb arqmath compare`; the last is the newest idea.
        """
        names = [run["name"] for run in overview["runs"]]
        run, against = str(wanted.get("run") or ""), str(wanted.get("against") or "")
        run = run if run in names else names[-1] if names else ""
        others = [name for name in names if name != run]
        against = against if against in others else others[0] if others else ""
        return Runs(self.collection, overview, run, against)

    @property
    def chosen_names(self) -> dict[str, str]:
        return {"run": self.run, "against": self.against}

    def show(self, name: str) -> Runs:
        """Another run; when it is the one held against, the two change places."""
        return replace(self, run=name, against=self.run if name == self.against else self.against)

    def hold_against(self, name: str) -> Runs:
        """Held against another one; when it is the run itself, the two change places."""
        return replace(self, against=name, run=self.against if name == self.run else self.run)

    @property
    def names(self) -> list[str]:
        return [run["name"] for run in self.overview.get("runs", ())]

    @property
    def facts(self) -> Mapping[str, Any]:
        known = self.overview.get("runs", ())
        return next((run for run in known if run["name"] == self.run), {})

    @property
    def options(self) -> list[str]:
        held = ["--against", self.against] if self.against else []
        return [*(["--run", self.run] if self.run else []), *held]

    @property
    def address(self) -> str:
        return f"arqmath/{self.collection.name}"

    @property
    def place(self) -> str:
        return str(self.collection.path)

    @property
    def origin(self) -> dict[str, object]:
        return {"collection": self.place, "run": self.run, "against": self.against}

    def provenance(self, index_state: str, judgements: int) -> list[str]:
        overview, collection = self.overview, self.collection
        lines = [
            f"title       {overview['title']}",
            f"folder      {overview['path']}",
            f"posts       {overview['posts'] or '(none)'}",
            f"index       {index_state}: {collection.index}",
            f"judgements  {judgements} of your own in {collection.home}",
        ]
        lines += [f"qrels       {path}" for path in overview["qrels"]]
        for run in overview["runs"]:
            lines += ["", f"run {run['name']}   tag {run['tag']}", f"  {run['path']}"]
            lines.append(f"  {count(run['documents'])} answers to {count(run['topics'])} topics")
            if run["interval"] is not None:
                low, high = run["interval"]
                lines.append(
                    f"  nDCG′ {run['ndcg_prime']:.4f} [{low:.4f}, {high:.4f}]  mAP′ {run['map_prime']:.4f}  "
                    f"P′@10 {run['p10_prime']:.4f}  over {run['judged_topics']} judged topics"
                )
            if run["made"]:
                lines.append(f"  made by {run['made']}")
            if run["warnings"]:
                lines.append(
                    f"  {count(run['warnings'])} answers occurred twice; the best score of each was used"
                )
        lines += [f"task 3      {one['name']}: {one['path']}" for one in overview["answers"]]
        if overview["problems"]:
            lines += ["", "left out", *(f"  {problem}" for problem in overview["problems"])]
        return lines

    def exports(self, engine: EngineProcess, params: Mapping[str, Any]) -> Sequence[Export]:
        """What the engine writes of the run that is shown: the run itself, and its scores as a picture.

        `params`: what every operation needs to know of the collection.
        """
        if not self.run:
            return ()

        def write_run(path: Path) -> object:
            from workbench.export import with_sidecar

            engine.call_blocking("arqmath.write-run", {**params, "run": self.run, "out": str(path)})
            return with_sidecar(path, self.origin)

        def write_picture(path: Path) -> object:
            from workbench.export import write_document

            asked = {**params, "run": self.run, "against": self.against}
            made = engine.call_blocking("arqmath.picture", asked)
            return write_document(path, made["svg"], provenance=self.origin)

        stem = f"{self.collection.name}-{self.run}"
        return (
            Export("r", f"run {self.run} for trec_eval", ".tsv", stem, write_run),
            Export("s", "bars of nDCG′ as SVG", ".svg", stem, write_picture),
        )

    def question(self, title: str, now: str) -> Chooser:
        from screens.widgets.dialogs import Choice, Chooser

        choices = [
            Choice(
                run["name"],
                run["name"],
                f"mean nDCG′ {fraction(run.get('ndcg_prime'))}{'   shown now' if run['name'] == now else ''}",
                key=str(number) if number < 10 else "",
            )
            for number, run in enumerate(self.overview["runs"], start=1)
        ]
        return Chooser(title, choices)
