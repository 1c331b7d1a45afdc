"""Work `variational`: the double pendulum to t = 1000 by itself, and with its state-transition matrix.

    variational.py PEER N VARIANT      PEER: heyoka-L, heyoka-hand      VARIANT: plain, varied

heyoka's first-order variational equations of what its `lagrangian()` makes of the energies, or of the closed form. Processor
seconds of the motion alone, at machine precision, minimum of repeats; `compile_s` is the time to derive and compile. The
variational equations are compiled as loops (`compact_mode`): one long function takes more than a minute.
"""
import json
import math
import sys
import time

from motion import EPS, ENOUGH_SECONDS, LEAST_REPEATS, system

START, END, CHECK = [0.5, 0.3, 0.0, 0.0], 1000.0, 5.0


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
    varied = variant == "varied"
    before = time.process_time()
    equations = system(hy, "regular", n, peer == "heyoka-hand")
    if varied:
        equations = hy.var_ode_sys(equations, hy.var_args.vars, order=1)
    ta = hy.taylor_adaptive(equations, START, tol=EPS, compact_mode=varied)
    compiled = time.process_time() - before
    begin = list(ta.state)
    best, spent, repeats = math.inf, 0.0, 0
    while repeats < LEAST_REPEATS or spent < ENOUGH_SECONDS:
        ta.time, ta.state[:] = 0.0, begin
        before = time.process_time()
        steps = ta.propagate_until(END)[3]
        now = time.process_time() - before
        best, spent, repeats = min(best, now), spent + now, repeats + 1
    ta.time, ta.state[:] = 0.0, begin
    ta.propagate_until(CHECK)
    check = math.fsum((1 + 0.37 * i) * x for i, x in enumerate(ta.state))
    print(json.dumps(line | {"total_s": best, "compile_s": compiled, "steps": int(steps), "check": check}))


if __name__ == "__main__":
    known = ("heyoka-L", "heyoka-hand")
    if len(sys.argv) != 4 or sys.argv[1] not in known or sys.argv[3] not in ("plain", "varied"):
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
