"""Work `periodic`: families of periodic motions, by `galilei periodic --vary` and by AUTO-07p.

    auto.py PEER N FAMILY [PROGRAM]    PEER: galilei, auto      FAMILY: a key of FAMILIES
    auto.py table [PROGRAM]            both sides on all families: one JSON line per measurement, and a table

AUTO-07p and gfortran are installed with `apt-get install auto-07p gfortran`. PROGRAM is that of Galilei, if it is not given
$GALILEI, else target/release/galilei. Times are processor seconds of the whole process (`galilei`; the program that gfortran makes of AUTO and
of the equations, so that `compile_s` is apart), minimum of repeats. `galilei` runs with several tolerances. AUTO runs with the
same numbers as tolerances of Newton's method, on growing meshes; of those whose measured error is below the tolerance the
fastest counts, and the search for it does not. AUTO follows conservative families with an unfolding parameter, and
a drive as an oscillator; the way from no drive to the full one counts. Errors are relative to references of this file: elliptic integrals, or collocation in a
Fourier series. AUTO prints 11 digits, so smaller errors are not seen.
"""
import dataclasses
import itertools
import json
import math
import os
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(os.environ.get("AUTO_DIR", "/usr/lib/auto-07p"), "lib")
TOLERANCES = 1e-6, 1e-9
TIGHT = 1e-12, 1e-14  # where AUTO's printed digits end
MESHES = [(columns, 10 * 2**k) for k in range(5) for columns in (4, 7)]
ROUNDS = 5, 7  # of Newton's method, after which AUTO shortens a step
REPEATS = 3
TAU = 2 * math.pi
MU = 0.0121505856  # of Earth and Moon


def collinear():
    """The place of L1, and the rate and the ratio of the axes of small planar orbits about it."""
    x = 0.83
    for _ in range(50):
        a, b = x + MU, 1 - MU - x
        slope = 1 + 2 * (1 - MU) / a**3 + 2 * MU / b**3
        x -= (x - (1 - MU) / a**2 + MU / b**2) / slope
    c = (1 - MU) / (x + MU) ** 3 + MU / (1 - MU - x) ** 3
    rate = math.sqrt((2 - c + math.sqrt(9 * c * c - 8 * c)) / 2)
    return x, rate, (rate**2 + 1 + 2 * c) / (2 * rate)


PLACE, RATE, RATIO = collinear()
SMALL = 0.001


def energy_of_small_orbit():
    x, v = PLACE + SMALL, -RATIO * RATE * SMALL
    return v * v / 2 - x * x / 2 - (1 - MU) / (x + MU) - MU / (1 - MU - x)


@dataclasses.dataclass
class Family:
    """A family on both sides."""

    model: str
    options: list  # of `galilei periodic`
    equations: str  # these four in Fortran: f(u, par),
    derivatives: str | None  # its derivatives, unless AUTO takes differences,
    start: str  # u(t) and par at the start, which AUTO does not correct,
    values: str  # the energy as par(2) of an orbit
    size: int
    runs: list  # AUTO's constants, each run from the last label of the one before
    special: str | None  # the kind of points that are located


