"""Settings that several operations of E-Gen have."""

from __future__ import annotations

from typing import Annotated

from engines.core.spec import Arg

__all__ = ["Assume", "AssumeAny", "Weights"]

Assume = Annotated[
    str, Arg("What holds of variables: x > 0, n integer, a != 0, -1 < x < 1.", shown="nothing", words=True)
]
AssumeAny = Annotated[
    str,
    Arg("What holds: x > 0, n integer, a != 0, -1 < x < 1; in logic p -> q.", shown="nothing", words=True),
]
"""The same where the theory can be chosen."""

Weights = Annotated[
    str | None,
    Arg(
        "How likely operators of a rule family are, from 0.001: hyperbolic=0.2, inverse trig=0.5.",
        shown="each 1",
        words=True,
    ),
]
"""Of families as in `weights`; None is what a begun corpus has, and else no weights."""
