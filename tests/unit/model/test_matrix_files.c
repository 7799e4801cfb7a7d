/* Matrices from files: what is read, entry by entry, and every refusal with its place. */
#include "support/check.h"
#include "support/scratch.h"

#include "model/read.h"

#include <stdlib.h>
#include <time.h>

typedef enum yk_status reader(const struct yk_text *, struct yk_matrix *, struct yk_err *);

static enum yk_status read_text(reader *read, const char *data, struct yk_matrix *out, struct yk_err *err)
{
    struct yk_text text = {.name = "K.mtx", .data = strdup(data), .size = strlen(data)};
    enum yk_status st;

    *out = (struct yk_matrix){.x = NULL};
    st = read(&text, out, err);
    yk_text_free(&text);
    return st;
}

/* Compares with `wanted`, given row by row. */
static void check_matrix(reader *read, const char *data, size_t rows, size_t cols, const double *wanted)
{
    struct yk_matrix A;

    assert_ok(read_text(read, data, &A, &err));
    assert_int_equal(A.rows, rows);
    assert_int_equal(A.cols, cols);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            assert_true(yk_matrix_get(&A, i, j) == wanted[i * cols + j]);
    yk_matrix_fini(&A);
}

#define MARKET "%%MatrixMarket matrix "

static void market_coordinate_general_is_read(void **state)
{
    check_matrix(yk_read_matrix_market, MARKET "coordinate real general\n2 3 3\n1 1 1.5\n2 3 -2e3\n1 2 .25D1\n", 2, 3,
                 (double[]){1.5, 2.5, 0, 0, 0, -2000});
}

static void market_repeated_entries_are_added(void **state)
{
    check_matrix(yk_read_matrix_market, MARKET "coordinate real general\n2 2 3\n1 1 1\n1 1 2\n2 2 5\n", 2, 2,
                 (double[]){3, 0, 0, 5});
}

static void market_without_entries_is_zero(void **state)
{
    check_matrix(yk_read_matrix_market, MARKET "coordinate real general\n2 2 0\n", 2, 2, (double[]){0, 0, 0, 0});
}

static void market_symmetric_is_mirrored_from_either_triangle(void **state)
{
    const double K[] = {2, -1, 0, -1, 2, -1, 0, -1, 1};

    check_matrix(yk_read_matrix_market,
                 MARKET "coordinate real symmetric\n3 3 5\n1 1 2\n2 1 -1\n2 2 2\n3 2 -1\n3 3 1\n", 3, 3, K);
    check_matrix(yk_read_matrix_market,
                 MARKET "coordinate real symmetric\n3 3 5\n1 1 2\n1 2 -1\n2 2 2\n2 3 -1\n3 3 1\n", 3, 3, K);
    check_matrix(yk_read_matrix_market, MARKET "array real symmetric\n3 3\n2\n-1\n0\n2\n-1\n1\n", 3, 3, K);
}

static void market_skew_changes_sign_across_the_diagonal(void **state)
{
    const double G[] = {0, -1, -2, 1, 0, -3, 2, 3, 0};

    check_matrix(yk_read_matrix_market, MARKET "coordinate real skew-symmetric\n3 3 3\n2 1 1\n3 1 2\n3 2 3\n", 3, 3, G);
    check_matrix(yk_read_matrix_market, MARKET "array integer skew-symmetric\n3 3\n1\n2\n3\n", 3, 3, G);
}

static void market_array_is_column_by_column(void **state)
{
    check_matrix(yk_read_matrix_market, MARKET "array real general\n2 3\n1\n2\n3\n4\n5\n6\n", 2, 3,
                 (double[]){1, 3, 5, 2, 4, 6});
    check_matrix(yk_read_matrix_market, MARKET "array real general\n2 3\n1 2 3\n4 5 6\n", 2, 3,
                 (double[]){1, 3, 5, 2, 4, 6});
}

static void market_pattern_is_ones_and_integer_is_whole(void **state)
{
    check_matrix(yk_read_matrix_market, MARKET "coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n", 2, 2,
                 (double[]){1, 1, 1, 0});
    check_matrix(yk_read_matrix_market, MARKET "coordinate integer general\n1 2 1\n1 2 -7\n", 1, 2, (double[]){0, -7});
}

