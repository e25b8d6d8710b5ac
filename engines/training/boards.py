"""TensorBoard event files, without loading TensorBoard's or torch's writer."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

__all__ = ["Board"]


class Board:
    """Writes scalars to `folder`; a training that is resumed adds a file to it."""

    def __init__(self, folder: Path) -> None:
        from tensorboard.summary.writer.event_file_writer import EventFileWriter  # type: ignore[import-untyped]

        self._writer = EventFileWriter(str(folder), max_queue_size=100, flush_secs=10)

    def add(self, values: Mapping[str, float], step: int) -> None:
        """Numbers by name at a step."""
        from tensorboard.compat.proto.event_pb2 import Event  # type: ignore[import-untyped]
        from tensorboard.compat.proto.summary_pb2 import Summary  # type: ignore[import-untyped]

        scalars = [Summary.Value(tag=name, simple_value=float(value)) for name, value in values.items()]
        self._writer.add_event(Event(wall_time=time.time(), step=step, summary=Summary(value=scalars)))

    def close(self) -> None:
        """Write what is still waiting."""
        self._writer.close()
