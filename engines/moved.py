"""Where modules and verbs stood one version ago: those names still work, with a warning.

The names begin below the package, so the table serves `engines` in a checkout and `mathwb` in a wheel.
"""

from __future__ import annotations

import sys
import warnings
from functools import partial
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType

__all__ = ["MODULES", "VERBS", "Finder", "moved_verb"]

MODULES = {
    "core.assets": "core.system",
    "core.domain": "mathematics.numbers.domain",
    "core.numeric": "mathematics.numbers.numeric",
    "core.precise": "mathematics.numbers.precise",
    "core.symbolic": "mathematics.terms.symbolic",
    "egen.algebra.atoms": "mathematics.algebra.atoms",
    "egen.algebra.rational": "mathematics.algebra.rational",
    "egen.expressions.canonical": "mathematics.terms.canonical",
    "egen.expressions.language": "core.expression_language",
    "egen.expressions.notation": "mathematics.terms.notation",
    "egen.expressions.novelty": "mathematics.terms.novelty",
    "egen.expressions.padding": "mathematics.terms.padding",
    "egen.expressions.signs": "formula.sign_languages",
    "egen.grading": "grading",
    "egen.grading.grade": "grading.grades",
    "egen.judging": "mathematics.judging",
    "egen.proofreading": "proofreading",
    "egen.proofreading.proofread": "proofreading.proofread_files",
    "egen.equality": "egen.verify_and_explain",
    "egen.verdicts": "egen.verify_and_explain",
    "egen.verification": "mathematics.verification",
    "egen.verification.curves": "mathematics.verification.domain_boundaries",
    "egen.verification.pointwise": "mathematics.verification.ball_verifier",
    "egen.verification.verify": "mathematics.verification.verifier",
    "arqmath.generation.answers": "arqmath.generation.answer_writers",
    "egen.egraph.grammar": "egen.egraph.term_grammar",
    "egen.egraph.members": "egen.egraph.member_selection",
    "egen.rules.soundness": "egen.rules.rule_check",
    "formula.mathml": "formula.content_mathml",
    "mathamr.retrieval.equality": "mathamr.retrieval.equal_formulas",
    "mathematics.verification.rigorous": "mathematics.verification.enclosures",
    "mwp.problems.likeness": "mwp.problems.near_duplicates",
    "mwp.problems.solutions": "mwp.problems.solution_notations",
    "mwp.triplets.find": "mwp.triplets.find_and_explain",
    "mwp.triplets.selection": "mwp.triplets.find_and_explain",
    "mwp.triplets.retrieval": "mwp.triplets.hard_triplets",
    "core.vocabulary": "core.expression_language",
    "egen.check_rules": "egen.rules_and_theories",
    "egen.judging.statements": "mathematics.judging.statement_judge",
    "egen.proofreading.terms": "proofreading.term_properties",
    "formula.letters": "formula.name_and_function_parser",
    "mathamr.retrieval.folders": "mathamr.retrieval.incremental_index",
    "retrieval.stored": "retrieval.index_storage",
    "grading.quantities": "grading.quantity_reader",
    "mathematics.verification.exceptional": "mathematics.verification.exceptional_points",
    "mathematics.judging.reals": "mathematics.judging.real_terms",
    "mwp.problems.bindings": "mwp.problems.number_bindings",
    "core.installed": "core.distributions",
    "core.shown": "core.notebook_display",
    "egen.evaluations.measured": "egen.evaluations.figures",
    "egen.rules.own": "egen.rules.user_rules",
    "egen.theories.own": "egen.theories.user_theories",
    "egen.theories.reals": "egen.theories.real_functions",
    "mathamr.retrieval.strings": "mathamr.retrieval.representations",
}
"""Modules by the name they had, and packages with all that is in them."""

VERBS = {
    "egen": {
        "grade": "grading",
        "Grade": "grading",
        "proofread": "proofreading",
        "Proofread": "proofreading",
    },
    "egen.records": dict.fromkeys(
        ("CORPUS_CONFIG", "FAMILIES", "FORMS", "Layout", "Limits", "Mode", "Order", "Style"), "egen.settings"
    ),
    "forum.readers": {"clean_plain": "forum.post_text"},
    "mathamr": {"Opt": "mathamr.trees:ParseOpt"},
    "mathamr.graph.drawing": {
        "Draw": "mathamr.graph.drawing:DrawGraph",
        "draw": "mathamr.graph.drawing:draw_graph",
    },
    "screens.shell.request": {"Answer": "screens.shell.request:RequestAnswer"},
    "workbench.config": {"Key": "workbench.config:SettingKey"},
    "workbench.doctor": {"Finding": "workbench.doctor:DoctorFinding"},
    "workbench.paper": {
        **dict.fromkeys(("Background", "Guide", "Operation"), "workbench.operations"),
        "Hint": "workbench.tables:HintLine",
        "Where": "workbench.operations:FilterableRows",
    },
    "workbench.workspace": {
        "Kind": "workbench.workspace:DataKind",
        "Report": "workbench.workspace:BadLineSink",
        **dict.fromkeys(("NOTE_FIELDS", "RecordFile", "UserNote"), "workbench.notes"),
    },
}
"""What a package or module offered, with the one that offers it now, and after a colon its new name."""


def moved_verb(package: str, name: str) -> object:
    """Return what a package offered under a name. Raises: AttributeError if it never did."""
    rest = package.removeprefix("engines.").removeprefix("mathwb.")
    target = VERBS.get(rest, {}).get(name)
    if target is None:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    module, _, new_name = target.partition(":")
    new_name = new_name or name
    top = package.removesuffix(rest)
    _warn(f"mathwb.{rest}.{name}", f"mathwb.{module}.{new_name}", level=4)
    return getattr(import_module(f"{top}{module}"), new_name)


def _warn(old: str, new: str, level: int) -> None:
    old, new = (name.replace("engines.", "mathwb.", 1) for name in (old, new))
    warnings.warn(f"{old} is {new} now; the old name goes in the next version", FutureWarning, level)


class Finder:
    """Finds a module under the name it had: the module itself, and for a package a view of it."""

    def __init__(self, package: str) -> None:
        self._package = package

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:  # noqa: ARG002
        top, _, rest = name.partition(".")
        if top != self._package:
            return None
        old = rest
        while old and old not in MODULES:
            old = old.rpartition(".")[0]
        if not old:
            return None
        return ModuleSpec(name, self, origin=f"{top}.{MODULES[old]}{rest[len(old) :]}")  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:  # noqa: ARG002
        return None

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        assert module.__spec__.origin is not None
        _warn(module.__name__, module.__spec__.origin, level=2)
        real = import_module(module.__spec__.origin)
        if not hasattr(real, "__path__"):
            sys.modules[module.__name__] = real
            return
        # The import system sets modules as attributes of their package: it must not be the real one.
        module.__path__ = []
        module.__getattr__ = partial(getattr, real)  # type: ignore[method-assign]