FAMILIES = {
    # The nonlinear normal mode of x'' = -x - x^3 by its energy.
    "backbone": Family(
        "coord x\nkinetic: x'^2/2\npotential: x^2/2 + x^4/4\n",
        ["--at", "x=0.1", "--period", "6.28", "--vary", "energy=0.005025..10"],
        "f(1) = u(2)\nf(2) = -u(1) - u(1)**3 + par(1)*u(2)",
        "dfdu(1, 2) = 1\ndfdu(2, 1) = -1 - 3*u(1)**2\ndfdu(2, 2) = par(1)\nif (ijac == 1) return\ndfdp(2, 1) = u(2)",
        "par(1) = 0\npar(11) = tau\nu(1) = 0.1d0*cos(tau*t)\nu(2) = -0.1d0*sin(tau*t)",
        "x = getp('BV0', 1, u)\ny = getp('BV0', 2, u)\npar(2) = y**2/2 + x**2/2 + x**4/4",
        2,
        ["ICP=[1, 11, 2], ILP=0, ISP=2, DS=-0.02, DSMAX=1.0, UZSTOP={2: 10.0}"],
        None,
    ),
    # x'' + 0.1 x' + x + x^3 = 0.3 cos(w t), through both folds.
    "driven": Family(
        "param w = 0.5\ncoord x\nkinetic: x'^2/2\npotential: x^2/2 + x^4/4\nforce damping: x = -0.1*x'\n"
        "force drive: x = 0.3*cos(w*t)\n",
        ["--period", repr(2 * TAU), "--vary", "w=0.5..3"],
        "f(1) = u(2)\nf(2) = -0.1d0*u(2) - u(1) - u(1)**3 + par(2)*u(3)\nx = u(3)**2 + u(4)**2\n"
        "f(3) = u(3) - par(1)*u(4) - u(3)*x\nf(4) = par(1)*u(3) + u(4) - u(4)*x",
        "x = u(3)**2 + u(4)**2\ndfdu(1, 2) = 1\ndfdu(2, 1) = -1 - 3*u(1)**2\ndfdu(2, 2) = -0.1d0\ndfdu(2, 3) = par(2)\n"
        "dfdu(3, 3) = 1 - x - 2*u(3)**2\ndfdu(3, 4) = -par(1) - 2*u(3)*u(4)\ndfdu(4, 3) = par(1) - 2*u(3)*u(4)\n"
        "dfdu(4, 4) = 1 - x - 2*u(4)**2\nif (ijac == 1) return\n"
        "dfdp(3, 1) = -u(4)\ndfdp(4, 1) = u(3)\ndfdp(2, 2) = u(3)",
        "par(1) = 0.5d0\npar(2) = 0\npar(11) = 2*tau\nu(1) = 0\nu(2) = 0\nu(3) = cos(tau*t)\nu(4) = sin(tau*t)",
        "",
        4,
        [
            "ICP=[2, 11], ILP=0, ISP=0, DS=0.05, DSMAX=1.0, UZSTOP={2: 0.3}",
            "ICP=[1, 11], ILP=1, ISP=2, DS=0.05, DSMAX=1.0, UZSTOP={1: 3.0}",
        ],
        "fold",
    ),
    # Van der Pol's limit cycle.
    "cycle": Family(
        "param mu = 0.1\ncoord x\nkinetic: x'^2/2\npotential: x^2/2\nforce supply: x = mu*(1 - x^2)*x'\n",
        ["--at", "x=2", "--period", "6.28", "--vary", "mu=0.1..5"],
        "f(1) = u(2)\nf(2) = -u(1) + par(1)*(1 - u(1)**2)*u(2)",
        "dfdu(1, 2) = 1\ndfdu(2, 1) = -1 - 2*par(1)*u(1)*u(2)\ndfdu(2, 2) = par(1)*(1 - u(1)**2)\nif (ijac == 1) return\n"
        "dfdp(2, 1) = (1 - u(1)**2)*u(2)",
        "par(1) = 0.1d0\npar(11) = tau\nu(1) = 2*cos(tau*t)\nu(2) = -2*sin(tau*t)",
        "",
        2,
        ["ICP=[1, 11], ILP=1, ISP=2, DS=0.05, DSMAX=1.0, UZSTOP={1: 5.0}"],
        None,
    ),
    # Lyapunov's family about L1 of Earth and Moon in space, by its energy, through the branch point of the halo orbits.
    "lyapunov": Family(
        f"param mu = {MU}\ncoord x, y, z\nlet a = sqrt((x + mu)^2 + y^2 + z^2)\nlet b = sqrt((x - 1 + mu)^2 + y^2 + z^2)\n"
        "kinetic: ((x' - y)^2 + (y' + x)^2 + z'^2)/2\npotential: -(1 - mu)/a - mu/b\n",
        ["--at", f"x={PLACE!r}", "--mode", "2", "--amplitude", f"{SMALL}"]
        + ["--vary", f"energy={energy_of_small_orbit()!r}..-1.575"],
        f"x = u(1) + {MU}d0\ny = x - 1\np = {1 - MU!r}d0/sqrt(x**2 + u(2)**2 + u(3)**2)**3\n"
        f"q = {MU}d0/sqrt(y**2 + u(2)**2 + u(3)**2)**3\n"
        "f(1) = u(4)\nf(2) = u(5)\nf(3) = u(6)\nf(4) = 2*u(5) + u(1) - p*x - q*y + par(1)*u(4)\n"
        "f(5) = -2*u(4) + u(2) - (p + q)*u(2) + par(1)*u(5)\nf(6) = -(p + q)*u(3) + par(1)*u(6)",
        None,
        f"par(1) = 0\npar(11) = tau/{RATE!r}d0\nu(1) = {PLACE!r}d0 + {SMALL}d0*cos(tau*t)\n"
        f"u(2) = {-RATIO * SMALL!r}d0*sin(tau*t)\nu(3) = 0\nu(4) = {-RATE * SMALL!r}d0*sin(tau*t)\n"
        f"u(5) = {-RATIO * RATE * SMALL!r}d0*cos(tau*t)\nu(6) = 0",
        "x = getp('BV0', 1, u) + 0\ny = getp('BV0', 2, u)\nz = getp('BV0', 3, u)\n"
        "p = getp('BV0', 4, u)**2 + getp('BV0', 5, u)**2 + getp('BV0', 6, u)**2\n"
        f"par(2) = p/2 - (x**2 + y**2)/2 - {1 - MU!r}d0/sqrt((x + {MU}d0)**2 + y**2 + z**2) &\n"
        f"  - {MU}d0/sqrt((x - {1 - MU!r}d0)**2 + y**2 + z**2)",
        6,
        ["ICP=[1, 11, 2], ILP=0, ISP=2, DS=0.002, DSMAX=0.1, UZSTOP={2: -1.575}"],
        "branch",
    ),
}

