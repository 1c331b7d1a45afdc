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

function unknowns(z)
    out = code_system(z)
    matrix = rows(out[1:UNKNOWNS^2], UNKNOWNS, UNKNOWNS)
    return matrix \ out[UNKNOWNS^2+1:end], matrix
end

"The energy u*dL/du - L."
energy(t, x, u, parameters=DEFAULTS) = code_energy([t; x; u; parameters])[1]

"The accelerations, and the multipliers of the constraints."
function accelerations(t, x, u, parameters=DEFAULTS)
    y, _ = unknowns([t; x; u; parameters])
    return y[1:COORDINATES], y[COORDINATES+1:end]
end

"The covector of the constraint forces."
function reaction(t, x, u, parameters=DEFAULTS)
    y, matrix = unknowns([t; x; u; parameters])
    return -matrix[1:COORDINATES, COORDINATES+1:end] * y[COORDINATES+1:end]
end

# <general>
function code_mass(z)
    out = zeros(COORDINATES * COORDINATES)
@MASS@
    return out
end

"The mass matrix d2L/du du."
mass_matrix(t, x, u, parameters=DEFAULTS) =
    rows(code_mass([t; x; u; parameters]), COORDINATES, COORDINATES)

# </general>
# <jacobian>
function code_slopes(z)
    out = zeros(UNKNOWNS * UNKNOWNS + UNKNOWNS * (2 * COORDINATES + 1))
@SLOPES@
    return out
end

"The derivatives of accelerations and multipliers by (t, x, u)."
function jacobian(t, x, u, parameters=DEFAULTS)
    z = [t; x; u; parameters]
    y, _ = unknowns(z)
    out = code_slopes([z; y])
    matrix = rows(out[1:UNKNOWNS^2], UNKNOWNS, UNKNOWNS)
    return -(matrix \ rows(out[UNKNOWNS^2+1:end], UNKNOWNS, 2 * COORDINATES + 1))
end

# </jacobian>
# <hamilton>
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
mass_matrix(t, x, u, parameters=DEFAULTS) =
    rows(code_momenta([t; x; parameters])[1:COORDINATES^2], COORDINATES, COORDINATES)

"Hamilton's equations: the rates of positions and momenta."
function hamilton(t, x, momenta, parameters=DEFAULTS)
    out = code_momenta([t; x; parameters])
    matrix = rows(out[1:COORDINATES^2], COORDINATES, COORDINATES)
    u = matrix \ (momenta - out[COORDINATES^2+1:end])
    z = [t; x; u; parameters]
    y, _ = unknowns(z)
    return u, code_rates([z; y[COORDINATES+1:end]])
end
# </hamilton>

end
