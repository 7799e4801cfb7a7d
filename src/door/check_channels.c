/* Report of `yoke check` on the channels of the rig. */
#include "door/answers.h"

#include "experiment/channel_rows.h"

#include <stdlib.h>

void yk_check_channels(const struct yk_model *model, FILE *out)
{
    struct yk_channel_row *rows = NULL;
    struct yk_err unread = {0};
    size_t count = 0;

    if (!yk_channel_rows(model, &rows, &count, &unread))
        for (size_t i = 0; i < count; i++) {
            const struct yk_channel_row *r = &rows[i];

            fprintf(out, "  %-13s %s = %g %s x %s", i ? "" : "channels", r->name, r->scale.scale, r->unit,
                    *r->raw ? r->raw : "raw");
            if (r->scale.offset != 0)
                fprintf(out, " %+g %s", r->scale.offset, r->unit);
            if (r->zero != 0)
                fprintf(out, ", zero %g %s", r->zero, r->unit);
            fputc('\n', out);
        }
    free(rows);
}
