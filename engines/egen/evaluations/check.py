"""Checking derivations: which steps are right, by the verifier, and which the embeddings suspect."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import pairwise, repeat
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from engines.core.errors import DataError, EngineError, ExpressionError
from engines.core.events import Sink, Stop, ignore, never, warn_of_left_out
from engines.core.spec import Arg, specification
from engines.egen.settings import AssumeAny, TheoryName
from engines.egen.theories.registry import theory_of
from engines.mathematics.verification.verdicts import MemberOutcome, MemberVerdict

if TYPE_CHECKING:
    from engines.egen.evaluations.mistakes import MarkedDerivation


StepJudgement = Literal["right", "wrong", "loses domain", "not shown"]
"""right: equal wherever the step before is defined. wrong: another value somewhere, or never defined
together. loses domain: equal where both are defined, and undefined where the step before is not. not shown:
too few points decide."""

_JUDGEMENTS: Mapping[MemberOutcome, StepJudgement] = {
    "equal": "right",
    "extends": "right",
    "different": "wrong",
    "nowhere": "wrong",
    "shrinks": "loses domain",
    "undecided": "not shown",
}
_LEARNED_ON = 200
"""Derivations that the threshold is learned on."""


@specification
class Check:
    """Find the first wrong step, with a counterexample.

    Each step is right, wrong, loses domain, or is not shown. Exits with 1 unless every step of every
    derivation is right. With --model, each step also shows its cosine and how often such a suspicion is
    justified.
    """

    file: Annotated[
        Path, Arg("One step per line, infix, LaTeX or prefix; a blank line ends a derivation.", inline=".txt")
    ]
    assume: AssumeAny = ""
    theory: TheoryName = "reals"
    model: Annotated[Path | None, Arg("An encoder for a second opinion.", ref="model", shown="none")] = None
    threshold: Annotated[
        float | None, Arg("Cosines below this are suspicious.", shown="learned on derivations")
    ] = None

    def __post_init__(self) -> None:
        if self.threshold is not None and self.model is None:
            remedy = "Name one with --model, or leave out --threshold."
            raise EngineError("a threshold needs a model", code="E400", remedy=remedy)


def judge_transitions(
    derivation: MarkedDerivation,
    cosines: Iterable[float] | None = None,
    limit: float = 0.0,
    *,
    theory: str = "reals",
    assume: str = "",
) -> list[dict[str, Any]]:
    """Judge the transitions of a derivation.

    Args:
        cosines: By a model; without them only the verifier judges.

    Returns:
        A row for each transition: the verdict on the later step as a member of the earlier one, `judgement`,
            the `reason` for it, which names isolated points, `cosine`, and `flagged`, whether it is below the
            limit (both None if the model cannot read one of the two).
    """
    from engines.mathematics.verification.explain import explain_verdict
    from engines.mathematics.verification.verdicts import verdict_row

    rows = []
    cosine_values = repeat(nan) if cosines is None else cosines
    for (before, after), cosine in zip(pairwise(derivation.steps), cosine_values, strict=False):
        # The earlier step is the head, the later one its member.
        arbiter = theory_of(theory, assume, before, after).make_judge(before)
        try:
            (verdict,) = arbiter.judge_members([after])
            reason = explain_verdict(verdict, arbiter.reason)
        except ExpressionError as error:  # too much for the judge of a theory
            verdict, reason = MemberVerdict("undecided", 1.0), error.what
        read = not isnan(cosine)
        rows.append(
            {
                **verdict_row(verdict),
                "judgement": _JUDGEMENTS[verdict.outcome],
                "reason": reason,
                "cosine": float(cosine) if read else None,
                "flagged": bool(cosine < limit) if read else None,
            }
        )
    return rows


def check_derivations(spec: Check, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Judge every step of the derivations of a file.

    Returns:
        Model, threshold and `suspicion` (None without a model; of steps below the threshold the precision and
        recall of mistakes, in percent, on derivations with one each; None where the threshold was given);
        `derivations`: steps (prefix, infix), known (the transition that the file says is wrong), first_wrong
        and first_flagged (transitions from 0, or None), right, and `transitions` with verdict,
        counterexample, judgement, reason, cosine, flagged; `bad`: what could not be read, as line and what.

    Raises:
        DataError: E317 when no derivation can be read, E314 when there is none.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "steps.txt"
    ...     _ = file.write_text("ln(x^2)\\n2*ln(x)\\n")
    ...     found = check_derivations(Check(file))
    >>> found["derivations"][0]["transitions"][0]["judgement"]
    'loses domain'
    """
    from engines.core.expression_language import to_prefix
    from engines.egen.evaluations import mistakes
    from engines.egen.models.encode import cached_encoder
    from engines.egen.theories.registry import theory_text

    bad: list[DataError] = []
    name = theory_text(spec.theory)
    theory = theory_of(name, spec.assume)
    step = partial(theory.read_term, head=False)
    given = list(mistakes.read_derivations(spec.file, on_bad=bad.append, reader=step))
    # Without any derivation, the first error says more than that there is none.
    if not given:
        remedy = "Write one step per line."
        nothing = DataError("the file has no derivation", path=spec.file, code="E314", remedy=remedy)
        raise bad[0] if bad else nothing
    warn_of_left_out(events, spec.file, ((error.where, error.what) for error in bad))
    encoder = None if spec.model is None else cached_encoder(spec.model)
    # The threshold is learned by Algorithm 1 of the paper unless it is given.
    limit, suspicion = spec.threshold, None
    if encoder is not None and limit is None:
        limit, suspicion = mistakes.learned_threshold(encoder, _LEARNED_ON, events=events, stop=stop)
    cosines = repeat(None) if encoder is None else mistakes.step_cosines(encoder, given)
    rows = []
    for derivation, own_cosines in zip(given, cosines, strict=False):
        transitions = judge_transitions(
            derivation, own_cosines, limit or 0.0, theory=name, assume=spec.assume
        )
        judgements = [row["judgement"] for row in transitions]
        texts = [to_prefix(step) for step in derivation.steps]
        rows.append(
            {
                "steps": [
                    {"prefix": text, "infix": theory.to_infix(theory.read_term(text, "prefix", head=False))}
                    for text in texts
                ],
                "known": derivation.wrong,
                "right": set(judgements) == {"right"},
                "first_wrong": judgements.index("wrong") if "wrong" in judgements else None,
                "first_flagged": next((n for n, row in enumerate(transitions) if row["flagged"]), None),
                "transitions": transitions,
            }
        )
    return {
        "model": encoder and encoder.name,
        "threshold": limit,
        "suspicion": suspicion,
        "derivations": rows,
        "bad": [{"line": error.line, "what": error.what} for error in bad],
    }


def exit_code(document: Mapping[str, Any]) -> int:
    """Return the exit code: 0 only if every step of every derivation is right."""
    right = not document["bad"] and all(each["right"] for each in document["derivations"])
    return 0 if right else 1
