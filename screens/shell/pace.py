"""Pace: how often is painted, and when garbage is collected, so that no key waits for it."""

from __future__ import annotations

import gc
import time

__all__ = ["Garbage", "set_frame_rate"]

_THRESHOLDS = (5_000, 5, 400)
"""The usual ones look through everything every few keys, for a tenth of a second; these nearly never do."""
_QUIET_S = 1.5
_LONG_QUIET_S = 30.0


class Garbage:
    """Collects garbage while nobody types: what is new soon after the last key, all there is after a while.

    What was there before is set aside (frozen) in between, so that a look at what is new is short.
    """

    def __init__(self) -> None:
        gc.set_threshold(*_THRESHOLDS)
        self._typed = self._swept = time.monotonic()
        self._whole = False

    def typed(self) -> None:
        """A key came."""
        self._typed = time.monotonic()

    def tick(self) -> None:
        """To be called about every second."""
        now = time.monotonic()
        if now - self._typed < _QUIET_S:
            return
        if self._swept <= self._typed:
            self._sweep(now, whole=False)
        elif now - max(self._typed, self._swept) >= _LONG_QUIET_S and not self._whole:
            self._sweep(now, whole=True)
        elif now - self._swept >= _LONG_QUIET_S:
            self._sweep(now, whole=False)

    def _sweep(self, now: float, *, whole: bool) -> None:
        if whole:
            gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._swept, self._whole = now, whole


def set_frame_rate(fps: int) -> None:
    """Paint at most so many times a second."""
    import textual.screen
    from textual import constants

    constants.MAX_FPS = fps  # type: ignore[misc]
    textual.screen.UPDATE_PERIOD = 1 / fps  # type: ignore[misc]
