@ABOUT@
#
# Everything is made of PyTorch in double precision. States, parameters and inputs are tensors whose last dimension counts
# their entries; dimensions before it are batches. Functions can be differentiated, runs included: a run keeps the state at
# each step alone, and its gradient goes back through the steps (torch.autograd.Function).
# Written by Galilei @VERSION@. Needs PyTorch.

import torch

COORDINATES = @N@
CONSTRAINTS = @M@
DEFAULTS = torch.tensor([@DEFAULTS@], dtype=torch.float64)
_UNKNOWNS = @S@


def _tensor(a):
    return torch.as_tensor(a, dtype=torch.float64)


def _function(f):
    return lambda *a: f(*(_tensor(v) for v in a))


_sin, _cos, _tan = _function(torch.sin), _function(torch.cos), _function(torch.tan)
_asin, _acos, _atan = _function(torch.asin), _function(torch.acos), _function(torch.atan)
_sinh, _cosh, _tanh = _function(torch.sinh), _function(torch.cosh), _function(torch.tanh)
_exp, _log, _exp2, _log2 = _function(torch.exp), _function(torch.log), _function(torch.exp2), _function(torch.log2)
_pow, _atan2, _abs = _function(torch.pow), _function(torch.atan2), _function(torch.abs)


def _where(condition, a, b):
    return torch.where(torch.as_tensor(condition), _tensor(a), _tensor(b))


def root(a):
    """The square root; not a number below zero."""
    return torch.sqrt(_tensor(a))


def _stacked(out):
    return torch.stack(torch.broadcast_tensors(*[_tensor(v) for v in out]), dim=-1)
@TABLES@


def _code_system(z):
    out = [0.0] * (_UNKNOWNS * _UNKNOWNS + _UNKNOWNS)
@SYSTEM@
    return _stacked(out)


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
def _arguments(t, x, u, parameters@PASSED@):
    z = [_tensor(t)]
    for list in (x, u, parameters):
        z.extend(_tensor(list).unbind(-1))
    # <inputs>
    if inputs is None:
        return z + [0.0] * @K@
    inputs = _tensor(inputs)
    if inputs.shape[-1:] != (@I@,):
        raise ValueError("there are @I@ inputs")
    z.extend(_code_increments([*z, *inputs.unbind(-1)]))
    # </inputs>
    return z


def energy(t, x, u, parameters=DEFAULTS@INPUTS@):
    """The energy u*dL/du - L."""
    return _tensor(_code_energy(_arguments(t, x, u, parameters@PASSED@))[0])


def _unknowns(t, x, u, parameters@PASSED@):
    out = _code_system(_arguments(t, x, u, parameters@PASSED@))
    matrix = out[..., :_UNKNOWNS * _UNKNOWNS].unflatten(-1, (_UNKNOWNS, _UNKNOWNS))
    right = out[..., _UNKNOWNS * _UNKNOWNS:].unsqueeze(-1)
    return torch.linalg.solve(matrix, right).squeeze(-1), matrix


def accelerations(t, x, u, parameters=DEFAULTS@INPUTS@):
    """The accelerations."""
    return _unknowns(t, x, u, parameters@PASSED@)[0][..., :COORDINATES]


def multipliers(t, x, u, parameters=DEFAULTS@INPUTS@):
    """The multipliers of the constraints."""
    return _unknowns(t, x, u, parameters@PASSED@)[0][..., COORDINATES:]


def mass_matrix(t, x, u, parameters=DEFAULTS@INPUTS@):
    """The mass matrix d2L/du du."""
    return _unknowns(t, x, u, parameters@PASSED@)[1][..., :COORDINATES, :COORDINATES]


def rates(t, y, parameters=DEFAULTS@INPUTS@):
    """The derivative of y = (x, u) by time."""
    x, u = y[..., :COORDINATES], y[..., COORDINATES:]
    return torch.cat([u, accelerations(t, x, u, parameters@PASSED@)], dim=-1)


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


