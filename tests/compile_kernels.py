"""Compile what most tests run, before they start side by side and each of their processes compiles it."""

from __future__ import annotations

import tests.conftest  # noqa: F401 - it names the folder that keeps compiled code
from engines.core import compiling
from engines.core.tree_edit import edit_distance
from engines.egen.egraph.member_selection import grow_cluster
from engines.egen.settings import EgenConfig, Limits
from engines.mathematics.terms.notation import read_head


def main() -> None:
    """Call compiled functions as the engines do, without the plain Python that bridges the time."""
    compiling._LARGE = -1  # every call waits for its compiled code
    config = EgenConfig(members=25, style="plain", forms="all", limits=Limits(nodes=200))
    for head in ("cos(2*x)", "d/dx ln(3*x^2 + 1)"):
        cluster = grow_cluster(read_head(head), config)
    edit_distance(cluster.members[0].tree, cluster.members[-1].tree)


if __name__ == "__main__":
    main()
