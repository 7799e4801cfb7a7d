/* Models of other programs. The same small model is written in the layout of each program (the layouts of CalculiX are
 * those that ccx 2.x writes; tests/e2e/calculix.sh runs the program itself), and read back entry by entry. What is
 * malformed is refused with its line. */
#include "support/check.h"
#include "support/scratch.h"

#include "model/import.h"

#include <math.h>
#include <stdlib.h>

/* 7.x, 7.rz, 12.x, 12.y */
static const double K[] = {30, -4, -10, 0, -4, 8, 2, 0, -10, 2, 20, -5, 0, 0, -5, 25};
static const double M[] = {2, 0.5, 0, 0, 0.5, 1, 0, 0, 0, 0, 3, 0, 0, 0, 0, 3};
static const char *const dofs[] = {"7.x", "7.rz", "12.x", "12.y"};

/* Rows as Abaqus writes them: one triangle, in an order of its own. */
#define ABAQUS_K                                                                                                       \
    "12,1, 12,1,  2.000000000000000e+01\n"                                                                             \
    "12,1, 12,2, -5.000000000000000e+00\n"                                                                             \
    "12,2, 12,2,  2.500000000000000e+01\n"                                                                             \
    "12,1, 7,1, -1.000000000000000e+01\n"                                                                              \
    "7,1, 7,1,  3.000000000000000e+01\n"                                                                               \
    "7,6, 12,1,  2.000000000000000e+00\n"                                                                              \
    "7,6, 7,1, -4.000000000000000e+00\n"                                                                               \
    "7,6, 7,6,  8.000000000000000e+00\n"
#define ABAQUS_M                                                                                                       \
    "12,1, 12,1,  3.000000000000000e+00\n"                                                                             \
    "12,2, 12,2,  3.000000000000000e+00\n"                                                                             \
    "7,1, 7,1,  2.000000000000000e+00\n"                                                                               \
    "7,6, 7,1,  5.000000000000000e-01\n"                                                                               \
    "7,6, 7,6,  1.000000000000000e+00\n"
#define ABAQUS_COORDINATE                                                                                              \
    "1 1 3.0e+01\n2 1 -4.0e+00\n2 2 8.0e+00\n3 1 -1.0e+01\n3 2 2.0e+00\n3 3 2.0e+01\n4 3 -5.0e+00\n4 4 2.5e+01\n"
/* Nodes and directions of a substructure: 7 has x and rz, 12 has x and y. */
#define SUBSTRUCTURE                                                                                                   \
    "**\n** ABAQUS SUBSTRUCTURE GENERATION\n*USER ELEMENT, NODES=          2, LINEAR\n** ELEMENT NODES\n"              \
    "**          7,         12\n      1,     6\n      2,     1,     2\n"
#define PACKED_K                                                                                                       \
    "*MATRIX,TYPE=STIFFNESS\n  30.000000000000    ,\n -4.0000000000000    ,  8.0000000000000    \n"                    \
    " -10.000000000000    ,  2.0000000000000    ,  20.000000000000    \n"                                              \
    "  0.0000000000000    ,  0.0000000000000    , -5.0000000000000    ,  25.000000000000    \n"
#define PACKED_M "*MATRIX,TYPE=MASS\n 2.0,\n 0.5, 1.0,\n 0.0, 0.0, 3.0,\n 0.0, 0.0, 0.0, 3.0,\n"

#define CALCULIX_K                                                                                                     \
    "1 1  3.0000000000000e+01\n1 2 -4.0000000000000e+00\n2 2  8.0000000000000e+00\n1 3 -1.0000000000000e+01\n"         \
    "2 3  2.0000000000000e+00\n3 3  2.0000000000000e+01\n2 4  0.0000000000000e+00\n3 4 -5.0000000000000e+00\n"         \
    "4 4  2.5000000000000e+01\n"
#define CALCULIX_DOF "7.1\n7.6\n12.1\n12.2\n"

#define SAP_K                                                                                                          \
    "Row\tColumn\tValue\r\n1\t1\t30\r\n2\t1\t-4\r\n2\t2\t8\r\n3\t1\t-10\r\n3\t2\t2\r\n3\t3\t20\r\n4\t3\t-5\r\n"        \
    "4\t4\t25\r\n"
#define SAP_E "Joint\tU1\tU2\tU3\tR1\tR2\tR3\r\n1\t0\t0\t0\t0\t0\t0\r\n7\t1\t0\t0\t0\t0\t2\r\n12\t3\t4\t-1\t0\t0\t0\r\n"

