
// A functional mock-up unit around the equations above: FMI @FMI@, model exchange and co-simulation.
// Variables by reference: 0 time; 1 … 2N the states x, u; 2N+1 … 4N their derivatives; then inputs, parameters, outputs.

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined _WIN32
#define EXPORTED __declspec(dllexport)
#else
#define EXPORTED __attribute__((visibility("default")))
#endif

enum {
    unit_n = @N@, unit_states = 2 * @N@, unit_inputs = @I@, unit_parameters = @G@, unit_outputs = @O@,
    first_state = 1, first_rate = 1 + 2 * @N@, first_input = 1 + 4 * @N@,
    first_parameter = 1 + 4 * @N@ + @I@, first_output = 1 + 4 * @N@ + @I@ + @G@,
    end_of_variables = 1 + 4 * @N@ + @I@ + @G@ + @O@
};

static const double unit_start[2 * @N@] = {@START@};
static const double unit_start_time = @FROM@;
// <inputs>
// The place of each input that can be given among the increments of all inputs.
static const size_t unit_increments[@I@ + 1] = {@INCREMENT_PLACES@};
// </inputs>

typedef struct {
    double time, tolerance, last_step;
    double y[2 * @N@];
    // The parameters of the equations, followed by the increments of the inputs.
    double parameters[@P@ + 1];
    // Values of the inputs; until one is given, the formula of the model holds.
    double values[@I@ + 1];
    bool given[@I@ + 1];
} unit_instance;

// Finds the values of inputs that are not given, and the increments of all. Formulas of inputs may use parameters and
// other inputs, so a value that is not given is found after at most as many rounds as there are inputs.
static void unit_drive(unit_instance *m)
{
    // <inputs>
    double z[1 + 2 * @N@ + @G@ + @I@] = {0.0}, increments[@K@ + 1] = {0.0};
    double *values = z + 1 + 2 * @N@ + @G@;
    memcpy(z + 1 + 2 * @N@, m->parameters, @G@ * sizeof(double));
    memcpy(values, m->values, @I@ * sizeof(double));
    for (size_t round = 0; round <= unit_inputs; round++) {
        @NAME@_code_increments(z, increments);
        bool settled = true;
        for (size_t k = 0; k < unit_inputs; k++) {
            const size_t own = unit_increments[k];
            if (m->given[k] || increments[own] == 0.0) continue;
            values[k] -= increments[own];
            settled = false;
        }
        if (settled) break;
    }
    memcpy(m->values, values, @I@ * sizeof(double));
    memcpy(m->parameters + @G@, increments, @K@ * sizeof(double));
    // </inputs>
    (void)m;
}

static void unit_reset(unit_instance *m)
{
    m->time = unit_start_time;
    m->tolerance = 1e-10;
    m->last_step = 0.0;
    memcpy(m->y, unit_start, sizeof unit_start);
    for (size_t k = 0; k < unit_parameters; k++) m->parameters[k] = @NAME@_defaults[k];
    for (size_t k = 0; k <= unit_inputs; k++) {
        m->values[k] = 0.0;
        m->given[k] = false;
    }
    unit_drive(m);
}

static int unit_rates(const unit_instance *m, double t, const double *y, double *rates)
{
    double multipliers[@M@ + 1];
    for (size_t i = 0; i < unit_n; i++) rates[i] = y[unit_n + i];
    return @NAME@_accelerations(t, y, y + unit_n, m->parameters, rates + unit_n, multipliers);
}

static int unit_get(const unit_instance *m, uint32_t reference, double *value)
{
    if (reference == 0) *value = m->time;
    else if (reference < first_rate) *value = m->y[reference - first_state];
    else if (reference < first_input) {
        double rates[2 * @N@];
        if (!unit_rates(m, m->time, m->y, rates)) return 0;
        *value = rates[reference - first_rate];
    } else if (reference < first_parameter) {
        *value = m->values[reference - first_input];
    } else if (reference < first_output) *value = m->parameters[reference - first_parameter];
    else if (reference < end_of_variables) {
        double outputs[@O@ + 1];
        @NAME@_outputs(m->time, m->y, m->y + unit_n, m->parameters, outputs);
        *value = outputs[reference - first_output];
    } else return 0;
    return 1;
}

static int unit_set(unit_instance *m, uint32_t reference, double value)
{
    if (reference == 0) m->time = value;
    else if (reference < first_rate) m->y[reference - first_state] = value;
    else if (reference >= first_input && reference < first_parameter) {
        m->values[reference - first_input] = value;
        m->given[reference - first_input] = true;
        unit_drive(m);
    } else if (reference >= first_parameter && reference < first_output) {
        m->parameters[reference - first_parameter] = value;
        unit_drive(m);
    } else return 0;
    return 1;
}

