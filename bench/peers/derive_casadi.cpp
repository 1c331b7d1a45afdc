// Work `derive` in CasADi's own language: what derive.py times, without the cost of calls from Python.
// Arguments: n, abs or rel, then cart mass, gravity, n masses, n lengths, and the 2n + 2 numbers of the state.
#include <casadi/casadi.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using casadi::SX;
using Clock = std::chrono::steady_clock;

static const int least_repeats = 5;
static const double enough_seconds = 0.5;

struct Times {
    double build, gradient, hessian, mixed;
    double total() const { return build + gradient + hessian + mixed; }
};

static double seconds(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
}

int main(int count, char **text) {
    if (count < 3) {
        std::fputs("derive_casadi: n, abs or rel, and the numbers of the chain\n", stderr);
        return 2;
    }
    const int n = std::atoi(text[1]);
    const bool relative = std::string(text[2]) == "rel";
    if (count != 7 + 4 * n) {
        std::fputs("derive_casadi: wrong number of arguments\n", stderr);
        return 2;
    }
    std::vector<double> given;
    for (int i = 3; i < count; i++) given.push_back(std::atof(text[i]));
    const double cart = given[0], gravity = given[1];
    const double *m = &given[2], *l = &given[2 + n];
    const std::vector<double> at_q(given.begin() + 2 + 2 * n, given.begin() + 3 + 3 * n);
    const std::vector<double> at_u(given.begin() + 3 + 3 * n, given.end());

    Times best{1e9, 0, 0, 0};
    double check = 0;
    long long nodes = 0, repeats = 0;
    bool best_together = false;
    for (double spent = 0; repeats < 2 * least_repeats || spent < 2 * enough_seconds; repeats++) {
        const bool together = repeats % 2;  // the two idioms take turns
        const SX q = SX::sym("q", n + 1), u = SX::sym("u", n + 1), one = SX::eye(n + 1), both = SX::eye(2 * n + 2);
        const auto t0 = Clock::now();
        const std::vector<SX> x = vertsplit(q), v = vertsplit(u);
        SX vx = v[0], vy = 0, y = 0, angle = 0, rate = 0;
        SX L = 0.5 * cart * v[0] * v[0];
        for (int k = 0; k < n; k++) {
            angle = relative ? angle + x[k + 1] : x[k + 1];
            rate = relative ? rate + v[k + 1] : v[k + 1];
            const SX across = l[k] * cos(angle), up = l[k] * sin(angle);
            vx = vx + across * rate;
            vy = vy + up * rate;
            y = y - across;
            L = L + 0.5 * m[k] * (vx * vx + vy * vy) - m[k] * gravity * y;
        }
        const auto t1 = Clock::now();
        const std::vector<SX> g = vertsplit(gradient(L, vertcat(q, u)), n + 1);
        const auto t2 = Clock::now();
        SX hessian, mixed;
        auto t3 = t2;
        if (together) {
            const std::vector<SX> halves = horzsplit(jtimes(g[1], vertcat(q, u), both), n + 1);
            mixed = halves[0];
            hessian = halves[1];
            t3 = Clock::now();
        } else {
            hessian = jtimes(g[1], u, one);
            t3 = Clock::now();
            mixed = jtimes(g[1], q, one);
        }
        const auto t4 = Clock::now();

        const Times now{seconds(t0, t1), seconds(t1, t2), seconds(t2, t3), seconds(t3, t4)};
        spent += now.total();
        if (now.total() < best.total()) {
            best = now;
            best_together = together;
        }
        if (repeats == 0) {
            casadi::Function all("all", {q, u}, {g[0], g[1], hessian, mixed});
            nodes = all.n_nodes();
            for (const casadi::DM &values : all(std::vector<casadi::DM>{at_q, at_u}))
                for (double value : values.nonzeros()) check += value;
        }
    }
    std::printf("{\"build_s\": %.9g, \"gradient_s\": %.9g, \"hessian_s\": %.9g, ", best.build, best.gradient, best.hessian);
    if (best_together)
        std::printf("\"mixed_s\": null, ");
    else
        std::printf("\"mixed_s\": %.9g, ", best.mixed);
    std::printf("\"total_s\": %.9g, \"nodes\": %lld, \"idiom\": \"jtimes with the identity, u and q %s\", \"check\": %.17g}\n",
                best.total(), nodes, best_together ? "together" : "apart", check);
}
