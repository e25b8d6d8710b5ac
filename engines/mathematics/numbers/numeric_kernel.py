"""The compiled stack machine behind `engines.mathematics.numbers.numeric`: real evaluation with error bounds.

A real number is carried as a ball: a midpoint and a radius that bounds how far rounding may have moved it.
The two exceptional states live in the same pair, so that they travel through every formula by themselves:

- midpoint NaN: undefined, the point lies outside the real domain;
- radius inf: unknown, because of overflow, underflow, or a domain boundary or pole inside the ball.

Undefined wins over unknown. The rounding error of + - * / and sqrt is computed exactly (two-sum, fused
multiply-add), so that sums and products of short numbers stay exact and x/|x| is 1 without doubt; the
library's transcendental functions are trusted to four units in the last place.

More than 500 lines, because all of it is compiled into one another and kept compiled as one.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engines.core.arrays import Floats
from engines.core.compiling import compile_kernel
from engines.core.compiling import fused_multiply_add as fma

Ball = tuple[float, float]

UNARY = (
    *("sqrt", "abs", "ln", "sin", "cos", "tan", "csc", "sec", "cot"),
    *("asin", "acos", "atan", "acsc", "asec", "acot", "sinh", "cosh", "tanh", "csch", "sech", "coth"),
    *("asinh", "acosh", "atanh", "acsch", "asech", "acoth"),
)
BINARY = ("+", "-", "*", "/", "pow", "log", "d", "where")
"""`log` takes (base, argument), `d` (variable, body); `where a b` (internal) is b where a is defined."""
# Codes of operations: functions of one argument first, then operators of two, then leaves. Comparisons
# such as `code < ADD` rely on this order.
SQRT, ABS, LN, SIN, COS, TAN, CSC, SEC, COT = range(9)
ASIN, ACOS, ATAN, ACSC, ASEC, ACOT, SINH, COSH, TANH, CSCH, SECH, COTH = range(9, 21)
ASINH, ACOSH, ATANH, ACSCH, ASECH, ACOTH = range(21, 27)
ADD, SUB, MUL, DIV, POW, LOG, DIFF, WHERE = range(27, 35)
LEAF = 64
"""Codes from here on are variables."""
CONSTANT = 128
"""Codes from here on are places in the table of constants."""

HUGE, TINY = 1e300, 1e-290  # beyond these, products and the fused remainders are no longer exact
GROW = 1.0 + 2.0**-48  # covers the rounding of the radius itself
# The functions of the C library are off by about one unit in the last place; four are allowed for.
ULPS = 4.0 * 2.0**-52
NAN, INF = math.nan, math.inf


@compile_kernel
def canonical_ball(v: float, r: float) -> Ball:
    """Return the ball with its states made canonical."""
    if v != v:
        return NAN, INF
    if not (abs(v) <= HUGE and r <= HUGE):
        return 0.0, INF
    return v, r * GROW


@compile_kernel
def add_balls(a: float, ra: float, b: float, rb: float) -> Ball:
    """Return the sum of two balls; `lost` is the rounding error of the sum, exactly (Knuth's two-sum)."""
    s = a + b
    t = s - a
    lost = (a - (s - t)) + (b - t)
    return canonical_ball(s, ra + rb + abs(lost))


@compile_kernel
def multiply_balls(a: float, ra: float, b: float, rb: float) -> Ball:
    """Return the product of two balls."""
    p = a * b
    if abs(p) < TINY and a != 0.0 and b != 0.0:
        return 0.0, INF
    r = abs(a) * rb + abs(b) * ra + ra * rb + abs(fma(a, b, -p))
    if r < TINY and ((ra > 0.0 and abs(b) + rb > 0.0) or (rb > 0.0 and abs(a) > 0.0)):
        r = TINY  # what underflowed is not exact
    return canonical_ball(p, r)


@compile_kernel
def divide_balls(a: float, ra: float, b: float, rb: float) -> Ball:
    """Return the quotient of two balls; unknown if the divisor may be 0."""
    if a != a or b != b:
        return NAN, INF
    if abs(b) <= rb:
        return (NAN, INF) if rb == 0.0 else (0.0, INF)
    q = a / b
    if abs(q) < TINY and a != 0.0:
        return 0.0, INF
    r = (ra + abs(q) * rb + abs(fma(-q, b, a))) / (abs(b) - rb)
    if r < TINY and (ra > 0.0 or (rb > 0.0 and a != 0.0)):
        r = TINY
    return canonical_ball(q, r)


@compile_kernel
def sqrt_ball(u: float, r: float) -> Ball:
    """Return the square root of a ball; unknown if it reaches below 0."""
    if u <= r:
        if r == 0.0:
            return (0.0, 0.0) if u == 0.0 else (NAN, INF)
        return (NAN, INF) if u < -r else (0.0, INF)
    s = math.sqrt(u)
    return canonical_ball(s, (r + abs(fma(-s, s, u))) / s)


@compile_kernel
def ln_ball(u: float, r: float) -> Ball:
    """Return the natural logarithm of a ball; unknown if it reaches below 0."""
    if u <= r:
        return (NAN, INF) if u < -r or r == 0.0 else (0.0, INF)
    y = math.log(u)
    return canonical_ball(y, r / (u - r) + ULPS * abs(y))


@compile_kernel
def integer_power(a: float, ra: float, n: int) -> Ball:
    """Return a^n by repeated squaring for n > 0: exact where the products are."""
    v, r = 1.0, 0.0
    while True:
        if n & 1:
            v, r = multiply_balls(v, r, a, ra)
        n >>= 1
        if n == 0:
            return v, r
        a, ra = multiply_balls(a, ra, a, ra)


@compile_kernel
def raise_ball(a: float, ra: float, b: float, rb: float, fixed: bool) -> Ball:
    """Return the real power. An inexact exponent that may be an integer is one if it is `fixed`, free of
    variables: ln(e^3) is 3. One that varies is not: tanh x only comes close to 1.
    """
    if a != a or b != b:
        return NAN, INF
    if ra == INF or rb == INF:
        return 0.0, INF
    # An integer exponent allows a negative base.
    n = np.rint(b)
    maybe_integer = abs(b - n) <= rb
    base_is_zero = a == 0.0 and ra == 0.0
    if maybe_integer and (rb == 0.0 or (fixed and rb < 1e-6)) and abs(n) < 2.0**31:
        if abs(a) <= ra and n <= 0.0:
            return (NAN, INF) if base_is_zero else (0.0, INF)
        # Small exponents by repeated multiplication, which has the better bound.
        if abs(n) <= 32.0:
            if n == 0.0:
                return 1.0, 0.0
            v, r = integer_power(a, ra, int(abs(n)))
            return (v, r) if n > 0.0 else divide_balls(1.0, 0.0, v, r)
        if base_is_zero:
            return 0.0, 0.0
        if abs(a) <= ra:
            return 0.0, INF
    else:
        # From here on the base must be positive: a^b = exp(b ln a).
        if a < -ra:
            return (0.0, INF) if maybe_integer else (NAN, INF)
        if base_is_zero and abs(b) > rb:
            return (0.0, 0.0) if b > 0.0 else (NAN, INF)
        # Where the ball of the base reaches 0, its logarithm has no bound.
        if a <= ra:
            return 0.0, INF
        n = b
    v = math.pow(a, n)
    # Near the smallest numbers a relative error no longer bounds the rounding.
    if abs(v) < TINY:
        return 0.0, INF
    # |d ln a| <= ra / (|a| - ra), so the relative error of the power is at most exp(spread) - 1.
    slack = ra / (abs(a) - ra)
    spread = (abs(n) + rb) * slack + abs(math.log(abs(a))) * rb
    return canonical_ball(v, abs(v) * (math.expm1(spread) + ULPS))


@compile_kernel
def apply_primary(code: int, u: float, r: float) -> Ball:
    """Return a function of one argument that is no other's reciprocal, applied to a finite ball."""
    m = abs(u)
    # |sin'| and |cos'| are at most 1: the radius carries over.
    if code == SIN:
        y = math.sin(u)
        return y, (min(r, 2.0) + ULPS * abs(y)) * GROW
    if code == COS:
        y = math.cos(u)
        return y, (min(r, 2.0) + ULPS * abs(y)) * GROW
    # tan(u ± r) = (y ± tan r)/(1 ∓ y tan r); unknown when that may pass a pole.
    if code in (TAN, COT):
        if code == COT and m <= r:
            return (NAN, INF) if r == 0.0 else (0.0, INF)
        y = math.tan(u) if code == TAN else 1.0 / math.tan(u)
        step = math.tan(min(r, 1.0))
        if abs(y) * step >= 0.5 or r >= 1.0:
            return 0.0, INF
        return canonical_ball(y, (1.0 + y * y) * step / (1.0 - abs(y) * step) + ULPS * abs(y))
    if code == SQRT:
        return sqrt_ball(u, r)
    if code == ABS:
        return m, r
    if code == LN:
        return ln_ball(u, r)
    # The slope 1/sqrt(1 - u²) is taken at the end of the ball nearest to ±1.
    if code in (ASIN, ACOS):
        if (m - 1.0) + r > 0.0:
            return (NAN, INF) if (m - 1.0) - r > 0.0 else (0.0, INF)
        y = math.asin(u) if code == ASIN else math.acos(u)
        if r > 0.0:
            # 1 - u² is computed as (1 - u)(1 + u), without cancellation near the ends of the domain.
            r /= math.sqrt(((1.0 - m) - r) * (1.0 + (m + r)))
        return canonical_ball(y, r + ULPS * abs(y))
    # The slope 1/(1 + u²) is at most 1/max(1, low)².
    if code in (ATAN, ACOT):
        # atan2(1, u) is the acot with values in (0, pi), without cancellation for large u
        y = math.atan(u) if code == ATAN else math.atan2(1.0, u)
        low = max(m - r, 0.0)
        slope = max(1.0, low)  # squared it would overflow
        return canonical_ball(y, r / slope / slope + ULPS * abs(y))
    # sinh and cosh grow like their slopes; balls wider than 1 are given up.
    if code == SINH:
        y = math.sinh(u)
        return (0.0, INF) if r > 1.0 else canonical_ball(y, (abs(y) + 1.0) * r * (1.0 + r) + ULPS * abs(y))
    if code == COSH:
        y = math.cosh(u)
        return (0.0, INF) if r > 1.0 else canonical_ball(y, y * r * (1.0 + r) + ULPS * y)
    # tanh' = 1 - tanh², which is small far out.
    if code == TANH:
        y = math.tanh(u)
        # 1 - y² may have lost its last digits, hence the added 2^-50.
        return y, (min(r, 2.0) * min(1.0 - y * y + 2.0**-50 + r, 1.0) + ULPS * abs(y)) * GROW
    if code == ASINH:
        y = math.asinh(u)
        low = max(m - r, 0.0)
        # From 1e8 on, 1 + low² rounds to low².
        steep = low if low > 1e8 else math.sqrt(1.0 + low * low)
        return canonical_ball(y, r / steep + ULPS * abs(y))
    if code == ACOSH:
        if (u - 1.0) - r < 0.0:
            return (NAN, INF) if (u - 1.0) + r < 0.0 else (0.0, INF)
        y = math.acosh(u)
        if r > 0.0:
            # u² - 1 is computed as (u - 1)(u + 1), again without cancellation near 1.
            r /= math.sqrt((u - 1.0) - r) * math.sqrt(u - r + 1.0)
        return canonical_ball(y, r + ULPS * y)
    if (m - 1.0) + r >= 0.0:  # atanh
        return (NAN, INF) if (m - 1.0) - r >= 0.0 else (0.0, INF)
    y = math.atanh(u)
    return canonical_ball(y, r / (((1.0 - m) - r) * (1.0 + (m + r))) + ULPS * abs(y))


@compile_kernel
def apply_function(code: int, u: float, r: float) -> Ball:
    """Return a function of one argument applied to a ball."""
    if u != u:
        return NAN, INF
    if r == INF:
        return 0.0, INF
    if code in (SEC, CSC, SECH, CSCH, COTH):
        below = COS if code == SEC else SIN if code == CSC else COSH if code == SECH else SINH
        y, ry = apply_primary(TANH if code == COTH else below, u, r)
        return divide_balls(1.0, 0.0, y, ry)
    if code in (ACSC, ASEC, ACSCH, ASECH, ACOTH):
        # surely outside the domain, even where 1/u is unknown; the inner function sees the rest of it
        if code == ASECH and (u < -r or (u - 1.0) - r > 0.0):
            return NAN, INF
        if code in (ACSC, ASEC, ACOTH) and (abs(u) - 1.0) + r < 0.0:
            return NAN, INF
        u, r = divide_balls(1.0, 0.0, u, r)
        if u != u or r == INF:
            return u, r
        code = ASIN if code == ACSC else ACOS if code == ASEC else ATANH if code == ACOTH else code
        code = ASINH if code == ACSCH else ACOSH if code == ASECH else code
    return apply_primary(code, u, r)


@compile_kernel
def negate_ball(ball: Ball) -> Ball:
    """Return the negative of a ball."""
    return -ball[0], ball[1]


@compile_kernel
def root_of_product(u: float, r: float, minus_first: bool) -> Ball:
    """Return sqrt(1 - u²) or sqrt(u² - 1) of a ball, without cancellation: as the root of (1 - u)(1 + u)."""
    a, ra = add_balls(1.0, 0.0, u, r)
    b, rb = add_balls(1.0, 0.0, -u, r)
    p, rp = multiply_balls(a, ra, b, rb)
    return sqrt_ball(-p, rp) if minus_first else sqrt_ball(p, rp)


@compile_kernel
def derivative_ball(code: int, u: float, r: float) -> Ball:
    """Return the derivative of a function of one argument at a ball; the domain is the caller's to check."""
    if u != u:
        return NAN, INF
    if r == INF:
        return 0.0, INF
    if code == SIN:
        return apply_function(COS, u, r)
    if code == COS:
        return negate_ball(apply_function(SIN, u, r))
    if code == SINH:
        return apply_function(COSH, u, r)
    if code == COSH:
        return apply_function(SINH, u, r)
    if code == ABS:
        if abs(u) <= r:
            return (NAN, INF) if r == 0.0 else (0.0, INF)
        return math.copysign(1.0, u), 0.0
    if code in (TAN, COT):
        y, ry = apply_function(code, u, r)
        y, ry = multiply_balls(y, ry, y, ry)
        y, ry = add_balls(1.0, 0.0, y, ry)
        return (y, ry) if code == TAN else (-y, ry)
    # (sec u)' = sec u tan u, and the like.
    if code in (SEC, CSC, SECH, CSCH):
        partner = TAN if code == SEC else COT if code == CSC else TANH if code == SECH else COTH
        y, ry = apply_function(code, u, r)
        t, rt = apply_function(partner, u, r)
        y, ry = multiply_balls(y, ry, t, rt)
        return (y, ry) if code == SEC else (-y, ry)
    # tanh' = sech², coth' = -csch².
    if code in (TANH, COTH):
        y, ry = apply_function(SECH if code == TANH else CSCH, u, r)
        y, ry = multiply_balls(y, ry, y, ry)
        return (y, ry) if code == TANH else (-y, ry)
    # what is left is ± 1 / y
    sign = 1.0
    if code == SQRT:
        y, ry = sqrt_ball(u, r)
        y, ry = 2.0 * y, 2.0 * ry
    elif code == LN:
        y, ry = u, r
    elif code in (ASIN, ACOS):
        y, ry = root_of_product(u, r, False)
        sign = 1.0 if code == ASIN else -1.0
    elif code == ACOSH:
        y, ry = root_of_product(u, r, True)
    elif code in (ATANH, ACOTH):
        y, ry = add_balls(1.0, 0.0, u, r)
        t, rt = add_balls(1.0, 0.0, -u, r)
        y, ry = multiply_balls(y, ry, t, rt)
    elif code in (ASEC, ACSC):
        y, ry = root_of_product(u, r, True)
        y, ry = multiply_balls(y, ry, abs(u), r)
        sign = 1.0 if code == ASEC else -1.0
    elif code == ASECH:
        y, ry = root_of_product(u, r, False)
        y, ry = multiply_balls(y, ry, u, r)
        sign = -1.0
    else:  # 1 + u² for atan and acot; its root for asinh; |u| times its root for acsch
        y, ry = multiply_balls(u, r, u, r)
        y, ry = add_balls(1.0, 0.0, y, ry)
        if code in (ASINH, ACSCH):
            y, ry = sqrt_ball(y, ry)
        if code == ACSCH:
            y, ry = multiply_balls(y, ry, abs(u), r)
        sign = -1.0 if code in (ACOT, ACSCH) else 1.0
    return divide_balls(sign, 0.0, y, ry)


@compile_kernel
def chain_derivative(code: int, u: float, r: float, du: float, rdu: float) -> Ball:
    """Return the derivative of a function of one argument applied to a ball with a derivative."""
    s, rs = derivative_ball(code, u, r)
    if s != s and abs(du) <= rdu and du == du:
        # a kink or vertical tangent where the argument stands still: |u| then does too, the rest may or not
        return (0.0, 0.0) if code == ABS and rdu == 0.0 else (0.0, INF)
    return multiply_balls(s, rs, du, rdu)


@compile_kernel
def apply_operator(code: int, a: float, ra: float, b: float, rb: float, fixed: bool) -> Ball:
    """Return an operator applied to two balls; `fixed` says that the second is the same at all points."""
    if code == ADD:
        return add_balls(a, ra, b, rb)
    if code == SUB:
        return add_balls(a, ra, -b, rb)
    if code == MUL:
        return multiply_balls(a, ra, b, rb)
    if code == DIV:
        return divide_balls(a, ra, b, rb)
    if code == POW:
        return raise_ball(a, ra, b, rb, fixed)
    if code == LOG:
        a, ra = apply_function(LN, a, ra)
        b, rb = apply_function(LN, b, rb)
        return divide_balls(b, rb, a, ra)
    if a != a or b != b:  # where
        return NAN, INF
    return (0.0, INF) if ra == INF else (b, rb)


@compile_kernel
def power_slope(
    a: float, ra: float, da: float, rda: float, b: float, rb: float, db: float, rdb: float, fixed: bool
) -> Ball:
    """Return the derivative of a^b."""
    constant = fixed or (db == 0.0 and rdb == 0.0)
    if a == 0.0 and ra == 0.0 and not (constant and abs(b - np.rint(b)) <= rb):
        return 0.0, INF  # at an end of the domain, or 0 all along
    if constant:  # b a^(b-1) a'
        c, rc = add_balls(b, rb, -1.0, 0.0)
        # For the exponent 1 the base may be 0, and the derivative is that of the base.
        if abs(c) <= rc:
            return da, rda
        v, r = raise_ball(a, ra, c, rc, fixed)
        v, r = multiply_balls(b, rb, v, r)
        v, r = multiply_balls(v, r, da, rda)
        return v, r
    # a^b (b' ln a + b a'/a): around a negative base a varying exponent leaves the reals
    if a <= ra and abs(db) <= rdb:
        return 0.0, INF
    v, r = raise_ball(a, ra, b, rb, fixed)
    p, rp = apply_function(LN, a, ra)
    p, rp = multiply_balls(db, rdb, p, rp)
    q, rq = divide_balls(da, rda, a, ra)
    q, rq = multiply_balls(b, rb, q, rq)
    p, rp = add_balls(p, rp, q, rq)
    return multiply_balls(v, r, p, rp)


@compile_kernel
def combine_slope(
    code: int,
    a: float,
    ra: float,
    da: float,
    rda: float,
    b: float,
    rb: float,
    db: float,
    rdb: float,
    fixed: bool,
) -> Ball:
    """Return the derivative of an operator applied to two balls with derivatives."""
    # The rules of differentiation, with balls: sum, product, power, quotient.
    if code == ADD:
        return add_balls(da, rda, db, rdb)
    if code == SUB:
        return add_balls(da, rda, -db, rdb)
    if code == MUL:
        p, rp = multiply_balls(da, rda, b, rb)
        q, rq = multiply_balls(a, ra, db, rdb)
        return add_balls(p, rp, q, rq)
    if code == POW:
        return power_slope(a, ra, da, rda, b, rb, db, rdb, fixed)
    if code == LOG:  # ln b / ln a, turned into the quotient of the logarithms
        da, rda = divide_balls(da, rda, a, ra)
        db, rdb = divide_balls(db, rdb, b, rb)
        a, ra = apply_function(LN, a, ra)
        b, rb = apply_function(LN, b, rb)
        a, b, ra, rb = b, a, rb, ra
        da, db, rda, rdb = db, da, rdb, rda
    if code in (LOG, DIV):
        # (a/b)' = (a' - (a/b) b') / b.
        q, rq = divide_balls(a, ra, b, rb)
        q, rq = multiply_balls(q, rq, db, rdb)
        p, rp = add_balls(da, rda, -q, rq)
        return divide_balls(p, rp, b, rb)
    return db, rdb  # where


@compile_kernel
def share_subterms(
    codes: NDArray[np.int32],
    starts: NDArray[np.int64],
    longest: int,
    deepest: int,
    nesting: NDArray[np.int8],
    roots: NDArray[np.int32],
    nodes: NDArray[np.int32],
) -> int:
    """Read programs in prefix order into one graph, in which every distinct sub-term is one node.

    A program is accepted when it is one complete expression of at most `longest` tokens and at most `deepest`
    nodes deep. Out: nesting: how deep derivatives are nested (0: none), -1 where not accepted. roots: its
    node, 0 where not accepted. nodes: (3, codes + 1) code and operands, operands first; node 0 stands for no
    operand. Returns how many nodes there are.
    """
    # An open hash table with a power of two of places; `place[spot]` is the node there, 0 for none.
    room = 2
    while room < 2 * len(codes) + 2:
        room *= 2
    slots = np.zeros(room, np.int32)
    height = np.zeros(len(codes) + 1, np.int32)
    derivatives = np.zeros(len(codes) + 1, np.int8)
    stack = np.zeros(len(codes) + 1, np.int32)
    nodes[:, 0] = -1, 0, 0
    count = 1
    for k in range(len(starts) - 1):
        nesting[k], roots[k] = -1, 0
        if starts[k + 1] - starts[k] > longest:
            continue
        top = 0
        # From right to left, operands are on the stack before their operator.
        for i in range(starts[k + 1] - 1, starts[k] - 1, -1):
            code = int(codes[i])
            a = b = 0
            if code < LEAF:
                # The first operand of a derivative has to be x, and each operator needs
                # its operands on the stack.
                if code < 0 or top < (1 if code < ADD else 2) or (code == DIFF and codes[i + 1] != LEAF):
                    top = 0
                    break
                top -= 1
                a = int(stack[top])
                if code >= ADD:
                    top -= 1
                    b = int(stack[top])
            tall = 1 + max(height[a], height[b])
            if tall > deepest:
                top = 0
                break
            # Look the node up by code and operands; equal sub-terms of all programs are one node.
            spot = (code * 0x9E3779B1 + a * 0x85EBCA77 + b * 0xC2B2AE3D) & (room - 1)
            while slots[spot] and not (
                nodes[0, slots[spot]] == code and nodes[1, slots[spot]] == a and nodes[2, slots[spot]] == b
            ):
                spot = (spot + 1) & (room - 1)
            if slots[spot] == 0:
                slots[spot] = count
                nodes[0, count], nodes[1, count], nodes[2, count] = code, a, b
                height[count] = tall
                derivatives[count] = min(max(derivatives[a], derivatives[b]) + (code == DIFF), 100)
                count += 1
            stack[top] = slots[spot]
            top += 1
        # Exactly one term is left of a complete expression.
        if top == 1:
            nesting[k], roots[k] = derivatives[stack[0]], stack[0]
    return count


@compile_kernel
def find_reached_nodes(nodes: NDArray[np.int32], roots: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return which nodes of a graph from `share` some of its programs consist of."""
    result = np.zeros(nodes.shape[1], np.bool_)
    for root in roots:
        result[root] = True
    for n in range(nodes.shape[1] - 1, 0, -1):
        if result[n]:
            result[nodes[1, n]] = result[nodes[2, n]] = True
    result[0] = False
    return result


@compile_kernel
def run(nodes: NDArray[np.int32], constants: Floats, radii: Floats, points: Floats) -> tuple[Floats, Floats]:
    """Evaluate a graph from `share` in which no derivative holds another.

    Args:
        points: (variables, points).

    Returns:
        (nodes, points) midpoints and radii.
    """
    count, width = nodes.shape[1], points.shape[1]
    fixed = np.zeros(count, np.bool_)
    slot = np.zeros(count, np.int32)
    # Which nodes need a derivative: operands of `d`, and downwards from them; each gets a slot, slot 0 is
    # none.
    duals = 1
    for n in range(count - 1, 0, -1):
        code, a, b = nodes[0, n], nodes[1, n], nodes[2, n]
        if code == DIFF:
            slot[b] = 1
        elif slot[n]:
            slot[n], slot[a], slot[b] = duals, 1, 1
            duals += 1
    # Values with radii for all nodes, and derivatives with radii for those that have a slot.
    v, r = np.empty((count, width)), np.empty((count, width))
    v[0], r[0] = 0.0, INF
    dv, dr = np.empty((duals, width)), np.empty((duals, width))
    # Operands come before operators, so one pass evaluates everything, a row of points at a time.
    for n in range(1, count):
        code, a, b, s = nodes[0, n], nodes[1, n], nodes[2, n], slot[n]
        if code >= CONSTANT:
            fixed[n] = True
            v[n], r[n] = constants[code - CONSTANT], radii[code - CONSTANT]
            if s:
                dv[s], dr[s] = 0.0, 0.0
        elif code >= LEAF:
            v[n], r[n] = points[code - LEAF], 0.0
            if s:
                dv[s], dr[s] = (1.0 if code == LEAF else 0.0), 0.0
        elif code < ADD:
            fixed[n] = fixed[a]
            for j in range(width):
                v[n, j], r[n, j] = apply_function(code, v[a, j], r[a, j])
            if s:
                t = slot[a]
                for j in range(width):
                    dv[s, j], dr[s, j] = chain_derivative(code, v[a, j], r[a, j], dv[t, j], dr[t, j])
        elif code == DIFF:
            t = slot[b]
            for j in range(width):
                # A derivative exists only where the function itself is defined.
                known = v[b, j] == v[b, j] and r[b, j] < INF
                v[n, j], r[n, j] = (dv[t, j], dr[t, j]) if known else (v[b, j], r[b, j])
        else:
            fixed[n] = fixed[a] and fixed[b]
            if code == ADD:
                for j in range(width):
                    v[n, j], r[n, j] = add_balls(v[a, j], r[a, j], v[b, j], r[b, j])
            elif code == SUB:
                for j in range(width):
                    v[n, j], r[n, j] = add_balls(v[a, j], r[a, j], -v[b, j], r[b, j])
            elif code == MUL:
                for j in range(width):
                    v[n, j], r[n, j] = multiply_balls(v[a, j], r[a, j], v[b, j], r[b, j])
            elif code == DIV:
                for j in range(width):
                    v[n, j], r[n, j] = divide_balls(v[a, j], r[a, j], v[b, j], r[b, j])
            else:
                for j in range(width):
                    v[n, j], r[n, j] = apply_operator(code, v[a, j], r[a, j], v[b, j], r[b, j], fixed[b])
            if s:
                p, q = slot[a], slot[b]
                for j in range(width):
                    left = v[a, j], r[a, j], dv[p, j], dr[p, j]
                    right = v[b, j], r[b, j], dv[q, j], dr[q, j]
                    dv[s, j], dr[s, j] = combine_slope(code, *left, *right, fixed[b])
    return v, r


@compile_kernel
def compute_signatures(values: Floats, errors: Floats, levels: Floats) -> NDArray[np.int64]:
    """Return a number for each point that says where all values lie: their state, their sign, and the number
    of `levels` below their size.

    Args:
        values, errors: (terms, points).

    Returns:
        (points,) equal for points alike (hashed).
    """
    result = np.zeros(values.shape[1], np.int64)
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            v = values[i, j]
            place = 0
            if v != v:
                place = 100
            elif errors[i, j] == INF:
                place = 101
            else:
                for level in levels:
                    place += abs(v) > level
                place = place if v >= 0.0 else -place - 1
            result[j] = result[j] * 1000003 + place
    return result
