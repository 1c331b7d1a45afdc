@ABOUT@
#
# Functions throw a SingularException where the mass matrix (with constraints: the whole system) is singular.
# Written by Galilei @VERSION@. Only LinearAlgebra of the standard library is used.

module @NAME@

using LinearAlgebra

export accelerations, mass_matrix, energy, reaction
# <hamilton>
export hamilton
# </hamilton>
# <jacobian>
export jacobian
# </jacobian>

const COORDINATES = @N@
const CONSTRAINTS = @M@
const UNKNOWNS = @S@
const DEFAULTS = Float64[@DEFAULTS@]
@TABLES@

# The square root; not a number below zero.
root(a) = a >= 0 ? sqrt(a) : NaN

# Matrices come row by row.
rows(flat, height, width) = permutedims(reshape(flat, width, height))

function code_system(z)
    out = zeros(UNKNOWNS * UNKNOWNS + UNKNOWNS)
@SYSTEM@
    return out
end

function code_energy(z)
    out = zeros(1)
@ENERGY@
    return out
end

# <inputs>
function code_increments(z)
    out = zeros(@K@)
@INCREMENTS@
    return out
end

function arguments(t, x, u, parameters, inputs)
    z = [t; x; u; parameters]
    inputs === nothing && return [z; zeros(@K@)]
    length(inputs) == @I@ || throw(DimensionMismatch("there are @I@ inputs"))
    return [z; code_increments([z; inputs])]
end
# </inputs>
# <no inputs>
arguments(t, x, u, parameters) = [t; x; u; parameters]
# </no inputs>

function unknowns(z)
    out = code_system(z)
    matrix = rows(out[1:UNKNOWNS^2], UNKNOWNS, UNKNOWNS)
    return matrix \ out[UNKNOWNS^2+1:end], matrix
end

"The energy u*dL/du - L."
energy(t, x, u, parameters=DEFAULTS@INPUTS@) = code_energy(arguments(t, x, u, parameters@PASSED@))[1]

"The accelerations, and the multipliers of the constraints."
function accelerations(t, x, u, parameters=DEFAULTS@INPUTS@)
    y, _ = unknowns(arguments(t, x, u, parameters@PASSED@))
    return y[1:COORDINATES], y[COORDINATES+1:end]
end

"The covector of the constraint forces."
function reaction(t, x, u, parameters=DEFAULTS@INPUTS@)
    y, matrix = unknowns(arguments(t, x, u, parameters@PASSED@))
    return -matrix[1:COORDINATES, COORDINATES+1:end] * y[COORDINATES+1:end]
end

# <general>
function code_mass(z)
    out = zeros(COORDINATES * COORDINATES)
@MASS@
    return out
end

"The mass matrix d2L/du du."
mass_matrix(t, x, u, parameters=DEFAULTS@INPUTS@) =
    rows(code_mass(arguments(t, x, u, parameters@PASSED@)), COORDINATES, COORDINATES)

# </general>
# <jacobian>
function code_slopes(z)
    out = zeros(UNKNOWNS * UNKNOWNS + UNKNOWNS * (2 * COORDINATES + 1))
@SLOPES@
    return out
end

"The derivatives of accelerations and multipliers by (t, x, u)."
function jacobian(t, x, u, parameters=DEFAULTS@JACOBIAN_INPUTS@)
    z = arguments(t, x, u, parameters@JACOBIAN_PASSED@)
    y, _ = unknowns(z)
    out = code_slopes([z; y])
    matrix = rows(out[1:UNKNOWNS^2], UNKNOWNS, UNKNOWNS)
    return -(matrix \ rows(out[UNKNOWNS^2+1:end], UNKNOWNS, 2 * COORDINATES + 1))
end

# </jacobian>
# <hamilton>
# The arguments without velocities.
at_rest(z) = [z[1:1+COORDINATES]; z[2+2*COORDINATES:end]]

function code_momenta(z)
    out = zeros(COORDINATES * COORDINATES + COORDINATES)
@MOMENTA@
    return out
end

function code_rates(z)
    out = zeros(COORDINATES)
@RATES@
    return out
end

"The mass matrix d2L/du du."
function mass_matrix(t, x, u, parameters=DEFAULTS@INPUTS@)
    out = code_momenta(at_rest(arguments(t, x, zeros(COORDINATES), parameters@PASSED@)))
    return rows(out[1:COORDINATES^2], COORDINATES, COORDINATES)
end

"Hamilton's equations: the rates of positions and momenta."
function hamilton(t, x, momenta, parameters=DEFAULTS@INPUTS@)
    out = code_momenta(at_rest(arguments(t, x, zeros(COORDINATES), parameters@PASSED@)))
    matrix = rows(out[1:COORDINATES^2], COORDINATES, COORDINATES)
    u = matrix \ (momenta - out[COORDINATES^2+1:end])
    z = arguments(t, x, u, parameters@PASSED@)
    y, _ = unknowns(z)
    return u, code_rates([z; y[COORDINATES+1:end]])
end
# </hamilton>

end
