@ABOUT@
#
# Functions raise ArithmeticError where the mass matrix (with constraints: the whole system) is singular.
# Vectors are lists of floats, matrices lists of rows.
# Written by Galilei @VERSION@. No dependencies.

import math

COORDINATES = @N@
CONSTRAINTS = @M@
DEFAULTS = [@DEFAULTS@]
_UNKNOWNS = @S@
@TABLES@


def root(a):
    """The square root; not a number below zero."""
    return math.sqrt(a) if a >= 0.0 else math.nan


def _solve(n, columns, m, b):
    """Solves m*y = b for several right-hand sides, flat lists, by Gauss elimination with row pivoting."""
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(m[i * n + k]))
        pivot = m[best * n + k]
        if not abs(pivot) > 0.0 or not math.isfinite(pivot):
            raise ArithmeticError("the system is singular")
        if best != k:
            for j in range(n):
                m[k * n + j], m[best * n + j] = m[best * n + j], m[k * n + j]
            for j in range(columns):
                i, l = k * columns + j, best * columns + j
                b[i], b[l] = b[l], b[i]
        for i in range(k + 1, n):
            factor = m[i * n + k] / pivot
            if factor == 0.0:
                continue
            for j in range(k + 1, n):
                m[i * n + j] -= factor * m[k * n + j]
            for j in range(columns):
                b[i * columns + j] -= factor * b[k * columns + j]
    for k in reversed(range(n)):
        for j in range(columns):
            total = b[k * columns + j]
            for i in range(k + 1, n):
                total -= m[k * n + i] * b[i * columns + j]
            b[k * columns + j] = total / m[k * n + k]


def _rows(flat, width):
    return [flat[k:k + width] for k in range(0, len(flat), width)]


def _code_system(z):
    out = [0.0] * (_UNKNOWNS * _UNKNOWNS + _UNKNOWNS)
@SYSTEM@
    return out


def _code_energy(z):
    out = [0.0]
@ENERGY@
    return out


# <inputs>
def _code_increments(z):
    out = [0.0] * @K@
@INCREMENTS@
    return out


def _arguments(t, x, u, parameters, inputs):
    z = [t, *x, *u, *parameters]
    if inputs is None:
        return z + [0.0] * @K@
    if len(inputs) != @I@:
        raise ValueError("there are @I@ inputs")
    return z + _code_increments([*z, *inputs])
# </inputs>
# <no inputs>
def _arguments(t, x, u, parameters):
    return [t, *x, *u, *parameters]
# </no inputs>


def _unknowns(z):
    out = _code_system(z)
    matrix, y = out[:_UNKNOWNS * _UNKNOWNS], out[_UNKNOWNS * _UNKNOWNS:]
    _solve(_UNKNOWNS, 1, list(matrix), y)
    return y, matrix


def energy(t, x, u, parameters=DEFAULTS@INPUTS@):
    """The energy u*dL/du - L."""
    return _code_energy(_arguments(t, x, u, parameters@PASSED@))[0]


def accelerations(t, x, u, parameters=DEFAULTS@INPUTS@):
    """The accelerations, and the multipliers of the constraints."""
    y, _ = _unknowns(_arguments(t, x, u, parameters@PASSED@))
    return y[:COORDINATES], y[COORDINATES:]


def reaction(t, x, u, parameters=DEFAULTS@INPUTS@):
    """The covector of the constraint forces."""
    y, matrix = _unknowns(_arguments(t, x, u, parameters@PASSED@))
    constraints = range(COORDINATES, _UNKNOWNS)
    return [-sum(y[c] * matrix[i * _UNKNOWNS + c] for c in constraints) for i in range(COORDINATES)]


# <general>
def _code_mass(z):
    out = [0.0] * (COORDINATES * COORDINATES)
@MASS@
    return out


def mass_matrix(t, x, u, parameters=DEFAULTS@INPUTS@):
    """The mass matrix d2L/du du."""
    return _rows(_code_mass(_arguments(t, x, u, parameters@PASSED@)), COORDINATES)
# </general>
# <jacobian>


def _code_slopes(z):
    out = [0.0] * (_UNKNOWNS * _UNKNOWNS + _UNKNOWNS * (2 * COORDINATES + 1))
@SLOPES@
    return out


def jacobian(t, x, u, parameters=DEFAULTS@JACOBIAN_INPUTS@):
    """The derivatives of accelerations and multipliers by (t, x, u), one row for each of them."""
    z = _arguments(t, x, u, parameters@JACOBIAN_PASSED@)
    y, _ = _unknowns(z)
    out = _code_slopes([*z, *y])
    matrix, slopes = out[:_UNKNOWNS * _UNKNOWNS], out[_UNKNOWNS * _UNKNOWNS:]
    _solve(_UNKNOWNS, 2 * COORDINATES + 1, matrix, slopes)
    return _rows([-s for s in slopes], 2 * COORDINATES + 1)
# </jacobian>
# <hamilton>


def _code_momenta(z):
    out = [0.0] * (COORDINATES * COORDINATES + COORDINATES)
@MOMENTA@
    return out


def _code_rates(z):
    out = [0.0] * COORDINATES
@RATES@
    return out


def mass_matrix(t, x, u, parameters=DEFAULTS@INPUTS@):
    """The mass matrix d2L/du du."""
    z = _arguments(t, x, [0.0] * COORDINATES, parameters@PASSED@)
    out = _code_momenta([t, *x, *z[1 + 2 * COORDINATES:]])
    return _rows(out[:COORDINATES * COORDINATES], COORDINATES)


def hamilton(t, x, momenta, parameters=DEFAULTS@INPUTS@):
    """Hamilton's equations: the rates of positions and momenta."""
    z = _arguments(t, x, [0.0] * COORDINATES, parameters@PASSED@)
    out = _code_momenta([t, *x, *z[1 + 2 * COORDINATES:]])
    matrix, free = out[:COORDINATES * COORDINATES], out[COORDINATES * COORDINATES:]
    u = [p - q for p, q in zip(momenta, free)]
    _solve(COORDINATES, 1, matrix, u)
    z = _arguments(t, x, u, parameters@PASSED@)
    y, _ = _unknowns(z)
    return u, _code_rates([*z, *y[COORDINATES:]])
# </hamilton>
