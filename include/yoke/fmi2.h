/* The binary interface of FMI 2.0: types and functions, as far as Yoke calls or offers them. Each function is one line
 * of a list: FUNCTION(result, name without "fmi2", arguments). An object exports them as fmi2<name>. */
#ifndef YOKE_FMI2_H
#define YOKE_FMI2_H

#include <stddef.h>

typedef void *fmi2Component, *fmi2ComponentEnvironment, *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer, fmi2Boolean;
typedef char fmi2Char, fmi2Byte;
typedef const fmi2Char *fmi2String;

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;

typedef struct {
    void (*logger)(fmi2ComponentEnvironment, fmi2String instance, fmi2Status, fmi2String category, fmi2String message,
                   ...);
    void *(*allocateMemory)(size_t count, size_t size); /* zeroed */
    void (*freeMemory)(void *);
    void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

typedef struct {
    fmi2Boolean newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged,
        valuesOfContinuousStatesChanged, nextEventTimeDefined;
    fmi2Real nextEventTime;
} fmi2EventInfo;

#define FMI2_REFERENCES fmi2Component, const fmi2ValueReference[], size_t

/* Functions of both interfaces: co-simulation and model exchange. */
#define FMI2_COMMON(FUNCTION)                                                                                          \
    FUNCTION(const char *, GetTypesPlatform, (void))                                                                   \
    FUNCTION(const char *, GetVersion, (void))                                                                         \
    FUNCTION(fmi2Status, SetDebugLogging, (fmi2Component, fmi2Boolean, size_t, const fmi2String[]))                    \
    FUNCTION(fmi2Component, Instantiate,                                                                               \
             (fmi2String, fmi2Type, fmi2String, fmi2String, const fmi2CallbackFunctions *, fmi2Boolean, fmi2Boolean))  \
    FUNCTION(void, FreeInstance, (fmi2Component))                                                                      \
    FUNCTION(fmi2Status, SetupExperiment, (fmi2Component, fmi2Boolean, fmi2Real, fmi2Real, fmi2Boolean, fmi2Real))     \
    FUNCTION(fmi2Status, EnterInitializationMode, (fmi2Component))                                                     \
    FUNCTION(fmi2Status, ExitInitializationMode, (fmi2Component))                                                      \
    FUNCTION(fmi2Status, Terminate, (fmi2Component))                                                                   \
    FUNCTION(fmi2Status, Reset, (fmi2Component))                                                                       \
    FUNCTION(fmi2Status, GetReal, (FMI2_REFERENCES, fmi2Real[]))                                                       \
    FUNCTION(fmi2Status, GetInteger, (FMI2_REFERENCES, fmi2Integer[]))                                                 \
    FUNCTION(fmi2Status, GetBoolean, (FMI2_REFERENCES, fmi2Boolean[]))                                                 \
    FUNCTION(fmi2Status, GetString, (FMI2_REFERENCES, fmi2String[]))                                                   \
    FUNCTION(fmi2Status, SetReal, (FMI2_REFERENCES, const fmi2Real[]))                                                 \
    FUNCTION(fmi2Status, SetInteger, (FMI2_REFERENCES, const fmi2Integer[]))                                           \
    FUNCTION(fmi2Status, SetBoolean, (FMI2_REFERENCES, const fmi2Boolean[]))                                           \
    FUNCTION(fmi2Status, SetString, (FMI2_REFERENCES, const fmi2String[]))                                             \
    FUNCTION(fmi2Status, GetFMUstate, (fmi2Component, fmi2FMUstate *))                                                 \
    FUNCTION(fmi2Status, SetFMUstate, (fmi2Component, fmi2FMUstate))                                                   \
    FUNCTION(fmi2Status, FreeFMUstate, (fmi2Component, fmi2FMUstate *))                                                \
    FUNCTION(fmi2Status, SerializedFMUstateSize, (fmi2Component, fmi2FMUstate, size_t *))                              \
    FUNCTION(fmi2Status, SerializeFMUstate, (fmi2Component, fmi2FMUstate, fmi2Byte[], size_t))                         \
    FUNCTION(fmi2Status, DeSerializeFMUstate, (fmi2Component, const fmi2Byte[], size_t, fmi2FMUstate *))               \
    FUNCTION(fmi2Status, GetDirectionalDerivative,                                                                     \
             (FMI2_REFERENCES, const fmi2ValueReference[], size_t, const fmi2Real[], fmi2Real[]))

#define FMI2_CO_SIMULATION(FUNCTION)                                                                                   \
    FUNCTION(fmi2Status, SetRealInputDerivatives, (FMI2_REFERENCES, const fmi2Integer[], const fmi2Real[]))            \
    FUNCTION(fmi2Status, GetRealOutputDerivatives, (FMI2_REFERENCES, const fmi2Integer[], fmi2Real[]))                 \
    FUNCTION(fmi2Status, DoStep, (fmi2Component, fmi2Real, fmi2Real, fmi2Boolean))                                     \
    FUNCTION(fmi2Status, CancelStep, (fmi2Component))                                                                  \
    FUNCTION(fmi2Status, GetStatus, (fmi2Component, const fmi2StatusKind, fmi2Status *))                               \
    FUNCTION(fmi2Status, GetRealStatus, (fmi2Component, const fmi2StatusKind, fmi2Real *))                             \
    FUNCTION(fmi2Status, GetIntegerStatus, (fmi2Component, const fmi2StatusKind, fmi2Integer *))                       \
    FUNCTION(fmi2Status, GetBooleanStatus, (fmi2Component, const fmi2StatusKind, fmi2Boolean *))                       \
    FUNCTION(fmi2Status, GetStringStatus, (fmi2Component, const fmi2StatusKind, fmi2String *))

#define FMI2_MODEL_EXCHANGE(FUNCTION)                                                                                  \
    FUNCTION(fmi2Status, EnterEventMode, (fmi2Component))                                                              \
    FUNCTION(fmi2Status, NewDiscreteStates, (fmi2Component, fmi2EventInfo *))                                          \
    FUNCTION(fmi2Status, EnterContinuousTimeMode, (fmi2Component))                                                     \
    FUNCTION(fmi2Status, CompletedIntegratorStep, (fmi2Component, fmi2Boolean, fmi2Boolean *, fmi2Boolean *))          \
    FUNCTION(fmi2Status, SetTime, (fmi2Component, fmi2Real))                                                           \
    FUNCTION(fmi2Status, SetContinuousStates, (fmi2Component, const fmi2Real[], size_t))                               \
    FUNCTION(fmi2Status, GetDerivatives, (fmi2Component, fmi2Real[], size_t))                                          \
    FUNCTION(fmi2Status, GetEventIndicators, (fmi2Component, fmi2Real[], size_t))                                      \
    FUNCTION(fmi2Status, GetContinuousStates, (fmi2Component, fmi2Real[], size_t))                                     \
    FUNCTION(fmi2Status, GetNominalsOfContinuousStates, (fmi2Component, fmi2Real[], size_t))

#endif
