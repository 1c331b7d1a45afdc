"""The mechanical system of the benchmarks: a chain of n point masses on massless rods under a cart.

q[0] is the position of the cart, q[1..n] are the angles: from the downward vertical ("abs"), or each
from the rod before it ("rel"). u are the velocities of q. Parameters have three decimals, so that exact
fractions and floating-point numbers start from the same values.
"""
import functools
import math

CART = 1.5
GRAVITY = 9.81


@functools.cache  # data of the problem: no peer is charged for it
def masses(n):
    """Masses of the n links, generic and distinct."""
    return tuple(round(1.0 + 0.1 * math.cos(k), 3) for k in range(1, n + 1))


@functools.cache
def lengths(n):
    """Lengths of the n rods, generic and distinct."""
    return tuple(round(0.5 + 0.05 * math.sin(2 * k), 3) for k in range(1, n + 1))


def state(n):
    """The point (q, u) at which results are compared, as one list."""
    return [0.1 + 0.01 * i for i in range(n + 1)] + [0.2 - 0.01 * i for i in range(n + 1)]


@functools.cache
def numbers(n, fraction=None):
    """Zero, one half, mass of the cart, gravity, masses and lengths: floating-point, or made by `fraction(p, q)`."""
    make = float if fraction is None else lambda x: fraction(round(1000 * x), 1000)
    return *map(make, (0.0, 0.5, CART, GRAVITY)), tuple(map(make, masses(n))), tuple(map(make, lengths(n)))


def lagrangian(q, u, sin, cos, relative, total=sum, fraction=None):
    """Kinetic minus potential energy, written with the operators of whatever q and u are made of.

    The velocity (vx, vy) and the height y are carried along the chain; `total` adds the terms; with
    `fraction` the parameters are exact.
    """
    zero, half, cart, gravity, m_all, l_all = numbers(len(q) - 1, fraction)
    vx, vy, y = u[0], zero, zero
    angle, rate = zero, zero
    terms = [half * cart * u[0] * u[0]]
    for k, (m, l) in enumerate(zip(m_all, l_all), start=1):
        angle = angle + q[k] if relative else q[k]
        rate = rate + u[k] if relative else u[k]
        across, up = l * cos(angle), l * sin(angle)
        vx = vx + across * rate
        vy = vy + up * rate
        y = y - across
        terms.append(half * m * (vx * vx + vy * vy))
        terms.append(-(m * gravity) * y)
    return total(terms)
