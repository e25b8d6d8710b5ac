"""Measures on the Jobs screen: names that stay apart, values that are no number, explained losses."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from screens.jobs.columns import METRIC_COLUMNS, differing_at, metric_row, shorten_measure
from screens.jobs.job_detail import CurvePlot
from workbench.jobs.merged_curves import MeasureCurve

NAMES = (
    "loss_nats",
    "train_loss_nats",
    "validation_loss_nats",
    "validation_kmeans_percent",
    "validation_retrieval_at_5_percent",
    "validation_score_5_percent",
)


@pytest.mark.parametrize("cells", range(8, 34))
def test_two_measures_are_never_cut_to_the_same_text(cells: int) -> None:
    (column,) = (one for one in METRIC_COLUMNS if one.name == "metric")
    curve = MeasureCurve()
    curve.add_values([1], [2.0])
    begins = differing_at(["".join(shorten_measure(name)) for name in NAMES])
    rows = [metric_row(name, [curve], apart) for name, apart in zip(NAMES, begins, strict=True)]
    assert column.fit is not None
    drawn = [str(column.fit(row, cells)) for row in rows]
    assert len(set(drawn)) == len(NAMES), drawn
    assert max(map(len, drawn)) <= cells


def test_losses_are_explained_and_differently() -> None:
    said = [metric_row(name, [MeasureCurve()], 0)["meaning"] for name in NAMES]
    assert all(said[:3])
    assert len(set(said[:3])) == 3


def test_a_measure_that_never_was_a_number_has_a_row() -> None:
    curve = MeasureCurve()
    curve.add_undefined([1, 2])
    row = metric_row("loss", [curve], 0)
    assert (row["least"], row["most"], row["values"]) == (None, None, 0)


async def test_the_axis_marks_the_steps_without_a_number() -> None:
    class Plotted(App[None]):
        def compose(self) -> ComposeResult:
            yield CurvePlot()

    async with Plotted().run_test(size=(60, 12)) as pilot:
        plot = pilot.app.query_one(CurvePlot)
        plot.metric = "loss"
        runs = {(None, "1 a"): [([0, 50, 100], [3.0, 2.0, 1.0])]}
        plot.draw_runs(runs, [([10, 70], 2)])
        await pilot.pause()
        axis, below = str(plot.render()).splitlines()[-2:]
        assert axis.count("×") == 2
        assert axis.index("×") < len(axis) / 2 < axis.rindex("×")
        assert "loss by step, × 2 not finite" in below
        plot.draw_runs(runs)
        await pilot.pause()
        assert "×" not in str(plot.render())