#define OPENSEES_DOFS                                                                                                  \
    "yoke-opensees 1\nnode 1 0.0 0.0\nnode 7 0.0 3.0\nnode 12 4.0 3.0\n"                                               \
    "dof 1 7 x\ndof 2 7 rz\ndof 3 12 x\ndof 4 12 y\n"
#define OPENSEES_K                                                                                                     \
    "matrix stiffness 4\n1 1 30\n1 2 -4\n1 3 -10\n2 1 -4\n2 2 8\n2 3 2\n3 1 -10\n3 2 2\n3 3 20\n3 4 -5\n4 3 -5\n4 4 "  \
    "25\n"
#define OPENSEES_M "matrix mass 4\n1 1 2\n1 2 0.5\n2 1 0.5\n2 2 1\n3 3 3\n4 4 3\n"

/* The layout of a punch file: fields of 8 in the header, of 16 in the columns. */
#define NASTRAN_K                                                                                                      \
    "DMIG    KAAX           0       6       2       0                       4\n"                                       \
    "DMIG*   KAAX                           7               1\n"                                                       \
    "*                      7               1 3.000000000D+01\n"                                                       \
    "DMIG*   KAAX                           7               6\n"                                                       \
    "*                      7               1-4.000000000D+00\n"                                                       \
    "*                      7               6 8.000000000D+00\n"                                                       \
    "DMIG*   KAAX                          12               1\n"                                                       \
    "*                      7               1-1.000000000D+01\n"                                                       \
    "*                      7               6 2.000000000D+00\n"                                                       \
    "*                     12               1 2.000000000D+01\n"                                                       \
    "DMIG*   KAAX                          12               2\n"                                                       \
    "*                     12               1-5.000000000D+00\n"                                                       \
    "*                     12               2 2.500000000D+01\n"
#define NASTRAN_M                                                                                                      \
    "DMIG    MAAX           0       6       2       0                       4\n"                                       \
    "DMIG*   MAAX                           7               1\n"                                                       \
    "*                      7               1 2.000000000D+00\n"                                                       \
    "*                      7               6 5.000000000D-01\n"                                                       \
    "DMIG*   MAAX                           7               6\n"                                                       \
    "*                      7               6 1.000000000D+00\n"                                                       \
    "DMIG*   MAAX                          12               1\n"                                                       \
    "*                     12               1 3.000000000D+00\n"                                                       \
    "DMIG*   MAAX                          12               2\n"                                                       \
    "*                     12               2 3.000000000D+00\n"

static struct yk_text text_of(const char *name, const char *data)
{
    return (struct yk_text){.name = name, .data = (char *)data, .size = strlen(data)};
}

static enum yk_status read_text(const char *format, enum yk_matrix_part part, const char *data, const char *map,
                                struct yk_imported *model, struct yk_err *err)
{
    const struct yk_text text = text_of("m.txt", data), names = text_of("n.txt", map ? map : "");

    return yk_import_text(model, yk_import_format_find(format), part, &text, map ? &names : NULL, err);
}

static void check_part(const struct yk_imported *model, enum yk_matrix_part part, const double *wanted)
{
    assert_int_equal(model->n, 4);
    assert_int_equal(model->part[part].rows, 4);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++)
            assert_true(yk_matrix_get(&model->part[part], i, j) == wanted[4 * i + j]);
}

static void check_names(const struct yk_imported *model)
{
    assert_non_null(model->dofs);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(model->dofs[i], dofs[i]);
}

static void check_stiffness(const char *format, const char *data, const char *map)
{
    struct yk_imported model;

    assert_ok(read_text(format, YK_PART_STIFFNESS, data, map, &model, &err));
    check_part(&model, YK_PART_STIFFNESS, K);
    check_names(&model);
    yk_imported_free(&model);
}

static void check_whole(const char *format, const char *data)
{
    struct yk_imported model;

    assert_ok(read_text(format, YK_PART_ALL, data, NULL, &model, &err));
    check_part(&model, YK_PART_STIFFNESS, K);
    check_part(&model, YK_PART_MASS, M);
    check_names(&model);
    yk_imported_free(&model);
}

/* ---- what is read ---------------------------------------------------------------------------------------------- */

static void abaqus_rows_by_node_are_sorted_and_mirrored(void **state)
{
    check_stiffness("abaqus", ABAQUS_K, NULL);
    check_stiffness("abaqus", "** a comment\r\n\r\n*MATRIX INPUT, NAME=K\r\n" ABAQUS_K, NULL);
}

