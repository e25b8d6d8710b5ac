"""Which screens there are: one line each, loaded when first entered."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from screens.keys import VERBS, scope

if TYPE_CHECKING:
    from screens.base import WorkbenchScreen

__all__ = ["PLACES", "PLACE_KEYS", "Place"]


@dataclass(frozen=True, slots=True)
class Place:
    """A screen: its mode, which is also the verb that leads there, its title, its class (`module:class`)."""

    mode: str
    title: str
    source: str

    @property
    def key(self) -> str:
        """The key that goes to it from everywhere."""
        return VERBS[self.mode].keys[0]

    def load(self) -> type[WorkbenchScreen]:
        """The screen's class; imports its module."""
        module, _, name = self.source.partition(":")
        found: type[WorkbenchScreen] = getattr(import_module(module), name)
        return found


PLACES = (
    Place("egraphs", "E-graphs", "screens.egraphs.screen:EgraphsScreen"),
    Place("jobs", "Jobs", "screens.jobs.screen:JobsScreen"),
    Place("arqmath", "ARQMath", "screens.arqmath.screen:ArqmathScreen"),
)
PLACE_KEYS = scope("app", **{place.mode: f"Go to the {place.title} screen." for place in PLACES})
"""A screen that is not there has no key."""
