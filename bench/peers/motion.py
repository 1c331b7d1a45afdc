"""Work `motion`: one trajectory, its time and its measured error at several tolerances.

    motion.py PEER SIZES CASE          PEER: heyoka-L, heyoka-hand      CASE: a key of END
    motion.py reference SIZES CASE     prints lines for references.txt

heyoka-L integrates the equations that its `lagrangian()` derives, heyoka-hand the best equations known by hand: the
closed form of the double pendulum, the tensions of the rods of the chain, its own model of n bodies, and for systems that
roll or slide on a blade the equations that remain when the constraints are solved.
One JSON line per size. `curve` holds a point for each tolerance: seconds of the motion alone (processor time,
minimum of repeats), the error at the end or at a time of `ERROR_AT`, and seconds of derivation and compilation, no cache used. With `high_accuracy`
a point is measured once more where rounding dominates. The error is the root mean square over nearby initial states
of the largest error of a component, or, where the motion is chaotic, of the relative error of the energy.
`check` adds the components of the state after the short time of `CHECK`, with weights 1 + 0.37 i.
"""
import json
import math
import os
import sys
import time

import chain

HERE = os.path.dirname(os.path.abspath(__file__))
REFERENCES = os.path.join(HERE, "..", "references.txt")
EPS = 2.0**-52
GRAVITY = 9.81
END = {"regular": 1000.0, "chaotic": 1000.0, "chain": 10.0, "solar": 1e5, "sleigh": 1000.0, "disk": 1000.0}
CHECK = {"regular": 5.0, "chaotic": 2.0, "chain": 0.5, "solar": 100.0, "sleigh": 5.0, "disk": 5.0}
ERROR_AT = {("chain", 16): 4.0}  # earlier times for the error, since later errors are as large as the motion
STARTS = {"regular": 4, "chaotic": 4, "chain": 4, "solar": 1, "sleigh": 4, "disk": 4}
NEIGHBOUR = 2.0**-10  # from one start to the next, in the first angle
ENOUGH_SECONDS, LEAST_REPEATS = 1.0, 3
SHORT = 1e-3

# The outer solar system: masses in those of the sun (which has the inner planets'), astronomical units and days.
BODIES = (
    (1.00000597682, (-4.06428567034226e-3, -6.08813756435987e-3, -1.66162304225834e-6),
     (6.69048890636161e-6, -6.33922479583593e-6, -3.13202145590767e-9)),
    (1 / 1047.355, (3.40546614227466, 3.62978190075864, 3.42386261766577e-2),
     (-5.59797969310664e-3, 5.51815399480116e-3, -2.66711392865591e-6)),
    (1 / 3501.6, (6.60801554403466, 6.38084674585064, -1.36145963724542e-1),
     (-4.17354020307064e-3, 3.99723751748116e-3, 1.67206320571441e-5)),
    (1 / 22869.0, (11.1636331405597, 16.0373479057256, 0.361783279369958),
     (-3.25884806151064e-3, 2.06438412905916e-3, -2.17699042180559e-5)),
    (1 / 19314.0, (-30.1777243405203, 1.91155314998064, -0.153887595621042),
     (-2.17471785045538e-4, -3.11361111025884e-3, 3.58344705491441e-5)),
    (7.4074074e-09, (-21.3858977531573, 32.0719104739886, 2.49245689556096),
     (-1.76936577252484e-3, -2.06720938381724e-3, 6.58091931493844e-4)),
)
DAYS = 365.0  # of a year
GAUSS = 0.01720209895**2 * DAYS**2
# Mass, moment about the vertical, distance from the blade to the mass centre; radius of the disk.
MASS, MOMENT, AHEAD, RADIUS = 1.3, 0.4, 0.25, 0.5


def start(case, n, j=0):
    """The j-th start: positions, then velocities."""
    shift = j * NEIGHBOUR
    if case == "regular":
        return [0.5 + shift, 0.3, 0.0, 0.0]
    if case == "chaotic":
        return [2.0 + shift, 2.5, 0.0, 0.0]
    if case == "chain":
        angles = [0.8 * math.cos(k) for k in range(1, n + 1)]
        return [0.0, angles[0] + shift, *angles[1:]] + [0.0] * (n + 1)
    if case == "sleigh":  # place and heading, speed along the blade, rate of turning
        return [0.0, 0.0, 0.1 + shift, 0.5, 2.0]
    if case == "disk":  # place, heading, angle rolled, and their rates
        return [0.0, 0.0, 0.1 + shift, 0.0, 0.8, 1.7]
    positions = [x for body in BODIES[:n] for x in body[1]]
    return positions + [DAYS * v for body in BODIES[:n] for v in body[2]]


def pendulum_lagrangian(hy, q, u):
    vx, vy = hy.cos(q[0]) * u[0], hy.sin(q[0]) * u[0]
    wx, wy = vx + hy.cos(q[1]) * u[1], vy + hy.sin(q[1]) * u[1]
    kinetic = 0.5 * (vx**2 + vy**2 + wx**2 + wy**2)
    return kinetic + GRAVITY * (2.0 * hy.cos(q[0]) + hy.cos(q[1]))