static void market_is_lenient_about_layout(void **state)
{
    const double D[] = {4, 0, 0, 5};

    check_matrix(
        yk_read_matrix_market,
        "\xEF\xBB\xBF\n  %%MATRIXMARKET Matrix COORDINATE Real General \r\n%\r\n\r\n% words\r\n\t2 2   2\r\n% more\r\n"
        "\r\n   1 1 4.0\r\n%\r\n 2\t2  5\r\n\r\n",
        2, 2, D);
    check_matrix(yk_read_matrix_market, MARKET "coordinate real general\r2 2 2\r1 1 4\r2 2 5", 2, 2, D);
    check_matrix(yk_read_matrix_market, MARKET "coordinate real general\r\r\n2 2 2\r\r\n1 1 4\r\r\n2 2 5\r\r\n", 2, 2,
                 D);
}

static void market_refusals_name_line_and_reason(void **state)
{
    static const struct {
        const char *data;
        enum yk_status status;
        const char *words;
    } cases[] = {
        {"", YK_E_INPUT, "K.mtx: the file is empty"},
        {"\n \n", YK_E_INPUT, "K.mtx:2: the file is empty"},
        {"1 2\n", YK_E_INPUT, "K.mtx:1: a Matrix Market file starts with %%MatrixMarket, not '1'"},
        {"%%MatrixMarket vector array real general\n", YK_E_INPUT,
         "K.mtx:1: the object must be a matrix, not 'vector'"},
        {MARKET "sparse real general\n", YK_E_INPUT, "the format must be coordinate or array, not 'sparse'"},
        {MARKET "coordinate quad general\n", YK_E_INPUT, "the field must be real, integer or pattern, not 'quad'"},
        {MARKET "array pattern general\n", YK_E_INPUT, "the field must be real or integer, not 'pattern'"},
        {MARKET "coordinate complex general\n", YK_E_UNSUPPORTED,
         "K.mtx:1: complex matrices are not supported; write the real part alone"},
        {MARKET "coordinate real hermitian\n", YK_E_UNSUPPORTED,
         "K.mtx:1: hermitian matrices are not supported; a real one is called symmetric"},
        {MARKET "coordinate real upper\n", YK_E_INPUT, "general, symmetric or skew-symmetric, not 'upper'"},
        {MARKET "coordinate pattern skew-symmetric\n", YK_E_INPUT, "a pattern is general or symmetric"},
        {MARKET "coordinate real general\n% only\n", YK_E_INPUT, "K.mtx:2: the file ends before the line of sizes"},
        {MARKET "coordinate real general\n2 2\n", YK_E_INPUT,
         "K.mtx:2: the line of sizes must be 'rows columns entries', not '2 2'"},
        {MARKET "array real general\n2 2 4\n", YK_E_INPUT, "the line of sizes must be 'rows columns', not '2 2 4'"},
        {MARKET "coordinate real general\n0 2 1\n", YK_E_RANGE,
         "the number of rows '0' is not a whole number from 1 to 2147483647"},
        {MARKET "coordinate real general\n2 1.5 1\n", YK_E_RANGE, "the number of columns '1.5' is not a whole number"},
        {MARKET "coordinate real general\n2 2 -1\n", YK_E_RANGE, "the number of entries '-1'"},
        {MARKET "coordinate real general\n2 2 1e10\n", YK_E_RANGE, "the number of entries '1e10'"},
        {MARKET "coordinate real symmetric\n2 3 1\n", YK_E_INPUT, "a symmetric matrix must be square, not '2 3 1'"},
        {MARKET "coordinate real general\n2 2 3\n1 1 1\n2 2 1\n", YK_E_INPUT,
         "K.mtx:4: the file ends after 2 of 3 entries"},
        {MARKET "coordinate real general\n2 2 1\n1 1 1\n\n2 2 1\n", YK_E_INPUT,
         "K.mtx:5: more entries than the 1 of the line of sizes"},
        {MARKET "coordinate real general\n2 2 1\n3 1 1\n", YK_E_RANGE, "K.mtx:3: row '3' is outside 1 .. 2"},
        {MARKET "coordinate real general\n2 2 1\n1 0 1\n", YK_E_RANGE, "K.mtx:3: column '0' is outside 1 .. 2"},
        {MARKET "coordinate real general\n2 2 1\n1 1.5 1\n", YK_E_RANGE, "column '1.5' is outside 1 .. 2"},
        {MARKET "coordinate real general\n2 2 1\n1 1\n", YK_E_INPUT,
         "K.mtx:3: an entry must be 'row column value', not '1 1'"},
        {MARKET "coordinate real general\n2 2 1\n1 1 1 0\n", YK_E_INPUT, "an entry must be 'row column value'"},
        {MARKET "coordinate pattern general\n2 2 1\n1 1 1\n", YK_E_INPUT, "an entry must be 'row column', not"},
        {MARKET "coordinate real general\n2 2 1\n1 1 nan\n", YK_E_INPUT, "K.mtx:3: 'nan' is not a finite number"},
        {MARKET "coordinate real general\n2 2 1\n1 1 -Inf\n", YK_E_INPUT, "'-Inf' is not a finite number"},
        {MARKET "coordinate real general\n2 2 1\n1 1 1e400\n", YK_E_INPUT, "'1e400' is not a finite number"},
        {MARKET "coordinate real general\n2 2 1\n1 1 1,5\n", YK_E_INPUT, "'1,5' is not a number"},
        {MARKET "coordinate integer general\n2 2 1\n1 1 1.5\n", YK_E_INPUT, "the banner says integer, not '1.5'"},
        {MARKET "coordinate real symmetric\n2 2 2\n2 1 1\n1 2 1\n", YK_E_INPUT,
         "K.mtx:4: entries on both sides of the diagonal (lines 3 and 4), but a symmetric file holds one triangle; is "
         "the matrix 'general'?"},
        {MARKET "coordinate real skew-symmetric\n2 2 1\n1 1 3\n", YK_E_INPUT,
         "the diagonal of a skew-symmetric matrix is zero, not 3"},
        {MARKET "array real general\n2 2\n1\n2\n3\n", YK_E_INPUT, "K.mtx:5: the file ends after 3 of 4 entries"},
        {MARKET "array real general\n1 1\n1\n2\n", YK_E_INPUT, "K.mtx:4: more entries than the 1"},
    };
    struct yk_matrix A;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_refused(read_text(yk_read_matrix_market, cases[i].data, &A, &err), cases[i].status, cases[i].words);
        assert_null(A.x);
    }
}

