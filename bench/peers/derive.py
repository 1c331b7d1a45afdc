"""Work `derive`: from the Lagrangian of the chain to its first and second derivatives.

    derive.py PEER SIZES ANGLES        PEER: casadi, casadi-c++, heyoka, symengine, sympy
                                       SIZES: 2,4,8      ANGLES: abs or rel

Timed, once the symbols exist: building L(q, u), its gradient by q and by u, the Hessian by u and u, the mixed
second derivatives by u and q, every entry a usable expression. Where a peer has several ways to
that result all of them run and the fastest is reported. Minimum over at least five repeats.
One JSON line per size; `mixed_s` is null where one call delivers Hessian and mixed matrix together.
`check` is the sum of all entries at `chain.state(n)`.
"""
import gc
import hashlib
import json
import math
import os
import subprocess
import sys
import time

import chain

HERE = os.path.dirname(os.path.abspath(__file__))
LEAST_REPEATS = 5
ENOUGH_SECONDS = 0.5  # repeats go on up to here: a minimum over a few microseconds' work needs many
HOPELESS = 3.0  # an idiom whose first repeat is this many times slower than the best is not repeated


class Laps:
    """Seconds between consecutive marks, by name."""

    def __init__(self):
        self.laps = {}
        self.last = time.perf_counter()

    def mark(self, name):
        now = time.perf_counter()
        self.laps[name] = now - self.last
        self.last = now

    def total(self):
        return sum(self.laps.values())


class Casadi:
    """CasADi SX from Python, L written with vectors: one call per link would cost more than the derivatives."""

    def __init__(self):
        import casadi

        self.ca = casadi
        self.idioms = {
            "jtimes with the identity, u and q apart": self.apart,
            "jtimes with the identity, u and q together": self.together,
            "jacobian, u and q together": self.jacobian,
        }

    def symbols(self, n):
        ca = self.ca
        self.m, self.l = ca.DM(list(chain.masses(n))), ca.DM(list(chain.lengths(n)))
        self.falling = self.m * chain.GRAVITY
        self.one = ca.SX.eye(n + 1)
        self.both = ca.SX.eye(2 * n + 2)
        return ca.SX.sym("q", n + 1), ca.SX.sym("u", n + 1)

    def lagrangian(self, q, u, relative):
        ca, n = self.ca, q.numel() - 1
        _, angle = ca.vertsplit(q, [0, 1, n + 1])
        cart, rate = ca.vertsplit(u, [0, 1, n + 1])
        if relative:
            angle, rate = ca.cumsum(angle), ca.cumsum(rate)
        across, up = self.l * ca.cos(angle), self.l * ca.sin(angle)
        vx, vy = cart + ca.cumsum(across * rate), ca.cumsum(up * rate)
        kinetic = ca.dot(self.m, vx**2 + vy**2) + chain.CART * cart**2
        return 0.5 * kinetic + ca.dot(self.falling, ca.cumsum(across))

    def gradient(self, L, x, n):
        return self.ca.vertsplit(self.ca.gradient(L, x), n)

    def apart(self, L, q, u, laps):
        n = q.numel()
        gq, gu = self.gradient(L, self.ca.vertcat(q, u), n)
        laps.mark("gradient_s")
        hessian = self.ca.jtimes(gu, u, self.one)
        laps.mark("hessian_s")
        mixed = self.ca.jtimes(gu, q, self.one)
        laps.mark("mixed_s")
        return gq, gu, hessian, mixed

    def together(self, L, q, u, laps):
        n, x = q.numel(), self.ca.vertcat(q, u)
        gq, gu = self.gradient(L, x, n)
        laps.mark("gradient_s")
        mixed, hessian = self.ca.horzsplit(self.ca.jtimes(gu, x, self.both), n)
        laps.mark("hessian_s")
        return gq, gu, hessian, mixed

    def jacobian(self, L, q, u, laps):
        n, x = q.numel(), self.ca.vertcat(q, u)
        gq, gu = self.gradient(L, x, n)
        laps.mark("gradient_s")
        mixed, hessian = self.ca.horzsplit(self.ca.jacobian(gu, x), n)
        laps.mark("hessian_s")
        return gq, gu, hessian, mixed

    def evaluate(self, q, u, result):
        f = self.ca.Function("all", [q, u], list(result))
        at = chain.state(q.numel() - 1)
        values = f(at[: q.numel()], at[q.numel() :])
        return math.fsum(v for m in values for v in m.nonzeros()), f.n_nodes()


