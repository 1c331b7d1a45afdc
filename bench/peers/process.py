"""Work `process`: a whole program, from its start to the last state of the double pendulum at t = 1000.

    process.py PEER SIZES        PEER: heyoka-L, heyoka-hand        SIZES: 2

A Python process that imports heyoka, makes the equations, compiles and integrates them at the tolerance 1e-12, which is
what ours does. Wall time, minimum of repeats, no cache. `check` is a + 0.37 a' of the first angle.
"""
import json
import subprocess
import sys
import time

REPEATS = 5


def child(peer):
    import motion
    import heyoka as hy

    hy.set_nthreads(1)
    hy.llvm_state.set_diskcache_enabled(False)
    equations = motion.system(hy, "regular", 2, peer == "heyoka-hand")
    ta = hy.taylor_adaptive(equations, motion.start("regular", 2), tol=1e-12)
    ta.propagate_until(motion.END["regular"])
    print(repr(float(ta.state[0] + 0.37 * ta.state[2])))


def main(peer):
    line = {"work": "process", "peer": peer, "n": 2, "variant": "regular"}
    try:
        import heyoka  # noqa: F401
    except (ImportError, OSError) as error:
        print(json.dumps(line | {"missing": str(error)}))
        return
    best, check = float("inf"), None
    for _ in range(REPEATS):
        before = time.perf_counter()
        answer = subprocess.run([sys.executable, __file__, peer, "child"], check=True, capture_output=True, text=True)
        best, check = min(best, time.perf_counter() - before), float(answer.stdout)
    print(json.dumps(line | {"total_s": best, "check": check}), flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("heyoka-L", "heyoka-hand"):
        sys.exit(__doc__)
    child(sys.argv[1]) if sys.argv[2] == "child" else main(sys.argv[1])
