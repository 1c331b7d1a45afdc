"""Mechanical systems written as geometry: equations of motion, and the proof that they are right.

>>> import galilei
>>> pendulum = galilei.parse('''
... param m = 0.2 [kg], l = 0.5 [m], g = 9.81 [m/s^2]
... coord theta [rad]
... particle bob: mass m at (l*sin(theta), -l*cos(theta))
... gravity: (0, -g)
... initial theta = 0.3
... ''')
>>> print(pendulum.derive("lagrange").text)
m l (l θ̈ + g sin θ) = 0
>>> bool(pendulum.check())
True
>>> run = pendulum.simulate(to=10)
>>> run.stats["energy_balance"] < 1e-13
True
"""

from . import errors, forms, functions
from ._galilei import __version__
from .analysis import (
    Equilibria,
    Equilibrium,
    Fit,
    Lyapunov,
    Modes,
    PeriodicMotion,
    PeriodicMotions,
)
from .cluster import dask_sweep, sweep_with
from .derivation import Check, Derivation, Finding, Section, Verdict
from .errors import *  # noqa: F403
from .evaluation import Evaluation
from .expression import Expr, as_expr, symbols
from .forms import *  # noqa: F403
from .functions import *  # noqa: F403
from .magic import load_ipython_extension
from .minimise import Minimum
from .model import Model, decide, load, parse
from .precise import PreciseEvent, PreciseRun
from .run import Event, Events, Impact, Mode, Run
from .sensitivities import Gradient, Neighbours, Sensitivities
from .stationary import ConjugatePoint, StationaryMotion, StationaryMotions
from .sweep import Sweep
from .symbolic import from_sympy, to_sympy
from .system import System

__all__ = [
    "Check", "ConjugatePoint", "Derivation", "Equilibria", "Equilibrium", "Evaluation", "Event", "Events", "Expr", "Finding",
    "Fit", "Gradient", "Impact", "Lyapunov", "Minimum", "Mode", "Model", "Modes", "Neighbours", "PeriodicMotion",
    "PeriodicMotions", "PreciseEvent", "PreciseRun", "Run", "Section", "Sensitivities", "StationaryMotion",
    "StationaryMotions", "Sweep", "System", "Verdict", "__version__", "as_expr", "dask_sweep", "decide", "from_sympy",
    "load", "load_ipython_extension", "parse", "sweep_with", "symbols", "to_sympy",
    *errors.__all__,
    *forms.__all__,
    *functions.__all__,
]  # fmt: skip
