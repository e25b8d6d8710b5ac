"""Judges terms and statements of the language of `engines.formula.meaning`."""

from engines.mathematics.judging.judge import Judge, judge
from engines.mathematics.judging.verdicts import Verdict

__all__ = ["Judge", "Verdict", "judge"]
