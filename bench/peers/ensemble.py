"""Work `ensemble`: many damped driven double pendulums to t = 20 on one core, at several tolerances.

    ensemble.py PEER N                 PEER: heyoka-L, heyoka-hand
    ensemble.py reference N            prints lines for references.txt

heyoka's batch mode with as many lanes as it recommends or four, whichever is faster. `curve` holds a point for each
tolerance: seconds per trajectory (processor time, minimum of repeats), the root mean square over the first starts of the
largest error of a component, seconds of derivation and compilation. `check` adds the components of the first end states,
with weights 1 + 0.37 i.
"""
import json
import math
import sys
import time

from motion import EPS, GRAVITY, reference

AMPLITUDE, FREQUENCY, DAMPING = 0.3, 2.0, 0.1
END, COUNT, COMPARED = 20.0, 960, 16
STEPS = (math.sqrt(2), math.sqrt(3), math.sqrt(5), math.sqrt(7))
REPEATS = 3


def start(j):
    """Evenly spread over (-1, 1) in every component."""
    return [2.0 * math.fmod((j + 1) * step, 1.0) - 1.0 for step in STEPS]


def system(hy, by_hand, number=float):
    q, u = hy.make_vars("q0", "q1"), hy.make_vars("u0", "u1")
    amplitude, frequency, damping, gravity = map(number, (AMPLITUDE, FREQUENCY, DAMPING, GRAVITY))
    if by_hand:
        cosine, sine = hy.cos(q[0] - q[1]), hy.sin(q[0] - q[1])
        pivot = -amplitude * frequency * frequency * hy.cos(frequency * hy.time)
        two = number(2.0)
        upper = -sine * u[1] ** two - two * gravity * hy.sin(q[0]) - two * pivot * hy.cos(q[0]) - damping * u[0]
        lower = sine * u[0] ** two - gravity * hy.sin(q[1]) - pivot * hy.cos(q[1]) - damping * u[1]
        determinant = two - cosine**two
        accelerations = [(upper - cosine * lower) / determinant, (two * lower - cosine * upper) / determinant]
        return list(zip(q, u)) + list(zip(u, accelerations))
    pivot = -amplitude * frequency * hy.sin(frequency * hy.time)
    vx, vy = pivot + hy.cos(q[0]) * u[0], hy.sin(q[0]) * u[0]
    wx, wy = vx + hy.cos(q[1]) * u[1], vy + hy.sin(q[1]) * u[1]
    L = 0.5 * (vx**2 + vy**2 + wx**2 + wy**2) + gravity * (2.0 * hy.cos(q[0]) + hy.cos(q[1]))
    return hy.lagrangian(L, list(q), list(u), 0.5 * damping * (u[0] ** 2 + u[1] ** 2))


def propagate(ta, states):
    """All states, some at a time; the end states."""
    ends = []
    for state in states:
        ta.set_time(0.0)
        ta.state[:] = state
        ta.propagate_until(END)
        ends.append(ta.state.copy())
    return ends


def measured(hy, numpy, equations, tolerance, lanes):
    states = numpy.array([start(j) for j in range(COUNT)]).reshape(-1, lanes, 4).transpose(0, 2, 1).copy()
    before = time.process_time()
    ta = hy.taylor_adaptive_batch(equations, states[0].copy(), tol=tolerance)
    compiled, best, ends = time.process_time() - before, math.inf, None
    for _ in range(REPEATS):
        before = time.process_time()
        ends = propagate(ta, states)
        best = min(best, time.process_time() - before)
    ends = numpy.array(ends).transpose(0, 2, 1).reshape(-1, 4)
    return best / COUNT, compiled, ends


def run(hy, peer, n):
    import numpy

    curve, check = [], None
    for tolerance in (1e-6, 1e-9, 1e-11, 1e-13, 1e-15, EPS):
        before = time.process_time()
        equations = system(hy, peer == "heyoka-hand")
        derived = time.process_time() - before
        widths = sorted({4, hy.recommended_simd_size()})
        seconds, compiled, ends = min((measured(hy, numpy, equations, tolerance, w) for w in widths), key=lambda m: m[0])
        squares = [max(abs(x - y) for x, y in zip(ends[j], reference("driven", n, j))) ** 2 for j in range(COMPARED)]
        point = {"tolerance": tolerance, "seconds": seconds, "error": math.sqrt(sum(squares) / COMPARED)}
        curve.append(point | {"compile_s": derived + compiled})
        check = math.fsum((1 + 0.37 * i) * x for i, x in enumerate(ends[:4].flatten()))
    line = {"work": "ensemble", "peer": peer, "n": n, "variant": "driven", "total_s": curve[-1]["seconds"]}
    print(json.dumps(line | {"check": check, "curve": curve}), flush=True)


def print_references(hy, n, tolerance=1e-27):
    """In 113 bits."""
    wide = hy.real128
    ta = hy.taylor_adaptive(system(hy, True, wide), [wide(x) for x in start(0)], fp_type=wide, tol=wide(tolerance))
    for j in range(COMPARED):
        ta.time = wide(0.0)
        for i, x in enumerate(start(j)):
            ta.state[i] = wide(x)
        ta.propagate_until(wide(END))
        print("driven", n, j, *ta.state, flush=True)


def main(peer, n):
    try:
        import heyoka as hy
    except (ImportError, OSError) as why:
        print(json.dumps({"work": "ensemble", "peer": peer, "n": n, "variant": "driven", "missing": str(why)}))
        return
    hy.set_nthreads(1)
    hy.llvm_state.set_diskcache_enabled(False)
    hy.llvm_state.set_memcache_limit(0)
    if peer == "reference":
        print_references(hy, n)
    else:
        run(hy, peer, n)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("heyoka-L", "heyoka-hand", "reference"):
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]))
