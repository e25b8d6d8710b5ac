"""Compile what most tests run, before they start side by side and each of their processes compiles it."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

import tests.conftest  # noqa: F401 - it names the folder that keeps compiled code
from engines.core import compiling
from engines.core.expression_language import LETTERS
from engines.core.tree_edit import NearestTrees, edit_distance, edit_script
from engines.egen.egraph.member_selection import grow_cluster
from engines.egen.models.numpy_encoders import _apply_gelu
from engines.egen.settings import EgenConfig, Limits
from engines.mathematics.terms.notation import read_head
from engines.mathematics.verification.verifier import make_verifier
from engines.mwp.triplets.similarity import compute_bibleu


def compile_kernels() -> None:
    """Call compiled functions as the engines do, without the plain Python that bridges the time."""
    compiling._LARGE = -1  # every call waits for its compiled code
    config = EgenConfig(members=25, style="plain", forms="all", limits=Limits(nodes=200))
    for head in ("cos(2*x)", "d/dx ln(3*x^2 + 1)"):
        cluster = grow_cluster(read_head(head), config)
    left, right = (read_head(text, letters=LETTERS) for text in ("x*y", "y*x"))
    make_verifier(left).judge_members([right])
    first, last = cluster.members[0].tree, cluster.members[-1].tree
    edit_distance(first, last)
    edit_script(first, last)
    NearestTrees([first, last]).list_neighbours(0)
    compute_bibleu("abc", "abd")
    _apply_gelu(np.ones((1, 1), np.float32))


def rewrite_assertions() -> None:
    """Let pytest keep the bytecode of all test modules, in which it has rewritten the assertions."""
    collect = [sys.executable, "-m", "pytest", "--collect-only", "--quiet", "-p", "no:cacheprovider"]
    # What cannot be collected is reported by the run of the tests.
    subprocess.run(collect, stdout=subprocess.DEVNULL, check=False)


if __name__ == "__main__":
    rewrite_assertions()
    compile_kernels()