static void abaqus_coordinates_have_no_names(void **state)
{
    struct yk_imported model;

    assert_ok(read_text("abaqus", YK_PART_STIFFNESS, ABAQUS_COORDINATE, NULL, &model, &err));
    check_part(&model, YK_PART_STIFFNESS, K);
    assert_null(model.dofs);
    yk_imported_free(&model);
}

static void a_whole_matrix_is_not_mirrored(void **state)
{
    struct yk_imported model;

    assert_ok(read_text("abaqus", YK_PART_STIFFNESS, "1 1 4\n1 2 -1\n2 1 -1\n2 2 3\n", NULL, &model, &err));
    assert_near(yk_matrix_get(&model.part[0], 0, 1), -1, 0);
    assert_near(yk_matrix_get(&model.part[0], 0, 0), 4, 0);
    yk_imported_free(&model);
}

static void abaqus_substructures_hold_packed_triangles(void **state)
{
    check_whole("abaqus", SUBSTRUCTURE PACKED_K PACKED_M);
    check_whole("abaqus", SUBSTRUCTURE PACKED_M "*MATRIX,TYPE=STRUCTURAL DAMPING\n 1.0,\n" PACKED_K);
    check_stiffness("abaqus", SUBSTRUCTURE PACKED_K PACKED_M, NULL);
}

/* As ccx 2.x writes it: every degree of freedom has an entry of its own in the list of nodes. */
static void calculix_substructures_repeat_their_nodes(void **state)
{
    check_stiffness("abaqus",
                    "**\n** GENERATION OF SUBSTRUCTURE\n*USER ELEMENT,NODES=          4,LINEAR\n** ELEMENT NODES\n"
                    "**         7,         7,        12,        12,\n         1\n         2,         6\n"
                    "         3,         1\n         4,         2\n*MATRIX,TYPE=STIFFNESS\n 0.3000000000000E+02,\n"
                    "-0.4000000000000E+01, 0.8000000000000E+01,\n-0.1000000000000E+02, 0.2000000000000E+01, "
                    "0.2000000000000E+02,\n 0.0000000000000E+00, 0.0000000000000E+00,-0.5000000000000E+01, "
                    "0.2500000000000E+02,\n",
                    NULL);
}

static void element_matrices_are_assembled(void **state)
{
#define TWO_SPRINGS(a, b, k)                                                                                           \
    "*USER ELEMENT, NODES= 2, LINEAR\n** ELEMENT NODES\n** " a ", " b "\n1\n*MATRIX,TYPE=STIFFNESS\n" k ",\n-" k       \
    ", " k "\n"
    struct yk_imported model;

    assert_ok(
        read_text("abaqus", YK_PART_ALL, TWO_SPRINGS("1", "2", "3") TWO_SPRINGS("2", "5", "4"), NULL, &model, &err));
    assert_int_equal(model.n, 3);
    assert_string_equal(model.dofs[2], "5.x");
    assert_near(yk_matrix_get(&model.part[0], 1, 1), 7, 0);
    assert_near(yk_matrix_get(&model.part[0], 1, 2), -4, 0);
    yk_imported_free(&model);
}

static void supports_as_huge_stiffness_are_dropped(void **state)
{
    struct yk_imported model;

    assert_ok(
        read_text("abaqus", YK_PART_STIFFNESS, ABAQUS_K "3,1, 3,1, 1.0e+36\n3,1, 7,1, -5.0\n", NULL, &model, &err));
    assert_int_equal(model.held, 1);
    check_part(&model, YK_PART_STIFFNESS, K);
    check_names(&model);
    yk_imported_free(&model);
}

static void calculix_takes_its_names_from_the_dof_file(void **state)
{
    check_stiffness("calculix", CALCULIX_K, CALCULIX_DOF);
}

static void names_that_repeat_are_told_apart(void **state)
{
    struct yk_imported model;

    assert_ok(
        read_text("calculix", YK_PART_STIFFNESS, "1 1 1\n2 2 1\n3 3 1\n4 4 1\n", "2.1\n2.1\n2.2\n2.1\n", &model, &err));
    assert_string_equal(model.dofs[0], "2.x");
    assert_string_equal(model.dofs[1], "2_2.x");
    assert_string_equal(model.dofs[2], "2.y");
    assert_string_equal(model.dofs[3], "2_3.x");
    yk_imported_free(&model);
}

static void sap2000_takes_its_names_from_the_equations(void **state)
{
    check_stiffness("sap2000", SAP_K, SAP_E);
}