class Heyoka:
    """heyoka: `diff` entry by entry, or `diff_tensors`, which shares the work between the entries."""

    def __init__(self):
        import heyoka

        self.hy = heyoka
        heyoka.set_nthreads(1)
        self.idioms = {
            "diff_tensors of L, then of its gradient": self.tensors,
            "diff_tensors of order 2": self.second_order,
            "diff": self.entries,
        }

    def symbols(self, n):
        make = self.hy.expression
        return [make(f"q{i}") for i in range(n + 1)], [make(f"u{i}") for i in range(n + 1)]

    def lagrangian(self, q, u, relative):
        return chain.lagrangian(q, u, self.hy.sin, self.hy.cos, relative, self.hy.sum)

    def tensors(self, L, q, u, laps):
        n, x = len(q), q + u
        g = self.hy.diff_tensors([L], x, diff_order=1).gradient
        laps.mark("gradient_s")
        jacobian = self.hy.diff_tensors(g[n:], x, diff_order=1).jacobian
        laps.mark("hessian_s")
        return g, jacobian

    def second_order(self, L, q, u, laps):
        tensors = self.hy.diff_tensors([L], q + u, diff_order=2)
        g = tensors.gradient
        laps.mark("gradient_s")
        rows = tensors.hessian(0)[len(q) :]
        laps.mark("hessian_s")
        return g, rows

    def entries(self, L, q, u, laps):
        diff = self.hy.diff
        gq, gu = [diff(L, x) for x in q], [diff(L, x) for x in u]
        laps.mark("gradient_s")
        hessian = symmetric(diff, gu, u)
        laps.mark("hessian_s")
        mixed = [[diff(p, x) for x in q] for p in gu]
        laps.mark("mixed_s")
        return gq + gu, [m + h for m, h in zip(mixed, hessian)]

    def evaluate(self, q, u, result):
        gradient, rows = result
        entries = list(gradient) + [e for row in rows for e in row]
        f = self.hy.cfunc(entries, q + u, compact_mode=True, opt_level=0)
        values = f(chain.state(len(q) - 1))
        return math.fsum(values), len(f.dc) - len(q + u) - len(entries)


class Symengine:
    """SymEngine. Expanding the momenta first pays for absolute angles (1.6 times faster at n = 32), never for
    relative ones (28 times slower there), where products of sums multiply out."""

    def __init__(self):
        import symengine

        self.se = symengine
        self.idioms = {"diff": self.entries}
        if RELATIVE is False:
            self.idioms["momenta expanded, then diff"] = self.expanded

    def symbols(self, n):
        return list(self.se.symbols(f"q_:{n + 1}")), list(self.se.symbols(f"u_:{n + 1}"))

    def lagrangian(self, q, u, relative):
        return chain.lagrangian(q, u, self.se.sin, self.se.cos, relative)

    def expanded(self, L, q, u, laps):
        return self.entries(L, q, u, laps, self.se.expand)

    def entries(self, L, q, u, laps, prepare=lambda p: p):
        gq, gu = [L.diff(x) for x in q], [prepare(L.diff(x)) for x in u]
        laps.mark("gradient_s")
        hessian = symmetric(lambda p, x: p.diff(x), gu, u)
        laps.mark("hessian_s")
        mixed = [[p.diff(x) for x in q] for p in gu]
        laps.mark("mixed_s")
        return gq, gu, hessian, mixed

    def evaluate(self, q, u, result):
        gq, gu, hessian, mixed = result
        entries = gq + gu + [e for row in hessian + mixed for e in row]
        values = self.callable(q + u, entries)(chain.state(len(q) - 1))
        return math.fsum(values), distinct_operations(entries)

    def callable(self, x, entries):
        return self.se.Lambdify(x, entries, cse=False)


class Sympy(Symengine):
    """SymPy, its caches emptied before every repeat."""

    def __init__(self):
        import sympy

        self.se = sympy
        self.idioms = {"diff": self.entries}

    def symbols(self, n):
        from sympy.core.cache import clear_cache

        clear_cache()
        return super().symbols(n)

    def callable(self, x, entries):
        return self.se.lambdify([x], entries, "math", cse=True)


