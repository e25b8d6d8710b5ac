"""Where does a derivation go wrong? By the verifier, with a counterexample, and by the embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from engines.egen.encode import Embedder
from engines.egen.records import Verdict
from engines.egen.tasks.derivations import Derivation
from engines.egen.tasks.mistakes import step_cosines
from engines.egen.verify import Verifier

__all__ = ["Checked", "Transition", "check"]


@dataclass(frozen=True, slots=True)
class Transition:
    """From one step to the next: the verdict on the later one beside the earlier one, the cosine of their
    embeddings (None without a model), and whether that is below the threshold."""

    verdict: Verdict
    cosine: float | None
    flagged: bool | None

    @property
    def wrong(self) -> bool:
        """Whether the two are verified to differ, or never to be defined together."""
        return self.verdict.outcome in ("different", "nowhere")


@dataclass(frozen=True, slots=True)
class Checked:
    """A derivation with its transitions; the first wrong one by the verifier and the first flagged one, by
    their numbers from 0, or None."""

    derivation: Derivation
    transitions: tuple[Transition, ...]

    @property
    def first_wrong(self) -> int | None:
        """By the verifier."""
        return next((n for n, each in enumerate(self.transitions) if each.wrong), None)

    @property
    def first_flagged(self) -> int | None:
        """By the embeddings."""
        return next((n for n, each in enumerate(self.transitions) if each.flagged), None)


def check(
    derivations: Sequence[Derivation], embedder: Embedder | None = None, limit: float | None = None
) -> list[Checked]:
    """Judge every transition. Args: embedder, limit: without both, only the verifier judges."""
    cosines = step_cosines(embedder, derivations) if embedder is not None and limit is not None else None
    found = []
    for number, derivation in enumerate(derivations):
        transitions = []
        for place, (one, other) in enumerate(pairwise(derivation.steps)):
            (verdict,) = Verifier(one).check([other])
            cosine = None if cosines is None else float(cosines[number][place])
            flagged = None if cosine is None or limit is None else cosine < limit
            transitions.append(Transition(verdict, cosine, flagged))
        found.append(Checked(derivation, tuple(transitions)))
    return found
