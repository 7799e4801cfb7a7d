/* `yoke model info` and `yoke check` on imported models, as a user would call them. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

#define FRAME YOKE_SOURCE "/examples/imported-frame/imported-frame.yaml"

static json_t *part(json_t *all, const char *name)
{
    size_t i;
    json_t *one;

    json_array_foreach(json_object_get(all, "substructures"), i, one)
    {
        if (strcmp(json_string_value(json_object_get(one, "name")), name) == 0)
            return one;
    }
    fail_msg("no substructure %s", name);
    return NULL;
}

static double number(json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* Frequencies of the parts and of the whole: an independent program, see the README of the example. */
static void check_and_info_agree_about_an_imported_model(void **state)
{
    static const char *const commands[] = {"check", "model"};

    for (int i = 0; i < 2; i++) {
        struct program p;
        json_t *all, *frame, *mast;

        program_run(&p, commands[i], i ? "info" : FRAME, i ? FRAME : "--json", i ? "--json" : NULL);
        assert_int_equal(p.code, 0);
        assert_non_null(all = json_loads(p.out, 0, NULL));
        frame = part(all, "frame");
        mast = part(all, "mast");
        assert_int_equal(number(frame, "dofs"), 21);
        assert_int_equal(number(frame, "nodes"), 7);
        assert_int_equal(number(frame, "rigid_modes"), 0);
        assert_int_equal(number(mast, "rigid_modes"), 3);
        assert_near(number(json_object_get(mast, "mass_kg"), "x"), 4 * 1.92e-3 * 7850 + 60, 1e-9);
        assert_true(json_is_null(json_object_get(json_object_get(mast, "mass_kg"), "z")));
        if (i == 0)
            assert_near(json_number_value(json_array_get(json_object_get(all, "frequencies_Hz"), 0)), 2.76478153, 1e-7);
        json_decref(all);
        program_free(&p);
    }
}

static void text_names_masses_modes_and_what_moves(void **state)
{
    struct program p;

    program_run(&p, "model", "info", FRAME, "--substructure", "mast", "--modes", "4");
    assert_int_equal(p.code, 0);
    assert_non_null(strstr(p.out, "mast: 15 degrees of freedom at 5 nodes"));
    assert_non_null(strstr(p.out, "x: 120.288 kg, y: 120.288 kg"));
    assert_non_null(strstr(p.out, "semidefinite: 3 rigid-body modes"));
    assert_non_null(strstr(p.out, "29.1769 Hz"));
    assert_null(strstr(p.out, "frame:"));
    program_free(&p);
}

static void pictures_are_drawn_with_and_without_coordinates(void **state)
{
    struct program p;
    char picture[1024];

    if (system("gnuplot --version >/dev/null 2>&1") != 0)
        skip();
    snprintf(picture, sizeof picture, "%s", scratch_path("space.svg"));
    program_run(&p, "model", "info", FRAME, "--substructure", "frame", "--modes", "2", "--plot", picture);
    assert_int_equal(p.code, 0);
    assert_int_equal(access(picture, R_OK), 0);
    program_free(&p);
    snprintf(picture, sizeof picture, "%s", scratch_path("order.svg"));
    program_run(&p, "model", "info", YOKE_SOURCE "/examples/bridge-88/bridge-88.yaml", "--plot", picture);
    assert_int_equal(p.code, 0);
    assert_int_equal(access(picture, R_OK), 0);
    program_free(&p);
}

/* The feet of the frame, which are held and have no degrees of freedom, at (0, 0) and (5, 0). */
static void a_frame_stands_on_its_supports(void **state)
{
    struct program p;
    char picture[1024];

    if (system("gnuplot --version >/dev/null 2>&1") != 0)
        skip();
    snprintf(picture, sizeof picture, "%s", scratch_path("feet.svg"));
    program_run(&p, "model", "info", FRAME, "--substructure", "frame", "--modes", "1", "--plot", picture);
    assert_int_equal(p.code, 0);
    program_free(&p);
    assert_int_equal(scratch_count("feet.gp", "'support'"), 1);
    assert_int_equal(scratch_count("feet.csv", ",0,0\n"), 1); /* the last two columns are those of the supports */
    assert_int_equal(scratch_count("feet.csv", ",5,0\n"), 1);
}

