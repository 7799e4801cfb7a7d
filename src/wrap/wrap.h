/* An experiment as an FMU: the part that FMI 2.0 and 3.0 share. The object reads the experiment in its resources and
 * makes its steps; it has no state besides its instances. Statuses are those of FMI: 0 ok, 2 discard, 3 error. */
#ifndef YOKE_WRAP_H
#define YOKE_WRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void yk_wrap_log(void *environment, int status, const char *category, const char *text);

struct yk_wrap;
struct yk_wrap_state;

/* resources: the folder; a wrong token is refused. NULL after a message. */
struct yk_wrap *yk_wrap_open(const char *resources, const char *token, yk_wrap_log *log, void *environment);
void yk_wrap_close(struct yk_wrap *w);
/* The folder that a URI means: "file:///a%20b", "file:/a"; malloc'd, NULL where it is none. */
char *yk_wrap_path(const char *uri);

int yk_wrap_start(struct yk_wrap *w, double time); /* initialization begins: parameters are known */
int yk_wrap_ready(struct yk_wrap *w);              /* and ends */
int yk_wrap_reset(struct yk_wrap *w);
int yk_wrap_get(struct yk_wrap *w, const uint32_t *vr, size_t n, double *x);
int yk_wrap_set(struct yk_wrap *w, const uint32_t *vr, size_t n, const double *x);
/* From t over h, a multiple of the step of the experiment. *ended: it stopped by itself, a limit or its end. *last: the
 * time that it reached. */
int yk_wrap_step(struct yk_wrap *w, double t, double h, bool *ended, double *last);

int yk_wrap_save(struct yk_wrap *w, struct yk_wrap_state **state); /* *state NULL: a new one */
int yk_wrap_restore(struct yk_wrap *w, const struct yk_wrap_state *state);
void yk_wrap_forget(struct yk_wrap_state *state);
size_t yk_wrap_state_size(const struct yk_wrap *w, const struct yk_wrap_state *state);
int yk_wrap_state_write(struct yk_wrap *w, const struct yk_wrap_state *state, void *bytes, size_t size);
int yk_wrap_state_read(struct yk_wrap *w, const void *bytes, size_t size, struct yk_wrap_state **state);

#endif
