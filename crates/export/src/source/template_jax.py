@ABOUT@
#
# Everything is made of jax.numpy: functions can be compiled (jax.jit), vectorised (jax.vmap) and differentiated
# (jax.grad, jax.jacobian), runs included.
# Written by Galilei @VERSION@. Needs JAX; double precision is switched on.

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)

COORDINATES = @N@
CONSTRAINTS = @M@
DEFAULTS = jnp.array([@DEFAULTS@], dtype=jnp.float64)
_UNKNOWNS = @S@
@TABLES@


def root(a):
    """The square root; not a number below zero."""
    return jnp.sqrt(a)


def _code_system(z):
    out = [0.0] * (_UNKNOWNS * _UNKNOWNS + _UNKNOWNS)
@SYSTEM@
    return jnp.stack([jnp.asarray(v, dtype=jnp.float64) for v in out])


def _code_energy(z):
    out = [0.0]
@ENERGY@
    return out


# <inputs>
def _code_increments(z):
    out = [0.0] * @K@
@INCREMENTS@
    return out


def _inputs(t, x, u, parameters, inputs):
    x, u, parameters = (jnp.asarray(v, dtype=jnp.float64) for v in (x, u, parameters))
    z = [t, *x, *u, *parameters]
    if inputs is None:
        return z + [0.0] * @K@
    inputs = jnp.asarray(inputs, dtype=jnp.float64).reshape(@I@)
    return z + _code_increments([*z, *inputs])


# </inputs>
# <no inputs>
def _inputs(t, x, u, parameters):
    x, u, parameters = (jnp.asarray(v, dtype=jnp.float64) for v in (x, u, parameters))
    return [t, *x, *u, *parameters]


# </no inputs>
def energy(t, x, u, parameters=DEFAULTS@INPUTS@):
    """The energy u*dL/du - L."""
    return jnp.asarray(_code_energy(_inputs(t, x, u, parameters@PASSED@))[0])


def _unknowns(t, x, u, parameters@PASSED@):
    out = _code_system(_inputs(t, x, u, parameters@PASSED@))
    matrix = out[:_UNKNOWNS * _UNKNOWNS].reshape(_UNKNOWNS, _UNKNOWNS)
    return jnp.linalg.solve(matrix, out[_UNKNOWNS * _UNKNOWNS:]), matrix


def accelerations(t, x, u, parameters=DEFAULTS@INPUTS@):
    """The accelerations."""
    return _unknowns(t, x, u, parameters@PASSED@)[0][:COORDINATES]


def multipliers(t, x, u, parameters=DEFAULTS@INPUTS@):
    """The multipliers of the constraints."""
    return _unknowns(t, x, u, parameters@PASSED@)[0][COORDINATES:]


def mass_matrix(t, x, u, parameters=DEFAULTS@INPUTS@):
    """The mass matrix d2L/du du."""
    return _unknowns(t, x, u, parameters@PASSED@)[1][:COORDINATES, :COORDINATES]


def rates(t, y, parameters=DEFAULTS@INPUTS@):
    """The derivative of y = (x, u) by time."""
    x, u = y[:COORDINATES], y[COORDINATES:]
    return jnp.concatenate([u, accelerations(t, x, u, parameters@PASSED@)])


# Dormand and Prince's method of order 5.
_C = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0)
_A = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
)
_B = (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84)


def _step(t, y, h, parameters@PASSED@):
    k = [rates(t, y, parameters@PASSED@)]
    for c, row in zip(_C, _A):
        k.append(rates(t + c * h, y + h * sum(a * s for a, s in zip(row, k)), parameters@PASSED@))
    return y + h * sum(b * s for b, s in zip(_B, k))


# <inputs>
def _rows(inputs, steps):
    if inputs is None:
        return None
    inputs = jnp.asarray(inputs, dtype=jnp.float64)
    return jnp.broadcast_to(inputs.reshape(-1, @I@), (steps, @I@))


# </inputs>
def run(x, u, parameters=DEFAULTS, to=1.0, start=0.0, steps=1000@INPUTS@):
    # <no inputs>
    """The state (x, u) at a time, by equal steps of order 5; it can be differentiated by x, u and parameters."""
    # </no inputs>
    # <inputs>
    """The state (x, u) at a time, by equal steps of order 5; it can be differentiated by x, u, parameters and inputs.

    Inputs are one row of values, or one row for each step, held during the step; None is the formulas of the model.
    """
    rows = _rows(inputs, steps)
    # </inputs>
    h = (to - start) / steps
    parameters = jnp.asarray(parameters, dtype=jnp.float64)
    y = jnp.concatenate([jnp.asarray(x, dtype=jnp.float64), jnp.asarray(u, dtype=jnp.float64)])

    def advance(y, k):
        return _step(start + k * h, y, h, parameters@ROW@), None

    y, _ = jax.lax.scan(jax.checkpoint(advance), y, jnp.arange(steps))
    return y[:COORDINATES], y[COORDINATES:]


def trajectory(x, u, parameters=DEFAULTS, to=1.0, start=0.0, steps=1000@INPUTS@):
    """The times of all steps and the states there, one row for each."""
    # <inputs>
    rows = _rows(inputs, steps)
    # </inputs>
    h = (to - start) / steps
    parameters = jnp.asarray(parameters, dtype=jnp.float64)
    y = jnp.concatenate([jnp.asarray(x, dtype=jnp.float64), jnp.asarray(u, dtype=jnp.float64)])

    def advance(y, k):
        y = _step(start + k * h, y, h, parameters@ROW@)
        return y, y

    _, states = jax.lax.scan(advance, y, jnp.arange(steps))
    return start + h * jnp.arange(steps + 1), jnp.concatenate([y[None, :], states])
