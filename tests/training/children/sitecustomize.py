"""Read by every Python process that the training tests start: quick clocks, and a trainer only tests have."""

from __future__ import annotations

import json
import os

from workbench.jobs import timing
from workbench.paper import Trainer, all_trainers

all_trainers()["tiny"] = Trainer("tiny", "tiny:trainer", data=("corpus", "place"))

for _name, _value in json.loads(os.environ.get("JOBS_TEST_TIMING", "{}")).items():
    setattr(timing, _name, _value)
