"""A collection as a folder: which file in it holds the posts, the topics, the judgements, the runs.

A folder may say so itself in `arqmath.toml`, whose keys are the attributes of `ArqmathFolder`; names and
globs in it are relative to the folder, and what is named first stands first:

```toml
title = "A small forum"
posts = "posts.xml"
runs = ["runs/*.tsv"]
[topics]
1 = "topics_task1.xml"
[qrels]
1 = ["qrels_task1.tsv"]
```

Without it the files are found by the names that ARQMath's organisers gave them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from engines.core.errors import DataError
from engines.core.files import file_error
from engines.core.spec import Arg
from engines.forum.packed_files import LINKS, holds_member
from engines.forum.readers import open_binary

SomeCollection = Annotated[
    Path, Arg("A collection's folder, or its name in the workspace.", ref="collection", metavar="FOLDER")
]
SomeIndex = Annotated[
    Path,
    Arg("An index made by `mathwb arqmath index`, or an indexed collection.", ref="index", metavar="DIR"),
]
IndexFolder = Annotated[Path | None, Arg("The collection's index; it need not be there.", hidden=True)]


DESCRIPTION = "arqmath.toml"
_TASKS = (1, 2, 3)
_DEPTH = 4
"""Folders are searched this deep: `Collection/Formulas/latex_representation_v3/1.tsv`."""

_TABLE = r"\.(?:tsv|txt|run)(?:\.gz)?$"
_NAMES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        # What stands beside runs without being one, and tables of topics, which are no collection.
        (
            "",
            r"(?:per_topic|trec_eval|scores|run_map)[^/]*$|(?:^|/)topic_formulas[^/]*$|(?:^|/)formula_topics",
        ),
        (
            "posts",
            r"(?:^|/)posts\b[^/]*\.xml(?:\.(?:gz|bz2|xz|zip|7z))?$|(?:^|/)posts[^/]*\.jsonl(?:\.gz)?$"
            r"|(?:^|/)[\w.-]+\.com(?:-posts)?\.(?:zip|7z)$",
        ),
        (
            "links",
            r"(?:^|/)postlinks\b[^/]*\.xml(?:\.(?:gz|bz2|xz|zip|7z))?$|(?:^|/)[\w.-]+\.com-postlinks\.(?:zip|7z)$",
        ),
        ("comments", r"(?:^|/)comments\b[^/]*\.xml(?:\.gz)?$"),
        ("topics", r"(?:^|/)(?=[^/]*topics)[^/]*task[-_ ]?(?P<task>[123])[^/]*\.(?:xml|jsonl)(?:\.gz)?$"),
        ("topics", r"(?:^|/)task[-_ ]?(?P<task>[123])[^/]*/(?:[^/]+/)*[^/]*topics[^/]*\.xml(?:\.gz)?$"),
        ("qrels", rf"(?:^|/)(?=[^/]*qrels?)[^/]*task[-_ ]?(?P<task>[123])[^/]*{_TABLE}"),
        ("topic_info", r"topic_info[^/]*\.csv$"),
        ("formulas", r"(?:latex|slt|opt)_representation[^/]*/[^/]+\.tsv(?:\.gz)?$"),
        ("formulas", r"(?:^|/)formulas[^/]*\.tsv(?:\.gz)?$"),
        ("runs", rf"(?:^|/)runs?[-_]task[-_ ]?1[^/]*/[^/]+{_TABLE}"),
        ("runs", rf"(?:^|/)[^/]*task[-_ ]?1[^/]*(?:auto|manual|run)[^/]*{_TABLE}"),
        ("formula_runs", rf"(?:^|/)runs?[-_]task[-_ ]?2[^/]*/[^/]+{_TABLE}"),
        ("formula_runs", rf"(?:^|/)[^/]*task[-_ ]?2[^/]*(?:auto|manual|run)[^/]*{_TABLE}"),
        ("graphs", r"(?:^|/)mathamr[^/]*\.jsonl(?:\.gz)?$"),
        ("answers", rf"(?:^|/)(?:runs?|answers)[-_]task[-_ ]?3[^/]*/[^/]+{_TABLE}"),
        ("answers", rf"(?:^|/)[^/]*task[-_ ]?3[^/]*(?:auto|manual|run)[^/]*{_TABLE}"),
    )
)
_ONE = ("posts", "links", "comments")
_VERSION = re.compile(r"\.v\d+(?:\.\d+)*|\.(?:xml|jsonl|gz|bz2|xz|zip|7z)\b")
_BY_TASK = ("topics", "qrels")
_MANY = ("runs", "answers", "topic_info", "formulas", "formula_runs", "graphs")


@dataclass(frozen=True, slots=True)
class FileRole:
    """What a file is to a collection: an attribute of `ArqmathFolder` and, for topics and judgements, the
    task (else 0).
    """

    name: str
    task: int = 0


@dataclass(frozen=True, slots=True)
class ArqmathFolder:
    """The files of a collection.

    `posts` are XML or JSON lines; `topics` and `qrels` by task (1 answers, 2 formulas, 3 free answers);
    `runs` of Task 1, `answers` of Task 3; `topic_info` are CSV files with a column `Topic`; `formulas` are
    tables of LaTeX, SLT and OPT, `formula_runs` those of Task 2, `graphs` MathAMR graphs of its topics. What
    a collection lacks is None or empty.
    """

    path: Path
    title: str
    posts: Path | None = None
    links: Path | None = None
    comments: Path | None = None
    topics: Mapping[int, tuple[Path, ...]] = field(default_factory=dict)
    qrels: Mapping[int, tuple[Path, ...]] = field(default_factory=dict)
    runs: tuple[Path, ...] = ()
    answers: tuple[Path, ...] = ()
    topic_info: tuple[Path, ...] = ()
    formulas: tuple[Path, ...] = ()
    formula_runs: tuple[Path, ...] = ()
    graphs: tuple[Path, ...] = ()

    @classmethod
    def open(cls, path: str | Path) -> ArqmathFolder:
        """Open a folder as a collection, or a single file as a collection of that one file.

        Raises:
            DataError: When there is nothing (E312), nothing of ARQMath or several different files of posts
                are found (E318), or `arqmath.toml` is corrupt, names something unknown (E327) or a file that
                is missing (E312).
        """
        path = Path(path).expanduser()
        if path.is_file():
            role = role_of(path)
            if role is None:
                raise DataError(
                    "cannot tell which ARQMath file this is",
                    path=path,
                    code="E318",
                    remedy="Posts and topics are XML (posts also JSON Lines), judgements and runs tables "
                    f"without a header. If it is one of these, name it in {DESCRIPTION} of its folder.",
                )
            return _make_folder(path.parent, path.name, {(role.name, role.task): [path]})
        if not path.is_dir():
            raise file_error(FileNotFoundError(2, "no such file"), path, "read")
        description = path / DESCRIPTION
        if description.is_file():
            return _read_description(path, description)
        files_by_role: dict[tuple[str, int], list[Path]] = {}
        for file in sorted(_walk_files(path, _DEPTH), key=natural_key):
            role = _by_name(file.relative_to(path).as_posix())
            if role is not None:
                files_by_role.setdefault((role.name, role.task), []).append(file)
        if not files_by_role:
            what = "there are no ARQMath files here"
            remedy = f"Expected names such as Posts.V1.3.xml, or a file {DESCRIPTION} that names them."
            raise DataError(what, path=path, code="E318", exit_code=3, remedy=remedy)
        return _make_folder(path, path.resolve().name, files_by_role)

    @property
    def latex_tables(self) -> tuple[Path, ...]:
        """Those of `formulas` that hold LaTeX, by their names."""
        return tuple(
            file for file in self.formulas if not re.match(r"slt_|opt_", file.parent.name, re.IGNORECASE)
        )

    def list_files(self) -> list[tuple[FileRole, Path]]:
        """Return every file with its role."""
        result = [(FileRole(name), getattr(self, name)) for name in _ONE if getattr(self, name) is not None]
        for name in _BY_TASK:
            by_task: Mapping[int, tuple[Path, ...]] = getattr(self, name)
            result += [
                (FileRole(name, task), file) for task, files in sorted(by_task.items()) for file in files
            ]
        for name in _MANY:
            result += [(FileRole(name), file) for file in getattr(self, name)]
        return result

    def need_posts(self) -> Path:
        """Return the file of posts.

        Raises:
            DataError: (exit 3) when the collection has none.
        """
        if self.posts is None:
            remedy = f"Expected Posts.V1.x.xml or posts*.jsonl.gz, or `posts` in {DESCRIPTION}."
            raise DataError("the collection has no posts", path=self.path, code="E312", remedy=remedy)
        return self.posts


def role_of(path: Path) -> FileRole | None:
    """Return what a file is, by its name or else by its first lines; None if neither says.

    Raises:
        DataError: For one that cannot be read.
    """
    return _by_name(path.absolute().as_posix()) or _by_content(path)


def _by_name(relative: str) -> FileRole | None:
    for name, pattern in _NAMES:
        match = pattern.search(relative)
        if match:
            return FileRole(name, int(match.groupdict().get("task") or 0)) if name else None
    return None


def _by_content(path: Path) -> FileRole | None:
    with open_binary(path) as file:
        head = file.read(65_536).decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if head.startswith("<"):
        for name, mark in (("links", "<postlinks"), ("comments", "<comments"), ("posts", "<posts")):
            if mark in head.lower():
                return FileRole(name)
        if "<Topics" in head:
            return FileRole("topics", 2 if "<Formula_Id" in head else 1)
        return None
    first, _, _ = head.partition("\n")
    if first.startswith("{"):
        return FileRole("posts") if '"body"' in first else None
    columns = first.split("\t") if "\t" in first else first.split()
    if "id" in columns and len(columns) > 2:
        return FileRole("formulas")
    if len(columns) == 4 and columns[3].isdigit():
        return FileRole("qrels", 3 if columns[2].startswith("d_") else {"B": 2}.get(first[:1], 1))
    if len(columns) in (5, 6) and _is_number(columns[-2]):
        return FileRole("runs")
    if len(columns) == 6 and _is_number(columns[2]):
        return FileRole("answers")
    return None


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?", text) is not None


def _walk_files(folder: Path, depth: int) -> Iterator[Path]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise file_error(error, folder, "read") from error
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            if depth > 1:
                yield from _walk_files(entry, depth - 1)
        else:
            yield entry


def natural_key(text: str | Path) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key that puts `A.9` before `A.10`, and an older version of a file before a newer one."""
    parts = re.split(r"(\d+)", str(text))
    return tuple((1, int(part), "") if part.isdecimal() else (0, 0, part) for part in parts if part)


