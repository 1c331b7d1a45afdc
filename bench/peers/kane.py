"""Work `nonholonomic`, derivation: the equations of motion under velocity constraints.

    kane.py sympy N CASE          CASE: sleigh, disk

SymPy's KanesMethod, from symbols to the full mass matrix and forcing; processor seconds, warm, minimum of repeats. `check`
adds the accelerations of the coordinates at one state, with weights 1 + 0.37 i. N is not used.
"""
import json
import math
import sys
import time

from motion import AHEAD, ENOUGH_SECONDS, LEAST_REPEATS, MASS, MOMENT, RADIUS


def sleigh(sm, me):
    """The blade at (x, y), the mass centre ahead of it. The method, and the coordinates' rates."""
    x, y, theta = q = me.dynamicsymbols("x y theta")
    u = me.dynamicsymbols("u1:4")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    body = frame.orientnew("B", "Axis", (theta, frame.z))
    body.set_ang_vel(frame, u[2] * frame.z)
    blade = origin.locatenew("P", x * frame.x + y * frame.y)
    blade.set_vel(frame, u[0] * frame.x + u[1] * frame.y)
    centre = blade.locatenew("C", AHEAD * body.x)
    centre.v2pt_theory(blade, frame, body)
    rigid = me.RigidBody("S", centre, body, MASS, (me.inertia(body, 0, 0, MOMENT), centre))
    method = me.KanesMethod(
        frame,
        q_ind=q,
        u_ind=[u[0], u[2]],
        u_dependent=[u[1]],
        kd_eqs=[a - b.diff() for a, b in zip(u, q)],
        velocity_constraints=[u[0] * sm.sin(theta) - u[1] * sm.cos(theta)],
    )
    return method, [rigid], u


def disk(sm, me):
    """The disk upright; heading phi, angle rolled psi."""
    x, y, phi, psi = q = me.dynamicsymbols("x y phi psi")
    u = me.dynamicsymbols("u1:5")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    heading = frame.orientnew("A", "Axis", (phi, frame.z))
    heading.set_ang_vel(frame, u[2] * frame.z)
    body = heading.orientnew("B", "Axis", (psi, heading.y))
    body.set_ang_vel(heading, u[3] * heading.y)
    centre = origin.locatenew("C", x * frame.x + y * frame.y)
    centre.set_vel(frame, u[0] * frame.x + u[1] * frame.y)
    rigid = me.RigidBody("D", centre, body, MASS, (me.inertia(body, MOMENT, MOMENT, MOMENT), centre))
    method = me.KanesMethod(
        frame,
        q_ind=q,
        u_ind=[u[2], u[3]],
        u_dependent=[u[0], u[1]],
        kd_eqs=[a - b.diff() for a, b in zip(u, q)],
        velocity_constraints=[u[0] - RADIUS * u[3] * sm.cos(phi), u[1] - RADIUS * u[3] * sm.sin(phi)],
    )
    return method, [rigid], u


# Positions and velocities at which both sides are compared.
STATES = {
    "sleigh": ([0.1, 0.2, 0.7], [0.9 * math.cos(0.7), 0.9 * math.sin(0.7), -1.1]),
    "disk": ([0.1, 0.2, 0.4, 0.3], [RADIUS * 1.7 * math.cos(0.4), RADIUS * 1.7 * math.sin(0.4), 0.8, 1.7]),
}


def check(sm, case, method, u):
    positions, velocities = STATES[case]
    values = dict(zip(method.q, positions)) | dict(zip(u, velocities))
    rates = method.mass_matrix_full.subs(values).LUsolve(method.forcing_full.subs(values))
    order = [method.u[:].index(own) for own in u]
    return math.fsum((1 + 0.37 * i) * float(rates[len(positions) + k]) for i, k in enumerate(order))


def main(peer, n, case):
    line = {"work": "nonholonomic", "peer": peer, "n": n, "variant": case}
    try:
        import sympy as sm
        import sympy.physics.mechanics as me
    except (ImportError, OSError) as why:
        print(json.dumps(line | {"missing": str(why)}))
        return
    best, spent, repeats = math.inf, 0.0, 0
    while repeats <= LEAST_REPEATS or spent < ENOUGH_SECONDS:
        before = time.process_time()
        method, bodies, u = (sleigh if case == "sleigh" else disk)(sm, me)
        method.kanes_equations(bodies, [])
        equations = method.mass_matrix_full, method.forcing_full
        now = time.process_time() - before
        best, spent, repeats = min(best, now), spent + now, repeats + 1
    assert all(part is not None for part in equations)
    print(json.dumps(line | {"total_s": best, "check": check(sm, case, method, u)}))


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] != "sympy" or sys.argv[3] not in STATES:
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
