/* HTTP and WebSocket by CivetWeb. Every request passes the guard first; a viewer has a thread of its own, so that a
 * slow one delays nobody else. */
#include "server.h"

#ifdef YOKE_CIVETWEB

#include "guard.h"

#include <yoke/clock.h>
#include <yoke/json.h>
#include <yoke/page.h>
#include <yoke/parallel.h>

#include <arpa/inet.h>
#include <civetweb.h>
#include <netdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    THREADS = YK_DASH_VIEWERS + 256, /* a connection has one also before it asks for something, for at most 5 s */
    PORTS = 20,                      /* that are tried */
    FRAME_US = 33000,
    BODY_BYTES = 64 << 10,
    FILES_MOST = 65536, /* that are searched for a socket */
    ID_BYTES = 700
};

static const int64_t BODY_NS = 5000000000; /* for all of a body, as long as for a request */

struct yk_dash {
    struct mg_context *server;
    struct yk_hub *hub;
    struct yk_guard guard;
    yk_dash_ask ask;
    yk_dash_call call;
    char address[YK_ROLES][200], cookie[32];
    atomic_int viewers;
    char complaint[256];
};

/* ---- answers ---- */

static const char security[] =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: DENY\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Cache-Control: no-store\r\n"
    "Connection: close\r\n";

static const char *status_text(int status)
{
    static const struct {
        int status;
        const char *text;
    } all[] = {{200, "OK"},
               {400, "Bad Request"},
               {403, "Forbidden"},
               {404, "Not Found"},
               {405, "Method Not Allowed"},
               {413, "Content Too Large"},
               {503, "Service Unavailable"}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].status == status)
            return all[i].text;
    return "Error";
}

/* Before it closes a connection, CivetWeb reads what still comes, for as long as something comes each second: one who
 * sends a byte now and then would keep a thread for ever, without a token. So the connection is told that nothing more
 * is read. Its socket is found by the other end, since CivetWeb does not tell it. */
static void stop_reading(const struct mg_connection *c)
{
    const struct mg_request_info *r = mg_get_request_info(c);
    struct rlimit most = {.rlim_cur = 1024};

    getrlimit(RLIMIT_NOFILE, &most);
    for (int fd = 3; fd < (int)(most.rlim_cur < FILES_MOST ? most.rlim_cur : FILES_MOST); fd++) {
        struct sockaddr_storage peer = {0};
        socklen_t size = sizeof peer;
        char address[INET6_ADDRSTRLEN] = "", port[8] = "";

        if (getpeername(fd, (struct sockaddr *)&peer, &size) == 0 &&
            (peer.ss_family == AF_INET || peer.ss_family == AF_INET6) &&
            getnameinfo((const struct sockaddr *)&peer, size, address, sizeof address, port, sizeof port,
                        NI_NUMERICHOST | NI_NUMERICSERV) == 0 &&
            atoi(port) == r->remote_port && strcmp(address, r->remote_addr) == 0)
            shutdown(fd, SHUT_RD);
    }
}

static int answer(struct mg_connection *c, int status, const char *type, const void *body, size_t size,
                  const char *more)
{
    const char *method = mg_get_request_info(c)->request_method;

    mg_printf(c, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%s%s\r\n", status, status_text(status),
              type, size, security, more ? more : "");
    if (!method || strcmp(method, "HEAD") != 0)
        mg_write(c, body, size);
    stop_reading(c);
    return status;
}

static int refuse(struct mg_connection *c, int status, const char *words)
{
    json_t *error = json_pack("{s:o}", "error", yk_json_any(words));
    char *text = error ? json_dumps(error, JSON_COMPACT) : NULL;

    json_decref(error);
    status = answer(c, status, "application/json", text ? text : "{}", text ? strlen(text) : 2, NULL);
    free(text);
    return status;
}

static int answer_json(struct mg_connection *c, json_t *json)
{
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    int status;

    json_decref(json);
    if (!text)
        return refuse(c, 503, "out of memory");
    status = answer(c, 200, "application/json", text, strlen(text), NULL);
    free(text);
    return status;
}

/* ---- the guard ---- */

