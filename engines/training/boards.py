"""TensorBoard event files, without loading TensorBoard's or torch's writer."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["Board"]


class Board:
    """Writes scalars to `folder`; a training that is resumed adds a file to it, which takes the place of what
    the files before say of the steps that are done again."""

    def __init__(self, folder: Path, *, resumed_from: int = 0, settings: Mapping[str, object] | None = None):
        """Args: resumed_from: the step that is gone on from. settings: shown as hyperparameters."""
        from tensorboard.summary.writer.event_file_writer import EventFileWriter  # type: ignore[import-untyped]

        self._writer = EventFileWriter(str(folder), max_queue_size=100, flush_secs=10)
        if resumed_from:
            from tensorboard.compat.proto.event_pb2 import SessionLog  # type: ignore[import-untyped]

            self._write(resumed_from + 1, session_log=SessionLog(status=SessionLog.START))
        elif settings:
            self._write(0, summary=_hyperparameters(settings))

    def add(self, values: Mapping[str, float], step: int) -> None:
        """Numbers by name at a step."""
        from tensorboard.compat.proto.summary_pb2 import Summary  # type: ignore[import-untyped]

        scalars = [Summary.Value(tag=name, simple_value=float(value)) for name, value in values.items()]
        self._write(step, summary=Summary(value=scalars))

    def _write(self, step: int, **what: Any) -> None:
        from tensorboard.compat.proto.event_pb2 import Event

        self._writer.add_event(Event(wall_time=time.time(), step=step, **what))

    def close(self) -> None:
        """Write what is still waiting."""
        self._writer.close()


def _hyperparameters(settings: Mapping[str, object]) -> Any:
    """As the plugin for hyperparameters reads them: numbers and truth values as such, the rest as text."""
    from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
    from tensorboard.plugins.hparams import metadata, plugin_data_pb2  # type: ignore[import-untyped]

    start = plugin_data_pb2.SessionStartInfo(start_time_secs=time.time())
    for name, value in settings.items():
        if isinstance(value, bool):
            start.hparams[name].bool_value = value
        elif isinstance(value, int | float):
            start.hparams[name].number_value = value
        else:
            start.hparams[name].string_value = str(value)
    data = plugin_data_pb2.HParamsPluginData(session_start_info=start, version=metadata.PLUGIN_DATA_VERSION)
    plugin = SummaryMetadata.PluginData(plugin_name=metadata.PLUGIN_NAME, content=data.SerializeToString())
    about = SummaryMetadata(plugin_data=plugin)
    return Summary(value=[Summary.Value(tag=metadata.SESSION_START_INFO_TAG, metadata=about)])
