/* When, where and with what a run was made. Bits of a result may differ with the CPU, the kernel that the BLAS chooses
 * for it and the C library (docs/recording.md), so these are part of it. */
#include "base/json.h"
#include "hdf5/h5.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <jansson.h>
#include <klu.h>
#include <libfyaml.h>
#include <matio.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "record/record.h"

/* The value of the first line of /proc/cpuinfo with that name, without blanks around it. */
static bool cpu_line(const char *name, char *value, size_t size)
{
    FILE *in = fopen("/proc/cpuinfo", "r");
    char line[256];
    bool found = false;

    while (in && !found && fgets(line, sizeof line, in)) {
        const char *colon = strchr(line, ':');

        if (!colon || strncmp(line, name, strlen(name)) != 0)
            continue;
        colon += strspn(colon, ": \t");
        snprintf(value, size, "%.*s", (int)strcspn(colon, "\n"), colon);
        found = true;
    }
    if (in)
        fclose(in);
    return found;
}

static void take_cpu(char *text, size_t size)
{
    char model[128];
    struct utsname system = {0};

    uname(&system);
    if (!cpu_line("model name", model, sizeof model) && !cpu_line("CPU part", model, sizeof model))
        snprintf(model, sizeof model, "unknown");
    snprintf(text, size, "%s, %.16s, %ld cores", model, system.machine, sysconf(_SC_NPROCESSORS_ONLN));
}

/* Functions of OpenBLAS are looked up by name, since another BLAS may be loaded instead. */
typedef char *(*teller)(void);
static teller find_teller(const char *name)
{
    teller found;

    *(void **)&found = dlsym(RTLD_DEFAULT, name);
    return found;
}

extern void dgemm_(void);

static void take_blas(char *text, size_t size)
{
    const teller config = find_teller("openblas_get_config"), core = find_teller("openblas_get_corename");
    Dl_info library = {0};
    void (*product)(void) = dgemm_;
    void *address;
    char *file;

    if (config && core) {
        char version[64] = "";

        sscanf(config(), "%*s %63s", version);
        snprintf(text, size, "OpenBLAS %s, kernel %s", version, core());
        return;
    }
    memcpy(&address, &product, sizeof address);
    file = dladdr(address, &library) && library.dli_fname ? realpath(library.dli_fname, NULL) : NULL;
    snprintf(text, size, "%s", file ? file : "unknown");
    free(file);
}

static void take_libraries(char *text, size_t size)
{
    unsigned hdf5[3] = {0};
    int matio[3] = {0};

    H5get_libversion(&hdf5[0], &hdf5[1], &hdf5[2]);
    Mat_GetLibraryVersion(&matio[0], &matio[1], &matio[2]);
    snprintf(text, size, "HDF5 %u.%u.%u, KLU %d.%d.%d, libfyaml %s, jansson %s, matio %d.%d.%d, glibc %s", hdf5[0],
             hdf5[1], hdf5[2], KLU_MAIN_VERSION, KLU_SUB_VERSION, KLU_SUBSUB_VERSION, fy_library_version(),
             jansson_version_str(), matio[0], matio[1], matio[2], gnu_get_libc_version());
}

void yk_provenance_take(struct yk_provenance *p)
{
    const struct passwd *user = getpwuid(geteuid());

    *p = (struct yk_provenance){0};
    yk_wall_time(p->date, sizeof p->date);
    if (gethostname(p->host, sizeof p->host - 1))
        p->host[0] = 0;
    if (user)
        snprintf(p->user, sizeof p->user, "%s", user->pw_name);
    else
        snprintf(p->user, sizeof p->user, "%ld", (long)geteuid());
    take_cpu(p->cpu, sizeof p->cpu);
    take_blas(p->blas, sizeof p->blas);
    take_libraries(p->libraries, sizeof p->libraries);
}