PROGRAM = """\
subroutine func(ndim, u, icp, par, ijac, f, dfdu, dfdp)
implicit none
integer, intent(in) :: ndim, icp(*), ijac
double precision, intent(in) :: u(ndim), par(*)
double precision, intent(out) :: f(ndim)
double precision, intent(inout) :: dfdu(ndim, ndim), dfdp(ndim, *)
double precision :: x, y, p, q
EQUATIONS
DERIVATIVES
end subroutine

subroutine stpnt(ndim, u, par, t)
implicit none
integer, intent(in) :: ndim
double precision, intent(inout) :: u(ndim), par(*)
double precision, intent(in) :: t
double precision, parameter :: tau = 6.283185307179586477d0
START
end subroutine

subroutine pvls(ndim, u, par)
implicit none
integer, intent(in) :: ndim
double precision, intent(in) :: u(ndim)
double precision, intent(inout) :: par(*)
double precision, external :: getp
double precision :: x, y, z, p
VALUES
end subroutine

subroutine bcnd
end subroutine
subroutine icnd
end subroutine
subroutine fopt
end subroutine
"""
CONSTANTS = """\
NDIM={size}, IPS=2, IRS={label}, {own}
NTST={mesh}, NCOL={columns}, IAD=3, ISW=1, IPLT=0, NBC=0, NINT=0, JAC={jacobian}
NMX=2000, NPR=0, MXBF=0, IID=2, ITMX=9, ITNW={rounds}, NWTN=3, IADS=1
EPSL={eps}, EPSU={eps}, EPSS={eps}, DSMIN=1e-6
THL={{11: 0.0}}, THU={{}}
"""
KINDS = {5: "fold", 6: "branch", 7: "flip", 8: "torus"}
STOPPED = -4  # the type of a point at which UZSTOP ends a run