/* The role of the token in the address, in a header, or in the cookie of this server. */
static enum yk_role role_of(const struct yk_dash *d, const struct mg_connection *c)
{
    static const char bearer[] = "Bearer ";
    const char *query = mg_get_request_info(c)->query_string, *header = mg_get_header(c, "Authorization"), *cookie;
    char token[2 * YK_TOKEN];
    enum yk_role role = YK_ROLE_NONE;
    size_t length = 0;
    int n;

    if (query && (n = mg_get_var(query, strlen(query), "token", token, sizeof token)) > 0)
        role = yk_guard_role(&d->guard, token, (size_t)n);
    if (role == YK_ROLE_NONE && header && strncmp(header, bearer, strlen(bearer)) == 0)
        role = yk_guard_role(&d->guard, header + strlen(bearer), strlen(header) - strlen(bearer));
    if (role == YK_ROLE_NONE && (cookie = yk_guard_cookie(mg_get_header(c, "Cookie"), d->cookie, &length)))
        role = yk_guard_role(&d->guard, cookie, length);
    return role;
}

/* 0: it may pass; otherwise it was answered. */
static int guard(struct mg_connection *c)
{
    const struct yk_dash *d = mg_get_user_data(mg_get_context(c));
    const struct mg_request_info *r = mg_get_request_info(c);
    const char *method = r->request_method ? r->request_method : "";

    if (!yk_guard_is_host(&d->guard, mg_get_header(c, "Host")))
        return refuse(c, 403, "this is not a name of the server");
    if (!yk_guard_is_origin(&d->guard, mg_get_header(c, "Origin")))
        return refuse(c, 403, "a page of another origin may not ask");
    if (role_of(d, c) == YK_ROLE_NONE)
        return refuse(c, 403, "open the address with the token that was printed when the dashboard started");
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0 && strcmp(method, "POST") != 0)
        return refuse(c, 405, "only GET, HEAD and POST");
    return 0;
}

/* ---- requests ---- */

static int serve_page(struct yk_dash *d, struct mg_connection *c)
{
    const struct yk_asset *page = yk_page_asset("dash.html");
    char cookie[128];

    snprintf(cookie, sizeof cookie, "Set-Cookie: %s=%s; HttpOnly; SameSite=Strict; Path=/\r\n", d->cookie,
             d->guard.tokens[role_of(d, c)]);
    return page ? answer(c, 200, page->type, page->bytes, page->size, cookie)
                : refuse(c, 404, "this program was built without the page");
}

static int serve_asset(struct yk_dash *d, struct mg_connection *c, const char *name)
{
    const struct yk_asset *asset = yk_page_asset(name);

    return asset ? answer(c, 200, asset->type, asset->bytes, asset->size, NULL) : refuse(c, 404, "no such file");
}

static int serve_runs(struct yk_dash *d, struct mg_connection *c)
{
    json_t *all = yk_hub_list(d->hub);

    if (all) {
        json_object_set_new(all, "version", json_integer(1));
        json_object_set_new(all, "controls", json_boolean(d->ask && role_of(d, c) >= YK_ROLE_OPERATOR));
        json_object_set_new(all, "role", json_string(yk_role_text(role_of(d, c))));
    }
    return answer_json(c, all);
}

/* The run that a request is about; NULL after an answer. */
static struct yk_feed *join(struct yk_dash *d, struct mg_connection *c)
{
    const char *query = mg_get_request_info(c)->query_string;
    char id[ID_BYTES] = "";
    struct yk_err err = {0};
    struct yk_feed *feed;

    if (!query || mg_get_var(query, strlen(query), "run", id, sizeof id) <= 0) {
        refuse(c, 400, "name a run: ?run=ID");
        return NULL;
    }
    if (!(feed = yk_hub_join(d->hub, id, &err)))
        refuse(c, 404, yk_err_line(&err).text);
    return feed;
}

static int serve_run(struct yk_dash *d, struct mg_connection *c)
{
    struct yk_feed *feed = join(d, c);
    char *text;
    int status;

    if (!feed)
        return 404;
    text = yk_feed_description(feed);
    status = text ? answer(c, 200, "application/json", text, strlen(text), NULL) : refuse(c, 503, "out of memory");
    free(text);
    yk_hub_leave(d->hub, feed);
    return status;
}

