"""Distributions by name: Bin(20, 0.3), `binomial with n = 20 and p = 0.3`, and the mass function of it.

The second parameter of N(a, b) is the variance, that of an exponential distribution the rate; what a text
says in words, as a standard deviation or a mean, is turned into these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engines.grading.answer_vocabulary import map_phrases
from engines.grading.compare import AnswerComparison
from engines.grading.reading import read_form
from engines.grading.tokens import AnswerToken, Phrases, is_blank, tokenize, unwrap_texts
from engines.grading.verdicts import GradeVerdict, combine_verdicts, differ_by, with_policy

_FAMILIES = map_phrases(
    (
        (
            "binomial",
            "Bin, B, Binom, Binomial, Bi, binomially, binomialverteilt, Binomialverteilung, binomiale",
        ),
        (
            "binomial",
            "loi binomiale, binomial distribution, distribución binomial, биномиальное, 二项分布",
        ),
        (
            "normal",
            "N, Normal, normally, gaussian, normalverteilt, Normalverteilung, normale, нормальное",
        ),
        ("normal", "\\mathcal N, Norm, normal distribution, loi normale, distribución normal, 正态分布"),
        (
            "poisson",
            "Po, Poi, Pois, Poisson, P, poissonverteilt, Poissonverteilung, loi de Poisson, 泊松分布",
        ),
        ("exponential", "Exp, Expo, Exponential, exponentially, exponentialverteilt, exponentielle"),
        ("exponential", "экспоненциальное, показательное, 指数分布, Exponentialverteilung, exponencial"),
        ("geometric", "Geo, Geom, Geometric, geometrically, geometrisch, géométrique, геометрическое"),
        (
            "uniform",
            "U, Unif, Uniform, uniformly, gleichverteilt, Gleichverteilung, uniforme, равномерное",
        ),
        ("uniform", "均匀分布, continuous uniform, loi uniforme"),
        ("bernoulli", "Bernoulli, Ber, Bern, бернулли"),
        ("chi-square", "\\chi^2, χ², χ^2, chi-square, chi-squared, chi square"),
    )
)
_PARAMETERS = map_phrases(
    (
        ("n", "n, number of trials, trials, nombre d'essais"),
        ("p", "p, success probability, probability of success, success probability p, probability"),
        (
            "mean",
            "mean, μ, \\mu, expected value, expectation, average, mean value, Erwartungswert, moyenne",
        ),
        ("mean", "media, esperanza, среднее, средним, математическим ожиданием, 均值, mean of, the mean"),
        ("variance", "variance, σ², σ^2, \\sigma^2, var, Varianz, varianza, дисперсия, дисперсией, 方差"),
        (
            "deviation",
            "standard deviation, σ, \\sigma, sd, SD, std, std dev, Standardabweichung, écart-type",
        ),
        ("deviation", "desviación típica, desviación estándar, стандартным отклонением, 标准差"),
        ("rate", "rate, λ, \\lambda, rate parameter, Rate, intensity, parameter λ, parameter \\lambda"),
        ("freedom", "degrees of freedom, df, Freiheitsgraden, degrés de liberté, k"),
        ("parameter", "parameter, Parameter, paramètre, parámetro, параметром, 参数, parameters"),
    )
)
_SKIPPED = Phrases(
    dict.fromkeys(
        (
            *("with", "and", "a", "an", "the", "distribution", "distributed", "random variable", "variable"),
            *("is", "has", "follows", "follow", "mit", "und", "avec", "et", "con", "y", "с", "и", "of", "on"),
            *("over", "interval", "between", "from", "to", "having", "verteilt", "ist", "suit", "une", "loi"),
            *("sigue", "una", "распределение", "имеет", "服从", "的", "de", "law", "it", "again", "also"),
            *("=", ":", "\\sim", "~", "∼", ",", "equal to", "auf", "in", "den", "dem", "sur", "en", "в"),
        ),
        "",
    )
)
_SLOTS = {
    "binomial": ("n", "p"),
    "normal": ("mean", "variance"),
    "poisson": ("rate",),
    "exponential": ("rate",),
    "geometric": ("p",),
    "bernoulli": ("p",),
    "uniform": ("low", "high"),
    "chi-square": ("freedom",),
}
"""The parameters of a family, in the order of its notation."""
_MASSES = {
    "binomial": r"\binom{{{n}}}{{k}} ({p})^k (1-({p}))^{{{n}-k}}",
    "poisson": r"\frac{{e^{{-({rate})}} ({rate})^k}}{{k!}}",
    "geometric": r"(1-({p}))^{{k-1}} ({p})",
}
_DENSITIES = {
    "exponential": r"({rate}) e^{{-({rate}) x}}",
    "normal": r"\frac{{1}}{{\sqrt{{2\pi ({variance})}}}} e^{{-\frac{{(x-({mean}))^2}}{{2({variance})}}}}",
}
_STANDARD = Phrases(
    dict.fromkeys(
        (
            "standard normal",
            "standardnormalverteilt",
            "Standardnormalverteilung",
            "loi normale centrée réduite",
        ),
        "",
    )
)
_MOST_TOKENS = 60


@dataclass(frozen=True, slots=True)
class DistributionName:
    """A family with its parameters, which are formulas."""

    family: str
    parameters: tuple[str, ...]


def read_distribution(text: str) -> DistributionName | None:
    r"""Return the distribution that a text names; None for other texts.

    >>> read_distribution("normal with mean 10 and standard deviation 2")
    DistributionName(family='normal', parameters=('10', '(2)^2'))
    >>> read_distribution(r"X \sim \text{Bin}(20, 0.3)")
    DistributionName(family='binomial', parameters=('20', '0.3'))
    """
    tokens = [
        token
        for token in unwrap_texts(tokenize(text.strip(" .$")))
        if not is_blank(token) and token.text not in ("$", "\\left", "\\right", "\\,", "\\ ", "\\;")
    ]
    for at in [at for at, token in enumerate(tokens) if token.text in ("\\mathcal", "\\mathscr")][::-1]:
        del tokens[at]
        if at + 2 < len(tokens) and tokens[at].text == "{":
            del tokens[at + 2], tokens[at]
    return _DistributionParser(tokens).parse_distribution() if len(tokens) < _MOST_TOKENS else None


class _DistributionParser:
    """Parser of the name of a distribution, with its parameters in brackets or in words."""

    def __init__(self, tokens: Sequence[AnswerToken]) -> None:
        self.tokens = tokens
        self.at = 0

    def skip(self) -> None:
        """Go over words that say nothing of a distribution."""
        while (match := _SKIPPED.match(self.tokens, self.at)) is not None:
            self.at = match[0]

    def parse_distribution(self) -> DistributionName | None:
        self.skip_subject()
        self.skip()
        if (standard := _STANDARD.match(self.tokens, self.at)) is not None:
            self.at = standard[0]
            self.skip()
            return DistributionName("normal", ("0", "1")) if self.at >= len(self.tokens) else None
        match = _FAMILIES.match(self.tokens, self.at)
        if match is None:
            return None
        written = self.tokens[self.at]
        self.at, family = match
        opening = self.tokens[self.at].text if self.at < len(self.tokens) else ""
        said: dict[str, str] | None
        if opening in ("(", "[") and not (family == "uniform" and written.text.islower()):
            said = self.parse_brackets(family)
        elif len(written.text) < 2:
            return None  # N alone is a letter
        else:
            said = self.parse_words(family)
        if said is None or self.at < len(self.tokens):
            return None
        return _make_distribution(family, said)

    def skip_subject(self) -> None:
        """Go over the name of a variable, as `X + Y ~` or `X is`."""
        for at, token in enumerate(self.tokens[:_MOST_SUBJECT]):
            if token.text in ("\\sim", "~", "∼", "is", "has", "follows", "ist", "suit", "sigue", "服从"):
                self.at = at + 1
                return
            if token.kind == "word" and len(token.text) > 1:
                return

    def parse_brackets(self, family: str) -> dict[str, str] | None:
        """Return parameters in brackets; a name before one counts."""
        depth, part = 0, ""
        parts: list[str] = []
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            depth += (token.text in tuple("([{")) - (token.text in tuple(")]}"))
            if depth == 0 or (depth == 1 and token.text in (",", ";")):
                parts.append(part)
                part = ""
                if depth == 0:
                    break
            elif depth > 1 or token.text not in ("(", "["):
                part += token.text
        slots = _SLOTS[family]
        if depth or len(parts) != len(slots):
            return None
        said: dict[str, str] = {}
        for slot, one in zip(slots, parts, strict=True):
            name, equal, value = one.partition("=")
            named = _PARAMETERS.match(tokenize(name), 0) if equal else None
            said[named[1] if named is not None else slot] = value if equal else one
        return said

    def parse_words(self, family: str) -> dict[str, str] | None:
        """Return parameters behind their names, as `with mean 10`."""
        said: dict[str, str] = {}
        while self.at < len(self.tokens):
            self.skip()
            if self.at >= len(self.tokens):
                break
            if family == "uniform" and not said:
                low, high = self.take_bounds()
                said = {"low": low, "high": high}
                continue
            named = _PARAMETERS.match(self.tokens, self.at)
            if named is None:
                return None
            self.at, name = named
            self.skip()
            further = _PARAMETERS.match(self.tokens, self.at)
            if name == "parameter" and further is not None:
                self.at, name = further
                self.skip()
            elif further is not None and (name, further[1]) in _TWICE:
                self.at = further[0]  # mean μ = 10
                name = further[1]
                self.skip()
            value = self.take_value()
            if not value or name in said:
                return None
            said[name] = value
        return said

    def take_value(self) -> str:
        """Return a formula up to the next word, comma or bracket that closes nothing."""
        value, depth = "", 0
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            depth += (token.text in tuple("([{")) - (token.text in tuple(")]}"))
            is_word = token.kind == "word" and len(token.text) > 1
            if depth < 0 or (depth == 0 and (is_word or token.text in (",", ";"))):
                break
            value += token.text
            self.at += 1
        return value

    def take_bounds(self) -> tuple[str, str]:
        """Return the ends of an interval, in brackets or with a word between them."""
        bracketed = self.tokens[self.at].text in ("(", "[", "]")
        self.at += bracketed
        low = self.take_value()
        self.skip()
        high = self.take_value()
        if bracketed and self.at < len(self.tokens):
            self.at += 1
        return low, high


_MOST_SUBJECT = 8
_TWICE = {
    ("mean", "rate"),
    ("mean", "mean"),
    ("variance", "variance"),
    ("deviation", "deviation"),
    ("rate", "rate"),
}
"""Names of which the second is the letter for the first."""


def _make_distribution(family: str, said: dict[str, str]) -> DistributionName | None:
    """Return a distribution by the parameters that its text names, in those of its notation."""
    known = dict(said)
    slots = _SLOTS[family]
    if "parameter" in known and len(slots) == 1:
        known[slots[0]] = known.pop("parameter")
    if family == "normal" and "deviation" in known:
        known["variance"] = f"({known.pop('deviation')})^2"
    if family == "poisson" and "rate" not in known:
        known = {"rate" if name in ("mean", "variance") else name: value for name, value in known.items()}
    if "mean" in known and family in ("exponential", "geometric"):
        known[slots[0]] = f"1/({known.pop('mean')})"
    if {*known} != {*slots} or not all(known.values()):
        return None
    return DistributionName(family, tuple(known[slot] for slot in slots))


def compare_distributions(gold: str, pred: str, comparison: AnswerComparison) -> GradeVerdict | None:
    """Compare distributions that both texts name, or one with a mass function or density; None otherwise."""
    mine, theirs = read_distribution(gold), read_distribution(pred)
    if mine is None or theirs is None:
        named, text = (mine, pred) if mine is not None else (theirs, gold)
        return None if named is None else _compare_with_function(named, text, comparison)
    if mine.family != theirs.family:
        return differ_by(f"{mine.family} and {theirs.family}")
    pairs = zip(mine.parameters, theirs.parameters, strict=True)
    compared = combine_verdicts(comparison.compare(read_form(one), read_form(other)) for one, other in pairs)
    if mine.family == "normal":
        return with_policy(compared, "the second parameter of N is the variance")
    return with_policy(compared, "distributions are compared by their parameters")


def _compare_with_function(
    named: DistributionName, text: str, comparison: AnswerComparison
) -> GradeVerdict | None:
    """Compare a distribution with P(X = k) or f(x) as a formula."""
    tokens = [token for token in tokenize(text.strip(" .$")) if not is_blank(token) and token.text != "$"]
    lead = "".join(token.text for token in tokens[:6])
    values = dict(zip(_SLOTS[named.family], named.parameters, strict=True))
    letter = tokens[4].text if len(tokens) > 6 else ""
    if lead[:2] in ("P(", "p(") and lead[3:4] == "=" and lead.endswith(")") and named.family in _MASSES:
        formula, at, variable = _MASSES[named.family], 6, "k"
    elif lead[:2] == "f(" and lead[3:5] == ")=" and named.family in _DENSITIES:
        formula, at, variable = _DENSITIES[named.family], 4, "x"
        letter = tokens[2].text
    else:
        return None
    at += at < len(tokens) and tokens[at].text == "="
    depth, end = 0, len(tokens)
    for index in range(at, len(tokens)):
        depth += (tokens[index].text in tuple("([{")) - (tokens[index].text in tuple(")]}"))
        words = tokens[index].kind == "word" and tokens[index].text in ("for", "where", "für", "pour")
        if depth == 0 and (tokens[index].text in (",", ";", "\\quad", "\\text") or words):
            end = index
            break
    if letter != variable or at >= end:
        return None
    plain = text.strip(" .$")
    function = plain[tokens[at].start : tokens[end - 1].end]
    compared = comparison.compare(read_form(formula.format(**values)), read_form(function))
    return (
        with_policy(compared, f"it is the distribution of {variable}")
        if compared.outcome == "equal"
        else None
    )
