"""End runs of a sweep early that fall behind the others."""

from __future__ import annotations

from workbench.jobs.folder import Attempt, Job, read_membership
from workbench.jobs.logged_values import read_finite_values
from workbench.jobs.sweep_members import sweep_members

EARLY = "stopped early"
_ENOUGH = 3
"""So many others have to be as far before a run is compared with them."""


def why_stop_early(attempt: Attempt) -> str:
    """Return why a run of a sweep should end early, or an empty text if it goes on.

    The median rule: at its last measurement its best value so far is worse than the median of what the
    others had reached by the same step. Nobody is judged by a first measurement, or against fewer than
    three others.
    """
    run = attempt.folder.parent
    of_sweep = read_membership(run)
    measure = str(of_sweep.get("stop_worst", ""))
    if not measure:
        return ""
    # Step 1: the run's own curve; a single point is no basis for a judgement.
    best = min if of_sweep.get("lowest") else max
    own = read_finite_values(run, measure)
    if len(own) < 2:
        return ""
    step = own[-1][0]
    # Step 2: what each other member had reached by that step, if its curve extends over it.
    reached = []
    for member in sweep_members(Job(int(of_sweep["sweep"]), run.parent / str(of_sweep["sweep"]))):
        theirs = (
            read_finite_values(run.parent / str(member.job), measure) if member.job != attempt.job else []
        )
        if theirs and theirs[0][0] <= step <= theirs[-1][0]:
            reached.append(best(value for at, value in theirs if at <= step))
    if len(reached) < _ENOUGH:
        return ""
    from statistics import median  # every job imports this module, and few compare

    # Step 3: compare with the median. A tie is no reason to stop.
    mine, middle = best(value for _, value in own), median(reached)
    if mine == middle or best(mine, middle) == mine:
        return ""
    return (
        f"{EARLY}: {measure} {mine:.4g} at step {step}, the median of {len(reached)} others is {middle:.4g}"
    )
