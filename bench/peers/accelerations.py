"""Works `callable` and `evaluate`: the accelerations of the chain in absolute angles, as code.

    accelerations.py WORK PEER SIZES VARIANT
        callable   PEER: heyoka, heyoka-compact, casadi
        evaluate   PEER: heyoka, casadi, hand-c; VARIANT: scalar, or lanes, for several states at once

`callable` is timed from the making of the Lagrangian to the first value, every cache off; the time of gcc counts,
that of the import of a package does not. `evaluate` is one evaluation of code that is there: many states take turns.
Processor time, minimum of repeats. `check` adds the accelerations at the first states with weights.
"""
import ctypes
import gc
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time

import chain

HERE = os.path.dirname(os.path.abspath(__file__))
GCC = ("gcc", "-O3", "-march=native", "-shared", "-fPIC")
STATES = 264
COMPARED = 8
GOLDEN = 0.6180339887498949
ENOUGH_SECONDS, LEAST_REPEATS = 0.5, 5
PATIENCE = 20.0  # seconds: past these no repeat is begun


def clock():
    """Processor time of this process and of those it waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def least(work):
    """The least seconds over repeats, and the last result."""
    best, spent, repeats, result = math.inf, 0.0, 0, None
    while spent < PATIENCE and (repeats < LEAST_REPEATS or spent < ENOUGH_SECONDS):
        del result
        before = clock()
        result = work()
        now = clock() - before
        best, spent, repeats = min(best, now), spent + now, repeats + 1
    return best, result


def states(n):
    """Rows of q and u: multiples of the golden ratio modulo 1, between -1 and 1."""
    import numpy

    width = 2 * (n + 1)
    entry = lambda k: 2.0 * math.modf(k * GOLDEN)[0] - 1.0
    return numpy.array([[entry(s * width + i + 1) for i in range(width)] for s in range(STATES)])


def check(results):
    """Of the rows of accelerations."""
    rows = enumerate(results[:COMPARED])
    return math.fsum((1 + 0.37 * i + 0.11 * s) * float(a) for s, row in rows for i, a in enumerate(row))


class Heyoka:
    """`lagrangian()` and `cfunc()`, which unrolls everything or, compact, compiles loops."""

    def __init__(self, compact):
        import heyoka

        self.hy, self.compact = heyoka, compact
        heyoka.set_nthreads(1)
        heyoka.llvm_state.set_diskcache_enabled(False)
        heyoka.llvm_state.set_memcache_limit(0)

    def function(self, n, batch=1):
        hy = self.hy
        q = [hy.expression(f"q{i}") for i in range(n + 1)]
        u = [hy.expression(f"u{i}") for i in range(n + 1)]
        equations = hy.lagrangian(chain.lagrangian(q, u, hy.sin, hy.cos, False, hy.sum), q, u)
        return hy.cfunc([e[1] for e in equations[n + 1 :]], q + u, compact_mode=self.compact, batch_size=batch)

    def callable(self, n):
        function = self.function(n)
        at = states(n)[0]

        def first():
            function(at)

        first()
        return function

    def values(self, function, n):
        return function(states(n).T.copy()).T

    def evaluate(self, n, variant):
        import numpy

        best, rows, note = math.inf, None, {}
        widths = (1,) if variant == "scalar" else (4, 8)
        for width in widths:
            function = self.function(n, width)
            inputs, outputs = states(n).T.copy(), numpy.zeros((n + 1, STATES))
            rounds = range(max(1, 2000 // n))

            def work():
                for _ in rounds:
                    function(inputs, outputs=outputs)

            seconds = least(work)[0] / (len(rounds) * STATES)
            if seconds < best:
                best, rows, note = seconds, outputs.T, {"lanes": width}
        return best, rows, note


class Casadi:
    """SX, a factorisation LDL' of the Hessian, and C code."""

    def __init__(self):
        import casadi

        self.ca = casadi

    def function(self, n):
        ca = self.ca
        q, u = ca.SX.sym("q", n + 1), ca.SX.sym("u", n + 1)
        m, l = ca.DM(list(chain.masses(n))), ca.DM(list(chain.lengths(n)))
        _, angle = ca.vertsplit(q, [0, 1, n + 1])
        cart, rate = ca.vertsplit(u, [0, 1, n + 1])
        across, up = l * ca.cos(angle), l * ca.sin(angle)
        vx, vy = cart + ca.cumsum(across * rate), ca.cumsum(up * rate)
        kinetic = 0.5 * (ca.dot(m, vx**2 + vy**2) + chain.CART * cart**2)
        L = kinetic + ca.dot(m * chain.GRAVITY, ca.cumsum(across))
        momenta = ca.gradient(L, u)
        force = ca.gradient(L, q) - ca.jtimes(momenta, q, u)
        factors = ca.ldl(ca.jacobian(momenta, u))
        return ca.Function("accelerations", [ca.vertcat(q, u)], [ca.ldl_solve(force, *factors)])

    def callable(self, n):
        """The loop around the function is compiled with it; it is 10 lines."""
        function = self.function(n)
        with tempfile.TemporaryDirectory() as folder:
            here = os.getcwd()
            os.chdir(folder)
            try:
                function.generate("accelerations.c")
                with open("accelerations.c", "a") as file:
                    file.write(LOOP % {"size": n + 1})
                subprocess.run([*GCC, "accelerations.c", "-o", "accelerations.so", "-lm"], check=True)
                library = ctypes.CDLL(os.path.join(folder, "accelerations.so"))
            finally:
                os.chdir(here)
        call(library, states(n)[:1], 1)
        return library

    def values(self, library, n):
        return call(library, states(n), 1)

    def evaluate(self, n, variant):
        return loop(self.callable(n), n)


