"""Identities of arithmetic that the source's table lacks: powers, sums and quotients need variants too.

Without them (x/6 + 2)^9 + 3x has no members at all. Same format and same checks as `assets/rules/egen.toml`.
"""

from __future__ import annotations

from functools import cache

from engines.egen.rules import Rule, parse_families

__all__ = ["structure_rules"]

_TABLE = """
[[family]]
name = "additions - structure"
rules = [
  {name = "neg-neg", left = "* -1 * -1 ?a", right = "?a"},
  {name = "sub-swap", left = "- ?a ?b", right = "* -1 - ?b ?a"},
  {name = "sub-to-add", left = "- ?a ?b", right = "+ ?a * -1 ?b"},
  {name = "add-to-sub", left = "+ ?a ?b", right = "- ?a * -1 ?b"},
  {name = "distribute-constant", left = "* ?c + ?a ?b", right = "+ * ?c ?a * ?c ?b", when = ["const(?c)"]},
  {name = "distribute-minus", left = "* ?c - ?a ?b", right = "- * ?c ?a * ?c ?b", when = ["const(?c)"]},
  {name = "split-quotient", left = "/ + ?a ?b ?c", right = "+ / ?a ?c / ?b ?c", both = true},
  {name = "split-quotient-minus", left = "/ - ?a ?b ?c", right = "- / ?a ?c / ?b ?c", both = true},
  {name = "common-divisor", left = "+ ?a / ?b ?c", right = "/ + * ?a ?c ?b ?c", when = ["const(?c)"]},
  {name = "common-divisor-minus", left = "- ?a / ?b ?c", right = "/ - * ?a ?c ?b ?c", when = ["const(?c)"]},
  {name = "pow-invert", left = "pow ?a ?c", right = "/ 1 pow ?a * -1 ?c", when = ["posnum(?c)", "nz(?a)"]},
  {name = "pow-even-sign", left = "pow ?a ?c", right = "pow * -1 ?a ?c", when = ["even(?c)"]},
  {name = "pow-odd-sign", left = "pow ?a ?c", right = "* -1 pow * -1 ?a ?c", when = ["odd(?c)"]},
  {name = "pow-unfold", left = "pow ?a ?c", right = "* ?a pow ?a - ?c 1", when = ["int(?c)", "nz(?a)"]},
  {name = "square-as-product", left = "pow ?a 2", right = "* ?a ?a", both = true},
  {name = "mul-to-div", left = "* ?a ?b", right = "/ ?a / 1 ?b", when = ["nz(?b)"]},
  {name = "div-to-mul", left = "/ ?a ?b", right = "* ?a / 1 ?b"},
  {name = "reciprocal-as-power", left = "/ 1 ?a", right = "pow ?a -1"},
  {name = "over-power", left = "/ 1 pow ?a ?c", right = "pow ?a * -1 ?c", when = ["const(?c)", "nz(?a)"]},
  {name = "twice", left = "+ ?a ?a", right = "* 2 ?a", both = true},
  {name = "pull-sign", left = "* ?c ?a", right = "* -1 * * -1 ?c ?a", when = ["const(?c)"]},
  {name = "div-sign", left = "/ ?a ?b", right = "/ * -1 ?a * -1 ?b"},
  {name = "over-sin", left = "/ 1 sin ?a", right = "csc ?a"},
  {name = "over-csc", left = "/ 1 csc ?a", right = "sin ?a", exact = false, class = "extends"},
  {name = "over-cos", left = "/ 1 cos ?a", right = "sec ?a"},
  {name = "over-sec", left = "/ 1 sec ?a", right = "cos ?a", exact = false, class = "extends"},
  {name = "over-tan", left = "/ 1 tan ?a", right = "cot ?a", exact = false, class = "extends"},
  {name = "over-cot", left = "/ 1 cot ?a", right = "tan ?a", exact = false, class = "extends"},
  {name = "over-sinh", left = "/ 1 sinh ?a", right = "csch ?a"},
  {name = "over-csch", left = "/ 1 csch ?a", right = "sinh ?a", exact = false, class = "extends"},
  {name = "over-cosh", left = "/ 1 cosh ?a", right = "sech ?a"},
  {name = "over-sech", left = "/ 1 sech ?a", right = "cosh ?a"},
  {name = "over-tanh", left = "/ 1 tanh ?a", right = "coth ?a"},
  {name = "over-coth", left = "/ 1 coth ?a", right = "tanh ?a", exact = false, class = "extends"},
]
"""


@cache
def structure_rules() -> tuple[Rule, ...]:
    """Every direction, in order."""
    return tuple(rule for family in parse_families(_TABLE) for rule in family.rules)
