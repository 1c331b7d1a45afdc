"""Work `variational`: the double pendulum to t = 1000, alone and with its state-transition matrix.

    variational.py PEER N VARIANT      PEER: heyoka-L, heyoka-hand      VARIANT: plain, varied
    variational.py reference N varied  prints a line for references.txt

heyoka's first-order variational equations of the equations that its `lagrangian()` derives, or of the closed form, at several
tolerances. Processor seconds of the motion alone, minimum of repeats; `compile_s` is the time to derive and compile. The
variational equations are compiled as loops (`compact_mode`): one long function takes more than a minute.
"""
import json
import math
import sys
import time

from motion import EPS, ENOUGH_SECONDS, LEAST_REPEATS, reference, system

START, END, CHECK = [0.5, 0.3, 0.0, 0.0], 1000.0, 5.0
# A tolerance, and whether sums are compensated.
SETTINGS = (1e-6, False), (1e-9, False), (1e-12, False), (1e-15, False), (EPS, False), (EPS, True)


def error(state, varied):
    """The largest error of the state; of the matrix, the largest relative to its largest entry."""
    wanted = reference("transition" if varied else "regular", 2, 0)
    wrong = max(abs(x - y) for x, y in zip(state[4:] if varied else state, wanted))
    return wrong / max(map(abs, wanted)) if varied else wrong


def run(hy, by_hand, varied):
    curve, check = [], None
    for tolerance, accurate in SETTINGS:
        before = time.process_time()
        equations = system(hy, "regular", 2, by_hand)
        if varied:
            equations = hy.var_ode_sys(equations, hy.var_args.vars, order=1)
        ta = hy.taylor_adaptive(equations, START, tol=tolerance, high_accuracy=accurate, compact_mode=varied)
        compiled = time.process_time() - before
        begin = list(ta.state)
        best, spent, repeats = math.inf, 0.0, 0
        while repeats < LEAST_REPEATS or spent < ENOUGH_SECONDS:
            ta.time, ta.state[:] = 0.0, begin
            before = time.process_time()
            steps = ta.propagate_until(END)[3]
            now = time.process_time() - before
            best, spent, repeats = min(best, now), spent + now, repeats + 1
        point = {"tolerance": tolerance, "seconds": best, "error": error(list(ta.state), varied), "steps": int(steps)}
        curve.append(point | {"compile_s": compiled, "high_accuracy": accurate})
        ta.time, ta.state[:] = 0.0, begin
        ta.propagate_until(CHECK)
        check = math.fsum((1 + 0.37 * i) * x for i, x in enumerate(ta.state))
    return {"total_s": curve[-1]["seconds"], "check": check, "curve": curve}


def print_reference(hy, tolerance=1e-27):
    """In 113 bits."""
    wide = hy.real128
    equations = hy.var_ode_sys(system(hy, "regular", 2, True, wide), hy.var_args.vars, order=1)
    begin = [wide(x) for x in START]
    ta = hy.taylor_adaptive(equations, begin, fp_type=wide, tol=wide(tolerance), compact_mode=True)
    ta.propagate_until(wide(END))
    print("transition", 2, 0, *ta.state[4:], flush=True)


def main(peer, n, variant):
    line = {"work": "variational", "peer": peer, "n": n, "variant": variant}
    try:
        import heyoka as hy
    except (ImportError, OSError) as why:
        print(json.dumps(line | {"missing": str(why)}))
        return
    hy.set_nthreads(1)
    hy.llvm_state.set_diskcache_enabled(False)
    hy.llvm_state.set_memcache_limit(0)
    if peer == "reference":
        print_reference(hy)
    else:
        print(json.dumps(line | run(hy, peer == "heyoka-hand", variant == "varied")))


if __name__ == "__main__":
    known = ("heyoka-L", "heyoka-hand", "reference")
    if len(sys.argv) != 4 or sys.argv[1] not in known or sys.argv[3] not in ("plain", "varied"):
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