# All states, one after the other, as many times as wanted.
LOOP = """
void all(const double *states, double *results, int count, int rounds) {
    static double work[1 << 20];
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < count; i++) {
            const double *given[8] = {states + 2 * %(size)d * i};
            double *wanted[8] = {results + %(size)d * i};
            accelerations(given, wanted, 0, work, 0);
        }
}
"""


class HandC:
    """tensions.c"""

    def evaluate(self, n, variant):
        numbers = (ctypes.c_double * n)
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "tensions.so")
            source = os.path.join(HERE, "tensions.c")
            subprocess.run([*GCC, f"-DLINKS={n}", source, "-o", file, "-lm"], check=True)
            library = ctypes.CDLL(file)
        cart, gravity = ctypes.c_double(chain.CART), ctypes.c_double(chain.GRAVITY)
        library.prepare(cart, gravity, numbers(*chain.masses(n)), numbers(*chain.lengths(n)))
        return loop(library, n)


def call(library, rows, rounds):
    import numpy

    results = numpy.zeros((len(rows), rows.shape[1] // 2))
    pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in (rows, results)]
    library.all(*pointers, len(rows), rounds)
    return results


def loop(library, n):
    rows, rounds = states(n), max(1, 2000 // n)
    seconds, results = least(lambda: call(library, rows, rounds))
    return seconds / (rounds * STATES), results, {}


PEERS = {"heyoka": lambda: Heyoka(False), "heyoka-compact": lambda: Heyoka(True), "casadi": Casadi, "hand-c": HandC}


def main(work, peer, sizes, variant):
    def emit(n, **fields):
        print(json.dumps({"work": work, "peer": peer, "n": n, "variant": variant} | fields), flush=True)

    try:
        chosen = PEERS[peer]()
    except (ImportError, OSError) as error:
        for n in sizes:
            emit(n, missing=str(error))
        return
    for n in sizes:
        chain.masses(n), chain.lengths(n), chain.numbers(n)
        if work == "callable":
            seconds, function = least(lambda: chosen.callable(n))
            emit(n, total_s=seconds, check=check(chosen.values(function, n)))
        else:
            seconds, results, fields = chosen.evaluate(n, variant)
            emit(n, total_s=seconds, check=check(results), **fields)


if __name__ == "__main__":
    if len(sys.argv) != 5 or sys.argv[1] not in ("callable", "evaluate") or sys.argv[2] not in PEERS:
        sys.exit(__doc__)
    gc.disable()  # a collection inside a timed repeat would be charged to the peer
    main(sys.argv[1], sys.argv[2], [int(n) for n in sys.argv[3].split(",")], sys.argv[4])
