"""What is read in order to be written again is written by `update`, so that no change of others is lost.

This reads the source: a module that reads a file and writes the same file by itself is refused, unless it is
listed with what keeps others from writing it in between.
"""

from __future__ import annotations

import ast
import textwrap
from functools import cached_property

import pytest

from tests.source_trees import parse_source, read_sources

MADE_ONCE = "whoever writes it makes it; what is there already is never changed"
DRAFT = "written into a draft, which then takes the place of the whole folder"
BUILT = "written under the lock of the folder that is being built"
CACHED = "every writer writes the same, under a name made of what it comes from"
ALLOWED = {
    ("engines/arqmath/collection/index_build.py", "MANIFEST"): BUILT,
    ("engines/arqmath/collection/index_build.py", "ids"): BUILT,
    ("engines/chat/cached_client.py", "self._cached_answer_path(body, sample)"): CACHED,
    ("engines/core/build.py", "Journal: self.path"): BUILT,
    ("engines/core/locks.py", "update: path"): "this is update",
    ("engines/core/files.py", "write_note: path"): "the older one is looked at, and nothing of it is kept",
    ("engines/egen/corpus/build.py", "'heads.parquet'"): BUILT,
    ("engines/egen/models/embed.py", "f'{name}-tsne-{spec.seed}.npy'"): CACHED,
    ("engines/egen/models/model_folder.py", "'config_sentence_transformers.json'"): MADE_ONCE,
    ("engines/egen/models/model_folder.py", "'model.safetensors'"): MADE_ONCE,
    ("engines/egen/models/vectors.py", "_write_pool: path"): CACHED,
    ("engines/egen/models/vectors.py", "f'{name}-{number:05d}.npy'"): CACHED,
    ("engines/egen/models/vectors.py", "path.with_suffix('.parquet')"): CACHED,
    ("engines/mathamr/retrieval/incremental_index.py", "FILES"): DRAFT,
    ("engines/mathamr/retrieval/segments.py", "'fields.arrow'"): BUILT,
    ("engines/mathamr/retrieval/segments.py", "'formulas.arrow'"): BUILT,
    ("engines/mathamr/retrieval/segments.py", "'looks.arrow'"): BUILT,
    ("engines/mathamr/retrieval/segments.py", "__init__: path"): BUILT,
    ("engines/mwp/solver/solver.py", "FILE"): MADE_ONCE,
    ("engines/mwp/solver/solver.py", "_WEIGHTS"): MADE_ONCE,
    ("engines/retrieval/bm25.py", "_TERMS"): DRAFT,
    ("engines/retrieval/trec.py", "run.with_name(f'{run.name}.json')"): MADE_ONCE,
    ("screens/mathamr/graph.py", "f\"{inspection.subject.topic or 'text'}.penman\""): "a copy for the editor",
    ("workbench/cli/completion.py", "f'completion-{sha256(made_of.encode()).hexdigest()[:16]}.json'"): CACHED,
    ("engines/training/token_cache.py", "file"): "a file without a name, which one process has",
    ("workbench/jobs/folder.py", "'attempt.json'"): MADE_ONCE,
    ("workbench/jobs/folder.py", "'outcome.json'"): "written once, by who holds the attempt when it ends",
    ("workbench/jobs/folder.py", "'result.json'"): "written once, by who holds the attempt when it ends",
    ("workbench/jobs/folder.py", "'cluster.json'"): "only who hands the attempt over writes it",
    ("workbench/jobs/folder.py", "'heartbeat.json'"): "only the supervisor of the attempt writes it",
    ("workbench/jobs/folder.py", "'recipe.toml'"): MADE_ONCE,
    ("workbench/jobs/folder.py", "'worker.json'"): "only the worker of the attempt writes it",
    ("workbench/jobs/sweep_members.py", "'members.json'"): "only who makes a sweep writes it, and all of it",
    ("workbench/jobs/placement.py", "'device.json'"): "only the supervisor of the attempt writes it",
    (
        "workbench/jobs/reporting.py",
        "f\"report-{re.sub('[^A-Za-z0-9]+', '-', name).strip('-')[-80:]}.json\"",
    ): "the reporter holds its lock for as long as it follows the job",
    ("workbench/jobs/worker.py", "job.environment"): "only the worker writes it, and a job has one",
    ("workbench/trash.py", "_DESCRIPTION"): MADE_ONCE,
    ("workbench/cli/manual.py", "path"): "pages of the repository, written by whoever changes them",
}

