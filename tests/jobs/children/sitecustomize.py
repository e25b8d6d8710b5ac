"""Read by every Python process that the jobs tests start: quick clocks, and tasks that only tests have."""

from __future__ import annotations

import json
import os
import sys

from workbench.jobs import timing

for _name, _value in json.loads(os.environ.get("JOBS_TEST_TIMING", "{}")).items():
    setattr(timing, _name, _value)

# Those that start others and wait know no task.
if not {"workbench.jobs.supervisor", "workbench.jobs.scheduler"} & set(sys.orig_argv):
    import fake_tasks

    from workbench.operations import all_operations

    fake_tasks.register(all_operations())