// A step of co-simulation, by Dormand and Prince's method of order 5 with error control.
static int unit_advance(unit_instance *m, double to)
{
    static const double c[6] = {0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0};
    static const double a[6][6] = {
        {0.2},
        {3.0 / 40.0, 9.0 / 40.0},
        {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
        {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
        {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
        {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0},
    };
    static const double e[7] = {71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -0.025};
    const double tolerance = m->tolerance > 1e-13 ? m->tolerance : 1e-13;
    double k[7][2 * @N@], y[2 * @N@], h = m->last_step > 0.0 ? m->last_step : 1e-3 * fabs(to - m->time);
    long trials = 0;
    if (!unit_rates(m, m->time, m->y, k[0])) return 0;
    while (m->time < to) {
        const int last = m->time + h * (1.0 + 1e-12) >= to;
        const double step = last ? to - m->time : h;
        double error = 0.0, largest = 0.0;
        if (++trials > 10000000L) return 0;
        for (size_t s = 0; s < 6; s++) {
            for (size_t i = 0; i < unit_states; i++) {
                double sum = 0.0;
                for (size_t j = 0; j <= s; j++) sum += a[s][j] * k[j][i];
                y[i] = m->y[i] + step * sum;
            }
            if (!unit_rates(m, m->time + c[s] * step, y, k[s + 1])) return 0;
        }
        for (size_t i = 0; i < unit_states; i++) if (fabs(y[i]) > largest) largest = fabs(y[i]);
        for (size_t i = 0; i < unit_states; i++) {
            double sum = 0.0, scale = fabs(m->y[i]) > fabs(y[i]) ? fabs(m->y[i]) : fabs(y[i]);
            for (size_t j = 0; j < 7; j++) sum += e[j] * k[j][i];
            if (scale < 1e-3 * largest) scale = 1e-3 * largest;
            if (scale < 1e-12) scale = 1e-12;
            sum = fabs(step * sum) / (tolerance * scale);
            if (!(sum <= error)) error = sum;
        }
        if (error <= 1.0) {
            m->time = last ? to : m->time + step;
            memcpy(m->y, y, sizeof y);
            memcpy(k[0], k[6], sizeof k[0]);
        } else if (step < 1e-14 * (1.0 + fabs(m->time))) return 0;
        const double factor = error > 0.0 ? 0.9 * pow(error, -0.2) : 5.0;
        const double next = step * (factor > 5.0 ? 5.0 : factor < 0.2 || isnan(error) ? 0.2 : factor);
        if (!last || error > 1.0) h = next;
        else if (next > h) h = next;
    }
    m->last_step = h;
    return 1;
}

// <fmi2>
typedef void *fmi2Component;
typedef unsigned int fmi2ValueReference;
typedef int fmi2Status, fmi2Boolean, fmi2Integer;
typedef double fmi2Real;
typedef const char *fmi2String;
enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error };

typedef struct {
    fmi2Boolean newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged,
        valuesOfContinuousStatesChanged, nextEventTimeDefined;
    fmi2Real nextEventTime;
} fmi2EventInfo;

EXPORTED const char *fmi2GetTypesPlatform(void) { return "default"; }
EXPORTED const char *fmi2GetVersion(void) { return "2.0"; }
EXPORTED fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String *categories)
{ (void)c; (void)on; (void)n; (void)categories; return fmi2OK; }

EXPORTED fmi2Component fmi2Instantiate(fmi2String name, int type, fmi2String guid, fmi2String resources,
                                       const void *functions, fmi2Boolean visible, fmi2Boolean logging)
{
    (void)name; (void)type; (void)resources; (void)functions; (void)visible; (void)logging;
    if (!guid || strcmp(guid, "@GUID@") != 0) return NULL;
    unit_instance *m = malloc(sizeof *m);
    if (m) unit_reset(m);
    return m;
}
EXPORTED void fmi2FreeInstance(fmi2Component c) { free(c); }
EXPORTED fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean given, fmi2Real tolerance, fmi2Real start,
                                        fmi2Boolean stops, fmi2Real stop)
{
    unit_instance *m = c;
    (void)stops; (void)stop;
    m->time = start;
    if (given && tolerance > 0.0 && tolerance < m->tolerance) m->tolerance = tolerance;
    return fmi2OK;
}
EXPORTED fmi2Status fmi2EnterInitializationMode(fmi2Component c) { (void)c; return fmi2OK; }
EXPORTED fmi2Status fmi2ExitInitializationMode(fmi2Component c) { (void)c; return fmi2OK; }
EXPORTED fmi2Status fmi2Terminate(fmi2Component c) { (void)c; return fmi2OK; }
EXPORTED fmi2Status fmi2Reset(fmi2Component c) { unit_reset(c); return fmi2OK; }
EXPORTED fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference *list, size_t n, fmi2Real *values)
{
    for (size_t k = 0; k < n; k++) if (!unit_get(c, list[k], values + k)) return fmi2Error;
    return fmi2OK;
}
EXPORTED fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference *list, size_t n, const fmi2Real *values)
{
    for (size_t k = 0; k < n; k++) if (!unit_set(c, list[k], values[k])) return fmi2Error;
    return fmi2OK;
}
#define NONE2(kind, type) \
    EXPORTED fmi2Status fmi2Get##kind(fmi2Component c, const fmi2ValueReference *list, size_t n, type *values) \
    { (void)c; (void)list; (void)values; return n ? fmi2Error : fmi2OK; } \
    EXPORTED fmi2Status fmi2Set##kind(fmi2Component c, const fmi2ValueReference *list, size_t n, const type *values) \
    { (void)c; (void)list; (void)values; return n ? fmi2Error : fmi2OK; }
