@ABOUT@
//
// Functions return 1, or 0 where the mass matrix (with constraints: the whole system) is singular. Matrices
// are written row by row. Nothing is allocated and nothing is kept between calls.
// <given>
// Inputs are values in place of the formulas of the model; NULL keeps all formulas.
// </given>
// Written by Galilei @VERSION@. C99; compile with -lm.

#include <math.h>
#include <stddef.h>

enum {
    @NAME@_coordinates = @N@, @NAME@_constraints = @M@, @NAME@_parameters = @P@,
    @NAME@_unknowns = @S@, @NAME@_inputs = @I@, @NAME@_arguments = 1 + 2 * @N@ + @P@ + @A@
};

// Default values of the parameters.
static const double @NAME@_defaults[@P@ + 1] = {@DEFAULTS@};
@TABLES@

// Solves m*y = b for several right-hand sides, by Gauss elimination with row pivoting; m and b are overwritten,
// the solutions stand in b (rows: unknowns, columns: right-hand sides).
static int @NAME@_solve(size_t n, size_t columns, double *m, double *b)
{
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(m[i * n + k]) > fabs(m[best * n + k])) best = i;
        const double pivot = m[best * n + k];
        if (!(fabs(pivot) > 0.0) || !isfinite(pivot)) return 0;
        if (best != k) {
            for (size_t j = 0; j < n; j++) {
                const double s = m[k * n + j]; m[k * n + j] = m[best * n + j]; m[best * n + j] = s;
            }
            for (size_t j = 0; j < columns; j++) {
                const double s = b[k * columns + j]; b[k * columns + j] = b[best * columns + j]; b[best * columns + j] = s;
            }
        }
        for (size_t i = k + 1; i < n; i++) {
            const double factor = m[i * n + k] / pivot;
            if (factor == 0.0) continue;
            for (size_t j = k + 1; j < n; j++) m[i * n + j] -= factor * m[k * n + j];
            for (size_t j = 0; j < columns; j++) b[i * columns + j] -= factor * b[k * columns + j];
        }
    }
    for (size_t k = n; k-- > 0;)
        for (size_t j = 0; j < columns; j++) {
            double sum = b[k * columns + j];
            for (size_t i = k + 1; i < n; i++) sum -= m[k * n + i] * b[i * columns + j];
            b[k * columns + j] = sum / m[k * n + k];
        }
    return 1;
}

// <inputs>
// From the state, the parameters without increments, and the values of the inputs to the increments of the inputs.
static void @NAME@_code_increments(const double *z, double *out)
{
    (void)z;
@INCREMENTS@
}

// </inputs>
static void @NAME@_fill(double *z, double t, const double *x, const double *u, const double *parameters@INPUTS@)
{
    size_t k = 0;
    z[k++] = t;
    for (size_t i = 0; i < @N@; i++) z[k++] = x[i];
    if (u) for (size_t i = 0; i < @N@; i++) z[k++] = u[i];
    for (size_t i = 0; i < @P@; i++) z[k++] = parameters[i];
    // <given>
    double known[1 + 2 * @N@ + @P@ + @I@ + 1] = {0.0};
    known[0] = t;
    for (size_t i = 0; i < @N@; i++) known[1 + i] = x[i];
    if (u) for (size_t i = 0; i < @N@; i++) known[1 + @N@ + i] = u[i];
    for (size_t i = 0; i < @P@; i++) known[1 + 2 * @N@ + i] = parameters[i];
    if (inputs) for (size_t i = 0; i < @I@; i++) known[1 + 2 * @N@ + @P@ + i] = inputs[i];
    for (size_t i = 0; i < @A@; i++) z[k + i] = 0.0;
    if (inputs) @NAME@_code_increments(known, z + k);
    // </given>
}

// The matrix of the system for accelerations and multipliers, then its right-hand side.
static void @NAME@_code_system(const double *z, double *out)
{
    (void)z;
@SYSTEM@
}

static void @NAME@_code_energy(const double *z, double *out)
{
    (void)z;
@ENERGY@
}

// The energy u*dL/du - L.
double @NAME@_energy(double t, const double *x, const double *u, const double *parameters@INPUTS@)
{
    double z[@NAME@_arguments], out[1];
    @NAME@_fill(z, t, x, u, parameters@PASSED@);
    @NAME@_code_energy(z, out);
    return out[0];
}

// The accelerations, and the multipliers of the constraints (none: NULL will do).
int @NAME@_accelerations(double t, const double *x, const double *u, const double *parameters@INPUTS@, double *a, double *multipliers)
{
    double z[@NAME@_arguments], out[@S@ * @S@ + @S@];
    @NAME@_fill(z, t, x, u, parameters@PASSED@);
    @NAME@_code_system(z, out);
    double *y = out + @S@ * @S@;
    if (!@NAME@_solve(@S@, 1, out, y)) return 0;
    for (size_t i = 0; i < @N@; i++) a[i] = y[i];
    for (size_t i = 0; i < @M@; i++) multipliers[i] = y[@N@ + i];
    return 1;
}

