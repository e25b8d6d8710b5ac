"""Jobs on a real Slurm cluster: `python -m benchmarks.slurm`, as root, with slurm-wlm and munge.

Runs `pytest -m slurm tests/slurm` (launch, stop, time limit, requeue, kill, scancel, arrays, the death of the
machine that submitted, no accounting) and keeps what came of each test.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

from benchmarks._record import RESULTS, Record, parser_of


def measure() -> dict[str, object]:
    """Run the tests. Returns: their ends and times."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-m", "slurm", "tests/slurm", f"--junitxml={report}"]
        subprocess.run(command, check=False, cwd=RESULTS.parents[1])
        cases = list(ElementTree.parse(report).iter("testcase"))
    version = subprocess.run(["slurmctld", "-V"], capture_output=True, text=True, check=True)
    ends = {
        case.get("name", ""): next(
            (kind for kind in ("failure", "error", "skipped") if case.find(kind) is not None), "passed"
        )
        for case in cases
    }
    return {
        "slurm": version.stdout.strip(),
        "passed": list(ends.values()).count("passed"),
        "of": len(ends),
        "seconds": round(sum(float(case.get("time", 0)) for case in cases), 1),
        "tests": ends,
    }


def main() -> None:
    """Run, print and record."""
    kept = Record("slurm", parser_of(__doc__).parse_args().out)
    figures = measure()
    print(f"{figures['passed']} of {figures['of']} passed in {figures['seconds']} s")
    kept.write(figures, libraries=("psutil",))


if __name__ == "__main__":
    main()