static void labels_of_joints_are_made_fit_for_names(void **state)
{
    struct yk_imported model;

    assert_ok(read_text("sap2000", YK_PART_STIFFNESS, "1 1 5\n2 2 6\n", "Deck.1 1 0 0 0 0 0\n~A 0 2 0 0 0 0\n", &model,
                        &err));
    assert_string_equal(model.dofs[0], "Deck_1.x");
    assert_string_equal(model.dofs[1], "_A.y");
    yk_imported_free(&model);
}

static void opensees_files_hold_everything(void **state)
{
    struct yk_imported model;

    check_whole("opensees", OPENSEES_DOFS OPENSEES_K OPENSEES_M "end\n");
    assert_ok(read_text("opensees", YK_PART_ALL, OPENSEES_DOFS OPENSEES_K OPENSEES_M "end\n", NULL, &model, &err));
    assert_non_null(model.place);
    assert_near(model.place[3 * 2], 4, 0);     /* x of node 12 */
    assert_near(model.place[3 * 0 + 1], 3, 0); /* y of node 7  */
    yk_imported_free(&model);
}

static void nastran_columns_are_read_in_every_layout(void **state)
{
    struct yk_imported model;

    check_whole("nastran", "$ a comment\n" NASTRAN_K NASTRAN_M);
    check_stiffness("nastran", NASTRAN_K NASTRAN_M, NULL);
    /* small fields, two entries in a continuation; a number without its E */
    assert_ok(read_text("nastran", YK_PART_ALL,
                        "DMIG    K2GG           0       6       1       0                       2\n"
                        "DMIG    K2GG           5       1               5       1   1.5+3\n"
                        "+              6       1     -2.               6       2      3.\n"
                        "DMIG,K2GG,6,1,,6,1,4.0\n",
                        NULL, &model, &err));
    assert_int_equal(model.n, 3);
    assert_near(yk_matrix_get(&model.part[0], 0, 0), 1500, 1e-9);
    assert_near(yk_matrix_get(&model.part[0], 1, 0), -2, 0);
    assert_near(yk_matrix_get(&model.part[0], 0, 2), 3, 0);
    assert_near(yk_matrix_get(&model.part[0], 1, 1), 4, 0);
    yk_imported_free(&model);
}

/* A remark behind the fields, tabs for blanks, wide fields between commas with marks of continuation. */
static void nastran_lines_may_hold_remarks_and_tabs(void **state)
{
    struct yk_imported model;

    assert_ok(read_text("nastran", YK_PART_ALL,
                        "DMIG    KAAX           0       6       2       0                       2 $ to, fro\n"
                        "DMIG\tKAAX\t5\t1\t\t5\t1\t2.\n"
                        "+\t6\t1\t-1.\t$ a remark\n"
                        "DMIG*\tKAAX\t\t6\t\t1\n"
                        "*\t6\t\t1\t\t3.\n"
                        "DMIG*,KAAX,7,1,,+A\n"
                        "*A,7,1,4.0,,+B\n"
                        "GRID*,5,,1.25,2.,*G\n"
                        "*G,3.,0\n",
                        NULL, &model, &err));
    assert_int_equal(model.n, 3);
    assert_near(yk_matrix_get(&model.part[0], 0, 0), 2, 0);
    assert_near(yk_matrix_get(&model.part[0], 0, 1), -1, 0);
    assert_near(yk_matrix_get(&model.part[0], 1, 1), 3, 0);
    assert_near(yk_matrix_get(&model.part[0], 2, 2), 4, 0);
    assert_near(model.place[1], 2, 0);
    assert_near(model.place[2], 3, 0);
    yk_imported_free(&model);
}

static void nastran_points_have_places_and_scalar_points_a_coordinate(void **state)
{
    struct yk_imported model;

    assert_ok(read_text("nastran", YK_PART_ALL,
                        "GRID           5            1.25      2.      3.\n"
                        "GRID*                  6                             4.5             5.5\n"
                        "*                    6.5\n"
                        "DMIG    KAAX           0       1       1       0\n"
                        "DMIG    KAAX           5       1               5       1      2.\n"
                        "DMIG    KAAX           6       1               6       1      2.\n"
                        "DMIG    KAAX           9       0               9              7.\n",
                        NULL, &model, &err));
    assert_string_equal(model.dofs[2], "9.q");
    assert_near(model.place[0], 1.25, 0);
    assert_near(model.place[2], 3, 0);
    assert_near(model.place[3], 4.5, 0);
    assert_near(model.place[5], 6.5, 0);
    assert_true(isnan(model.place[6]));
    yk_imported_free(&model);
}

/* ---- what is refused ------------------------------------------------------------------------------------------- */

