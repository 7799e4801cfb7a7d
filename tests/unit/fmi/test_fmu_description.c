/* Descriptions of FMUs: what is read, by the rules of FMI 2.0 and 3.0, and what is refused, with its place. */
#include "support/check.h"
#include "support/fmus.h"

#include "fmi/description.h"

#include <math.h>
#include <stdlib.h>

static enum yk_status read(const char *text, struct yk_fmu_description *d, struct yk_err *err)
{
    return yk_fmu_describe(d, text, strlen(text), "x.fmu:modelDescription.xml", err);
}

#define HEAD2 "<fmiModelDescription fmiVersion='2.0' modelName='x' guid='{1}'>\n<CoSimulation modelIdentifier='x'/>\n"
#define TAIL  "</fmiModelDescription>"

static void states_follow_from_positions_in_fmi_2(void **state)
{
    char *text = fmu_description_text(&fmu_absorber_exchange);
    struct yk_fmu_description d;

    assert_ok(read(text, &d, &err));
    assert_int_equal(d.derivative_count, 2);
    assert_string_equal(yk_fmu_state(&d, 0)->name, "y"); /* derivative='7' is the seventh variable */
    assert_string_equal(yk_fmu_state(&d, 1)->name, "w");
    assert_true(d.variables[2].listed && !d.variables[0].listed);
    assert_true(d.interface[YK_FMU_EXCHANGE].no_completion && !d.interface[YK_FMU_COSIMULATION].offered);
    yk_fmu_description_free(&d);
    free(text);
}

static void arrays_and_intermediate_updates_are_read_in_fmi_3(void **state)
{
    char *text = fmu_description_text(&fmu_absorber3);
    struct yk_fmu_description d;
    size_t element;

    assert_ok(read(text, &d, &err));
    assert_string_equal(yk_fmu_variable(&d, "z[2]", &element)->name, "z");
    assert_int_equal(element, 1);
    assert_null(yk_fmu_variable(&d, "z[3]", &element));
    assert_true(yk_fmu_variable(&d, "x", &element)->intermediate);
    assert_int_equal(yk_fmu_variable(&d, "time", &element)->causality, YK_FMU_INDEPENDENT);
    yk_fmu_description_free(&d);
    free(text);
}

static void units_are_converted_and_checked(void **state)
{
    static const char *const text = HEAD2
        "<UnitDefinitions><Unit name='odd'><BaseUnit kg='1' m='1' s='-2' factor='4.5' offset='1'/></Unit>"
        "</UnitDefinitions><TypeDefinitions><SimpleType name='Push'><Real unit='kN'/></SimpleType></TypeDefinitions>"
        "<ModelVariables>"
        "<ScalarVariable name='a' valueReference='1'><Real unit='odd'/></ScalarVariable>"
        "<ScalarVariable name='b' valueReference='2'><Real declaredType='Push'/></ScalarVariable>"
        "<ScalarVariable name='c' valueReference='3'><Real unit='N.m'/></ScalarVariable>"
        "<ScalarVariable name='d' valueReference='4'><Real unit='m/s^2'/></ScalarVariable>"
        "<ScalarVariable name='e' valueReference='5'><Real/></ScalarVariable></ModelVariables>" TAIL;
    struct yk_fmu_description d;
    double factor, offset;
    bool assumed;

    assert_ok(read(text, &d, &err));
    assert_ok(yk_fmu_unit_of(&d, &d.variables[0], YK_FORCE, &factor, &offset, &assumed, &err));
    assert_true(factor == 4.5 && offset == 1 && !assumed);
    assert_ok(yk_fmu_unit_of(&d, &d.variables[1], YK_FORCE, &factor, &offset, &assumed, &err));
    assert_near(factor, 1000, 1e-9);
    assert_ok(yk_fmu_unit_of(&d, &d.variables[2], YK_MOMENT, &factor, &offset, &assumed, &err));
    assert_ok(yk_fmu_unit_of(&d, &d.variables[3], YK_ACCELERATION, &factor, &offset, &assumed, &err));
    assert_ok(yk_fmu_unit_of(&d, &d.variables[4], YK_FORCE, &factor, &offset, &assumed, &err));
    assert_true(assumed);
    assert_refused(yk_fmu_unit_of(&d, &d.variables[0], YK_DISPLACEMENT, &factor, &offset, &assumed, &err), YK_E_UNIT,
                   "variable 'a' is in odd, which is no displacement");
    yk_fmu_description_free(&d);
}

static void bad_descriptions_are_refused_with_their_place(void **state)
{
    static const struct {
        const char *text, *words;
    } bad[] = {
        {"", "x.fmu:modelDescription.xml:1:1: not well-formed"},
        {"<fmiModelDescription fmiVersion='2.0' guid='{1}'>", "not well-formed"},
        {"<!DOCTYPE a [<!ENTITY b 'c'>]>\n<fmiModelDescription/>", "a document type (<!DOCTYPE a>) is refused"},
        {"<html/>", "<html> is not the description of an FMU"},
        {"<fmiModelDescription fmiVersion='1.0'/>", "FMI version 1.0 is not supported"},
        {"<fmiModelDescription fmiVersion='2.0'/>", "has no guid"},
        {"<fmiModelDescription fmiVersion='3.0'/>", "has no instantiationToken"},
        {"<fmiModelDescription fmiVersion='2.0' guid='{1}'/>", "neither co-simulation nor model exchange"},
        {"<fmiModelDescription fmiVersion='2.0' guid='{1}'><CoSimulation modelIdentifier='../x'/>" TAIL,
         "one modelIdentifier"},
        {HEAD2 "<ModelVariables>\n<ScalarVariable name='a'/></ModelVariables>" TAIL, ":4:1: a variable needs a name"},
        {HEAD2 "<ModelVariables><ScalarVariable name='a' valueReference='-1'/></ModelVariables>" TAIL,
         "'-1' is no whole number"},
        {HEAD2 "<ModelVariables><ScalarVariable name='a' valueReference='1' causality='cause'/></ModelVariables>" TAIL,
         "'cause' is not a value that FMI has here"},
        {HEAD2 "<ModelVariables/><ModelStructure><Outputs><Unknown index='1'/></Outputs></ModelStructure>" TAIL,
         "names no variable"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct yk_fmu_description d;
        struct yk_err err = {0};

        assert_int_not_equal(read(bad[i].text, &d, &err), YK_OK);
        if (!strstr(yk_err_line(&err).text, bad[i].words))
            print_error("%s: %s\n", bad[i].text, yk_err_line(&err).text);
        assert_non_null(strstr(yk_err_line(&err).text, bad[i].words));
        assert_null(d.variables);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_follow_from_positions_in_fmi_2),
        cmocka_unit_test(arrays_and_intermediate_updates_are_read_in_fmi_3),
        cmocka_unit_test(units_are_converted_and_checked),
        cmocka_unit_test(bad_descriptions_are_refused_with_their_place),
    };

    return cmocka_run_group_tests_name("descriptions of FMUs", tests, NULL, NULL);
}
