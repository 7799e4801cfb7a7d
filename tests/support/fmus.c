#include "support/fmus.h"
#include "support/check.h"

#include "fmi/archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_variable(FILE *out, const struct fmu_variable *v, int version)
{
    const char *causality = v->causality ? v->causality : "local";
    const char *variability = strcmp(causality, "parameter") == 0 ? "fixed" : "continuous";

    if (version == 2) {
        fprintf(out, "<ScalarVariable name='%s' valueReference='%d' causality='%s' variability='%s'%s><Real", v->name,
                v->vr, causality, variability, v->start && strcmp(causality, "input") != 0 ? " initial='exact'" : "");
    } else {
        fprintf(out, "<Float64 name='%s' valueReference='%d' causality='%s' variability='%s'%s%s", v->name, v->vr,
                causality, variability, v->start && strcmp(causality, "output") == 0 ? " initial='exact'" : "",
                strcmp(causality, "input") == 0 ? " intermediateUpdate='true'" : "");
    }
    if (v->unit)
        fprintf(out, " unit='%s'", v->unit);
    if (v->start)
        fprintf(out, " start='%s'", v->start);
    if (v->derivative_of)
        fprintf(out, " derivative='%d'", v->derivative_of);
    if (version == 2)
        fputs("/></ScalarVariable>\n", out);
    else if (v->size)
        fprintf(out, "><Dimension start='%d'/></Float64>\n", v->size);
    else
        fputs("/>\n", out);
}

static void write_structure(FILE *out, const struct fmu_spec *s)
{
    fputs("<ModelStructure>", out);
    if (s->version == 2)
        fputs("<Outputs>", out);
    for (int i = 0; s->variables[i].name; i++)
        if (s->variables[i].causality && strcmp(s->variables[i].causality, "output") == 0)
            fprintf(out, s->version == 2 ? "<Unknown index='%d'/>" : "<Output valueReference='%d'/>",
                    s->version == 2 ? i + 1 : s->variables[i].vr);
    if (s->version == 2)
        fputs("</Outputs><Derivatives>", out);
    for (int i = 0; s->version == 2 && s->variables[i].name; i++)
        if (s->variables[i].derivative_of)
            fprintf(out, "<Unknown index='%d'/>", i + 1);
    if (s->version == 2)
        fputs("</Derivatives>", out);
    fputs("</ModelStructure>", out);
}

char *fmu_description_text(const struct fmu_spec *s)
{
    char *text = NULL, token[80];
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    snprintf(token, sizeof token, "{%s}", s->name);
    fprintf(out, "<?xml version='1.0' encoding='UTF-8'?>\n<fmiModelDescription fmiVersion='%s' modelName='%s' %s='%s'",
            s->version == 2 ? "2.0" : "3.0", s->name, s->version == 2 ? "guid" : "instantiationToken",
            s->token ? s->token : token);
    if (s->indicators)
        fprintf(out, " numberOfEventIndicators='%d'", s->indicators);
    fputs(">\n", out);
    if (s->interfaces & FMU_EXCHANGE)
        fprintf(out,
                "<ModelExchange modelIdentifier='%s' completedIntegratorStepNotNeeded='true' "
                "canGetAndSetFMUstate='true'/>\n",
                s->name);
    if (s->interfaces & FMU_COSIMULATION)
        fprintf(out, "<CoSimulation modelIdentifier='%s' %s/>\n", s->name, s->flags ? s->flags : "");
    fputs("<UnitDefinitions><Unit name='m'><BaseUnit m='1'/></Unit><Unit name='mm'><BaseUnit m='1' "
          "factor='0.001'/></Unit>"
          "<Unit name='m/s'><BaseUnit m='1' s='-1'/></Unit><Unit name='N'><BaseUnit kg='1' m='1' s='-2'/></Unit>"
          "<Unit name='kg'><BaseUnit kg='1'/></Unit></UnitDefinitions>\n<ModelVariables>\n",
          out);
    if (s->version == 3)
        fputs("<Float64 name='time' valueReference='0' causality='independent' variability='continuous'/>\n", out);
    for (int i = 0; s->variables[i].name; i++)
        write_variable(out, &s->variables[i], s->version);
    fputs("</ModelVariables>\n", out);
    write_structure(out, s);
    fputs("</fmiModelDescription>\n", out);
    assert_int_equal(fclose(out), 0);
    return text;
}

void make_fmu(const char *path, const struct fmu_spec *s)
{
    char *text = fmu_description_text(s), object[400], inside[120];
    FILE *in;
    char *bytes;
    long size;

    snprintf(object, sizeof object, "%s/tests/fmus/%s%d.so", YOKE_BINARY, s->name, s->version);
    snprintf(inside, sizeof inside, "binaries/%s/%s.so", s->version == 2 ? "linux64" : "x86_64-linux", s->name);
    assert_non_null(in = fopen(object, "re"));
    fseek(in, 0, SEEK_END);
    size = ftell(in);
    rewind(in);
    assert_non_null(bytes = malloc((size_t)size));
    assert_int_equal(fread(bytes, 1, (size_t)size, in), size);
    fclose(in);
    struct yk_archive_entry entries[] = {{"modelDescription.xml", text, strlen(text)}, {inside, bytes, (size_t)size}};
    assert_ok(yk_archive_pack(path, entries, 2, 0, &err));
    free(bytes);
    free(text);
}

