"""Read by every Python process that the jobs tests start: quick clocks, and tasks that only tests have."""

from __future__ import annotations

import json
import os

import workbench.tasks
from workbench.jobs import timing

for _name in ("count", "fail", "crash", "leave_child", "fill_disk", "report", "greedy", "deny"):
    workbench.tasks.TASKS[f"test.{_name}"] = f"fake_tasks:{_name}"

for _name, _value in json.loads(os.environ.get("JOBS_TEST_TIMING", "{}")).items():
    setattr(timing, _name, _value)
