/* The layers of docs/design.md, section 3, from the include lines of every source and header. */
#include "support/check.h"

#include <ftw.h>

#define NUMERICS "base linalg hdf5 model substructure transfer integrator coupling "
#define READER   NUMERICS "yaml rig experiment plan record "

/* A folder of src/, the public headers that are its own, and the folders it may include. */
static const struct layer {
    const char *folder, *headers, *may;
} layers[] = {
    {"base", "arena param status units", ""},
    {"linalg", "linalg system", "base"},
    {"hdf5", "", "base"},
    {"model", "law signal", "base linalg hdf5"},
    {"substructure", "substructure", "base linalg model"},
    {"transfer", "rig transfer", "base linalg model substructure"},
    {"integrator", "integrator", "base linalg substructure"},
    {"coupling", "coupling", "base linalg substructure transfer integrator"},
    {"rig", "", "base linalg substructure transfer"},
    {"report", "", "base"},
    {"record", "", "base hdf5"},
    {"yaml", "", "base linalg model"},
    {"experiment", "plugin", NUMERICS "yaml rig"},
    {"plan", "yoke", NUMERICS "yaml rig experiment"},
    {"analyze", "", READER},
    {"engine", "", READER "analyze"},
    {"reproduce", "", READER "analyze engine report"},
    {"bench", "", READER "analyze"},
    {"cli", "", READER "analyze engine report reproduce bench"},
};
enum { LAYERS = sizeof layers / sizeof *layers };

static int read_lines; /* include lines that were judged */

/* Is the word one of those of a list? */
static bool has(const char *list, const char *word, size_t length)
{
    for (const char *p = list; *p; p += strspn(p, " ")) {
        const size_t here = strcspn(p, " ");

        if (here == length && strncmp(p, word, length) == 0)
            return true;
        p += here;
    }
    return false;
}

/* The layer of "engine/run.c" or of the public header "yoke/rig.h"; NULL: of neither. */
static const struct layer *layer_of(const char *path)
{
    const bool is_public = strncmp(path, "yoke/", 5) == 0;
    const char *word = is_public ? path + 5 : path;
    const size_t length = strcspn(word, is_public ? "." : "/");

    for (int i = 0; i < LAYERS; i++)
        if (has(is_public ? layers[i].headers : layers[i].folder, word, length))
            return &layers[i];
    return NULL;
}

static void check_line(const char *path, const struct layer *from, const char *line)
{
    char name[256];
    const struct layer *to;

    if (sscanf(line, "#include %*[<\"]%255[^>\"]", name) != 1 || !strchr(name, '/') || !(to = layer_of(name)))
        return;
    read_lines++;
    if (to != from && !has(from->may, to->folder, strlen(to->folder)))
        fail_msg("%s includes %s: %s/ may include %s", path, name, from->folder, *from->may ? from->may : "nothing");
}

static int check_file(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    static const char *const roots[] = {YOKE_SOURCE "/src/", YOKE_SOURCE "/include/"};
    const char *ending = strrchr(path, '.');
    char line[1024];

    if (kind != FTW_F || !ending || (strcmp(ending, ".c") != 0 && strcmp(ending, ".h") != 0))
        return 0;
    for (int i = 0; i < 2; i++)
        if (strncmp(path, roots[i], strlen(roots[i])) == 0) {
            const struct layer *from = layer_of(path + strlen(roots[i]));
            FILE *in = fopen(path, "r");

            if (!from)
                fail_msg("%s belongs to no layer: name it in the table of this test", path);
            assert_non_null(in);
            while (fgets(line, sizeof line, in))
                check_line(path, from, line);
            fclose(in);
        }
    return 0;
}

static void includes_point_upstream_or_down(void **state)
{
    assert_int_equal(nftw(YOKE_SOURCE "/src", check_file, 16, FTW_PHYS), 0);
    assert_int_equal(nftw(YOKE_SOURCE "/include", check_file, 16, FTW_PHYS), 0);
    assert_true(read_lines > 300);
}

static void numerics_know_no_rig_no_file_and_no_engine(void **state)
{
    static const char *const above[] = {"rig", "experiment", "engine", "record", "analyze", "report", "cli"};

    for (int i = 0; i < LAYERS; i++)
        for (size_t k = 0; k < sizeof above / sizeof *above; k++)
            if (has(NUMERICS, layers[i].folder, strlen(layers[i].folder)))
                assert_false(has(layers[i].may, above[k], strlen(above[k])));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(includes_point_upstream_or_down),
        cmocka_unit_test(numerics_know_no_rig_no_file_and_no_engine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