#define ABSORBER                                                                                                       \
    {                                                                                                                  \
        {"x", 1, "input", "m", "0"}, {"v", 2, "input", "m/s", "0"}, {"F", 3, "output", "N"},                           \
            {"m", 4, "parameter", "kg", "50"}, {"c", 5, "parameter", "N.s/m", "60"},                                   \
            {"k", 6, "parameter", "N/m", "2000"}, {"y", 7, "output", "m", "0"}, {"w", 8, "local", "m/s", "0"},         \
            {"der(y)", 9, NULL, "m/s", NULL, 7},                                                                       \
        {                                                                                                              \
            "der(w)", 10, NULL, "m/s2", NULL, 8                                                                        \
        }                                                                                                              \
    }

const struct fmu_spec fmu_absorber2 = {"absorber", 2, FMU_COSIMULATION,
                                       SAVES2 " canInterpolateInputs='true' providesDirectionalDerivative='true'",
                                       .variables = ABSORBER};
const struct fmu_spec fmu_absorber_exchange = {"absorber", 2, FMU_EXCHANGE, .variables = ABSORBER};
const struct fmu_spec fmu_absorber3 = {"absorber", 3, FMU_COSIMULATION, SAVES3 " providesIntermediateUpdate='true'",
                                       .variables = {{"x", 1, "input", "m", "0"},
                                                     {"v", 2, "input", "m/s", "0"},
                                                     {"F", 3, "output", "N"},
                                                     {"m", 4, "parameter", "kg", "50"},
                                                     {"c", 5, "parameter", "N.s/m", "60"},
                                                     {"k", 6, "parameter", "N/m", "2000"},
                                                     {"z", 7, "output", NULL, "0 0", 0, 2}}};
const struct fmu_spec fmu_spring2 = {"spring", 2, FMU_COSIMULATION, SAVES2,
                                     .variables = {{"x", 1, "input", "m", "0"},
                                                   {"v", 2, "input", "m/s", "0"},
                                                   {"F", 3, "output", "N"},
                                                   {"k", 4, "parameter", "N/m", "1000"},
                                                   {"c", 5, "parameter", "N.s/m", "0"}}};
const struct fmu_spec fmu_pi = {"pi", 2, FMU_COSIMULATION, SAVES2,
                                .variables = {{"r", 1, "input", "m", "0"},
                                              {"y", 2, "input", "m", "0"},
                                              {"u", 3, "output", "m"},
                                              {"gain", 4, "parameter", NULL, "0.5"},
                                              {"Ti", 5, "parameter", "s", "0.1"},
                                              {"sum", 6, "local", "m", "0"}}};
const struct fmu_spec fmu_ramp = {"ramp", 2, FMU_COSIMULATION, SAVES2,
                                  .variables = {{"y", 1, "output", "N"}, {"rate", 2, "parameter", NULL, "2"}}};
const struct fmu_spec fmu_lag = {
    "lag", 2, FMU_COSIMULATION, SAVES2,
    .variables = {{"u", 1, "input", "m", "0"}, {"x", 2, "output", "m", "0"}, {"T", 3, "parameter", "s", "0.01"}}};
const struct fmu_spec fmu_bouncer = {"bouncer", 2, FMU_EXCHANGE, .indicators = 1,
                                     .variables = {{"x", 1, "input", "m", "0"},
                                                   {"v", 2, "input", "m/s", "0"},
                                                   {"F", 3, "output", "N"},
                                                   {"g", 4, "parameter", NULL, "10"},
                                                   {"e", 5, "parameter", NULL, "0.5"},
                                                   {"y", 6, "output", "m", "1"},
                                                   {"w", 7, "local", "m/s", "0"},
                                                   {"der(y)", 8, NULL, "m/s", NULL, 6},
                                                   {"der(w)", 9, NULL, "m/s2", NULL, 7}}};
const struct fmu_spec fmu_bouc_wen = {"bouc_wen", 2, FMU_EXCHANGE | FMU_COSIMULATION, SAVES2,
                                      .variables = {{"x", 1, "input", "m", "0"},
                                                    {"v", 2, "input", "m/s", "0"},
                                                    {"F", 3, "output", "N"},
                                                    {"k", 4, "parameter", "N/m", "1000"},
                                                    {"a", 5, "parameter", NULL, "0.1"},
                                                    {"Y", 6, "parameter", "m", "0.01"},
                                                    {"q", 7, "local", "m", "0"},
                                                    {"der(q)", 8, NULL, "m/s", NULL, 7}}};
const struct fmu_spec fmu_oscillator = {"oscillator", 2, FMU_EXCHANGE,
                                        .variables = {{"f", 1, "input", "N", "0"},
                                                      {"s", 2, "output", "m", "0"},
                                                      {"w", 3, "local", "m/s", "0"},
                                                      {"der(s)", 4, NULL, "m/s", NULL, 2},
                                                      {"der(w)", 5, NULL, NULL, NULL, 3},
                                                      {"m", 6, "parameter", "kg", "50"},
                                                      {"c", 7, "parameter", "N.s/m", "60"},
                                                      {"k", 8, "parameter", "N/m", "2000"}}};