static void declared_size_alone_takes_no_memory(void **state)
{
    struct yk_matrix A;

    assert_refused(read_text(yk_read_matrix_market, MARKET "array real general\n40000 40000\n1\n", &A, &err),
                   YK_E_INPUT, "the file ends after 1 of 1600000000 entries");
    assert_refused(
        read_text(yk_read_matrix_market, MARKET "coordinate real general\n9 9 1000000000\n1 1 1\n", &A, &err),
        YK_E_INPUT, "the file ends after 1 of 1000000000 entries");
    assert_refused(
        read_text(yk_read_matrix_market, MARKET "coordinate real general\n1000000000 1000000000 1\n1 1 1\n", &A, &err),
        YK_E_RANGE, "a size of 1000000000 x 1000000000 for only 1 entries");
}

static void csv_separators_comments_and_header_are_understood(void **state)
{
    const double A[] = {1, 2.5, -3e-4, 4};

    check_matrix(yk_read_csv_matrix, "1,2.5\n-3e-4,4\n", 2, 2, A);
    check_matrix(yk_read_csv_matrix, "1 ; 2.5\r\n-3e-4;4", 2, 2, A);
    check_matrix(yk_read_csv_matrix, "1\t2.5\n-3e-4\t4\n", 2, 2, A);
    check_matrix(yk_read_csv_matrix, "  1   2.5\n -3e-4 4  \n\n", 2, 2, A);
    check_matrix(yk_read_csv_matrix, "\xEF\xBB\xBF# stiffness\n\nx, theta\n1, 2.5 # first\n-3e-4, 4\n#end", 2, 2, A);
    check_matrix(yk_read_csv_matrix, "1,2.5,\n-3e-4,4,\n", 2, 2, A);
    check_matrix(yk_read_csv_matrix, "7", 1, 1, (double[]){7});
    check_matrix(yk_read_csv_matrix, "1,2,3\n4,5,6\n", 2, 3, (double[]){1, 2, 3, 4, 5, 6});
}