def spent(command, **options):
    """Processor seconds of a command with its children, and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise RuntimeError(done.stdout or done.stderr)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.stdout


@dataclasses.dataclass
class Run:
    """A family that was followed."""

    points: list  # (parameter, period, kind or None)
    steps: int
    iterations: int | None  # of Newton's method; `galilei` does not say
    seconds: float
    warnings: list

    def special(self, kind):
        return [p for p in self.points if p[2] == kind]

    def check(self, kind):
        """The last period, or the sum of the parameters of the special points."""
        return math.fsum(p[0] for p in self.special(kind)) if kind else self.points[-1][1]


def galilei(program, family, tolerance):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "family.gal")
        with open(path, "w") as file:
            file.write('system "Family"\n' + family.model)
        command = [program, "periodic", path, "--json", "--tolerance", repr(tolerance), *family.options]
        try:
            answers = [spent(command) for _ in range(REPEATS)]
        except RuntimeError as why:
            said = json.loads(str(why))["warnings"]
            raise RuntimeError("; ".join(w["message"] for w in said)) from why
    answer = json.loads(answers[0][1])
    motions, last = answer["motions"], float(family.options[-1].split("..")[1])
    if motions[-1]["parameter"] != last:
        raise RuntimeError(f"followed only to {motions[-1]['parameter']}")
    points = [(m["parameter"], m["period"], m["bifurcation"]) for m in motions]
    steps = sum(p[2] is None for p in points) - 1
    return Run(points, steps, None, min(a[0] for a in answers), answer.get("warnings", []))


class Auto:
    """AUTO with the equations of a family, in a folder of its own."""

    def __init__(self, family):
        self.family, self.folder = family, tempfile.TemporaryDirectory()
        text = PROGRAM.replace("EQUATIONS", family.equations).replace("START", family.start)
        own = f"if (ijac == 0) return\ndfdu = 0\n{family.derivatives}" if family.derivatives else ""
        text = text.replace("DERIVATIVES", own).replace("VALUES", family.values)
        with open(self.path("family.f90"), "w") as file:
            file.write(text)
        objects = [os.path.join(LIBRARY, o) for o in sorted(os.listdir(LIBRARY)) if o.endswith(".o")]
        command = ["gfortran", "-O2", "-w", "-fopenmp", "family.f90", *objects, "-o", "family"]
        self.compile_seconds = spent(command, cwd=self.folder.name)[0]

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def once(self, eps, rounds, columns, mesh):
        """The points of the last run; steps, iterations and seconds of all. None where it does not reach its end."""
        label, steps, iterations, seconds = 0, 0, 0, 0.0
        for own in self.family.runs:
            text = CONSTANTS.format(
                size=self.family.size, label=label, own=own, eps=eps, rounds=rounds, columns=columns, mesh=mesh,
                jacobian=int(self.family.derivatives is not None),
            )
            for name in ("fort.7", "fort.8", "fort.9"):
                if os.path.exists(self.path(name)):
                    os.remove(self.path(name))
            environment = os.environ | {"OMP_NUM_THREADS": "1"}
            now, _ = spent([self.path("family")], cwd=self.folder.name, input=text, env=environment)
            rows = []
            with open(self.path("fort.7")) as file:
                for line in file:
                    words = line.split()
                    if words and words[0] != "0":
                        rows.append(([int(w) for w in words[:4]], [float(w) for w in words[4:]]))
            with open(self.path("fort.9")) as file:
                for line in file:
                    words = line.split()
                    plain = len(words) == 5 and all(w.isdigit() for w in words[:3])
                    iterations += plain and words[2] != "0"
            if not rows or rows[-1][0][2] != STOPPED:
                return None
            label = rows[-1][0][3]
            os.replace(self.path("fort.8"), self.path("fort.3"))
            seconds += now
            steps += sum(ints[2] not in KINDS for ints, _ in rows) - 1
        # The first column is the first parameter, the last are the others. The start of a first run is not corrected by AUTO.
        others = own.split("[")[1].split("]")[0].count(",")
        points = []
        for ints, numbers in rows[0 if len(self.family.runs) > 1 else 1 :]:
            value, period = (numbers[-1], numbers[-2]) if others == 2 else (numbers[0], numbers[-1])
            points.append((value, period, KINDS.get(ints[2])))
        return Run(points, steps, iterations, seconds, [])

    def follow(self, tolerance, error):
        """The fastest run whose error is below the tolerance, with its tolerance of Newton's method and its mesh."""
        best = None
        for part, rounds, (columns, mesh) in itertools.product((1, 0.01), ROUNDS, MESHES):
            settings = part * tolerance, rounds, columns, mesh
            run = self.once(*settings)
            if run is None or best and run.seconds > 1.2 * best[0].seconds or not error(run) <= tolerance:
                continue
            for _ in range(REPEATS - 1):
                run.seconds = min(run.seconds, self.once(*settings).seconds)
            if best is None or run.seconds < best[0].seconds:
                best = run, dict(zip(("newton", "rounds", "columns", "mesh"), settings))
        return best