def _the_one(path: Path, name: str, files: Sequence[Path]) -> Path:
    """Of several files that differ in version or packing alone the XML file of the highest version; an
    archive counts where nothing is unpacked.

    Raises:
        DataError: E318 for different ones, none of which may be passed over.
    """
    unpacked = [file for file in files if file.suffix.lower() not in (".zip", ".7z")] or files
    if len({_VERSION.sub("", file.name.lower()) for file in unpacked}) > 1:
        names = ", ".join(sorted(file.name for file in unpacked))
        what = f"there are several files of {name}, and only one can be read: {names}"
        remedy = f'Merge them, or name one in {DESCRIPTION}, as: {name} = "{unpacked[0].name}"'
        raise DataError(what, path=path, code="E318", remedy=remedy)
    return max(unpacked, key=lambda file: (".xml" in file.name.lower(), natural_key(file)))


def _make_folder(
    path: Path, title: str, files_by_kind: Mapping[tuple[str, int], list[Path]]
) -> ArqmathFolder:
    """Return the record. Links that no file of their own holds are those in the archive of the posts, where
    there are any.
    """
    one = {name: _the_one(path, name, files) for name in _ONE if (files := files_by_kind.get((name, 0)))}
    if "posts" in one and "links" not in one and holds_member(one["posts"], LINKS):
        one["links"] = one["posts"]
    by_task = {
        name: {task: tuple(files_by_kind[name, task]) for task in _TASKS if (name, task) in files_by_kind}
        for name in _BY_TASK
    }
    many = {name: tuple(files_by_kind.get((name, 0), ())) for name in _MANY}
    fields: dict[str, Any] = {**one, **by_task, **many}
    return ArqmathFolder(path, title, **fields)


