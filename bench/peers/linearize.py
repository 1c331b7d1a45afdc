"""Work `linearize`: the matrix A of the motion near an equilibrium, from the description of the mechanism.

    linearize.py sympy N CASE          CASE: cart, rods

cart is the chain of n pendulums under a cart, hanging, in absolute angles by KanesMethod; rods the same chain from a fixed
point in Cartesian coordinates with n constraints between positions, by LagrangesMethod. SymPy's `linearize` with all
numbers in `op_point`, from symbols to the numbers of A; processor seconds, warm, minimum of repeats. `check` adds the
entries of A, rows after each other, with weights 1 + 0.37 i.
"""
import json
import math
import sys
import time

from chain import CART, GRAVITY, lengths, masses
from motion import ENOUGH_SECONDS, LEAST_REPEATS


def cart(sm, me, n):
    """Kane's method; A by the position of the cart, the angles and their rates."""
    q, u = me.dynamicsymbols(f"q:{n + 1}"), me.dynamicsymbols(f"u:{n + 1}")
    m, l = sm.symbols(f"m:{n + 1}"), sm.symbols(f"l:{n + 1}")
    g = sm.Symbol("g")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    place = origin.locatenew("P0", q[0] * frame.x)
    place.set_vel(frame, u[0] * frame.x)
    bodies = [me.Particle("B0", place, m[0])]
    loads = []
    for k in range(1, n + 1):
        rod = frame.orientnew(f"A{k}", "Axis", (q[k], frame.z))
        rod.set_ang_vel(frame, u[k] * frame.z)
        end = place.locatenew(f"P{k}", -l[k] * rod.y)
        end.v2pt_theory(place, frame, rod)
        bodies.append(me.Particle(f"B{k}", end, m[k]))
        loads.append((end, -m[k] * g * frame.y))
        place = end
    method = me.KanesMethod(frame, q_ind=q, u_ind=u, kd_eqs=[a - b.diff() for a, b in zip(u, q)])
    method.kanes_equations(bodies, loads)
    point = {m[0]: CART, g: GRAVITY} | dict.fromkeys([*q, *u], 0)
    point |= dict(zip(m[1:], masses(n))) | dict(zip(l[1:], lengths(n)))
    return method.linearize(A_and_B=True, op_point=point)[0]


def rods(sm, me, n):
    """Lagrange's method; A by the horizontal places, which the constraints leave free, and their rates."""
    x, y = me.dynamicsymbols(f"x1:{n + 1}"), me.dynamicsymbols(f"y1:{n + 1}")
    t = me.dynamicsymbols._t
    m, l = sm.symbols(f"m1:{n + 1}"), sm.symbols(f"l1:{n + 1}")
    g = sm.Symbol("g")
    function = sum(m[k] * (x[k].diff(t) ** 2 + y[k].diff(t) ** 2) / 2 - m[k] * g * y[k] for k in range(n))
    before = [(0, 0), *zip(x, y)]
    rows = [(x[k] - before[k][0]) ** 2 + (y[k] - before[k][1]) ** 2 - l[k] ** 2 for k in range(n)]
    # Coordinates that are kept come first.
    method = me.LagrangesMethod(function, [*x, *y], hol_coneqs=rows)
    method.form_lagranges_equations()
    point = {g: GRAVITY} | dict(zip(m, masses(n))) | dict(zip(l, lengths(n)))
    point |= dict.fromkeys([*x, *(e.diff(t) for e in [*x, *y]), *(e.diff(t, 2) for e in [*x, *y])], 0)
    point |= {y[k]: -math.fsum(lengths(n)[: k + 1]) for k in range(n)}
    # y is downward negative: 2·l·λ balances the weight below.
    below = [math.fsum(masses(n)[k:]) for k in range(n)]
    point |= {method.lam_vec[k]: GRAVITY * below[k] / (2 * lengths(n)[k]) for k in range(n)}
    rates = [e.diff(t) for e in [*x, *y]]
    return method.linearize(
        q_ind=x, qd_ind=rates[:n], q_dep=y, qd_dep=rates[n:], A_and_B=True, op_point=point
    )[0]


def main(peer, n, case):
    line = {"work": "linearize", "peer": peer, "n": n, "variant": case}
    try:
        import sympy as sm
        import sympy.physics.mechanics as me
    except (ImportError, OSError) as why:
        print(json.dumps(line | {"missing": str(why)}))
        return
    best, spent, repeats = math.inf, 0.0, 0
    while repeats < LEAST_REPEATS or spent < ENOUGH_SECONDS:
        before = time.process_time()
        matrix = (cart if case == "cart" else rods)(sm, me, n)
        now = time.process_time() - before
        best, spent, repeats = min(best, now), spent + now, repeats + 1
    check = math.fsum((1 + 0.37 * i) * float(entry) for i, entry in enumerate(matrix))
    print(json.dumps(line | {"total_s": best, "check": check}))


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] != "sympy" or sys.argv[3] not in ("cart", "rods"):
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
