"""The names under which mathwb is installed, for a checkout: `mathwb.egen` is `engines.egen` here, and
`mathwb.workbench` is `workbench`. A wheel has real packages, and `engines/__init__.py` here.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

from engines import __version__

__all__ = ["__version__"]


class _Names:
    """Finds `mathwb.NAME`: the module of the checkout itself, never a second copy of it."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:  # noqa: ARG002
        top, _, rest = name.partition(".")
        if top != __name__ or rest == "__main__":
            return None
        real = rest if rest.partition(".")[0] in ("workbench", "screens") else f"engines.{rest}"
        found = find_spec(real)
        return found and ModuleSpec(name, self, origin=real)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:  # noqa: ARG002
        return None

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        assert module.__spec__.origin is not None
        sys.modules[module.__name__] = import_module(module.__spec__.origin)


sys.meta_path.insert(0, _Names())
