"""What is installed, what is missing, and what to do about it."""

from __future__ import annotations

import importlib.metadata
import locale
import os
import platform
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import psutil

from engines.core.distributions import all_versions, normalize_name
from engines.core.errors import EngineError
from engines.core.spec import describe_fields
from engines.core.system import asset, count_processors, format_bytes
from engines.moved import moved_verb
from workbench import __version__
from workbench.config import load_config
from workbench.errors import one_line
from workbench.folders import config_file
from workbench.jobs.machine import list_gpus
from workbench.paper import added_papers, load, own_papers, paper_error
from workbench.recipes import check_recipes
from workbench.workspace import Workspace, all_kinds

FindingState = Literal["ok", "note", "wrong", "missing"]
"""`note` is worth knowing and harms nothing, `wrong` may harm, `missing` keeps something from working."""

# A wheel puts everything under `mathwb`; a checkout has four packages side by side.
_PACKAGES = ("mathwb",) if __name__.startswith("mathwb.") else ("engines", "mathwb", "screens", "workbench")
"""Our import names: one where we are installed, those of its folders as well in a checkout."""
_ROOT = Path(__file__).resolve().parents[1]
_LITTLE_SPACE_BYTES = 2 * 2**30


@dataclass(frozen=True, slots=True)
class DoctorFinding:
    """A line of `mathwb doctor`: what was looked at, its state, what was seen, and what to do about it."""

    name: str
    state: FindingState
    what: str
    remedy: str = ""


def examine_installation() -> tuple[DoctorFinding, ...]:
    """Run all checks. A check that fails itself becomes a finding."""
    checks: tuple[Callable[[], Iterator[DoctorFinding]], ...] = (
        _check_python,
        _check_packages,
        _check_extras,
        _check_import_names,
        _check_assets,
        *(load(paper.doctor) for paper in own_papers() if paper.doctor),
        _added_papers,
        _check_settings,
        _check_workspace,
        _check_machine,
        _check_terminal,
        _real_data,
    )
    findings: list[DoctorFinding] = []
    for check in checks:
        try:
            findings += check()
        # A check that cannot be made is itself a finding, and the others are made nevertheless.
        except EngineError as error:
            what = f"{error.where} {error.what}".strip()
            findings.append(
                DoctorFinding(check.__name__.strip("_").removeprefix("check_"), "missing", what, error.remedy)
            )
    return tuple(findings)


def _check_python() -> Iterator[DoctorFinding]:
    yield DoctorFinding("python", "ok", f"{platform.python_version()} at {sys.executable}")


def _list_requirements() -> Iterator[tuple[str, str, str]]:
    """Name, extra (empty: base) and requirement of everything that the installed project declares."""
    # A requirement looks like `torch>=2.1; extra == "train"`.
    for line in importlib.metadata.requires("mathwb") or ():
        requirement, _, marker = line.partition(";")
        extra = re.search(r"extra\s*==\s*['\"](\w+)['\"]", marker)
        name = re.match(r"[\w.-]+", requirement)
        assert name is not None
        yield name[0], extra[1] if extra else "", requirement.strip()


def _check_packages() -> Iterator[DoctorFinding]:
    lock = _ROOT / "requirements.lock"
    install = "Run: make install" if lock.exists() else "Run: pip install --force-reinstall mathwb"
    try:
        base = {normalize_name(name): text for name, extra, text in _list_requirements() if not extra}
    except importlib.metadata.PackageNotFoundError:
        yield DoctorFinding("packages", "missing", "mathwb itself is not installed", install)
        return
    installed = all_versions()
    missing = [name for name in base if name not in installed]
    for name in missing:
        yield DoctorFinding("packages", "missing", f"{base[name]} is not installed", install)
    what = f"mathwb {__version__}; {len(base) - len(missing)} of {len(base)} required"
    yield DoctorFinding("packages", "ok", what)
    # Only a checkout has the lock file, which names exact versions.
    if lock.exists():
        pins = dict(line.split("==") for line in lock.read_text().split() if "==" in line)
        other = [
            f"{name} {installed[normalize_name(name)]} (lock: {pin})"
            for name, pin in pins.items()
            # PyTorch adds the kind of its build to the version, as in 2.9.0+cpu.
            if normalize_name(name) in installed and installed[normalize_name(name)].partition("+")[0] != pin
        ]
        absent = [name for name in pins if normalize_name(name) not in installed]
        if other or absent:
            what = ", ".join([*other, *(f"{name} absent" for name in absent)])
            yield DoctorFinding("versions", "wrong", f"not as in requirements.lock: {what}", install)
        else:
            yield DoctorFinding("versions", "ok", f"all {len(pins)} as in requirements.lock")


