"""Work `forms`: d of the Cartan one-form of the chain, all components.

    forms.py PEER SIZES        PEER: sympy, sage, sage-raw        SIZES: 2,4,6

n counts degrees of freedom: the cart and n - 1 links in absolute angles, on the chart (t, x0.., u0..) of
dimension 2n + 1. The form is the sum of p_i dx_i minus E dt, p the momenta and E the energy, its parameters exact
fractions. Making it is `form_s`; `total_s` is only `d_s`, from the form to all components of its d as expressions.
Where a peer has several ways all of them run and the one with the fastest d is reported; a form whose
components were expanded beforehand is not charged for that. Minimum over at least five repeats or ten seconds.
One JSON line per size; `check` adds the components i < j with weights 1 + i + 0.37 j, at `chain.state(n - 1)`.
"""
import gc
import itertools
import json
import math
import os
import sys
import time

import chain

LEAST_REPEATS = 5
ENOUGH_SECONDS = 0.5  # repeats go on up to here
PATIENCE = 10.0  # seconds: past these neither a repeat nor another idiom is begun
HOPELESS = 3.0  # an idiom whose first repeat is this many times slower than the best is not repeated


class Sympy:
    """sympy.diffgeom, its caches emptied before every repeat."""

    def __init__(self):
        import sympy
        import sympy.diffgeom

        self.sympy, self.geometry = sympy, sympy.diffgeom
        self.idioms = {
            "Differential of the expanded form": (True, self.whole),
            "Differential of the form": (False, self.whole),
            "products of differentials": (False, self.products),
        }

    def chart(self, n):
        from sympy.core.cache import clear_cache

        clear_cache()
        patch = self.geometry.Patch("P", self.geometry.Manifold("M", 2 * n + 1))
        self.system = self.geometry.CoordSystem("C", patch, [self.sympy.Symbol(name) for name in names(n)])
        self.vectors = self.system.base_vectors()
        return self.system.base_scalars()

    def form(self, at, expanded):
        functions = self.sympy.sin, self.sympy.cos
        partials = [lambda f, v=v: v(f) for v in self.vectors]
        return cartan(at, *functions, self.sympy.Rational, partials, self.sympy.expand if expanded else None)

    def whole(self, components):
        forms = self.system.base_oneforms()
        return self.components(self.geometry.Differential(sum(c * dx for c, dx in zip(components, forms))))

    def products(self, components):
        forms = self.system.base_oneforms()
        wedge, d = self.geometry.WedgeProduct, self.geometry.Differential
        return self.components(sum(wedge(d(c), dx) for c, dx in zip(components, forms)))

    def components(self, form):
        """On pairs of coordinate fields: before that a Differential is only a name for the result."""
        pairs = itertools.combinations(range(len(self.vectors)), 2)
        return {(i, j): form.rcall(self.vectors[i], self.vectors[j]) for i, j in pairs}

    def value(self, expression, at):
        return float(self.sympy.sympify(expression).subs(at).evalf())