# References.


def backbone_period(energy):
    """Of x'' = -x - x^3: 4 K(k) / sqrt(1 + A^2) with k^2 = A^2 / (2 (1 + A^2)), by the arithmetic-geometric mean."""
    square = 4 * energy / (1 + math.sqrt(1 + 4 * energy))
    a, b = 1.0, math.sqrt(1 - square / (2 * (1 + square)))
    while abs(a - b) > 1e-15:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return TAU / (a + b) * 2 / math.sqrt(1 + square)


def odd_matrix(np, m):
    """d/dθ on m places of half a turn, for functions that change their sign after it, in 64 bits."""
    half = np.arccos(np.longdouble(0))
    j = np.arange(2 * m)
    difference = j[:, None] - j[None, :]
    with np.errstate(divide="ignore"):
        full = (1 - 2 * (difference % 2)) / (2 * np.tan(half * difference / m))
    np.fill_diagonal(full, 0.0)
    return 2 * half * j[:m] / m, full[:m, :m] - full[:m, m:]


class Cycle:
    """The period of Van der Pol's cycle at growing values of mu. Residuals have 64 bits, steps of Newton's method 53."""

    def __init__(self, np):
        self.np, self.x, self.period, self.known = np, None, TAU, 0.0

    def begin(self, m):
        """Places of half a turn; the former solution is carried over."""
        np, former = self.np, self.x
        places, self.d = odd_matrix(np, m)
        self.d2, self.period = self.d @ self.d, np.longdouble(self.period)
        if former is None:
            self.x = 2 * np.cos(places)
        else:
            n = len(former)
            at = np.pi * np.arange(n) / n
            odd = np.arange(1, n, 2)
            cosines = [2 / n * np.sum(former * np.cos(k * at)) for k in odd]
            sines = [2 / n * np.sum(former * np.sin(k * at)) for k in odd]
            self.x = sum(a * np.cos(k * places) + b * np.sin(k * places) for k, a, b in zip(odd, cosines, sines))

    def at(self, mu):
        np = self.np
        steps = max(1, math.ceil((mu - self.known) / 0.2))
        for value in np.linspace(self.known, mu, steps + 1)[1:]:
            m = 64 + 32 * math.floor(value)
            if self.x is None or len(self.x) != m:
                self.begin(m)
            d, d2 = self.d, self.d2
            for _ in range(12):
                x, s = self.x, self.period / TAU
                v = d @ x
                residual = d2 @ x - value * s * (1 - x * x) * v + s * s * x
                slopes = d2 - value * s * ((1 - x * x)[:, None] * d - np.diag(2 * x * v)) + s * s * np.eye(m)
                by_s = -value * (1 - x * x) * v + 2 * s * x
                whole = np.block([[slopes, by_s[:, None]], [d[:1], np.zeros((1, 1))]])
                step = np.linalg.solve(whole.astype(float), -np.append(residual, v[0]).astype(float))
                self.x, self.period = x + step[:-1], self.period + TAU * step[-1]
                if abs(step[-1]) < 1e-15:
                    break
        self.known = mu
        return float(self.period)