/* The JSON of a body; NULL after an answer. */
static json_t *body_of(struct mg_connection *c)
{
    const long long length = mg_get_request_info(c)->content_length;
    char *text = NULL;
    json_t *json = NULL;
    int n, got = 0;

    if (length > BODY_BYTES) {
        refuse(c, 413, "the body is too large");
        return NULL;
    }
    if (length > 0 && (text = calloc(1, (size_t)length + 1))) {
        const int64_t until_ns = yk_clock_now_ns() + BODY_NS;

        /* one byte at a time: mg_read waits for all that it is asked for, anew after each byte */
        while (got < length && yk_clock_now_ns() < until_ns && (n = mg_read(c, text + got, 1)) > 0)
            got += n;
        json = yk_json_read(text, (size_t)got, JSON_REJECT_DUPLICATES);
    }
    free(text);
    if (!json_is_object(json)) {
        json_decref(json);
        refuse(c, 400, "the body must be a JSON object");
        return NULL;
    }
    return json;
}

static int serve_learn(struct yk_dash *d, struct mg_connection *c)
{
    json_t *body = d->ask ? body_of(c) : NULL, *settings = json_object_get(body, "settings");
    struct yk_err err = {0};
    char id[48];
    int status;

    if (!d->ask)
        return refuse(c, 403, "this dashboard only shows; it was started with --read-only");
    if (!body)
        return 400;
    if (role_of(d, c) < YK_ROLE_ENGINEER) {
        json_decref(body);
        return refuse(c, 403, "examples are started by the role engineer");
    }
    if (yk_hub_learn(d->hub, yk_json_text(body, "example"), json_is_object(settings) ? settings : NULL, id, &err))
        status = refuse(c, err.status == YK_E_UNSUPPORTED ? 503 : 400, yk_err_line(&err).text);
    else
        status = answer_json(c, json_pack("{s:s}", "run", id));
    json_decref(body);
    return status;
}

static int serve_stop(struct yk_dash *d, struct mg_connection *c)
{
    json_t *body = body_of(c);
    int status;

    if (!body)
        return 400;
    if (role_of(d, c) < YK_ROLE_OPERATOR) {
        json_decref(body);
        return refuse(c, 403, "examples are stopped by the role operator");
    }
    status = yk_hub_stop(d->hub, yk_json_text(body, "run")) ? answer_json(c, json_pack("{s:b}", "stopped", true))
                                                            : refuse(c, 404, "no such example is running");
    json_decref(body);
    return status;
}

static int serve(struct mg_connection *c, void *self)
{
    static const struct {
        const char *path;
        bool posts;
        int (*serve)(struct yk_dash *, struct mg_connection *);
    } table[] = {{"/", false, serve_page},
                 {"/api/runs", false, serve_runs},
                 {"/api/run", false, serve_run},
                 {"/api/learn", true, serve_learn},
                 {"/api/learn/stop", true, serve_stop}};
    static const char assets[] = "/assets/";
    const struct mg_request_info *r = mg_get_request_info(c);
    const char *path = r->local_uri ? r->local_uri : "";
    const bool posts = strcmp(r->request_method, "POST") == 0;

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(path, table[i].path) == 0)
            return posts == table[i].posts ? table[i].serve(self, c) : refuse(c, 405, "not with this method");
    if (strncmp(path, assets, strlen(assets)) == 0)
        return posts ? refuse(c, 405, "not with this method") : serve_asset(self, c, path + strlen(assets));
    return refuse(c, 404, "there is nothing here");
}

static int on_error(struct mg_connection *c, int status, const char *words)
{
    refuse(c, status, status_text(status));
    return 0;
}

/* ---- viewers ---- */

struct seat {
    struct yk_dash *dash;
    struct mg_connection *connection;
    struct yk_feed *feed;
    struct yk_viewer *viewer;
    pthread_t thread;
    bool started;
    atomic_bool stop;
};

static void leave_seat(struct seat *s)
{
    yk_viewer_destroy(s->viewer);
    yk_hub_leave(s->dash->hub, s->feed);
    atomic_fetch_sub(&s->dash->viewers, 1);
    free(s);
}