NONE2(Integer, fmi2Integer)
NONE2(Boolean, fmi2Boolean)
NONE2(String, fmi2String)

EXPORTED fmi2Status fmi2EnterEventMode(fmi2Component c) { (void)c; return fmi2OK; }
EXPORTED fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info)
{ (void)c; memset(info, 0, sizeof *info); return fmi2OK; }
EXPORTED fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) { (void)c; return fmi2OK; }
EXPORTED fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean keep, fmi2Boolean *event, fmi2Boolean *end)
{ (void)c; (void)keep; *event = 0; *end = 0; return fmi2OK; }
EXPORTED fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) { ((unit_instance *)c)->time = time; return fmi2OK; }
EXPORTED fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real *x, size_t n)
{ if (n != unit_states) return fmi2Error; memcpy(((unit_instance *)c)->y, x, n * sizeof *x); return fmi2OK; }
EXPORTED fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real *x, size_t n)
{ if (n != unit_states) return fmi2Error; memcpy(x, ((unit_instance *)c)->y, n * sizeof *x); return fmi2OK; }
EXPORTED fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real *rates, size_t n)
{
    const unit_instance *m = c;
    return n == unit_states && unit_rates(m, m->time, m->y, rates) ? fmi2OK : fmi2Error;
}
EXPORTED fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real *list, size_t n)
{ (void)c; (void)list; return n ? fmi2Error : fmi2OK; }
EXPORTED fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real *list, size_t n)
{ (void)c; for (size_t k = 0; k < n; k++) list[k] = 1.0; return fmi2OK; }

EXPORTED fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real step, fmi2Boolean no_set)
{
    unit_instance *m = c;
    (void)no_set;
    m->time = time;
    return unit_advance(m, time + step) ? fmi2OK : fmi2Error;
}
EXPORTED fmi2Status fmi2CancelStep(fmi2Component c) { (void)c; return fmi2Error; }
EXPORTED fmi2Status fmi2GetFMUstate(fmi2Component c, void **state)
{
    if (!*state) *state = malloc(sizeof(unit_instance));
    if (!*state) return fmi2Error;
    memcpy(*state, c, sizeof(unit_instance));
    return fmi2OK;
}
EXPORTED fmi2Status fmi2SetFMUstate(fmi2Component c, void *state)
{ memcpy(c, state, sizeof(unit_instance)); return fmi2OK; }
EXPORTED fmi2Status fmi2FreeFMUstate(fmi2Component c, void **state)
{ (void)c; free(*state); *state = NULL; return fmi2OK; }
EXPORTED fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, void *state, size_t *size)
{ (void)c; (void)state; *size = sizeof(unit_instance); return fmi2OK; }
EXPORTED fmi2Status fmi2SerializeFMUstate(fmi2Component c, void *state, void *bytes, size_t size)
{
    (void)c;
    if (size < sizeof(unit_instance)) return fmi2Error;
    memcpy(bytes, state, sizeof(unit_instance));
    return fmi2OK;
}
EXPORTED fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const void *bytes, size_t size, void **state)
{
    (void)c;
    if (size < sizeof(unit_instance) || !(*state = malloc(sizeof(unit_instance)))) return fmi2Error;
    memcpy(*state, bytes, sizeof(unit_instance));
    return fmi2OK;
}