def driven_folds(np, m=96):
    """Values of w at the folds, the larger first: Newton's method for (x, w, v) with F = 0, F_x v = 0, |v| given."""
    places, d = (array.astype(float) for array in odd_matrix(np, m))
    d2, eye = d @ d, np.eye(m)
    # The folds of one harmonic start it: (1 + 3/4 a^2 - W)^2 + 0.01 W = 0.09 / a^2 with W = w^2.
    a = np.linspace(0.2, 1.8, 20001)
    half = 1 + 0.75 * a * a - 0.005
    root = half**2 - (1 + 0.75 * a * a) ** 2 + 0.09 / a**2
    upper = np.where(root >= 0, half + np.sqrt(np.maximum(root, 0)), np.inf)
    lower = np.where(root >= 0, half - np.sqrt(np.maximum(root, 0)), -np.inf)
    answer = []
    for k, square in ((np.argmax(lower), np.max(lower)), (np.argmin(upper), np.min(upper))):
        w = math.sqrt(square)
        stiff = (1 + 0.75 * a[k] ** 2 - square) * a[k]
        x = a[k] * np.cos(places - math.atan2(0.1 * w * a[k], stiff))
        slopes = w * w * d2 + 0.1 * w * d + np.diag(1 + 3 * x * x)
        v = np.linalg.svd(slopes)[2][-1]
        border = v.copy()
        for _ in range(30):
            slopes = w * w * d2 + 0.1 * w * d + np.diag(1 + 3 * x * x)
            f = w * w * (d2 @ x) + 0.1 * w * (d @ x) + x + x**3 - 0.3 * np.cos(places)
            by_w = 2 * w * d2 + 0.1 * d
            whole = np.block([
                [slopes, 0 * eye, (by_w @ x)[:, None]],
                [np.diag(6 * x * v), slopes, (by_w @ v)[:, None]],
                [np.zeros((1, m)), border[None, :], np.zeros((1, 1))],
            ])
            step = np.linalg.solve(whole, -np.concatenate([f, slopes @ v, [border @ v - 1]]))
            x, v, w = x + step[:m], v + step[m : 2 * m], w + step[-1]
            if np.max(np.abs(step)) < 1e-12:
                break
        answer.append(w)
    return sorted(answer, reverse=True)