/* Nonzero: refused. */
static int on_connect(const struct mg_connection *connection, void *self)
{
    struct mg_connection *c = (struct mg_connection *)connection;
    struct yk_dash *d = self;
    struct seat *s = calloc(1, sizeof *s);

    if (!s)
        return 1;
    s->dash = d;
    s->connection = c;
    if (atomic_fetch_add(&d->viewers, 1) >= YK_DASH_VIEWERS) {
        refuse(c, 503, "too many viewers");
    } else if ((s->feed = join(d, c))) {
        s->viewer = yk_viewer_create(&(struct yk_viewer_settings){s->feed, d->ask, d->call, role_of(d, c)});
        if (s->viewer) {
            mg_set_user_connection_data(c, s);
            return 0;
        }
    }
    leave_seat(s);
    return 1;
}

static bool send_all(struct seat *s)
{
    size_t size;
    bool is_text;
    void *what;

    while (!atomic_load(&s->stop) && (what = yk_viewer_next(s->viewer, &size, &is_text))) {
        const int sent = mg_websocket_write(
            s->connection, is_text ? MG_WEBSOCKET_OPCODE_TEXT : MG_WEBSOCKET_OPCODE_BINARY, what, size);

        free(what);
        if (sent <= 0)
            return false;
    }
    return true;
}

static void *attend(void *self)
{
    struct seat *s = self;

    while (!atomic_load(&s->stop) && send_all(s))
        usleep(FRAME_US);
    return NULL;
}

static void on_ready(struct mg_connection *c, void *self)
{
    struct seat *s = mg_get_user_connection_data(c);

    if (s)
        s->started = yk_thread_start(&s->thread, attend, s) == 0;
}

/* 0 closes the connection. */
static int on_data(struct mg_connection *c, int bits, char *data, size_t size, void *self)
{
    enum { FINAL = 0x80, RESERVED = 0x70, OPCODE = 0x0f };
    struct seat *s = mg_get_user_connection_data(c);
    const int opcode = bits & OPCODE;

    if (!s || bits & RESERVED || size > YK_MESSAGE_BYTES)
        return 0;
    if (opcode == MG_WEBSOCKET_OPCODE_PING || opcode == MG_WEBSOCKET_OPCODE_PONG)
        return 1;
    if (opcode != MG_WEBSOCKET_OPCODE_TEXT || !(bits & FINAL)) /* messages are short: none comes in pieces */
        return 0;
    yk_viewer_take(s->viewer, data, size);
    return 1;
}

static void on_close(const struct mg_connection *connection, void *self)
{
    struct seat *s = mg_get_user_connection_data(connection);

    if (!s)
        return;
    mg_set_user_connection_data((struct mg_connection *)connection, NULL);
    atomic_store(&s->stop, true);
    if (s->started)
        pthread_join(s->thread, NULL);
    stop_reading(connection);
    leave_seat(s);
}

/* ---- beginning and end ---- */

static int on_log(const struct mg_connection *c, const char *words)
{
    struct yk_dash *d = mg_get_user_data(mg_get_context(c));

    if (d && !d->server) /* while it starts */
        snprintf(d->complaint, sizeof d->complaint, "%s", words);
    return 1;
}

static struct mg_context *start(struct yk_dash *d, const char *address, int port)
{
    static const struct mg_callbacks callbacks = {
        .begin_request = guard, .http_error = on_error, .log_message = on_log};
    char ports[80], threads[12];
    const char *const options[] = {"listening_ports",
                                   ports,
                                   "num_threads",
                                   threads,
                                   "max_request_size",
                                   "16384",
                                   "request_timeout_ms",
                                   "5000",
                                   "websocket_timeout_ms",
                                   "30000",
                                   "enable_websocket_ping_pong",
                                   "yes",
                                   "enable_directory_listing",
                                   "no",
                                   "enable_auth_domain_check",
                                   "no",
                                   "access_control_allow_origin",
                                   "",
                                   "access_control_allow_methods",
                                   "",
                                   "access_control_allow_headers",
                                   "",
                                   "cgi_pattern",
                                   "",
                                   "ssi_pattern",
                                   "",
                                   "tcp_nodelay",
                                   "1",
                                   NULL};

    snprintf(ports, sizeof ports, strchr(address, ':') ? "[%s]:%d" : "%s:%d", address, port);
    snprintf(threads, sizeof threads, "%d", THREADS);
    return mg_start(&callbacks, d, (const char **)options);
}

