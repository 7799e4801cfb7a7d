/* The server of the dashboard: pages, the protocol of docs/dashboard-protocol.md, and the token. */
#ifndef YOKE_DASH_SERVER_H
#define YOKE_DASH_SERVER_H

#include "hub.h"
#include "viewer.h"

enum { YK_DASH_PORT = 8347, YK_DASH_VIEWERS = 16 };

struct yk_dash_settings {
    const char *address;      /* "127.0.0.1" */
    int port;                 /* 0: any that is free */
    bool search;              /* take one of the next ports if that one is taken */
    const char *const *hosts; /* more names of this machine, NULL at the end; may be NULL */
    struct yk_hub_settings runs;
    yk_dash_ask ask;   /* NULL: pages only show */
    yk_dash_call call; /* NULL: likewise */
};

struct yk_dash; /* opaque */
enum yk_status yk_dash_open(struct yk_dash **dash, const struct yk_dash_settings *settings, struct yk_err *err);
void yk_dash_close(struct yk_dash *dash);
/* With the token of a role: what a browser opens. */
const char *yk_dash_address(const struct yk_dash *dash, enum yk_role role);
int yk_dash_viewers(struct yk_dash *dash);
bool yk_dash_is_live(struct yk_dash *dash); /* does a run that it shows go on? */

#endif