// The covector of the constraint forces.
int @NAME@_reaction(double t, const double *x, const double *u, const double *parameters@INPUTS@, double *reaction)
{
    double z[@NAME@_arguments], out[@S@ * @S@ + @S@], matrix[@S@ * @S@];
    @NAME@_fill(z, t, x, u, parameters@PASSED@);
    @NAME@_code_system(z, out);
    for (size_t i = 0; i < @S@ * @S@; i++) matrix[i] = out[i];
    double *y = out + @S@ * @S@;
    if (!@NAME@_solve(@S@, 1, out, y)) return 0;
    for (size_t i = 0; i < @N@; i++) {
        reaction[i] = 0.0;
        for (size_t c = @N@; c < @S@; c++) reaction[i] -= y[c] * matrix[i * @S@ + c];
    }
    return 1;
}

// <outputs>
static void @NAME@_code_outputs(const double *z, double *out)
{
    (void)z;
    (void)out;
@OUTPUTS@
}

// The outputs of the model.
void @NAME@_outputs(double t, const double *x, const double *u, const double *parameters@INPUTS@, double *out)
{
    double z[@NAME@_arguments];
    @NAME@_fill(z, t, x, u, parameters@PASSED@);
    @NAME@_code_outputs(z, out);
}

// </outputs>
// <general>
static void @NAME@_code_mass(const double *z, double *out)
{
    (void)z;
@MASS@
}

// The mass matrix d2L/du du.
void @NAME@_mass_matrix(double t, const double *x, const double *u, const double *parameters@INPUTS@, double *matrix)
{
    double z[@NAME@_arguments];
    @NAME@_fill(z, t, x, u, parameters@PASSED@);
    @NAME@_code_mass(z, matrix);
}

// </general>
// <jacobian>
static void @NAME@_code_slopes(const double *z, double *out)
{
    (void)z;
@SLOPES@
}

// The derivatives of accelerations and multipliers by (t, x, u), row by row.
int @NAME@_jacobian(double t, const double *x, const double *u, const double *parameters@JACOBIAN_INPUTS@, double *jacobian)
{
    double z[@NAME@_arguments + @S@], system[@S@ * @S@ + @S@], out[@S@ * @S@ + @S@ * (2 * @N@ + 1)];
    @NAME@_fill(z, t, x, u, parameters@JACOBIAN_PASSED@);
    @NAME@_code_system(z, system);
    double *y = system + @S@ * @S@;
    if (!@NAME@_solve(@S@, 1, system, y)) return 0;
    for (size_t i = 0; i < @S@; i++) z[@NAME@_arguments + i] = y[i];
    @NAME@_code_slopes(z, out);
    double *slopes = out + @S@ * @S@;
    if (!@NAME@_solve(@S@, 2 * @N@ + 1, out, slopes)) return 0;
    for (size_t i = 0; i < @S@ * (2 * @N@ + 1); i++) jacobian[i] = -slopes[i];
    return 1;
}

// </jacobian>
// <hamilton>
static void @NAME@_code_momenta(const double *z, double *out)
{
    (void)z;
@MOMENTA@
}

static void @NAME@_code_rates(const double *z, double *out)
{
    (void)z;
@RATES@
}

// The mass matrix d2L/du du.
void @NAME@_mass_matrix(double t, const double *x, const double *u, const double *parameters@INPUTS@, double *matrix)
{
    double z[@NAME@_arguments], out[@N@ * @N@ + @N@];
    (void)u;
    @NAME@_fill(z, t, x, NULL, parameters@PASSED@);
    @NAME@_code_momenta(z, out);
    for (size_t i = 0; i < @N@ * @N@; i++) matrix[i] = out[i];
}

// Hamilton's equations: the rates of positions and momenta at (t, x, momenta).
int @NAME@_hamilton(double t, const double *x, const double *momenta, const double *parameters@INPUTS@, double *x_rate, double *momentum_rate)
{
    double z[@NAME@_arguments + @M@ + 1], out[@N@ * @N@ + @N@], a[@N@];
    @NAME@_fill(z, t, x, NULL, parameters@PASSED@);
    @NAME@_code_momenta(z, out);
    double *u = out + @N@ * @N@;
    for (size_t i = 0; i < @N@; i++) u[i] = momenta[i] - u[i];
    if (!@NAME@_solve(@N@, 1, out, u)) return 0;
    @NAME@_fill(z, t, x, u, parameters@PASSED@);
    if (@M@ > 0 && !@NAME@_accelerations(t, x, u, parameters@PASSED@, a, z + @NAME@_arguments)) return 0;
    @NAME@_code_rates(z, momentum_rate);
    for (size_t i = 0; i < @N@; i++) x_rate[i] = u[i];
    return 1;
}
// </hamilton>
