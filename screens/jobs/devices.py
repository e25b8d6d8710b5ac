"""Devices that a job may have, in words: what there is, how much is free, and what `auto` would take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engines.core.errors import EngineError
from engines.core.sizes import size
from screens.shell.text import some

if TYPE_CHECKING:
    from workbench.jobs.devices import Gpu

__all__ = ["Machine", "look"]


@dataclass(frozen=True, slots=True)
class Machine:
    """This machine at one moment. `free_bytes`: memory. `taken`: UUIDs of the GPUs that live jobs have."""

    cores: int
    free_bytes: int
    gpus: tuple[Gpu, ...] = ()
    taken: frozenset[str] = frozenset()

    @property
    def cpu(self) -> str:
        """The processor."""
        return f"CPU, {some(self.cores, 'core')}, {size(self.free_bytes)} free"

    def why(self, policy: str) -> str:
        """What a device policy takes and why. Raises: EngineError for a GPU that is not there."""
        from workbench.jobs.executors import check_placement, choose

        check_placement({"device": policy})
        if policy.partition(":")[0] == "cpu":
            count = policy.partition(":")[2]
            return f"{self.cpu}: asked for" + (f", {count} processes" if count else "")
        chosen, why = choose(policy, list(self.gpus), set(self.taken))
        if not chosen:
            return f"{self.cpu}: {why}"
        names = ", ".join(f"{card.index} {card.name}, {size(card.free_bytes)} free" for card in chosen)
        return f"GPU {names}: {why}"

    def lines(self) -> Sequence[str]:
        """One line for each device, with what to write to get it."""
        rows = [f"cpu   {self.cpu}"]
        for card in self.gpus:
            free = f"{size(card.free_bytes)} of {size(card.total_bytes)} free, {card.busy} % busy"
            used = "; a job has it" if card.uuid in self.taken else ""
            rows.append(f"{card.index:<4}  {card.name}, {free}{used}")
        return rows


def look(runs: Path) -> Machine:
    """Look at this machine; asking for its GPUs may take a while, so call it in a thread."""
    import psutil

    from engines.core.machine import processors
    from workbench.jobs.devices import gpus, memory_bytes
    from workbench.jobs.executors import taken

    cards = tuple(gpus())
    try:
        used = frozenset(taken(runs)) if cards else frozenset()
    except (EngineError, OSError):
        used = frozenset()
    free = min(memory_bytes(), int(psutil.virtual_memory().available))
    return Machine(processors(), free, cards, used)