// What the description says the unit does not have.
#define ABSENT(name) EXPORTED fmi2Status name(void) { return fmi2Error; }
ABSENT(fmi2GetBooleanStatus)
ABSENT(fmi2GetDirectionalDerivative)
ABSENT(fmi2GetIntegerStatus)
ABSENT(fmi2GetRealOutputDerivatives)
ABSENT(fmi2GetRealStatus)
ABSENT(fmi2GetStatus)
ABSENT(fmi2GetStringStatus)
ABSENT(fmi2SetRealInputDerivatives)
// </fmi2>
// <fmi3>
typedef void *fmi3Instance;
typedef uint32_t fmi3ValueReference;
typedef int fmi3Status;
typedef double fmi3Float64;
typedef const char *fmi3String;
enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error };

EXPORTED const char *fmi3GetVersion(void) { return "3.0"; }
EXPORTED fmi3Status fmi3SetDebugLogging(fmi3Instance c, bool on, size_t n, const fmi3String *categories)
{ (void)c; (void)on; (void)n; (void)categories; return fmi3OK; }

static fmi3Instance unit_instantiate(fmi3String token)
{
    if (!token || strcmp(token, "@GUID@") != 0) return NULL;
    unit_instance *m = malloc(sizeof *m);
    if (m) unit_reset(m);
    return m;
}
EXPORTED fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, bool visible,
                                                   bool logging, void *environment, void *log)
{
    (void)name; (void)resources; (void)visible; (void)logging; (void)environment; (void)log;
    return unit_instantiate(token);
}
EXPORTED fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, bool visible,
                                                  bool logging, bool events, bool early,
                                                  const fmi3ValueReference *required, size_t n, void *environment,
                                                  void *log, void *update)
{
    (void)name; (void)resources; (void)visible; (void)logging; (void)events; (void)early; (void)required; (void)n;
    (void)environment; (void)log; (void)update;
    return unit_instantiate(token);
}
EXPORTED void fmi3FreeInstance(fmi3Instance c) { free(c); }
EXPORTED fmi3Status fmi3EnterInitializationMode(fmi3Instance c, bool given, fmi3Float64 tolerance, fmi3Float64 start,
                                                bool stops, fmi3Float64 stop)
{
    unit_instance *m = c;
    (void)stops; (void)stop;
    m->time = start;
    if (given && tolerance > 0.0 && tolerance < m->tolerance) m->tolerance = tolerance;
    return fmi3OK;
}
EXPORTED fmi3Status fmi3ExitInitializationMode(fmi3Instance c) { (void)c; return fmi3OK; }
EXPORTED fmi3Status fmi3EnterEventMode(fmi3Instance c) { (void)c; return fmi3OK; }
EXPORTED fmi3Status fmi3Terminate(fmi3Instance c) { (void)c; return fmi3OK; }
EXPORTED fmi3Status fmi3Reset(fmi3Instance c) { unit_reset(c); return fmi3OK; }
EXPORTED fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference *list, size_t n, fmi3Float64 *values, size_t count)
{
    if (n != count) return fmi3Error;
    for (size_t k = 0; k < n; k++) if (!unit_get(c, list[k], values + k)) return fmi3Error;
    return fmi3OK;
}
EXPORTED fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference *list, size_t n, const fmi3Float64 *values, size_t count)
{
    if (n != count) return fmi3Error;
    for (size_t k = 0; k < n; k++) if (!unit_set(c, list[k], values[k])) return fmi3Error;
    return fmi3OK;
}
#define NONE3(kind, type) \
    EXPORTED fmi3Status fmi3Get##kind(fmi3Instance c, const fmi3ValueReference *list, size_t n, type *values, size_t count) \
    { (void)c; (void)list; (void)values; return n + count ? fmi3Error : fmi3OK; } \
    EXPORTED fmi3Status fmi3Set##kind(fmi3Instance c, const fmi3ValueReference *list, size_t n, const type *values, size_t count) \
    { (void)c; (void)list; (void)values; return n + count ? fmi3Error : fmi3OK; }
NONE3(Float32, float)
NONE3(Int8, int8_t)
NONE3(UInt8, uint8_t)
NONE3(Int16, int16_t)
NONE3(UInt16, uint16_t)
NONE3(Int32, int32_t)
NONE3(UInt32, uint32_t)
NONE3(Int64, int64_t)
NONE3(UInt64, uint64_t)
NONE3(Boolean, bool)
NONE3(String, fmi3String)

