"""Exceptions for errors of a model or a request.

Every diagnostic has a stable code (docs/diagnostics.md lists them); codes that concern the same
thing share a class. ``str(error)`` is the text a terminal would show: code, message, the line with
its place marked, the hint.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .precise import PreciseRun
    from .run import Run

__all__ = [
    "Diagnostic",
    "FamilyError",
    "GalileiError",
    "GalileiWarning",
    "MechanicsError",
    "NamesError",
    "QuantityError",
    "ReadingError",
    "RequestError",
    "RunError",
]


class Diagnostic(NamedTuple):
    """A diagnostic about a model. Places count from 1 and are ``None`` for problems outside the
    text; the end is behind the last character."""

    code: str
    message: str
    hint: str
    line: int | None
    column: int | None
    end_line: int | None
    end_column: int | None
    warning: bool
    rendered: str

    def __str__(self) -> str:
        return self.rendered


class GalileiError(ValueError):
    """A model or a request was refused.

    ``code``, ``message``, ``hint``, ``line``, ``column`` are those of the first error;
    ``diagnostics`` has all, warnings too.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n\n".join(d.rendered for d in self.diagnostics))

    @property
    def first(self) -> Diagnostic:
        """The first error."""
        return next(d for d in self.diagnostics if not d.warning)

    @property
    def code(self) -> str:
        """The code of the first error, a stable word."""
        return self.first.code

    @property
    def message(self) -> str:
        """The message of the first error."""
        return self.first.message

    @property
    def hint(self) -> str:
        """The suggested correction; may be empty."""
        return self.first.hint

    @property
    def line(self) -> int | None:
        """Where, counted from 1."""
        return self.first.line

    @property
    def column(self) -> int | None:
        """Where, counted from 1."""
        return self.first.column

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.diagnostics,)


class ReadingError(GalileiError):
    """A text that is not written in the model language."""


class NamesError(GalileiError):
    """A name that is unknown, taken, or used with another meaning."""


class FamilyError(GalileiError):
    """Families: an index that is missing or out of range, a family that is too large."""


class QuantityError(GalileiError):
    """Dimensions, tuples, and quantities that are not allowed in a place."""


class MechanicsError(GalileiError):
    """The text describes no mechanical system, or a singular one."""


class RequestError(GalileiError):
    """The model is correct; the request is not."""


class GalileiWarning(UserWarning):
    """A warning about a model that can be used."""


class RunError(ArithmeticError):
    """A run failed. ``run`` contains its part up to the failure."""

    def __init__(self, message: str, run: Run | PreciseRun) -> None:
        super().__init__(message)
        self.run = run

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.run)


#: The codes of each class, as the chapters of docs/diagnostics.md have them.
CODES: Mapping[type[GalileiError], frozenset[str]] = {
    ReadingError: frozenset(
        """cannot_read file_too_large unexpected_character malformed_number number_too_large
        unterminated_string expected_title expected_statement unknown_statement
        expected_keyword expected_name expected_range expected_token expected_expression
        unexpected_token unclosed_brace malformed_unit nesting_too_deep too_many_errors""".split()
    ),
    NamesError: frozenset(
        """unknown_name unknown_function unknown_unit unknown_body unknown_constraint
        unknown_rotation unknown_method reserved_name duplicate_name duplicate_statement
        duplicate_entry unexpected_name declared_later self_reference missing_arguments
        wrong_argument_count not_a_coordinate not_a_velocity unknown_frame
        not_a_rotation impossible_inertia initial_rate_undetermined
        initial_rate_contradictory unknown_reference unknown_event""".split()
    ),
    FamilyError: frozenset(
        """missing_index not_a_family wrong_index index_out_of_range not_an_integer
        declaration_in_repetition family_too_large too_many_coordinates model_too_large""".split()
    ),
    QuantityError: frozenset(
        """dimension_mismatch shape_mismatch degree_mismatch no_such_component undefined_value
        unexpected_comparison expected_comparison velocity_not_allowed second_derivative
        not_smooth not_constant only_in_outputs unknown_interpolation table_not_increasing
        table_not_periodic
        table_not_a_number table_too_short table_column_missing table_file_missing
        path_not_allowed""".split()
    ),
    MechanicsError: frozenset(
        """no_coordinates degenerate_lagrangian degenerate_lagrangian_at_state not_an_action_form
        mixed_formulations acceleration_without_metric missing_acceleration
        not_a_force_one_form not_a_force_two_form metric_not_symmetric
        metric_not_positive_definite not_an_action_form_in_strict_sense
        reference_without_metric gravity_without_mass inadmissible_constraint
        inadmissible_constraint_at_state too_many_dependent dependent_not_determined
        not_affine_in_accelerations reaction_cannot_enforce
        constrained_dynamics_not_unique state_violates_constraint wrong_chart not_a_unit_vector
        singular_chart symmetry_time weak_assumption assumption_violated constant_event
        missing_end_time not_symplectic energy_balance end_depends_on_parameter
        event_underflow wrong_setting sliding_point check_in_part degenerate_hamiltonian
        momentum_beside_velocity not_an_inverse accumulated_error missing_tangent
        wrong_coefficient impact_undetermined contact_penetrated negative_friction contact_not_unique
        impact_law_undetermined impacts_accumulate first_order free_motion dry_friction
        contact_mode""".split()
    ),
    RequestError: frozenset(
        """invalid_setting unknown_parameter invalid_state missing_value undetermined_function
        not_defined_at_state unknown_chart unknown_request chart_at_state
        legendre_failed several_multipliers no_multiplier projection_failed not_finite
        unknown_format cannot_write not_differentiable nothing_varied missing_sample
        invalid_axis other_journal journal_in_use unknown_language too_large missing_end
        not_variational unknown_functional unknown_coordinate no_motion_found
        parts_do_not_fit not_available expected_equation only_in_models run_failed
        not_steady depends_on_time moving_axes coarse_eigenvectors no_equilibrium_found
        guess_changed no_periodic_motion family_ends invalid_urdf table_extrapolated
        not_converged singular_coordinates
        data_column_unknown fit_failed fit_not_converged parameter_at_bound""".split()
    ),
}