class _Run(torch.autograd.Function):
    """All steps of a run; the backward pass repeats each step from its start, and needs no other memory."""

    @staticmethod
    def forward(ctx, y, parameters, inputs, start, to, steps):
        states = [y]
        h = (to - start) / steps
        for k in range(steps):
            states.append(_advance(k, states[-1], parameters, inputs, start, h, steps))
        ctx.save_for_backward(parameters, inputs, *states)
        ctx.grid = (start, h, steps)
        return torch.stack(states)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, gradient):
        parameters, inputs, *states = ctx.saved_tensors
        start, h, steps = ctx.grid
        by_parameters = torch.zeros_like(parameters)
        by_inputs = torch.zeros_like(inputs)
        by_state = gradient[steps]
        for k in reversed(range(steps)):
            with torch.enable_grad():
                y, p, i = (v.detach().requires_grad_() for v in (states[k], parameters, inputs))
                end = _advance(k, y, p, i, start, h, steps)
            parts = torch.autograd.grad(end, (y, p, i), by_state, allow_unused=True)
            by_state = gradient[k] + (0.0 if parts[0] is None else parts[0])
            by_parameters = by_parameters + (0.0 if parts[1] is None else parts[1])
            by_inputs = by_inputs + (0.0 if parts[2] is None else parts[2])
        return by_state, by_parameters, by_inputs, None, None, None


def _advance(k, y, parameters, inputs, start, h, steps):
    # <inputs>
    if inputs.numel() == 0:
        given = None
    elif inputs.dim() == 1:
        given = inputs
    else:
        given = inputs[..., k if inputs.shape[-2] > 1 else 0, :]
    return _step(start + k * h, y, h, parameters, given)
    # </inputs>
    # <no inputs>
    return _step(start + k * h, y, h, parameters)
    # </no inputs>


def trajectory(x, u, parameters=DEFAULTS, to=1.0, start=0.0, steps=1000@INPUTS@):
    # <no inputs>
    """The times of all steps of order 5, and the states (x, u) there, which come first: (steps + 1, ..., 2*COORDINATES)."""
    inputs = None
    # </no inputs>
    # <inputs>
    """The times of all steps of order 5, and the states (x, u) there, which come first: (steps + 1, ..., 2*COORDINATES).

    Inputs are one row of values, or one row for each step, held during the step; None is the formulas of the model.
    """
    # </inputs>
    x, u, parameters = _tensor(x), _tensor(u), _tensor(parameters)
    inputs = torch.zeros(0, dtype=torch.float64) if inputs is None else _tensor(inputs)
    # <inputs>
    if inputs.dim() > 1 and inputs.shape[-2] not in (1, steps):
        raise ValueError(f"there are {inputs.shape[-2]} rows of inputs for {steps} steps")
    # </inputs>
    batch = torch.broadcast_shapes(x.shape[:-1], u.shape[:-1], parameters.shape[:-1], inputs.shape[:-2])
    y = torch.cat([x.expand(*batch, COORDINATES), u.expand(*batch, COORDINATES)], dim=-1)
    times = torch.linspace(start, to, steps + 1, dtype=torch.float64)
    return times, _Run.apply(y, parameters, inputs, start, to, steps)


def run(x, u, parameters=DEFAULTS, to=1.0, start=0.0, steps=1000@INPUTS@):
    # <no inputs>
    """The state (x, u) at a time, by equal steps of order 5; it can be differentiated by x, u and parameters."""
    # </no inputs>
    # <inputs>
    """The state (x, u) at a time, by equal steps of order 5; it can be differentiated by x, u, parameters and inputs.

    Inputs are one row of values, or one row for each step, held during the step; None is the formulas of the model.
    """
    # </inputs>
    y = trajectory(x, u, parameters, to, start, steps@PASSED@)[1][-1]
    return y[..., :COORDINATES], y[..., COORDINATES:]