LOCKING = {
    "engines/core/files.py",  # drafts, while they are written
    "engines/core/compiling.py",  # one process compiles, others wait for what it stores
    "engines/core/locks.py",
    "engines/training/token_cache.py",  # is built in a draft, and what is there is never changed
    "workbench/jobs/folder.py",  # the lock of an attempt, held while it lives
    "workbench/jobs/queue.py",  # slots
    "workbench/jobs/scheduler.py",  # the one keeper
    "workbench/jobs/reporting.py",  # held while a job is followed
}
"""The modules that lock by themselves: for as long as work takes, and not for one change of a file."""


class Source:
    """The calls of a module that read and write files."""

    def __init__(self, tree: ast.Module) -> None:
        self._nodes = list(ast.walk(tree))
        functions = [node for node in self._nodes if isinstance(node, ast.FunctionDef)]
        # Short functions and properties that return a path stand for it.
        self._paths: dict[str, ast.expr] = {}
        for function in functions:
            match function.body[-1]:
                case ast.Return(value=ast.expr() as value) if len(function.body) <= 2:
                    self._paths[function.name] = value
        self._calls = [node for node in self._nodes if isinstance(node, ast.Call)]

    @cached_property
    def _outer(self) -> dict[ast.AST, ast.AST]:
        return {child: node for node in self._nodes for child in ast.iter_child_nodes(node)}

    def read_and_written(self) -> set[str]:
        """The files that the module both reads and writes, each by what names it."""
        read: set[str] = set()
        written: set[str] = set()
        for call in self._calls:
            match call:
                case ast.Call(func=ast.Attribute(value=path, attr="read_text" | "read_bytes")):
                    read.add(self._file(path))
                case ast.Call(func=ast.Attribute(value=path, attr="write_text" | "write_bytes")):
                    if not self._is_draft(path):
                        written.add(self._file(path))
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="os" | "io" | "gzip" | "tarfile"), attr="open")
                ):
                    pass
                case ast.Call(func=ast.Attribute(value=path, attr="open"), args=modes):
                    (written if _writes(call, modes) else read).add(self._file(path))
                case ast.Call(func=ast.Name(id="open"), args=[path, *modes]):
                    (written if _writes(call, modes) else read).add(self._file(path))
                case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[path, *_]) if (
                    name.startswith(("write", "_write", "atomic_writer")) and not self._is_draft(path)
                ):
                    written.add(self._file(path))
                case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[path, *_]) if (
                    "read" in name or name.startswith("load")
                ):
                    read.add(self._file(path))
        return read & written

    def locks(self) -> bool:
        functions = {getattr(call.func, "id", "") for call in self._calls}
        methods = {getattr(call.func, "attr", "") for call in self._calls}
        return "hold_lock" in functions or not {"flock", "lockf"}.isdisjoint(functions | methods)

    def _file(self, path: ast.expr, depth: int = 0) -> str:
        """What names a file, whichever folder it is in: its last part, seen through names and properties."""
        match path:
            case ast.BinOp(op=ast.Div(), right=last):
                return self._file(last, depth)
            case ast.Call(func=ast.Name(id="Path"), args=[inner]):
                return self._file(inner, depth)
            case ast.Call(func=ast.Attribute(value=inner, attr="absolute" | "resolve" | "expanduser")):
                return self._file(inner, depth)
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) | ast.Attribute(attr=name) if (
                name in self._paths and depth < 5
            ):
                return self._file(self._paths[name], depth + 1)
            case ast.Attribute(value=ast.Name(id="self")):
                owner = self._scope(path, ast.ClassDef)
                return f"{getattr(owner, 'name', '')}: {ast.unparse(path)}"
            case ast.Name(id=name):
                return self._named(path, name, depth)
            case ast.IfExp(orelse=inner):
                return self._file(inner, depth)
        return ast.unparse(path)

    def _named(self, node: ast.AST, name: str, depth: int) -> str:
        """What a variable or parameter stands for."""
        while (function := self._scope(node, ast.FunctionDef)) is not None:
            assert isinstance(function, ast.FunctionDef)
            for one in ast.walk(function):
                match one:
                    case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                        own = {each.id for each in ast.walk(value) if isinstance(each, ast.Name)}
                        if name not in own and depth < 5:
                            return self._file(value, depth + 1)
            if name in {each.arg for each in (*function.args.args, *function.args.kwonlyargs)}:
                return f"{function.name}: {name}"
            node = function
        return name

    def _is_draft(self, path: ast.expr) -> bool:
        """Whether a path is in a folder that `atomic_folder` makes, which nobody else sees."""
        names = {node.id for node in ast.walk(path) if isinstance(node, ast.Name)}
        node: ast.AST | None = path
        while (node := self._scope(node, ast.With)) is not None:
            assert isinstance(node, ast.With)
            for item in node.items:
                match item:
                    case ast.withitem(
                        context_expr=ast.Call(func=ast.Name(id="atomic_folder")),
                        optional_vars=ast.Name(id=draft),
                    ) if draft in names:
                        return True
        return False

    def _scope(self, node: ast.AST, kind: type[ast.AST]) -> ast.AST | None:
        outer = self._outer.get(node)
        while outer is not None and not isinstance(outer, kind):
            outer = self._outer.get(outer)
        return outer


