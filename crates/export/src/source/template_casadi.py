@ABOUT@
#
# Expressions are CasADi's SX, functions casadi.Function: for integrators, collocation and optimal control.
# Written by Galilei @VERSION@. Needs CasADi.

import casadi

COORDINATES = @N@
CONSTRAINTS = @M@
DEFAULTS = [@DEFAULTS@]
_UNKNOWNS = @S@
@TABLES@


def root(a):
    """The square root."""
    return casadi.sqrt(a)


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


# </inputs>
t = casadi.SX.sym("t")
x = casadi.SX.sym("x", COORDINATES)
u = casadi.SX.sym("u", COORDINATES)
parameters = casadi.SX.sym("parameters", @P@)
# <inputs>
inputs = casadi.SX.sym("inputs", @I@)
# </inputs>


def _solved(z):
    out = [casadi.SX(v) for v in _code_system(z)]
    matrix = casadi.reshape(casadi.vertcat(*out[:_UNKNOWNS * _UNKNOWNS]), _UNKNOWNS, _UNKNOWNS).T
    return casadi.solve(matrix, casadi.vertcat(*out[_UNKNOWNS * _UNKNOWNS:])), matrix


_own = [t, *casadi.vertsplit(x), *casadi.vertsplit(u), *(casadi.vertsplit(parameters) if @P@ else [])]
_z = [*_own, *[casadi.SX(0.0)] * @K@]
_y, _matrix = _solved(_z)

# The accelerations and multipliers as expressions of t, x, u, parameters.
acceleration = _y[:COORDINATES]
multiplier = _y[COORDINATES:]

_given = [t, x, u, parameters]
_names = ["t", "x", "u", "parameters"]
# (t, x, u, parameters) to the accelerations, to the multipliers, to the energy.
accelerations = casadi.Function("accelerations", _given, [acceleration], _names, ["a"])
multipliers = casadi.Function("multipliers", _given, [multiplier], _names, ["multipliers"])
energy = casadi.Function("energy", _given, [casadi.SX(_code_energy(_z)[0])], _names, ["energy"])
mass_matrix = casadi.Function("mass_matrix", _given, [_matrix[:COORDINATES, :COORDINATES]], _names, ["m"])
# (t, y, parameters) with y = (x, u) to the derivative of y.
_state = casadi.SX.sym("y", 2 * COORDINATES)
_parts = [_state[:COORDINATES], _state[COORDINATES:]]
rates = casadi.Function(
    "rates",
    [t, _state, parameters],
    [casadi.vertcat(_parts[1], accelerations(t, _parts[0], _parts[1], parameters))],
    ["t", "y", "parameters"],
    ["dy"],
)


def integrator(to, start=0.0, parameters=DEFAULTS, options=None):
    """CasADi's integrator of the motion: x0 is (x, u) at the start, xf that at the end."""
    y, s = casadi.SX.sym("y", 2 * COORDINATES), casadi.SX.sym("s")
    given = casadi.DM(parameters) if len(parameters) else casadi.DM.zeros(0, 1)
    problem = {"x": y, "t": s, "ode": rates(s, y, given)}
    settings = {"abstol": 1e-10, "reltol": 1e-10, **(options or {})}
    return casadi.integrator("motion", "cvodes", problem, start, to, settings)
# <inputs>


# The same with values of the inputs instead of their formulas.
_driven, _ = _solved([*_own, *_code_increments([*_own, *(casadi.vertsplit(inputs) if @I@ else [])])])
driven_acceleration = _driven[:COORDINATES]
driven_multiplier = _driven[COORDINATES:]
_given_inputs, _input_names = [*_given, inputs], [*_names, "inputs"]
# (t, x, u, parameters, inputs) to the accelerations, to the multipliers.
driven_accelerations = casadi.Function(
    "driven_accelerations", _given_inputs, [driven_acceleration], _input_names, ["a"]
)
driven_multipliers = casadi.Function(
    "driven_multipliers", _given_inputs, [driven_multiplier], _input_names, ["multipliers"]
)
# (t, y, parameters, inputs) with y = (x, u) to the derivative of y.
driven_rates = casadi.Function(
    "driven_rates",
    [t, _state, parameters, inputs],
    [casadi.vertcat(_parts[1], driven_accelerations(t, _parts[0], _parts[1], parameters, inputs))],
    ["t", "y", "parameters", "inputs"],
    ["dy"],
)
# </inputs>