class Lyapunov:
    """The planar orbits about L1 at growing energies: collocation for (x, y, T/2π, unfolding)."""

    def __init__(self, np, n=81):
        self.np, self.n = np, n
        j = np.arange(n)
        difference = j[:, None] - j[None, :]
        with np.errstate(divide="ignore"):
            d = 0.5 * (-1.0) ** difference / np.sin(np.pi * difference / n)
        np.fill_diagonal(d, 0.0)
        places = TAU * j / n
        self.d, self.d2 = d, d @ d
        self.x, self.y = PLACE + SMALL * np.cos(places), -RATIO * SMALL * np.sin(places)
        self.s, self.unfolding, self.known = 1 / RATE, 0.0, energy_of_small_orbit()

    def at(self, energy):
        np, n, d, d2 = self.np, self.n, self.d, self.d2
        steps = max(1, math.ceil(abs(energy - self.known) / 2e-4))
        for wanted in np.linspace(self.known, energy, steps + 1)[1:]:
            for _ in range(15):
                x, y, s, l = self.x, self.y, self.s, self.unfolding
                a, b = x + MU, x - 1 + MU
                p, q = (1 - MU) / np.hypot(a, y) ** 3, MU / np.hypot(b, y) ** 3
                p5, q5 = p / (a * a + y * y), q / (b * b + y * y)
                u, v = d @ x, d @ y
                gx, gy = x - p * a - q * b, y * (1 - p - q)
                gxx = 1 - p - q + 3 * (p5 * a * a + q5 * b * b)
                gxy, gyy = 3 * y * (p5 * a + q5 * b), 1 - p - q + 3 * y * y * (p5 + q5)
                first = d2 @ x - 2 * s * v - s * s * gx - l * s * u
                second = d2 @ y + 2 * s * u - s * s * gy - l * s * v
                own = (u[0] ** 2 + v[0] ** 2) / (2 * s * s) - (x[0] ** 2 + y[0] ** 2) / 2
                own -= (1 - MU) / math.hypot(a[0], y[0]) + MU / math.hypot(b[0], y[0])
                whole = np.zeros((2 * n + 2, 2 * n + 2))
                whole[:n, :n] = d2 - s * s * np.diag(gxx) - l * s * d
                whole[:n, n:-2] = -2 * s * d - s * s * np.diag(gxy)
                whole[n:-2, :n] = 2 * s * d - s * s * np.diag(gxy)
                whole[n:-2, n:-2] = d2 - s * s * np.diag(gyy) - l * s * d
                whole[:n, -2], whole[n:-2, -2] = -2 * v - 2 * s * gx - l * u, 2 * u - 2 * s * gy - l * v
                whole[:n, -1], whole[n:-2, -1] = -s * u, -s * v
                whole[-2, n] = 1  # y = 0 at the first place
                whole[-1, :n], whole[-1, n:-2] = d[0] * u[0] / s**2, d[0] * v[0] / s**2
                whole[-1, 0] -= gx[0]
                whole[-1, n] -= gy[0]
                whole[-1, -2] = -(u[0] ** 2 + v[0] ** 2) / s**3
                step = np.linalg.solve(whole, -np.concatenate([first, second, [y[0], own - wanted]]))
                self.x, self.y = x + step[:n], y + step[n:-2]
                self.s, self.unfolding = s + step[-2], l + step[-1]
                if np.max(np.abs(step)) < 1e-12:
                    break
        self.known = energy
        return TAU * self.s

    def across(self, energy):
        """The eigenvalue nearest to 0 of the small vertical motions: 0 where they have the period of the orbit."""
        self.at(energy)
        np, x, y = self.np, self.x, self.y
        pull = (1 - MU) / np.hypot(x + MU, y) ** 3 + MU / np.hypot(x - 1 + MU, y) ** 3
        values = np.linalg.eigvalsh(self.d2 + self.s**2 * np.diag(pull))
        return values[np.argmin(np.abs(values))]

    def halo(self, low=-1.5875, high=-1.5868):
        """The energy at which halo orbits branch off."""
        a, b = self.across(low), self.across(high)
        for _ in range(12):
            if abs(high - low) < 1e-14 or a == b:
                break
            low, a, high = high, b, high - b * (high - low) / (b - a)
            b = self.across(high)
        return high


class References:
    """Errors of runs, each reference computed once."""

    def __init__(self, np, name):
        self.np, self.name, self.kept = np, name, {}

    def period(self, value):
        if value not in self.kept:
            if self.name == "backbone":
                self.kept[value] = backbone_period(value)
            else:
                self.kept[value] = self.solver.at(value)
        return self.kept[value]

    def specials(self):
        """The values at special points."""
        if "special" not in self.kept:
            if self.name == "driven":
                self.kept["special"] = driven_folds(self.np)
            elif self.name == "lyapunov":
                self.kept["special"] = [Lyapunov(self.np).halo()]
            else:
                self.kept["special"] = []
        return self.kept["special"]

    def special_error(self, run):
        """The largest relative error of the parameters at special points; infinite where some are missing or too many."""
        kind, wanted = FAMILIES[self.name].special, self.specials()
        found = [p[0] for p in run.special(kind)] if kind else []
        if len(found) != len(wanted):
            return math.inf
        return float(max((abs(a / b - 1) for a, b in zip(found, wanted)), default=0.0))

    def period_error(self, run):
        """The largest relative error of a period; of a driven motion, whose period is given, nothing."""
        if self.name == "driven":
            return 0.0
        # From small values to large ones.
        if self.name in ("cycle", "lyapunov"):
            self.solver = (Cycle if self.name == "cycle" else Lyapunov)(self.np)
        points = sorted((p[0], p[1]) for p in run.points)
        return max(abs(period / self.period(value) - 1) for value, period in points)

    def error(self, run):
        return max(self.period_error(run), self.special_error(run))