EXPORTED fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, bool *needed, bool *terminate, bool *nominals, bool *values,
                                             bool *defined, fmi3Float64 *next)
{
    (void)c;
    *needed = *terminate = *nominals = *values = *defined = false;
    *next = 0.0;
    return fmi3OK;
}
EXPORTED fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) { (void)c; return fmi3OK; }
EXPORTED fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, bool keep, bool *event, bool *end)
{ (void)c; (void)keep; *event = false; *end = false; return fmi3OK; }
EXPORTED fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 time) { ((unit_instance *)c)->time = time; return fmi3OK; }
EXPORTED fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 *x, size_t n)
{ if (n != unit_states) return fmi3Error; memcpy(((unit_instance *)c)->y, x, n * sizeof *x); return fmi3OK; }
EXPORTED fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 *x, size_t n)
{ if (n != unit_states) return fmi3Error; memcpy(x, ((unit_instance *)c)->y, n * sizeof *x); return fmi3OK; }
EXPORTED fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 *rates, size_t n)
{
    const unit_instance *m = c;
    return n == unit_states && unit_rates(m, m->time, m->y, rates) ? fmi3OK : fmi3Error;
}
EXPORTED fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 *list, size_t n)
{ (void)c; (void)list; return n ? fmi3Error : fmi3OK; }
EXPORTED fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 *list, size_t n)
{ (void)c; for (size_t k = 0; k < n; k++) list[k] = 1.0; return fmi3OK; }
EXPORTED fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *n) { (void)c; *n = 0; return fmi3OK; }
EXPORTED fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *n) { (void)c; *n = unit_states; return fmi3OK; }
EXPORTED fmi3Status fmi3EnterStepMode(fmi3Instance c) { (void)c; return fmi3OK; }
EXPORTED fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 step, bool no_set, bool *event,
                               bool *terminate, bool *early, fmi3Float64 *last)
{
    unit_instance *m = c;
    (void)no_set;
    m->time = time;
    *event = *terminate = *early = false;
    const int done = unit_advance(m, time + step);
    *last = m->time;
    return done ? fmi3OK : fmi3Error;
}
EXPORTED fmi3Status fmi3GetFMUState(fmi3Instance c, void **state)
{
    if (!*state) *state = malloc(sizeof(unit_instance));
    if (!*state) return fmi3Error;
    memcpy(*state, c, sizeof(unit_instance));
    return fmi3OK;
}
EXPORTED fmi3Status fmi3SetFMUState(fmi3Instance c, void *state)
{ memcpy(c, state, sizeof(unit_instance)); return fmi3OK; }
EXPORTED fmi3Status fmi3FreeFMUState(fmi3Instance c, void **state)
{ (void)c; free(*state); *state = NULL; return fmi3OK; }
EXPORTED fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, void *state, size_t *size)
{ (void)c; (void)state; *size = sizeof(unit_instance); return fmi3OK; }
EXPORTED fmi3Status fmi3SerializeFMUState(fmi3Instance c, void *state, void *bytes, size_t size)
{
    (void)c;
    if (size < sizeof(unit_instance)) return fmi3Error;
    memcpy(bytes, state, sizeof(unit_instance));
    return fmi3OK;
}
EXPORTED fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const void *bytes, size_t size, void **state)
{
    (void)c;
    if (size < sizeof(unit_instance) || !(*state = malloc(sizeof(unit_instance)))) return fmi3Error;
    memcpy(*state, bytes, sizeof(unit_instance));
    return fmi3OK;
}

// What the description says the unit does not have.
#define ABSENT(name) EXPORTED fmi3Status name(void) { return fmi3Error; }
ABSENT(fmi3ActivateModelPartition)
ABSENT(fmi3EnterConfigurationMode)
ABSENT(fmi3EvaluateDiscreteStates)
ABSENT(fmi3ExitConfigurationMode)
ABSENT(fmi3GetAdjointDerivative)
ABSENT(fmi3GetBinary)
ABSENT(fmi3GetClock)
ABSENT(fmi3GetDirectionalDerivative)
ABSENT(fmi3GetIntervalDecimal)
ABSENT(fmi3GetIntervalFraction)
ABSENT(fmi3GetNumberOfVariableDependencies)
ABSENT(fmi3GetOutputDerivatives)
ABSENT(fmi3GetShiftDecimal)
ABSENT(fmi3GetShiftFraction)
ABSENT(fmi3GetVariableDependencies)
ABSENT(fmi3SetBinary)
ABSENT(fmi3SetClock)
ABSENT(fmi3SetIntervalDecimal)
ABSENT(fmi3SetIntervalFraction)
ABSENT(fmi3SetShiftDecimal)
ABSENT(fmi3SetShiftFraction)
EXPORTED fmi3Instance fmi3InstantiateScheduledExecution(void) { return NULL; }
// </fmi3>