def pendulum_by_hand(hy, q, u):
    """The two equations solved for the accelerations."""
    cosine, sine = hy.cos(q[0] - q[1]), hy.sin(q[0] - q[1])
    upper = -sine * u[1] ** 2 - 2 * GRAVITY * hy.sin(q[0])
    lower = sine * u[0] ** 2 - GRAVITY * hy.sin(q[1])
    determinant = 2.0 - cosine**2
    return [(upper - cosine * lower) / determinant, (2 * lower - cosine * upper) / determinant]


def chain_by_hand(hy, q, u):
    """The tensions of the rods solve a tridiagonal system; the masses then fall under them."""
    n = len(q) - 1
    m, l = chain.masses(n), chain.lengths(n)
    sine, cosine = [hy.sin(x) for x in q[1:]], [hy.cos(x) for x in q[1:]]
    diagonal = [sine[0] * sine[0] / chain.CART + 1 / m[0]]
    diagonal += [hy.expression(1 / m[k - 1] + 1 / m[k]) for k in range(1, n)]
    beside = [-(sine[k] * sine[k + 1] + cosine[k] * cosine[k + 1]) / m[k] for k in range(n - 1)]
    tension = [l[k] * u[k + 1] ** 2 for k in range(n)]
    tension[0] += chain.GRAVITY * cosine[0]
    for k in range(1, n):
        ratio = beside[k - 1] / diagonal[k - 1]
        diagonal[k] -= ratio * beside[k - 1]
        tension[k] -= ratio * tension[k - 1]
    tension[-1] /= diagonal[-1]
    for k in reversed(range(n - 1)):
        tension[k] = (tension[k] - beside[k] * tension[k + 1]) / diagonal[k]
    accelerations = [tension[0] * sine[0] / chain.CART]
    above_x, above_y = accelerations[0], hy.expression(0.0)
    for k in range(n):
        x, y = -tension[k] * sine[k], tension[k] * cosine[k]
        if k + 1 < n:
            x, y = x + tension[k + 1] * sine[k + 1], y - tension[k + 1] * cosine[k + 1]
        x, y = x / m[k], y / m[k] - chain.GRAVITY
        accelerations.append((cosine[k] * (x - above_x) + sine[k] * (y - above_y)) / l[k])
        above_x, above_y = x, y
    return accelerations


def sleigh_by_hand(hy, number):
    """The speed v along the blade and the rate w of turning: v' = a w², w' = −m a v w/(I + m a²)."""
    x, y, theta, v, w = hy.make_vars("x", "y", "theta", "v", "w")
    m, i, a = number(MASS), number(MOMENT), number(AHEAD)
    slope = m * a / (i + m * a * a)
    return [(x, v * hy.cos(theta)), (y, v * hy.sin(theta)), (theta, w), (v, a * w * w), (w, -slope * v * w)]


def disk_by_hand(hy, number):
    """Heading and rolling at constant rates."""
    x, y, phi, psi, turning, rolling = hy.make_vars("x", "y", "phi", "psi", "turning", "rolling")
    speed, zero = number(RADIUS) * rolling, hy.expression(number(0.0))
    place = [(x, speed * hy.cos(phi)), (y, speed * hy.sin(phi))]
    return place + [(phi, turning), (psi, rolling), (turning, zero), (rolling, zero)]


def system(hy, case, n, by_hand, number=float):
    """The differential equations, the variables in the order of `start`; `number` is the type of constants."""
    if case in ("sleigh", "disk"):
        return (sleigh_by_hand if case == "sleigh" else disk_by_hand)(hy, number)
    if case == "solar":
        equations = hy.model.nbody(n, masses=[body[0] for body in BODIES[:n]], Gconst=GAUSS)
        return [equations[6 * i + k] for k0 in (0, 3) for i in range(n) for k in range(k0, k0 + 3)]
    size = n + 1 if case == "chain" else n
    q = [hy.expression(f"q{i}") for i in range(size)]
    u = [hy.expression(f"u{i}") for i in range(size)]
    if by_hand:
        accelerations = (chain_by_hand if case == "chain" else pendulum_by_hand)(hy, q, u)
        return list(zip(q, u)) + list(zip(u, accelerations))
    if case == "chain":
        L = chain.lagrangian(q, u, hy.sin, hy.cos, False, hy.sum)
    else:
        L = pendulum_lagrangian(hy, q, u)
    return hy.lagrangian(L, q, u)


def pendulum_energy(s):
    a, b, u, v = s
    kinetic = [u * u, 0.5 * v * v, u * v * math.cos(a - b)]
    return math.fsum(kinetic + [-2 * GRAVITY * math.cos(a), -GRAVITY * math.cos(b)])


