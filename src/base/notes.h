/* Notes: sentences for the user about input that was accepted, but that may not mean what its author thinks. A reader
 * adds them; whoever shows the experiment prints them (`yoke run` and `yoke check`, the summary, the dashboard,
 * Python).
 */
#ifndef YOKE_NOTES_H
#define YOKE_NOTES_H

#include <yoke/status.h>

struct yk_notes {
    char **items;
    size_t count;
};

/* Adds "file:line:column: words", once. NULL notes: nobody listens. Without memory the note is lost. */
void yk_note(struct yk_notes *notes, struct yk_where where, const char *format, ...) YK_PRINTF(3, 4);
void yk_notes_free(struct yk_notes *notes); /* and the struct, which is malloc'd; NULL is fine */

#endif