def unavailable():
    if not os.path.isdir(LIBRARY):
        return "AUTO-07p is not installed: apt-get install auto-07p gfortran"
    if shutil.which("gfortran") is None:
        return "gfortran, which AUTO-07p needs, is not installed: apt-get install gfortran"
    return None


def point(tolerance, run, references, compile_seconds):
    return {
        "tolerance": tolerance, "seconds": run.seconds, "compile_s": compile_seconds,
        "error": max(references.error(run), 1e-17), "period_error": references.period_error(run),
        "special_error": references.special_error(run), "steps": run.steps, "iterations": run.iterations,
        "special": [p for p in run.points if p[2]], "warnings": run.warnings,
    }


def measure(np, peer, name, program):
    """The figures of a side on a family."""
    family, references, curve, check = FAMILIES[name], References(np, name), [], None
    if peer == "galilei":
        for tolerance in TOLERANCES + TIGHT:
            try:
                run = galilei(program, family, tolerance)
            except RuntimeError as why:
                curve.append({"tolerance": tolerance, "failed": str(why)})
                continue
            curve.append(point(tolerance, run, references, 0.0))
            check = run.check(family.special)
    else:
        auto = Auto(family)
        for tolerance in TOLERANCES:
            best = auto.follow(tolerance, references.error)
            if best is None:
                curve.append({"tolerance": tolerance, "failed": "no mesh reaches the tolerance"})
                continue
            run, settings = best
            curve.append(point(tolerance, run, references, auto.compile_seconds) | settings)
            check = run.check(family.special)
    if check is None:
        raise RuntimeError(f"{name} was not followed at any tolerance")
    seconds = [p["seconds"] for p in curve if "seconds" in p]
    return {"total_s": seconds[-1], "check": check, "curve": curve}


def main(peer, n, name, program):
    line = {"work": "periodic", "peer": peer, "n": n, "variant": name}
    missing = unavailable() if peer == "auto" else None
    if missing is None and peer == "galilei" and not os.path.exists(program):
        missing = f"there is no {program}"
    try:
        import numpy as np
    except (ImportError, OSError) as why:
        missing = missing or str(why)
    if missing:
        line |= {"missing": missing}
    else:
        line |= measure(np, peer, name, program)
    print(json.dumps(line), flush=True)
    return line


def table(program):
    lines = []
    for name in FAMILIES:
        lines += [main(peer, 1, name, program) for peer in ("galilei", "auto")]
    columns = "family|side|tolerance|steps|Newton|time, ms|period error|special error|mesh"
    rows = [columns.split("|")]
    for line in lines:
        for p in line.get("curve", []):
            if "failed" in p:
                cells = [line["variant"], line["peer"], f"{p['tolerance']:.0e}", "failed"]
                rows.append(cells + [""] * (len(rows[0]) - len(cells)))
                continue
            mesh = f"{p['mesh']} x {p['columns']}" if "mesh" in p else ""
            iterations = "" if p["iterations"] is None else str(p["iterations"])
            rows.append([
                line["variant"], line["peer"], f"{p['tolerance']:.0e}", str(p["steps"]), iterations,
                f"{1e3 * p['seconds']:.0f}", f"{p['period_error']:.1e}", f"{p['special_error']:.1e}", mesh,
            ])
        if "missing" in line:
            rows.append([line["variant"], line["peer"], line["missing"]] + [""] * (len(rows[0]) - 3))
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths)).rstrip())


if __name__ == "__main__":
    given = sys.argv[1:]
    own = os.environ.get("GALILEI") or os.path.join(HERE, "..", "..", "target", "release", "galilei")
    if given[:1] == ["table"] and len(given) <= 2:
        table(*given[1:] or [own])
    elif len(given) in (3, 4) and given[0] in ("galilei", "auto") and given[2] in FAMILIES:
        main(given[0], int(given[1]), given[2], given[3] if len(given) == 4 else own)
    else:
        sys.exit(__doc__)