def _writes(call: ast.Call, modes: list[ast.expr]) -> bool:
    named = [keyword.value for keyword in call.keywords if keyword.arg == "mode"]
    given = [str(mode.value) for mode in (*modes, *named) if isinstance(mode, ast.Constant)]
    return any(set("wax+") & set(mode) for mode in given)


def test_what_is_read_to_be_written_again_goes_through_update() -> None:
    trees = read_sources("write", "open(")  # what writes files calls one of these
    found = {(module, file) for module, tree in trees for file in Source(tree).read_and_written()}
    assert found - ALLOWED.keys() == set(), "use engines.core.locks.update"
    assert ALLOWED.keys() - found == set(), "no longer so"


def test_only_what_is_held_for_long_is_locked_otherwise() -> None:
    trees = read_sources("hold_lock", "flock", "lockf")
    assert {module for module, tree in trees if Source(tree).locks()} == LOCKING


LOSING = {
    "a name": """
        def add(root, row):
            path = root / "list.json"
            rows = json.loads(path.read_text())
            write_json(path, [*rows, row])
    """,
    "two functions": """
        def read(root):
            return tomllib.loads((root / "w.toml").read_text())
        def write(root, document):
            with atomic_writer(root / "w.toml", "wb") as file:
                tomli_w.dump(document, file)
    """,
    "a function that makes the path": """
        def store():
            return home("config") / "judges.json"
        def trust(digest):
            write_json(store(), {**json.loads(store().read_text()), digest: 1})
    """,
    "a property": """
        class Log:
            @property
            def place(self):
                return self.folder / "log.json"
            def add(self, row):
                rows = read_document(self.place)
                self.place.write_text(json.dumps([*rows, row]))
    """,
    "a method of its own": """
        class Attempt:
            def ask(self, want):
                if read_document(self.folder / "request.json").get("want") != want:
                    self._write("request.json", {"want": want})
    """,
    "an attribute": """
        class Registry:
            def add(self, row):
                rows = self._read(self.path)
                with atomic_writer(self.path) as file:
                    file.writelines([*rows, row])
    """,
    "open": """
        def count(path):
            with open(path) as file:
                number = int(file.read())
            with open(path, mode="w") as file:
                file.write(str(number + 1))
    """,
}


@pytest.mark.parametrize("text", LOSING.values(), ids=LOSING)
def test_the_reader_of_sources_sees_what_would_lose_changes(text: str) -> None:
    assert len(Source(parse_source(textwrap.dedent(text))).read_and_written()) == 1


def test_the_reader_of_sources_leaves_other_files_alone() -> None:
    text = """
        def build(target, source):
            with atomic_folder(target, "about.json") as draft:
                write_json(draft / "about.json", json.loads((source / "plan.json").read_text()))
            return json.loads((target / "about.json").read_text())
        def add(path, row):
            update(path, lambda data: data + row)
            return path.read_bytes()
    """
    assert Source(parse_source(textwrap.dedent(text))).read_and_written() == set()