def _read_description(folder: Path, description: Path) -> ArqmathFolder:
    try:
        document = tomllib.loads(description.read_text(encoding="utf-8"))
    except OSError as error:
        raise file_error(error, description, "read") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _description_error(description, f"it cannot be read: {error}") from error
    title = document.pop("title", folder.resolve().name)
    results: dict[tuple[str, int], list[Path]] = {}
    for name, value in document.items():
        if name in _ONE or name in _MANY:
            results[name, 0] = _resolve_described_paths(folder, description, name, value)
            if name in _ONE and len(results[name, 0]) != 1:
                raise _description_error(
                    description, f"`{name}` names {len(results[name, 0])} files, and one is needed"
                )
        elif name in _BY_TASK and isinstance(value, dict):
            for task, files in value.items():
                if task not in map(str, _TASKS):
                    raise _description_error(description, f"[{name}] has the key {task!r}, which is no task")
                results[name, int(task)] = _resolve_described_paths(
                    folder, description, f"{name}.{task}", files
                )
        else:
            raise _description_error(description, f"the key {name!r} is unknown or not what it should be")
    return _make_folder(folder, str(title), results)


def _resolve_described_paths(folder: Path, description: Path, key: str, value: object) -> list[Path]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
        raise _description_error(description, f"`{key}` is neither a file name nor a list of them")
    result: list[Path] = []
    for name in names:
        if any(char in name for char in "*?["):
            if Path(name).is_absolute():
                raise _description_error(
                    description, f"`{key}`: the pattern {name!r} must be relative to the folder"
                )
            matching = sorted((file for file in folder.glob(name) if file.is_file()), key=natural_key)
        else:
            matching = [folder / name] if (folder / name).is_file() else []
        if not matching:
            what = f"`{key}` names {name!r}, which is not there"
            remedy = "Correct the name, or leave the key out."
            raise DataError(what, path=description, code="E312", remedy=remedy)
        result += [file for file in matching if file not in result]
    return result


def _description_error(description: Path, what: str) -> DataError:
    known = ", ".join(("title", *_ONE, *(f"[{name}]" for name in _BY_TASK), *_MANY))
    return DataError(what, path=description, code="E327", remedy=f"Keys: {known}.")
