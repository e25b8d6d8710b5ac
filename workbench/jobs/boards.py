"""TensorBoard, told of a job: its files are written without loading TensorBoard's or torch's writer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.jobs.tail import LoggedEvent

if TYPE_CHECKING:
    from workbench.jobs.reporters import Run

__all__ = ["TensorBoard"]


class TensorBoard:
    """Metrics by step and time in `tensorboard/` of the run folder, the recipe as hyperparameters.

    Whenever it goes on there is one more file in the folder, which TensorBoard reads as one run.
    """

    def begin(self, run: Run, known: str) -> str:
        from tensorboard.summary.writer.event_file_writer import EventFileWriter  # type: ignore[import-untyped]

        self._writer = EventFileWriter(str(run.folder / "tensorboard"), max_queue_size=100, flush_secs=2)
        self._session = "" if known else "start"
        self._settings = run.settings
        self._at = 0.0
        return "begun"

    def event(self, event: LoggedEvent) -> None:
        self._at = event.t
        if self._session:
            self._session = ""
            self._about("SESSION_START_INFO_TAG", session_start_info=_started(self._settings, event.t))
        if event.kind == "metric":
            from tensorboard.compat.proto.summary_pb2 import Summary  # type: ignore[import-untyped]

            values = [Summary.Value(tag=name, simple_value=value) for name, value in event.data.items()]
            self._write(event.step or 0, Summary(value=values))

    def end(self, state: str, reason: str) -> None:  # noqa: ARG002  # it has no place for a reason
        # The first end that TensorBoard reads stands, and all others can be resumed.
        if state == "succeeded":
            from tensorboard.plugins.hparams import api_pb2, plugin_data_pb2  # type: ignore[import-untyped]

            ended = plugin_data_pb2.SessionEndInfo(status=api_pb2.STATUS_SUCCESS, end_time_secs=self._at)
            self._about("SESSION_END_INFO_TAG", session_end_info=ended)
        self._writer.close()

    def _about(self, tag: str, **what: Any) -> None:
        """Write what the plugin for hyperparameters reads."""
        from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
        from tensorboard.plugins.hparams import metadata, plugin_data_pb2

        data = plugin_data_pb2.HParamsPluginData(version=metadata.PLUGIN_DATA_VERSION, **what)
        plugin = SummaryMetadata.PluginData(
            plugin_name=metadata.PLUGIN_NAME, content=data.SerializeToString()
        )
        value = Summary.Value(tag=getattr(metadata, tag), metadata=SummaryMetadata(plugin_data=plugin))
        self._write(0, Summary(value=[value]))

    def _write(self, step: int, summary: Any) -> None:
        from tensorboard.compat.proto.event_pb2 import Event  # type: ignore[import-untyped]

        self._writer.add_event(Event(wall_time=self._at, step=step, summary=summary))


def _started(settings: Mapping[str, object], at: float) -> Any:
    """Numbers and truth values as such, the rest as text."""
    from tensorboard.plugins.hparams import plugin_data_pb2

    start = plugin_data_pb2.SessionStartInfo(start_time_secs=at)
    for name, value in settings.items():
        if isinstance(value, bool):
            start.hparams[name].bool_value = value
        elif isinstance(value, int | float):
            start.hparams[name].number_value = value
        else:
            start.hparams[name].string_value = str(value)
    return start
