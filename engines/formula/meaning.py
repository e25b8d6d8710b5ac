r"""What a formula says: terms and statements, read from LaTeX, MathML or plain text by way of operator trees.

The labels of terms are, with their operands:

- numbers (`7`, `-7`, `0.5`), named constants `pi`, `e`, `i` (the imaginary unit), `inf`, and variables: a
  letter or word with what is attached to it (`x`, `x_1`, `α`, `x'`, `A_ij`);
- `+ - * / pow` (2), `sqrt ln abs`, the trigonometric and hyperbolic functions and their inverses (1),
  `log` (base, argument), `d` (variable, body);
- `sum prod integral` (variable, from, to, body), `limit` (variable, to, side `+`, `-` or `both`, body);
- `sign floor ceil round factorial gamma conj re im arg` (1), `binomial pochhammer mod min max gcd lcm` (2, more
  are nested to the left), `root` (degree, radicand);
- `call` (name, arguments...): a function of which nothing is known;
- `pm` (one or two): both signs at once;
- `tuple list set` (members...), `interval` (`oo`, `oc`, `co` or `cc`, low, high), `union intersection without`,
  `matrix` (rows of `row`), `det tr transpose inverse` (1);
- statements: `= != < <= > >= in subset approx` (2), `congruent` (left, right, modulus), `and or implies iff`
  (2 and more), `not` (1);
- `unit` (name): a factor such as `cm`; `text` (words): an answer in words.

A percent sign divides by 100 and a degree sign multiplies by pi/180.
"""

from __future__ import annotations

from dataclasses import dataclass

from engines.core.tree import Tree
from engines.formula.formula import Formula


@dataclass(frozen=True, slots=True)
class Names:
    """What a document says of its letters: which are functions, which are no constants although they could be
    (`e`, `i`, `d`), and which stand for integers."""

    functions: frozenset[str] = frozenset()
    letters: frozenset[str] = frozenset()
    integers: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Reading:
    """A formula as a term or statement; `tree` is None where it cannot be read, and `reason` says why.

    `notes` name what could be read in two ways, and how it was: "i is the imaginary unit".
    """

    tree: Tree | None
    reason: str = ""
    notes: tuple[str, ...] = ()


def read(formula: str | Formula, names: Names | None = None) -> Reading:
    raise NotImplementedError