/* A membrane of 4 by 4 quadrangles, held along one side: a surface that is coloured by its motion. */
static void a_mesh_becomes_a_surface(void **state)
{
    enum { N = 5 };
    static const double corner[4][4] = {{4, -1, -2, -1}, {-1, 4, -1, -2}, {-2, -1, 4, -1}, {-1, -2, -1, 4}};
    double K[N * N][N * N] = {{0}};
    FILE *stiffness = fopen(scratch_path("mesh_STIF1.mtx"), "w"), *mass = fopen(scratch_path("mesh_MASS1.mtx"), "w"),
         *nodes = fopen(scratch_path("nodes.csv"), "w");
    struct program p;
    char file[1024], picture[1024];

    if (system("gnuplot --version >/dev/null 2>&1") != 0)
        skip();
    assert_true(stiffness && mass && nodes);
    for (int e = 0; e < (N - 1) * (N - 1); e++) {
        const int first = e / (N - 1) * N + e % (N - 1), at[] = {first, first + 1, first + N + 1, first + N};

        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                K[at[i]][at[j]] += 100 * corner[i][j];
    }
    fputs("node, x, y, z\n", nodes);
    for (int i = 0; i < N * N; i++) {
        for (int j = 0; j <= i; j++)
            if (K[i][j] != 0)
                fprintf(stiffness, "%d,3,%d,3,%g\n", i + 1, j + 1, K[i][j]);
        fprintf(mass, "%d,3,%d,3,1\n", i + 1, i + 1);
        fprintf(nodes, "%d, %d, %d, 0\n", i + 1, i % N, i / N);
    }
    fclose(stiffness);
    fclose(mass);
    fclose(nodes);
    snprintf(file, sizeof file, "%s",
             scratch_write("mesh.yaml", "time: { step: 1 ms, end: 1 s }\nmethod: { integrator: newmark }\n"
                                        "substructures: { mesh: { model: mesh_STIF1.mtx, coordinates: nodes.csv, "
                                        "fixed: [1, 2, 3, 4, 5] } }\n"));
    snprintf(picture, sizeof picture, "%s", scratch_path("mesh.svg"));
    program_run(&p, "model", "info", file, "--modes", "2", "--plot", picture);
    assert_int_equal(p.code, 0);
    program_free(&p);
    assert_int_equal(scratch_count("mesh.gp", "with polygons"), 2);
    assert_true(scratch_count("mesh.svg", "<polygon") >= 2 * 32);
}

static void an_unsound_model_is_exit_code_4(void **state)
{
    struct program p;
    char path[1024];

    snprintf(path, sizeof path, "%s",
             scratch_write("negative.yaml",
                           "time: { step: 1 ms, end: 1 s }\nmethod: { integrator: newmark }\nsubstructures: { a: { "
                           "dofs: [x], mass: [1], stiffness: [-2] } }\n"));
    program_run(&p, "model", "info", path);
    assert_int_equal(p.code, 4);
    assert_non_null(strstr(p.out, "NEGATIVE in 1 of the lowest 1 modes"));
    assert_null(strstr(p.out, "nan"));
    assert_non_null(strstr(p.out, "runs away   moves most: "));
    program_free(&p);
}

static void misuse_is_explained(void **state)
{
    static const struct {
        const char *words[6], *says;
    } cases[] = {
        {{"model", NULL}, "unknown request; use `yoke model info FILE`"},
        {{"model", "show", FRAME, NULL}, "unknown request; use `yoke model info FILE`"},
        {{"model", "info", NULL}, "which experiment file?"},
        {{"model", "info", FRAME, "--modes", "0", NULL}, "--modes '0' must be a whole number from 1 to 1000"},
        {{"model", "info", FRAME, "--modes", "2.5", NULL}, "--modes '2.5' must be a whole number"},
        {{"model", "info", FRAME, "--substructure", "roof", NULL}, "there is no substructure 'roof'"},
        {{"model", "info", FRAME, "--plot", "m.svg", NULL},
         "--plot draws one substructure: --substructure NAME, one of: "},
        {{"model", "info", FRAME, "--plot", "m.xyz", NULL}, ".svg"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *argv[8] = {YOKE_PROGRAM};
        struct program p;

        for (int k = 0; cases[i].words[k]; k++)
            argv[k + 1] = cases[i].words[k];
        program_start(&p, argv, 0);
        program_wait(&p);
        assert_int_equal(p.code, 2);
        if (!strstr(p.err, cases[i].says))
            fail_msg("'%s' is not in '%s'", cases[i].says, p.err);
        program_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_and_info_agree_about_an_imported_model),
        cmocka_unit_test(text_names_masses_modes_and_what_moves),
        cmocka_unit_test(pictures_are_drawn_with_and_without_coordinates),
        cmocka_unit_test(a_frame_stands_on_its_supports),
        cmocka_unit_test(a_mesh_becomes_a_surface),
        cmocka_unit_test(an_unsound_model_is_exit_code_4),
        cmocka_unit_test(misuse_is_explained),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
