"""`python -m tests.contract [SECTION]...`: what differs from the baseline.

`--all` prints the allowed differences too, with their reasons; `--record` writes the baseline anew.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from tests.contract.compare import allowances, differences, read_baseline, write_baseline
from tests.contract.record import observe_section, sections, settled


def _folder(place: Path, name: str) -> Path:
    folder = place / name.replace(" ", "-")
    folder.mkdir()
    return folder


def main(arguments: list[str], place: Path) -> int:
    wanted = [name for name in arguments if not name.startswith("-")]
    if unknown := set(wanted) - set(sections()):
        print(f"no section {', '.join(unknown)}; there are: {', '.join(sections())}")
        return 2
    names = wanted or sections()
    record = "--record" in arguments
    baseline = read_baseline() if not record or wanted else {}
    allowed = allowances()
    used: set[int] = set()
    open_ = 0
    for name in names:
        began = time.perf_counter()
        seen = observe_section(name, _folder(place, f"{name} 1"), baseline.get("help", {}))
        if record:
            again = observe_section(name, _folder(place, f"{name} 2"), baseline.get("help", {}))
            baseline[name] = settled(seen, again)
        else:
            for difference in differences(baseline[name], seen):
                covering = [place for place, one in enumerate(allowed) if one.covers(difference)]
                used.update(covering)
                if not covering or "--all" in arguments:
                    print(
                        difference, *(f"    allowed: {allowed[place].reason}" for place in covering), sep="\n"
                    )
                open_ += not covering
        print(f"{name}: {len(seen)} lines, {time.perf_counter() - began:.1f} s", file=sys.stderr)
    if record:
        write_baseline({name: baseline[name] for name in sections() if name in baseline})
        return 0
    if not wanted:
        for place in sorted(set(range(len(allowed))) - used):
            print(f"not needed any more: {allowed[place]}")
    print(f"{open_} differences that nobody allowed")
    return 1 if open_ else 0


if __name__ == "__main__":
    # All sections stay until the end: processes that are kept warm may stand in the folder of an earlier one.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        sys.exit(main(sys.argv[1:], Path(folder).resolve()))
