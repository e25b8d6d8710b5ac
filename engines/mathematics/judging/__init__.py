"""Judges terms and statements of the language of `engines.formula.meaning`."""

from engines.formula.judge import Judge

__all__ = ["judge"]


def judge(seed: int = 0) -> Judge:
    """A judge that gives the same judgement of the same terms for a seed, and may be shared by threads."""
    from engines.mathematics.judging.terms import TermJudge

    return TermJudge(seed)