def _check_extras() -> Iterator[DoctorFinding]:
    installed = all_versions()
    extras: dict[str, list[str]] = {}
    for name, extra, _ in _list_requirements():
        if extra:
            extras.setdefault(extra, []).append(name)
    for extra, names in sorted(extras.items()):
        absent = [name for name in names if normalize_name(name) not in installed]
        remedy = f"Only if you need it: pip install 'mathwb[{extra}]'" if absent else ""
        what = f"without {', '.join(absent)}" if absent else ", ".join(names)
        yield DoctorFinding(f"extra {extra}", "note" if absent else "ok", what, remedy)


def _check_import_names() -> Iterator[DoctorFinding]:
    """Our import names are short: another distribution may bring the same ones and overwrite ours."""
    owners = importlib.metadata.packages_distributions()
    # 1. Other distributions with packages of the same names.
    strangers = {name: set(owners.get(name, ())) - {"mathwb"} for name in _PACKAGES}
    for name, others in strangers.items():
        if others:
            who = ", ".join(sorted(others))
            remedy = "Install mathwb in an environment of its own (make install does)."
            yield DoctorFinding("names", "wrong", f"{who} also installs a package {name!r}", remedy)
    # 2. Packages of ours that are imported from elsewhere.
    root = _ROOT.parent if _PACKAGES == ("mathwb",) else _ROOT
    for name in _PACKAGES:
        spec = find_spec(name)
        if spec is None or spec.origin is None or Path(spec.origin).resolve().parents[1] != root:
            location = spec.origin if spec else "nowhere"
            remedy = "Start mathwb by its command, and clear PYTHONPATH."
            yield DoctorFinding("names", "wrong", f"{name!r} comes from {location}, not from {root}", remedy)
    # 3. A folder of the same name where the user works.
    here = Path.cwd()
    shadows = [name for name in _PACKAGES if (here / name).is_dir() and here.resolve() != root]
    if shadows:
        what = f"this folder has its own {', '.join(shadows)}: `python -m` run in this folder would use that"
        yield DoctorFinding("names", "note", what, "The mathwb command is not affected.")
    if not any(strangers.values()):
        yield DoctorFinding("names", "ok", f"{', '.join(_PACKAGES)} are ours alone")


def _check_assets() -> Iterator[DoctorFinding]:
    for name in ("recipes", "sample"):
        asset(name)
    yield DoctorFinding("assets", "ok", f"recipes and samples in {asset('recipes').parent}")


def _added_papers() -> Iterator[DoctorFinding]:
    """Yield the papers of other distributions: all that they name is loaded, and their own check is made."""
    usable, problems = added_papers()
    for problem in problems:
        yield DoctorFinding("papers", "missing", f"{problem.where}: {problem.what}", problem.remedy)
    for paper in usable:
        targets = [paper.screen, paper.keys, paper.tour, paper.doctor, *paper.references.values()]
        targets += [trainer.call for trainer in paper.trainers]
        try:
            for row in paper.load_operations():
                describe_fields(row.spec_type)
                targets += (row.call, row.text)
            for target in filter(None, targets):
                load(target)
            check_recipes(paper.name)
            yield DoctorFinding("papers", "ok", f"{paper.name} is added by another package")
            yield from load(paper.doctor)() if paper.doctor else ()
        except (Exception, SystemExit) as error:  # noqa: BLE001  # whatever the code of others raises
            problem = paper_error(paper.name, error)
            yield DoctorFinding("papers", "wrong", f"{problem.where}: {problem.what}", problem.remedy)