#: Options of the command line under other names.
_ARGUMENTS = {"from": "from_", "at": "state"}

#: Options that are followed by a word.
_WORDS = ("method", "free-start", "free-end")

_OPTION = re.compile(
    r"""`?--(?P<name>[a-z]+(?:-[a-z]+)*)
    (?:\s(?:(?P<text>"[^"]*")
      | (?P<set>[\w\[\]]+=[^\s,;:`]+(?:,[\w\[\]]+=[^\s,;:`]+)*)
      | (?P<shard>\d+/\d+)
      | (?P<number>-?\d[\d.e-]*)
      | (?P<word>\w+(?=`|[,;:.]?$|[,;:]))))?`?""",
    re.X,
)


def in_python(text: str) -> str:
    """A hint for the command line as one for Python.

    >>> in_python("write `simulate to 10` in the file, or give --to 10")
    'write `simulate to 10` in the file, or give to=10'
    >>> in_python("give it with --set k=…")
    'give it with set={"k": …}'
    >>> in_python('write --at "t=0.5, theta=0.1"; runs start there with --project')
    'write state="t=0.5, theta=0.1"; runs start there with project=True'
    """

    def argument(found: re.Match[str]) -> str:
        option = found["name"]
        name = _ARGUMENTS.get(option, option.replace("-", "_"))
        behind = found[0].rstrip("`")[len(option) + 2 :].lstrip("`")
        if option in ("project", "accept-balance"):
            return f"{name}=True{behind}"
        if found["text"]:
            return f"{name}={found['text']}"
        if found["set"]:
            if option != "set":
                return f'{name}="{found["set"]}"'
            pairs = (pair.partition("=") for pair in found["set"].split(","))
            return "set={" + ", ".join(f'"{k}": {v}' for k, _, v in pairs) + "}"
        if found["shard"]:
            return f"{name}=({found['shard'].replace('/', ', ')})"
        if found["number"]:
            return f"{name}={found['number']}"
        if found["word"] and option in _WORDS:
            return f'{name}="{found["word"]}"'
        return f"{name}{behind}"

    return _OPTION.sub(argument, text) if "--" in text else text


def diagnostics(entries: Iterable[Mapping[str, Any]]) -> tuple[Diagnostic, ...]:
    """Diagnostics from the compiled part, with hints for Python."""
    return tuple(Diagnostic(**_translated(entry)) for entry in entries)


def _translated(entry: Mapping[str, Any]) -> dict[str, Any]:
    said = dict(entry)
    for part in ("message", "hint"):
        text = said[part]
        if text and "--" in text:
            said[part] = in_python(text)
            said["rendered"] = said["rendered"].replace(text, said[part])
    return said


def refusal(entries: Iterable[Mapping[str, Any]]) -> GalileiError:
    """The exception for some diagnostics: its class is that of the first error."""
    list_ = diagnostics(entries)
    code = next(d.code for d in list_ if not d.warning)
    for kind, codes in CODES.items():
        if code in codes:
            return kind(list_)
    return GalileiError(list_)


def warn(entries: Iterable[Mapping[str, Any]]) -> tuple[Diagnostic, ...]:
    """Issues warnings by Python's mechanism."""
    list_ = diagnostics(entries)
    for d in list_:
        if d.warning:
            warnings.warn(d.rendered, GalileiWarning, stacklevel=3)
    return list_
