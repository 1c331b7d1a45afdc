// The accelerations of the chain written by hand for speed: the forces along the rods solve a tridiagonal system, and
// every mass falls under the two forces at it. The cost is proportional to the number of links.
// LINKS is given on the command line; angles are those from the downward vertical.
#include <math.h>

enum { SIZE = LINKS + 1 };

static double cart_inverse, gravity;
static double length[LINKS], length_inverse[LINKS], mass_inverse[LINKS], pair_inverse[LINKS];

void prepare(double cart, double fall, const double *masses, const double *lengths) {
    cart_inverse = 1.0 / cart;
    gravity = fall;
    for (int k = 0; k < LINKS; k++) {
        length[k] = lengths[k];
        length_inverse[k] = 1.0 / lengths[k];
        mass_inverse[k] = 1.0 / masses[k];
        pair_inverse[k] = mass_inverse[k] + (k > 0 ? mass_inverse[k - 1] : 0.0);
    }
}

static inline void accelerations(const double *restrict state, double *restrict result) {
    const double *angle = state + 1, *rate = state + SIZE + 1;
    double s[LINKS], c[LINKS], beside[LINKS], pivot[LINKS], force[LINKS + 1];
    for (int k = 0; k < LINKS; k++) {
        s[k] = sin(angle[k]);
        c[k] = cos(angle[k]);
    }
    for (int k = 0; k + 1 < LINKS; k++) beside[k] = -mass_inverse[k] * (c[k] * c[k + 1] + s[k] * s[k + 1]);
    // Forward: one division for each rod.
    pivot[0] = 1.0 / (pair_inverse[0] + cart_inverse * s[0] * s[0]);
    force[0] = length[0] * rate[0] * rate[0] + gravity * c[0];
    for (int k = 1; k < LINKS; k++) {
        const double ratio = beside[k - 1] * pivot[k - 1];
        pivot[k] = 1.0 / (pair_inverse[k] - ratio * beside[k - 1]);
        force[k] = length[k] * rate[k] * rate[k] - ratio * force[k - 1];
    }
    // Back.
    force[LINKS] = 0.0;
    force[LINKS - 1] *= pivot[LINKS - 1];
    for (int k = LINKS - 2; k >= 0; k--) force[k] = (force[k] - beside[k] * force[k + 1]) * pivot[k];
    double across = cart_inverse * force[0] * s[0], up = 0.0;
    result[0] = across;
    for (int k = 0; k < LINKS; k++) {
        const int next = k + 1 < LINKS ? k + 1 : k;
        const double x = mass_inverse[k] * (force[k + 1] * s[next] - force[k] * s[k]);
        const double y = mass_inverse[k] * (force[k] * c[k] - force[k + 1] * c[next]) - gravity;
        result[k + 1] = length_inverse[k] * (c[k] * (x - across) + s[k] * (y - up));
        across = x;
        up = y;
    }
}

void all(const double *states, double *results, int count, int rounds) {
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < count; i++) accelerations(states + 2 * SIZE * i, results + SIZE * i);
}