def _check_settings() -> Iterator[DoctorFinding]:
    config = load_config()
    for problem in config.problems:
        yield DoctorFinding("settings", "wrong", one_line(problem), "Fix it with: mathwb config set")
    path = config_file()
    yield DoctorFinding(
        "settings", "ok", f"{path}" if path.exists() else f"defaults; {path} does not exist yet"
    )


def _check_workspace() -> Iterator[DoctorFinding]:
    try:
        workspace = Workspace.open(create=False)
        root = workspace.root
        held = [kind for kind, _ in workspace.list_own_data()]
        what = ", ".join(f"{held.count(kind.name)} {kind.many}" for kind in all_kinds().values() if kind.held)
        yield DoctorFinding("workspace", "ok", f"{root} is writable; {what} in it")
    # A missing workspace is no fault; any other error is reported by `examine_installation`.
    except EngineError as error:
        if error.code != "E501":
            raise
        root = Path(error.where)
        yield DoctorFinding(
            "workspace", "note", f"{root} does not exist yet", "It is created at the first start."
        )
    # The nearest folder that exists is the one whose permissions and space count.
    existing = next(folder for folder in (root, *root.parents) if folder.exists())
    if not os.access(existing, os.W_OK):
        yield DoctorFinding(
            "workspace", "missing", f"{existing} cannot be written to", "Name another: --workspace"
        )
    free = shutil.disk_usage(existing).free
    state: FindingState = "wrong" if free < _LITTLE_SPACE_BYTES else "ok"
    remedy = "A large corpus or training needs more; free some space." if state == "wrong" else ""
    yield DoctorFinding("disk", state, f"{format_bytes(free)} free at the workspace", remedy)


def _check_machine() -> Iterator[DoctorFinding]:
    memory = psutil.virtual_memory()
    free = f"{format_bytes(memory.available)} of {format_bytes(memory.total)} memory free"
    yield DoctorFinding("machine", "ok", f"{count_processors()} cores, {free}")
    names = ", ".join(card.name for card in list_gpus())
    what = names or "none found; everything runs on the CPU, only slower"
    yield DoctorFinding("graphics card", "ok" if names else "note", what)


def _check_terminal() -> Iterator[DoctorFinding]:
    if not sys.stdout.isatty():
        what = "output goes to a file or pipe"
        yield DoctorFinding("terminal", "note", what, "The screens need a terminal; commands do not.")
        return
    size = shutil.get_terminal_size()
    facts = [os.environ.get("TERM", "no TERM"), f"{size.columns}x{size.lines}"]
    facts += [name for name in ("COLORTERM", "NO_COLOR", "TMUX", "SSH_TTY") if os.environ.get(name)]
    # Below this size the screens show only a message; see `screens.app`.
    if size.columns < 60 or size.lines < 16:
        yield DoctorFinding("terminal", "wrong", ", ".join(facts), "Enlarge it to 60x16 or more.")
    elif "utf" not in locale.getpreferredencoding(False).lower():
        yield DoctorFinding("terminal", "note", f"{', '.join(facts)}, no UTF-8", "Start with: mathwb --ascii")
    else:
        yield DoctorFinding("terminal", "ok", ", ".join(facts))


def _real_data() -> Iterator[DoctorFinding]:
    named = os.environ.get("MATHWB_REAL_DATA")
    if not named:
        yield DoctorFinding(
            "real data", "note", "MATHWB_REAL_DATA is not set; only tests with real data need it"
        )
    elif not Path(named).is_dir():
        what = f"MATHWB_REAL_DATA names {named}, which is not a folder"
        yield DoctorFinding("real data", "wrong", what, "Set it again.")
    else:
        yield DoctorFinding("real data", "ok", named)


def __getattr__(name: str) -> object:
    return moved_verb(__name__, name)