def symmetric(diff, gradient, u):
    """The square matrix of diff(gradient[i], u[j]), each entry of the lower triangle computed once."""
    rows = [[diff(p, u[j]) for j in range(i + 1)] for i, p in enumerate(gradient)]
    for i in range(len(u)):
        rows[i].extend(rows[j][i] for j in range(i + 1, len(u)))
    return rows


def distinct_operations(entries):
    """Structurally distinct subexpressions which are not symbols or numbers."""
    seen, stack = set(), list(entries)
    while stack:
        e = stack.pop()
        if e.args and e not in seen:
            seen.add(e)
            stack.extend(e.args)
    return len(seen)


def once(peer, idiom, n):
    """One cold repeat: the laps, and what evaluation needs."""
    q, u = peer.symbols(n)
    laps = Laps()
    L = peer.lagrangian(q, u, RELATIVE)
    laps.mark("build_s")
    result = idiom(L, q, u, laps)
    return laps, (q, u, result)


def measure(peer, n):
    """The fastest repeat of the fastest idiom, its name, and the check."""
    best, name, kept = None, None, None
    for label, idiom in peer.idioms.items():
        spent, repeats = 0.0, 0
        gc.collect()
        while repeats < LEAST_REPEATS or spent < ENOUGH_SECONDS:
            laps, made = once(peer, idiom, n)
            spent += laps.total()
            repeats += 1
            if best is None or laps.total() < best.total():
                best, name, kept = laps, label, made
            elif repeats == 1 and laps.total() > HOPELESS * best.total():
                break
            del laps, made
    check, nodes = peer.evaluate(*kept)
    return best, name, nodes, check


def emit(peer, n, **fields):
    print(json.dumps({"work": "derive", "peer": peer, "n": n, "angles": ANGLES} | fields), flush=True)


def run_cpp(sizes):
    """CasADi without Python: derive_casadi.cpp, compiled against the headers and the library of the wheel."""
    import casadi

    source = os.path.join(HERE, "derive_casadi.cpp")
    wheel = os.path.dirname(casadi.__file__)
    with open(source, "rb") as f:
        key = hashlib.sha256(f.read() + casadi.__version__.encode()).hexdigest()[:16]
    program = os.path.join(sys.prefix, f"derive-casadi-{key}")
    if not os.path.exists(program):
        command = ["c++", "-O2", "-std=c++17", "-I", os.path.join(wheel, "include"), source]
        command += ["-o", program, "-L", wheel, "-lcasadi", f"-Wl,-rpath,{wheel}"]
        subprocess.run(command, check=True, stdout=sys.stderr)
    for n in sizes:
        numbers = [chain.CART, chain.GRAVITY, *chain.masses(n), *chain.lengths(n), *chain.state(n)]
        arguments = [program, str(n), ANGLES, *map(repr, numbers)]
        fields = json.loads(subprocess.run(arguments, check=True, capture_output=True, text=True).stdout)
        emit("casadi-c++", n, **fields)


PEERS = {"casadi": Casadi, "heyoka": Heyoka, "symengine": Symengine, "sympy": Sympy}


def main(peer, sizes):
    try:
        if peer == "casadi-c++":
            return run_cpp(sizes)
        chosen = PEERS[peer]()
    except (ImportError, OSError) as error:
        # The peer, or its compiler, is not on this machine: say so and leave the comparison to the others.
        for n in sizes:
            emit(peer, n, missing=str(error))
        return
    for n in sizes:
        laps, idiom, nodes, check = measure(chosen, n)
        seconds = {k: laps.laps.get(k) for k in ("build_s", "gradient_s", "hessian_s", "mixed_s")}
        emit(peer, n, **seconds, total_s=laps.total(), nodes=nodes, idiom=idiom, check=check)


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in [*PEERS, "casadi-c++"] or sys.argv[3] not in ("abs", "rel"):
        sys.exit(__doc__)
    gc.disable()  # a collection inside a timed repeat would be charged to the peer
    ANGLES = sys.argv[3]
    RELATIVE = ANGLES == "rel"
    main(sys.argv[1], [int(n) for n in sys.argv[2].split(",")])
