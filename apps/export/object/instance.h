/* An experiment as an FMU: the part that FMI 2.0 and 3.0 share. The object reads the experiment in its resources and
 * makes its steps; it has no state besides its instances. Statuses are those of FMI: 0 ok, 2 discard, 3 error. */
#ifndef YOKE_EXPORT_INSTANCE_H
#define YOKE_EXPORT_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void yk_exported_log(void *environment, int status, const char *category, const char *text);

struct yk_exported;
struct yk_exported_state;

/* resources: the folder; a wrong token is refused. NULL after a message. */
struct yk_exported *yk_exported_open(const char *resources, const char *token, yk_exported_log *log, void *environment);
void yk_exported_close(struct yk_exported *w);
/* The folder that a URI means: "file:///a%20b", "file:/a"; malloc'd, NULL where it is none. */
char *yk_exported_path(const char *uri);

int yk_exported_start(struct yk_exported *w, double time); /* initialization begins: parameters are known */
int yk_exported_ready(struct yk_exported *w);              /* and ends */
int yk_exported_reset(struct yk_exported *w);
int yk_exported_get(struct yk_exported *w, const uint32_t *vr, size_t n, double *x);
int yk_exported_set(struct yk_exported *w, const uint32_t *vr, size_t n, const double *x);
/* From t over h, a multiple of the step of the experiment. *ended: it stopped by itself, a limit or its end. *last: the
 * time that it reached. */
int yk_exported_step(struct yk_exported *w, double t, double h, bool *ended, double *last);

int yk_exported_save(struct yk_exported *w, struct yk_exported_state **state); /* *state NULL: a new one */
int yk_exported_restore(struct yk_exported *w, const struct yk_exported_state *state);
void yk_exported_forget(struct yk_exported_state *state);
size_t yk_exported_state_size(const struct yk_exported *w, const struct yk_exported_state *state);
int yk_exported_state_write(struct yk_exported *w, const struct yk_exported_state *state, void *bytes, size_t size);
int yk_exported_state_read(struct yk_exported *w, const void *bytes, size_t size, struct yk_exported_state **state);

#endif
