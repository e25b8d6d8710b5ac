"""Registry of screens: one line each, loaded when first entered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from screens.shell.keymap import VerbKey
from workbench.paper import added_papers, load

if TYPE_CHECKING:
    from screens.shell.export import Destination, PaletteStep
    from workbench.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ScreenEntry:
    """A screen of the workbench.

    `key` goes to it from everywhere. `source` is its class and `keys` the table of its keys, both as
    `module:name`. `missing` is shown in its place when something that it needs cannot be imported. `address`
    is the prefix of its notes, and `destinations` (`module:name`) lists what the palette finds:
    `f(workspace) -> Iterator[Destination]`. `added` is true for papers of other distributions; `about` says
    what the screen is for.
    """

    key: str
    name: str
    title: str
    source: str
    keys: str
    missing: str = "`mathwb doctor` says what is missing."
    address: str = ""
    destinations: str = ""
    added: bool = False
    about: str = ""

    def load_screen(self) -> type[Any]:
        """Import and return the class of the screen, a `WorkbenchScreen`.

        Raises:
            ImportError: Its module cannot be imported.
        """
        return load(self.source)

    def load_keys(self) -> tuple[VerbKey, ...]:
        """Return all keys of the screen and of the sheets that it opens."""
        try:
            return load(self.keys)
        except Exception:
            if not self.added:
                raise
            return ()  # doctor says why

    def load_destinations(self) -> Callable[[Workspace], Iterator[Destination]] | None:
        """Return the function that lists the screen's destinations, or None if it has none."""
        return load(self.destinations) if self.destinations else None


def _own_entry(
    key: str, name: str, title: str, destinations: str, about: str, address: str = ""
) -> ScreenEntry:
    screen, keys = (
        f"screens.{name}.screen:{title.replace('-', '').capitalize()}Screen",
        f"screens.keys:{name.upper()}_KEYS",
    )
    result = f"screens.{name}.{destinations}:destinations"
    return ScreenEntry(
        key, name, title, screen, keys, address=address or name, destinations=result, about=about
    )


_OWN = (
    _own_entry("1", "egraphs", "E-graphs", "sources", "equal expressions: grow, judge, derive", "corpus"),
    _own_entry("2", "triplets", "Triplets", "panes", "word problems: hard triplets, solutions", "problems"),
    _own_entry("3", "jobs", "Jobs", "job_list", "trainings and other work: start, watch", "job"),
    _own_entry("4", "arqmath", "ARQMath", "columns", "answers to questions: rank, read, judge"),
    _own_entry("5", "mathamr", "MathAMR", "contexts", "formulas in their text, as graphs"),
)


def _added_screens() -> Iterator[ScreenEntry]:
    """Yield the screens of papers from other distributions, each at the next digit that is free."""
    digits = iter("6789")
    for paper in added_papers()[0]:
        if paper.screen:
            yield ScreenEntry(
                *(next(digits, ""), paper.name, paper.title or paper.name, paper.screen, paper.keys),
                address=paper.name,
                added=True,
                about=paper.help.rstrip("."),
            )


SCREENS = (*_OWN, *_added_screens())


def _screen_key(entry: ScreenEntry) -> VerbKey:
    keys = (entry.key,) if entry.key else ()
    sentence = f"Go to the {entry.title} screen ({entry.about})."
    return VerbKey(f"app.{entry.name}", sentence, entry.title, keys, f"go('{entry.name}')", hint=False)


SCREEN_KEYS = tuple(map(_screen_key, SCREENS))


_WORDS = {"arqmath": "collection", "mathamr": "collection", "post": "answer"}


def at_address(address: str) -> tuple[str, Sequence[PaletteStep]] | None:
    """Return the screen and the lookups that lead to an address, or None if no screen shows it."""
    parts = address.split("/")
    mode = next((entry.name for entry in SCREENS if entry.address == parts[0]), None)
    steps = [(_WORDS.get(word, word), name) for word, name in zip(parts[::2], parts[1::2], strict=False)]
    return None if mode is None or not steps else (mode, steps)