static void malformed_files_are_refused_with_their_line(void **state)
{
    static const struct {
        const char *format, *data, *map, *words;
    } cases[] = {
        {"abaqus", "1,1, 1,1, 2.0\n1,1, 2\n", NULL, "m.txt:2: 'node, dof, node, dof, value' is expected, not '1,1, 2'"},
        {"abaqus", "1 1 2.0\n1,1, 1,1, 2.0\n", NULL, "m.txt:2: 'row column value' is expected"},
        {"abaqus", "1,1, 1,x, 2.0\n", NULL, "m.txt:1: degree of freedom 'x' is not a whole number"},
        {"abaqus", "1,1, 1.5,1, 2.0\n", NULL, "m.txt:1: node '1.5' is not a whole number"},
        {"abaqus", "1,1, 1,1, nan\n", NULL, "m.txt:1: 'nan' is not a finite number"},
        {"abaqus", "0 1 2.0\n", NULL, "m.txt:1: row 0 is outside 1 .."},
        {"abaqus", "1 1 1\n1 2 3\n2 1 3\n1 3 4\n", NULL, "(1, 2) has a partner across the diagonal, (1, 3) has none"},
        {"abaqus", "", NULL, "m.txt: holds no matrix"},
        {"abaqus", "2000000 2000000 1.0\n", NULL, "an order of 2000000 for only 1 entries"},
        {"abaqus", "*MATRIX,TYPE=STIFFNESS\n 1.0,\n", NULL, "m.txt:1: a matrix before the nodes it belongs to"},
        {"abaqus", "*USER ELEMENT, NODES=2\n1, 2\n", NULL, "m.txt:2: directions before the comment"},
        {"abaqus", SUBSTRUCTURE "*MATRIX,TYPE=MASS\n 1.0,\n", NULL, "ends after row 1 of 4 of its triangle"},
        {"abaqus", SUBSTRUCTURE PACKED_K " 1.0\n", NULL, "m.txt:13: more values than the triangle"},
        {"abaqus", "*USER ELEMENT, NODES=2\n** ELEMENT NODES\n** 1, 2\n1\n3, 1\n", NULL,
         "m.txt:5: position of a node 3 is outside 1 .. 2"},
        {"calculix", "1 1 1.0\n1 5 1.0\n", CALCULIX_DOF, "m.txt:2: column 5 is outside 1 .. 4"},
        {"calculix", "1 1\n", CALCULIX_DOF, "m.txt:1: 'row column value' is expected, not '1 1'"},
        {"calculix", "1 1 1.0 7\n", CALCULIX_DOF, "m.txt:1: 'row column value' is expected"},
        {"calculix", "1 1 1.0\n", "7.1\n12\n", "n.txt:2: 'node.direction' is expected, not '12'"},
        {"calculix", "1 1 1.0\n", "7.1\n.2\n", "n.txt:2: 'node.direction' is expected, not '.2'"},
        {"calculix", "1 1 1.0\n", "7.1\nx.2\n", "n.txt:2: node 'x' is not a whole number"},
        {"calculix", "1 1 1.0\n", "", "n.txt: names no degree of freedom"},
        {"sap2000", "Row Column Value\n1 1 x\n", SAP_E, "m.txt:2: 'x' is not a number"},
        {"sap2000", "Row Column Value\n1 9 1\n", SAP_E, "m.txt:2: column 9 is outside 1 .. 4"},
        {"sap2000", "1 1 1\nRow\n", SAP_E, "m.txt:2: 'row column value' is expected, not 'Row'"},
        {"sap2000", SAP_K, "Joint U1\n7 1 0 0 0 0\n", "n.txt:2: a joint and its six equations are expected"},
        {"sap2000", SAP_K, "7 1 0 0 0 0 2.5\n", "n.txt:1: equation '2.5' is not a whole number"},
        {"sap2000", SAP_K, "7 0 0 0 0 0 0\n", "n.txt: numbers no equation"},
        {"opensees", "node 1 0 0\n", NULL, "m.txt:1: the file must start with 'yoke-opensees 1'"},
        {"opensees", OPENSEES_DOFS OPENSEES_K, NULL, "m.txt:21: the file ends before 'end'"},
        {"opensees", OPENSEES_DOFS "matrix stiffness 5\n", NULL, "m.txt:9: a matrix of order 5, but 4 equations"},
        {"opensees", OPENSEES_DOFS "matrix strength 4\n", NULL, "m.txt:9: 'matrix stiffness|mass|damping order'"},
        {"opensees", OPENSEES_DOFS "matrix mass 4\n1 5 2.0\n", NULL, "m.txt:10: column 5 is outside 1 .. 4"},
        {"opensees", "yoke-opensees 1\ndof 1 7 w\n", NULL, "m.txt:2: a direction x, y, z, rx, ry, rz or q is expected"},
        {"opensees", "yoke-opensees 1\ndof 900 7 x\n", NULL, "m.txt:2: equation 900 is outside 1 .. 28"},
        {"opensees", "yoke-opensees 1\nend\nmore\n", NULL, "m.txt:3: nothing after 'end' is expected"},
        {"opensees", "yoke-opensees 1\nelement 1\n", NULL, "m.txt:2: 'node', 'dof', 'matrix' or 'end' is expected"},
        {"opensees", "yoke-opensees 1\nnode 1 a\n", NULL, "m.txt:2: 'a' is not a number"},
        {"nastran", "DMIG    KAAX           0       2       2       0\n", NULL, "m.txt:1: KAAX has form 2"},
        {"nastran", "DMIG    KAAX           0       6       4       0\n", NULL, "m.txt:1: KAAX is complex"},
        {"nastran", "DMIG*   KAAX                           7               1\n", NULL,
         "m.txt:1: a column of KAAX before its header"},
        {"nastran", NASTRAN_K "DMIG    KBBX           0       6       2       0\n", NULL,
         "m.txt:14: both KAAX and KBBX could be the same matrix"},
        {"nastran", NASTRAN_K "*                     12               7 2.500000000D+01\n", NULL,
         "m.txt:14: component 7 is outside 0 .. 6"},
        {"nastran", NASTRAN_K "*                     12               1 2.5000x0000D+01\n", NULL,
         "m.txt:14: '2.5000x0000D+01' is not a number"},
        {"nastran", "DMIG\n", NULL, "m.txt:1: DMIG needs a name and a point"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_imported model;

        assert_refused(read_text(cases[i].format, YK_PART_ALL, cases[i].data, cases[i].map, &model, &err), err.status,
                       cases[i].words);
        assert_null(model.dofs);
    }
}

/* ---- files that belong together -------------------------------------------------------------------------------- */

static void the_files_of_a_model_are_found_beside_the_first(void **state)
{
    static const struct {
        const char *stiffness, *K, *mass, *M, *map, *names;
    } cases[] = {
        {"job_STIF1.mtx", ABAQUS_K, "job_MASS1.mtx", ABAQUS_M, NULL, NULL},
        {"job.sti", CALCULIX_K, "job.mas", "1 1 2\n1 2 .5\n2 2 1\n3 3 3\n4 4 3\n", "job.dof", CALCULIX_DOF},
        {"JOB.TXK", SAP_K, "JOB.TXM", "1 1 2\n2 1 .5\n2 2 1\n3 3 3\n4 4 3\n", "JOB.TXE", SAP_E},
        {"low.txk", SAP_K, "low.txm", "1 1 2\n2 1 .5\n2 2 1\n3 3 3\n4 4 3\n", "low.txe", SAP_E},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_imported model;
        const char *first = scratch_write(cases[i].stiffness, cases[i].K),
                   *second = scratch_write(cases[i].mass, cases[i].M);

        if (cases[i].map)
            scratch_write(cases[i].map, cases[i].names);
        assert_ok(yk_import_model(&model, &(struct yk_import_files){.model = first}, &err));
        check_part(&model, YK_PART_STIFFNESS, K);
        check_part(&model, YK_PART_MASS, M);
        check_names(&model);
        yk_imported_free(&model);
        assert_ok(yk_import_model(&model, &(struct yk_import_files){.part = {first, second, NULL}}, &err));
        check_part(&model, YK_PART_MASS, M);
        check_names(&model);
        yk_imported_free(&model);
        assert_refused(yk_import_model(&model, &(struct yk_import_files){.model = second}, &err), YK_E_INPUT,
                       "is the mass; name the file of the stiffness");
    }
}

static void formats_are_told_by_name_and_content(void **state)
{
    static const struct {
        const char *name, *data, *format;
    } cases[] = {
        {"a.mtx", ABAQUS_K, "abaqus"},
        {"b.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n", NULL},
        {"c.mtx", SUBSTRUCTURE PACKED_K, "abaqus"},
        {"d.sti", CALCULIX_K, "calculix"},
        {"e.TXM", SAP_K, "sap2000"},
        {"f.txt", OPENSEES_DOFS, "opensees"},
        {"g.pch", NASTRAN_K, "nastran"},
        {"h.txt", "$ punch\n" NASTRAN_K, "nastran"},
        {"i.csv", "1,2\n3,4\n", NULL},
        {"j.txt", "1 2\n3 4\n", NULL},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct yk_import_format *found = yk_import_recognise(scratch_write(cases[i].name, cases[i].data));

        assert_ptr_equal(found, cases[i].format ? yk_import_format_find(cases[i].format) : NULL);
    }
}

static void coordinates_come_from_tables_and_input_files(void **state)
{
    static const char *const texts[] = {
        "node, x, y, z\n7, 1.5, 2, 0\n12, 4, 5, 6\n",
        "7 1.5 2\n12 4 5 6\n",
        "** a deck\n*HEADING\n7, 9, 9, 9\n*NODE, NSET=ALL\n7, 1.5, 2., 0.\n12, 4., 5., 6.\n*ELEMENT, TYPE=B31\n7, 7, "
        "12\n*Node print\n12, 9, 9, 9\n",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct yk_text text = text_of("nodes", texts[i]);
        struct yk_imported model;

        assert_ok(read_text("abaqus", YK_PART_STIFFNESS, ABAQUS_K, NULL, &model, &err));
        assert_ok(yk_imported_place(&model, &text, &err));
        assert_near(model.place[0], 1.5, 0);
        assert_near(model.place[3 * 3 + 2], 6, 0);
        yk_imported_free(&model);
    }
    struct yk_imported model = {0};
    const struct yk_text bad = text_of("nodes", "7 1 2 3\n12 1 x 3\n"), few = text_of("nodes", "7 1 2 3\n12\n");

    assert_refused(yk_imported_place(&model, &bad, &err), YK_E_INPUT, "nodes:2: 'x' is not a number");
    assert_refused(yk_imported_place(&model, &few, &err), YK_E_INPUT, "nodes:2: 'node x y z' is expected, not '12'");
}

/* ---- what is done with a model --------------------------------------------------------------------------------- */

static void held_degrees_of_freedom_leave_the_model(void **state)
{
    struct yk_imported model;

    assert_ok(read_text("opensees", YK_PART_ALL, OPENSEES_DOFS OPENSEES_K OPENSEES_M "end\n", NULL, &model, &err));
    assert_ok(yk_imported_hold(&model, (bool[]){false, true, false, true}, &err));
    assert_int_equal(model.n, 2);
    assert_string_equal(model.dofs[1], "12.x");
    assert_near(model.place[3], 4, 0);
    assert_near(yk_matrix_get(&model.part[YK_PART_STIFFNESS], 0, 1), -10, 0);
    assert_near(yk_matrix_get(&model.part[YK_PART_MASS], 1, 1), 3, 0);
    assert_refused(yk_imported_hold(&model, (bool[]){true, true}, &err), YK_E_INPUT, "every degree of freedom is held");
    yk_imported_free(&model);
}

/* Lengths in mm, forces in kN: N/mm is kN/m; a moment per angle in kN mm is N m. */
static void units_are_converted_by_direction(void **state)
{
    struct yk_imported model;

    assert_ok(read_text("opensees", YK_PART_ALL, OPENSEES_DOFS OPENSEES_K OPENSEES_M "end\n", NULL, &model, &err));
    yk_imported_scale(&model, 1e-3, 1e3);
    assert_near_relative(yk_matrix_get(&model.part[YK_PART_STIFFNESS], 0, 0), 30e6, 1e-14); /* kN/mm    */
    assert_near_relative(yk_matrix_get(&model.part[YK_PART_STIFFNESS], 0, 1), -4e3, 1e-14); /* kN       */
    assert_near_relative(yk_matrix_get(&model.part[YK_PART_STIFFNESS], 1, 1), 8, 1e-14);    /* kN mm    */
    assert_near_relative(yk_matrix_get(&model.part[YK_PART_MASS], 0, 0), 2e6, 1e-14);       /* kN s2/mm */
    assert_near_relative(model.place[6], 4e-3, 1e-14);
    yk_imported_free(&model);
}

/* A cantilever of one beam with a mass at its tip: 12 EI / l3 and the rotation condensed give 3 EI / l3. */
static void massless_rotations_are_condensed_exactly(void **state)
{
    const double EI = 7, l = 2;
    struct yk_imported model;
    char text[600];

    snprintf(text, sizeof text,
             "yoke-opensees 1\ndof 1 2 rz\ndof 2 2 y\nmatrix stiffness 2\n1 1 %.17g\n1 2 %.17g\n2 1 %.17g\n2 2 "
             "%.17g\nmatrix mass 2\n2 2 5\nmatrix damping 2\n1 1 %.17g\n1 2 %.17g\n2 1 %.17g\n2 2 %.17g\nend\n",
             4 * EI / l, -6 * EI / (l * l), -6 * EI / (l * l), 12 * EI / (l * l * l), 0.4 * EI / l, -0.6 * EI / (l * l),
             -0.6 * EI / (l * l), 1.2 * EI / (l * l * l));
    assert_ok(read_text("opensees", YK_PART_ALL, text, NULL, &model, &err));
    assert_ok(yk_imported_condense(&model, &err));
    assert_int_equal(model.n, 1);
    assert_string_equal(model.dofs[0], "2.y");
    assert_near_relative(yk_matrix_get(&model.part[YK_PART_STIFFNESS], 0, 0), 3 * EI / (l * l * l), 1e-14);
    assert_near_relative(yk_matrix_get(&model.part[YK_PART_DAMPING], 0, 0), 0.3 * EI / (l * l * l), 1e-14);
    assert_near(yk_matrix_get(&model.part[YK_PART_MASS], 0, 0), 5, 0);
    yk_imported_free(&model);
}

/* Springs of 30 and 60 N/m in series between two masses, the second one held by 7 N/m: 20 N/m remain between them. */
static void a_massless_node_leaves_springs_in_series(void **state)
{
    struct yk_imported model;

    assert_ok(read_text("opensees", YK_PART_ALL,
                        "yoke-opensees 1\ndof 1 1 x\ndof 2 2 x\ndof 3 3 x\nmatrix stiffness 3\n1 1 30\n1 2 -30\n2 1 "
                        "-30\n2 2 90\n2 3 -60\n3 2 -60\n3 3 67\nmatrix mass 3\n1 1 5\n3 3 4\nend\n",
                        NULL, &model, &err));
    assert_ok(yk_imported_condense(&model, &err));
    assert_int_equal(model.n, 2);
    const struct yk_matrix *stiffness = &model.part[YK_PART_STIFFNESS];
    assert_near(yk_matrix_get(stiffness, 0, 0), 20, 1e-13);
    assert_near(yk_matrix_get(stiffness, 0, 1), -20, 1e-13);
    assert_near(yk_matrix_get(stiffness, 1, 0), -20, 1e-13);
    assert_near(yk_matrix_get(stiffness, 1, 1), 27, 1e-13);
    yk_imported_free(&model);
}

static void what_nothing_holds_cannot_be_condensed(void **state)
{
    struct yk_imported model;

    assert_ok(read_text("opensees", YK_PART_ALL,
                        "yoke-opensees 1\ndof 1 2 x\ndof 2 2 y\nmatrix stiffness 2\n1 1 3\nmatrix mass 2\n1 1 5\nend\n",
                        NULL, &model, &err));
    assert_refused(yk_imported_condense(&model, &err), YK_E_SINGULAR, "cannot be condensed, nothing holds them");
    yk_imported_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(abaqus_rows_by_node_are_sorted_and_mirrored),
        cmocka_unit_test(abaqus_coordinates_have_no_names),
        cmocka_unit_test(a_whole_matrix_is_not_mirrored),
        cmocka_unit_test(abaqus_substructures_hold_packed_triangles),
        cmocka_unit_test(calculix_substructures_repeat_their_nodes),
        cmocka_unit_test(element_matrices_are_assembled),
        cmocka_unit_test(supports_as_huge_stiffness_are_dropped),
        cmocka_unit_test(calculix_takes_its_names_from_the_dof_file),
        cmocka_unit_test(names_that_repeat_are_told_apart),
        cmocka_unit_test(sap2000_takes_its_names_from_the_equations),
        cmocka_unit_test(labels_of_joints_are_made_fit_for_names),
        cmocka_unit_test(opensees_files_hold_everything),
        cmocka_unit_test(nastran_columns_are_read_in_every_layout),
        cmocka_unit_test(nastran_lines_may_hold_remarks_and_tabs),
        cmocka_unit_test(nastran_points_have_places_and_scalar_points_a_coordinate),
        cmocka_unit_test(malformed_files_are_refused_with_their_line),
        cmocka_unit_test(the_files_of_a_model_are_found_beside_the_first),
        cmocka_unit_test(formats_are_told_by_name_and_content),
        cmocka_unit_test(coordinates_come_from_tables_and_input_files),
        cmocka_unit_test(held_degrees_of_freedom_leave_the_model),
        cmocka_unit_test(units_are_converted_by_direction),
        cmocka_unit_test(massless_rotations_are_condensed_exactly),
        cmocka_unit_test(a_massless_node_leaves_springs_in_series),
        cmocka_unit_test(what_nothing_holds_cannot_be_condensed),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