def error(case, n, ends):
    """Root mean square over the starts."""
    squares = []
    for j, end in enumerate(ends):
        if case == "chaotic":
            energy = pendulum_energy(start(case, n, j))
            squares.append(((pendulum_energy(end) - energy) / energy) ** 2)
        else:
            squares.append(max(abs(x - y) for x, y in zip(end, reference(case, n, j))) ** 2)
    return math.sqrt(sum(squares) / len(squares))


def reference(case, n, j):
    with open(REFERENCES) as lines:
        for line in lines:
            words = line.split()
            if words[:3] == [case, str(n), str(j)]:
                return [float(w) for w in words[3:]]
    raise LookupError(f"no reference for {case} {n} {j}")


def propagate(ta, begin, end):
    ta.time = 0.0
    ta.state[:] = begin
    ta.propagate_until(end)
    return list(ta.state)


def measured(ta, case, n):
    """Seconds of the motion from the first start, the ends from all, and the steps."""
    times, spent = [], 0.0
    while len(times) < LEAST_REPEATS or spent < ENOUGH_SECONDS:
        ta.time = 0.0
        ta.state[:] = start(case, n)
        before, wall = time.process_time(), time.perf_counter()
        steps = ta.propagate_until(END[case])[3]
        now, wall = time.process_time() - before, time.perf_counter() - wall
        # Corrections of the processor's time are larger than short works: see bench/src/clock.rs.
        now = wall if wall < SHORT else now
        times.append(now)
        spent += now
    # A twentieth of many is left out, as there.
    best = sorted(times)[len(times) // 20]
    end = ERROR_AT.get((case, n), END[case])
    return best, [propagate(ta, start(case, n, j), end) for j in range(STARTS[case])], int(steps)


def compact(case, n, by_hand):
    """Whether heyoka compiles loops instead of one long function: only where that takes minutes for each tolerance."""
    return case == "chain" and n > 4 and not by_hand


def settings(case, n, by_hand):
    """Tolerances, each with or without `high_accuracy`; fewer where compilation takes long."""
    if case == "solar":
        return (1e-13, False), (1e-14, False), (EPS, False), (EPS, True)
    if case == "chain" and (n >= 16 or n == 4 and not by_hand):
        return (1e-7, False), (1e-9, False), (1e-14, False), (EPS, False)
    plain = [(tolerance, False) for tolerance in (1e-6, 1e-9, 1e-12, 1e-14)]
    return *plain, (1e-15, True), (EPS, False), (EPS, True)


def run(hy, peer, case, n):
    by_hand = peer == "heyoka-hand"
    curve, check = [], None
    for tolerance, accurate in settings(case, n, by_hand):
        before = time.process_time()
        equations = system(hy, case, n, by_hand)
        derived = time.process_time()
        ta = hy.taylor_adaptive(
            equations, start(case, n), tol=tolerance, high_accuracy=accurate, compact_mode=compact(case, n, by_hand)
        )
        compiled = time.process_time()
        seconds, ends, steps = measured(ta, case, n)
        point = {"tolerance": tolerance, "seconds": seconds, "error": error(case, n, ends), "steps": steps}
        point |= {"derive_s": derived - before, "compile_s": compiled - before, "order": int(ta.order)}
        curve.append(point | {"high_accuracy": accurate})
        state = propagate(ta, start(case, n), CHECK[case])
        check = math.fsum((1 + 0.37 * i) * x for i, x in enumerate(state))
    line = {"work": "motion", "peer": peer, "n": n, "variant": case, "total_s": curve[-1]["seconds"], "check": check}
    print(json.dumps(line | {"curve": curve}), flush=True)


def print_references(hy, case, n, by_hand=True, tolerance=1e-27):
    """In 113 bits."""
    wide = hy.real128
    begin = [wide(x) for x in start(case, n)]
    options = {"fp_type": wide, "tol": wide(tolerance), "compact_mode": case in ("chain", "solar")}
    ta = hy.taylor_adaptive(system(hy, case, n, by_hand, wide), begin, **options)
    for j in range(STARTS[case]):
        ta.time = wide(0.0)
        for i, x in enumerate(start(case, n, j)):
            ta.state[i] = wide(x)
        ta.propagate_until(wide(ERROR_AT.get((case, n), END[case])))
        print(case, n, j, *ta.state, flush=True)


def main(peer, sizes, case):
    try:
        import heyoka as hy
    except (ImportError, OSError) as why:
        for n in sizes:
            print(json.dumps({"work": "motion", "peer": peer, "n": n, "variant": case, "missing": str(why)}))
        return
    hy.set_nthreads(1)
    hy.llvm_state.set_diskcache_enabled(False)
    hy.llvm_state.set_memcache_limit(0)
    for n in sizes:
        if peer == "reference":
            print_references(hy, case, n)
        else:
            run(hy, peer, case, n)


if __name__ == "__main__":
    known = ("heyoka-L", "heyoka-hand", "reference")
    if len(sys.argv) != 4 or sys.argv[1] not in known or sys.argv[3] not in END:
        sys.exit(__doc__)
    main(sys.argv[1], [int(n) for n in sys.argv[2].split(",")], sys.argv[3])