class Sage:
    """SageManifolds, the symbolic ring of Sage below it. Its components are simplified by Maxima, as they are
    unless told otherwise, or not at all. SymPy below it is four to 25 times slower."""

    def __init__(self, simplified):
        # Its settings go where it is installed, not into the home directory.
        os.environ.setdefault("DOT_SAGE", os.path.join(sys.prefix, "dot-sage"))
        import sage.manifolds.manifold
        import sage.all__sagemath_symbolics as symbolics

        self.manifold, self.sage = sage.manifolds.manifold.Manifold, symbolics
        self.simplified = simplified
        self.idioms = {"expanded form": (True, self.d), "form": (False, self.d)}
        symbolics.SR.var("warm").sin().simplify_full()  # starts Maxima

    def chart(self, n):
        self.space = self.manifold(2 * n + 1, "M")
        self.coordinates = self.space.chart(" ".join(names(n)))
        if not self.simplified:
            self.coordinates.calculus_method().set_simplify_function(lambda e: e)
        return self.coordinates[:]

    def fraction(self, p, q):
        return self.sage.QQ(p) / self.sage.QQ(q)

    def form(self, at, expanded):
        functions = self.sage.sin, self.sage.cos
        partials = [lambda f, v=v: f.diff(v) for v in at]
        components = cartan(at, *functions, self.fraction, partials, self.sage.expand if expanded else None)
        form = self.space.diff_form(1, "theta")
        for i, component in enumerate(components):
            # As a scalar field: a bare expression is first taken for a possible constant, which costs more than d.
            form[i] = self.space.scalar_field(component)
        return form

    def d(self, form):
        pairs = form.exterior_derivative().comp()._comp  # the stored ones: the indices increase
        return {indices: field.expr(self.coordinates) for indices, field in pairs.items()}

    def value(self, expression, at):
        return float(self.sage.SR(expression).subs(at))


def names(n):
    return ["t"] + [f"x{i}" for i in range(n)] + [f"u{i}" for i in range(n)]


def cartan(at, sin, cos, fraction, partials, expand):
    """Components of the one-form by dt and dx; those by du are zero."""
    n = len(at) // 2
    u = at[n + 1 :]
    expand = expand or (lambda e: e)
    L = expand(chain.lagrangian(at[1 : n + 1], u, sin, cos, False, fraction=fraction))
    momenta = [expand(d(L)) for d in partials[n + 1 :]]
    energy = expand(sum(p * v for p, v in zip(momenta, u)) - L)
    return [-energy, *momenta]


def once(peer, idiom, n):
    """One repeat on a chart of its own: times of the form and of d, and what evaluation needs."""
    expanded, d = idiom
    at = peer.chart(n)
    start = time.perf_counter()
    form = peer.form(at, expanded)
    made = time.perf_counter()
    components = d(form)
    return made - start, time.perf_counter() - made, at, components


def measure(peer, n):
    """The repeat with the fastest d, and the name of its idiom."""
    best, name = None, None
    for label, idiom in peer.idioms.items():
        if best and best[1] > PATIENCE:
            break
        spent, repeats = 0.0, 0
        gc.collect()
        while spent < PATIENCE and (repeats < LEAST_REPEATS or spent < ENOUGH_SECONDS):
            repeat = once(peer, idiom, n)
            spent += repeat[1]
            repeats += 1
            if best is None or repeat[1] < best[1]:
                best, name = repeat, label
            elif repeats == 1 and repeat[1] > HOPELESS * best[1]:
                break
    return best, name


def emit(peer, n, **fields):
    print(json.dumps({"work": "forms", "peer": peer, "n": n, "variant": "cartan"} | fields), flush=True)


PEERS = {"sympy": Sympy, "sage": lambda: Sage(True), "sage-raw": lambda: Sage(False)}


def main(peer, sizes):
    try:
        chosen = PEERS[peer]()
    except (ImportError, OSError) as error:
        # The peer is not on this machine: say so and leave the comparison to the others.
        for n in sizes:
            emit(peer, n, missing=str(error))
        return
    for n in sizes:
        (form_s, d_s, at, components), idiom = measure(chosen, n)
        point = dict(zip(at, [0.0, *chain.state(n - 1)]))
        values = {pair: chosen.value(e, point) for pair, e in components.items()}
        check = math.fsum((1 + i + 0.37 * j) * v for (i, j), v in values.items())
        nonzero = sum(not e == 0 for e in components.values())
        emit(peer, n, form_s=form_s, d_s=d_s, total_s=d_s, nonzero=nonzero, idiom=idiom, check=check)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in PEERS:
        sys.exit(__doc__)
    gc.disable()  # a collection inside a timed repeat would be charged to the peer
    main(sys.argv[1], [int(n) for n in sys.argv[2].split(",")])