static void csv_refusals_name_line_and_reason(void **state)
{
    static const struct {
        const char *data, *words;
    } cases[] = {
        {"", "K.mtx: no numbers in the file"},
        {"# nothing\nx,y\n", "K.mtx: no numbers in the file"},
        {"1,2\n3\n", "K.mtx:2: 1 values in the row, but 2 in the first"},
        {"1,2\n\n3,4,5\n", "K.mtx:3: 3 values in the row, but 2 in the first"},
        {"1,,2\n", "K.mtx:1: value 2 of the row is empty"},
        {",1\n", "K.mtx:1: value 1 of the row is empty"},
        {"1,x\n", "K.mtx:1: 'x' is not a number"},
        {"a,b\nc,d\n", "K.mtx:2: 'c' is not a number"},
        {"1,2\n3,1e999\n", "K.mtx:2: '1e999' is not a finite number"},
        {"nan,1\n", "K.mtx:1: 'nan' is not a finite number"},
        {"1,5;2,5\n", "K.mtx:1: both ',' and ';' separate values; use one, and '.' as the decimal mark"},
        {"1,5 2,5\n", "K.mtx:1: both ',' and ' ' separate values"},
        {"0x10,1\n", "'0x10' is not a number"},
    };
    struct yk_matrix A;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_refused(read_text(yk_read_csv_matrix, cases[i].data, &A, &err), YK_E_INPUT, cases[i].words);
        assert_null(A.x);
    }
}

static void check_file(const char *name, const char *data)
{
    struct yk_matrix A;

    assert_ok(yk_read_matrix(scratch_write(name, data), &A, &err));
    assert_true(yk_matrix_get(&A, 0, 1) == 3);
    yk_matrix_fini(&A);
}

static void kind_of_file_follows_name_then_content(void **state)
{
    check_file("K.mtx", MARKET "array real general\n1 2\n2\n3\n");
    check_file("K.MTX", MARKET "array real general\n1 2\n2\n3\n");
    check_file("K.txt", MARKET "array real general\n1 2\n2\n3\n");
    check_file("K", "\n" MARKET "array real general\n1 2\n2\n3\n");
    check_file("K.csv", "2,3\n");
    check_file("K.txt", "2 3\n");
    check_file("K.dat", "2;3\n");
}

static void files_that_cannot_be_read_are_named(void **state)
{
    struct yk_matrix A;

    assert_refused(yk_read_matrix(scratch_write("K.mtx", "2 3\n"), &A, &err), YK_E_INPUT,
                   "K.mtx:1: a Matrix Market file starts with");
    assert_refused(yk_read_matrix(scratch_path(""), &A, &err), YK_E_IO, "is a folder, a file is expected");
    assert_refused(yk_read_matrix(scratch_path("none.mtx"), &A, &err), YK_E_IO,
                   "cannot be opened: No such file or directory");
}

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A line of n numbers, read once as a row; the time may grow as n, not as its square. */
static double time_to_read(size_t n)
{
    struct yk_text text = {.name = "row", .data = malloc(4 * n + 1), .size = 4 * n};
    struct yk_matrix A;

    for (size_t i = 0; i < n; i++)
        memcpy(text.data + 4 * i, "1.5,", 4);
    text.data[text.size] = 0;
    double start = cpu_seconds();
    assert_ok(yk_read_csv_matrix(&text, &A, &err));
    double taken = cpu_seconds() - start;
    assert_int_equal(A.cols, n);
    yk_matrix_fini(&A);
    yk_text_free(&text);
    return taken;
}

static void reading_time_grows_with_the_file_not_its_square(void **state)
{
    time_to_read(200000);
    assert_true(time_to_read(2000000) < 40 * (time_to_read(200000) + 1e-3)); /* linear: 10, quadratic: 100 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(market_coordinate_general_is_read),
        cmocka_unit_test(market_repeated_entries_are_added),
        cmocka_unit_test(market_without_entries_is_zero),
        cmocka_unit_test(market_symmetric_is_mirrored_from_either_triangle),
        cmocka_unit_test(market_skew_changes_sign_across_the_diagonal),
        cmocka_unit_test(market_array_is_column_by_column),
        cmocka_unit_test(market_pattern_is_ones_and_integer_is_whole),
        cmocka_unit_test(market_is_lenient_about_layout),
        cmocka_unit_test(market_refusals_name_line_and_reason),
        cmocka_unit_test(declared_size_alone_takes_no_memory),
        cmocka_unit_test(csv_separators_comments_and_header_are_understood),
        cmocka_unit_test(csv_refusals_name_line_and_reason),
        cmocka_unit_test(kind_of_file_follows_name_then_content),
        cmocka_unit_test(files_that_cannot_be_read_are_named),
        cmocka_unit_test(reading_time_grows_with_the_file_not_its_square),
    };
    return cmocka_run_group_tests_name("matrix files", tests, scratch_create, scratch_remove);
}