static bool is_loopback(const char *address)
{
    return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0;
}

static enum yk_status check_address(const char *address, struct yk_err *err)
{
    unsigned char bytes[16];

    if (inet_pton(AF_INET, address, bytes) == 1 || inet_pton(AF_INET6, address, bytes) == 1)
        return YK_OK;
    return yk_fail(err, YK_E_INPUT, "'%s' is not an IP address to listen on, such as 127.0.0.1 or 0.0.0.0", address);
}

static enum yk_status listen_somewhere(struct yk_dash *d, const struct yk_dash_settings *s, struct yk_err *err)
{
    struct mg_server_port port;

    for (int i = 0; i < (s->search ? PORTS : 1) && !d->server; i++)
        d->server = start(d, s->address, s->port ? s->port + i : 0);
    if (!d->server)
        return yk_fail(err, YK_E_IO, "cannot listen on %s port %d%s: %s", s->address, s->port,
                       s->search ? " and the next ones" : "", *d->complaint ? d->complaint : "it is taken");
    if (mg_get_server_ports(d->server, 1, &port) != 1)
        return yk_fail(err, YK_E_IO, "the server does not say on which port it listens");
    d->guard.port = port.port;
    snprintf(d->cookie, sizeof d->cookie, "yoke-%d", port.port); /* cookies do not tell ports apart */
    for (int i = 0; i < YK_ROLES; i++)
        snprintf(d->address[i], sizeof d->address[i],
                 strchr(s->address, ':') ? "http://[%s]:%d/?token=%s" : "http://%s:%d/?token=%s",
                 strcmp(s->address, "0.0.0.0") == 0 ? "127.0.0.1" : s->address, port.port, d->guard.tokens[i]);
    return YK_OK;
}

enum yk_status yk_dash_open(struct yk_dash **dash, const struct yk_dash_settings *s, struct yk_err *err)
{
    struct yk_dash *d = calloc(1, sizeof *d);
    enum yk_status st;

    *dash = NULL;
    if (!d)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    d->ask = s->ask;
    d->call = s->call;
    d->guard.any_address = !is_loopback(s->address);
    for (size_t i = 0; s->hosts && s->hosts[i] && i + 1 < YK_GUARD_HOSTS; i++)
        d->guard.hosts[i] = s->hosts[i];
    mg_init_library(0);
    if ((st = check_address(s->address, err)) || (st = yk_guard_draw_tokens(&d->guard, err)) ||
        (st = yk_hub_open(&d->hub, &s->runs, err)) || (st = listen_somewhere(d, s, err))) {
        yk_dash_close(d);
        return st;
    }
    mg_set_websocket_handler(d->server, "/ws", on_connect, on_ready, on_data, on_close, d);
    mg_set_request_handler(d->server, "/", serve, d);
    *dash = d;
    return YK_OK;
}

void yk_dash_close(struct yk_dash *d)
{
    if (!d)
        return;
    if (d->server)
        mg_stop(d->server);
    yk_hub_close(d->hub);
    mg_exit_library();
    free(d);
}

const char *yk_dash_address(const struct yk_dash *d, enum yk_role role)
{
    return d->address[role];
}

int yk_dash_viewers(struct yk_dash *d)
{
    return atomic_load(&d->viewers);
}

bool yk_dash_is_live(struct yk_dash *d)
{
    return yk_hub_is_live(d->hub);
}

#else

enum yk_status yk_dash_open(struct yk_dash **dash, const struct yk_dash_settings *settings, struct yk_err *err)
{
    *dash = NULL;
    return yk_fail(err, YK_E_UNSUPPORTED,
                   "this program was built without CivetWeb (Debian: libcivetweb-dev), so it has no dashboard; `yoke "
                   "watch` shows a run in the terminal");
}

void yk_dash_close(struct yk_dash *dash)
{
}

const char *yk_dash_address(const struct yk_dash *dash, enum yk_role role)
{
    return "";
}

int yk_dash_viewers(struct yk_dash *dash)
{
    return 0;
}

bool yk_dash_is_live(struct yk_dash *dash)
{
    return false;
}

#endif
