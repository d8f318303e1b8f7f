/* http.c -- libmicrohttpd: a pool of threads, each with an epoll of its own.
 *
 * The library ends connections on which nothing happens; one that sends a byte now and then
 * lives as long as it likes.  So every connection has a time by which its request must be
 * whole, and http_tend ends those that are over it.                                      */
#include "http.h"

#include "guard.h"

#include "../src/base/alloc.h"
#include "../src/base/number.h"

#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* The library is loaded by those who serve: with it come a dozen others, and a command that
 * does not serve starts in a third of the time. */
#define CALLS(X)                   \
    X(add_response_header)         \
    X(create_response_from_buffer) \
    X(create_response_from_fd)     \
    X(destroy_response)            \
    X(get_connection_info)         \
    X(get_connection_values)       \
    X(queue_response)              \
    X(quiesce_daemon)              \
    X(start_daemon)                \
    X(stop_daemon)

static struct {
#define X(name) __typeof__(&MHD_##name) name;
    CALLS(X)
#undef X
} mhd;

static void *library; /* NULL: not loaded */
static pthread_once_t is_looked_for = PTHREAD_ONCE_INIT;

static void load(void)
{
    library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return;
    bool is_whole = true;

/* ISO C has no cast from an object's address to a function's; POSIX says that it is one. */
#define X(name)                                         \
    *(void **)&mhd.name = dlsym(library, "MHD_" #name); \
    is_whole &= mhd.name != NULL;
    CALLS(X)
#undef X
    if (!is_whole)
        library = NULL;
}

const char *http_missing(void)
{
    pthread_once(&is_looked_for, load);
    return library != NULL
               ? NULL
               : "libmicrohttpd is not installed, so there is no --web; install "
                 "Debian's libmicrohttpd12, or ask in the terminal";
}

/* A connection, in the list of its server. */
struct http_connection {
    struct http *http;
    struct http_connection *next, **link; /* link: what points here */
    int socket;
    double since; /* when the wait for a whole request began; 0: a reply is under way */
};

struct http {
    struct http_site site;
    struct MHD_Daemon *daemon;
    pthread_mutex_t lock; /* of `lines` and what it leads to */
    struct http_connection *lines;
    atomic_size_t n_bodies; /* bytes of bodies that are held */
    atomic_size_t n_active; /* requests whose reply has not gone out */
};

/* A request under way, from its head to the end of its reply. */
struct exchange {
    struct http *http;
    struct request request;
    char *body;
    size_t n_body, room;
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void mark(struct MHD_Connection *c, bool is_waiting)
{
    const union MHD_ConnectionInfo *const info =
        mhd.get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct http_connection *const l = info != NULL ? info->socket_context : NULL;

    if (l == NULL)
        return;
    pthread_mutex_lock(&l->http->lock);
    l->since = is_waiting ? now() : 0.0;
    pthread_mutex_unlock(&l->http->lock);
}

/* Connections come and go.  The library closes the socket after telling of it, so that a
 * socket in the list is never somebody else's. */
static void on_connection(void *ctx, struct MHD_Connection *c, void **place,
                          enum MHD_ConnectionNotificationCode what)
{
    struct http *const h = ctx;

    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *const info =
            mhd.get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
        struct http_connection *const l = info != NULL ? mem_new(1, sizeof *l) : NULL;

        *place = l;
        if (l == NULL)
            return;
        *l = (struct http_connection){ .http = h,
                                       .socket = info->connect_fd,
                                       .since = now() };
        pthread_mutex_lock(&h->lock);
        l->next = h->lines;
        l->link = &h->lines;
        if (l->next != NULL)
            l->next->link = &l->next;
        h->lines = l;
        pthread_mutex_unlock(&h->lock);
    } else if (*place != NULL) {
        struct http_connection *const l = *place;

        pthread_mutex_lock(&h->lock);
        *l->link = l->next;
        if (l->next != NULL)
            l->next->link = l->link;
        pthread_mutex_unlock(&h->lock);
        mem_free(l);
        *place = NULL;
    }
}

void http_tend(struct http *h)
{
    const double late = now() - HTTP_REQUEST_SECONDS;

    pthread_mutex_lock(&h->lock);
    for (const struct http_connection *l = h->lines; l != NULL; l = l->next)
        if (l->since > 0.0 && l->since < late)
            shutdown(l->socket, SHUT_RDWR);
    pthread_mutex_unlock(&h->lock);
}

/* Hands the reply to the library, and what it holds with it. */
static enum MHD_Result send_reply(struct MHD_Connection *c, struct reply *r)
{
    struct MHD_Response *response;

    if (r->text.failed) {
        reply_free(r);
        return MHD_NO;
    }
    if (r->text.len > 0) {
        response =
            mhd.create_response_from_buffer(r->text.len, r->text.s, MHD_RESPMEM_MUST_COPY);
    } else if (r->file >= 0) {
        response = mhd.create_response_from_fd(r->n_file, r->file);
        if (response != NULL)
            r->file = -1;
    } else {
        response = mhd.create_response_from_buffer(r->fixed.n, (void *)r->fixed.s,
                                                   MHD_RESPMEM_PERSISTENT);
    }
    enum MHD_Result is_done = response != NULL ? MHD_YES : MHD_NO;

    for (size_t i = 0; is_done == MHD_YES && i < r->n_headers; i++)
        is_done = mhd.add_response_header(response, r->header[i].name, r->header[i].value);
    if (is_done == MHD_YES)
        is_done = mhd.queue_response(c, (unsigned)r->status, response);
    if (response != NULL)
        mhd.destroy_response(response);
    reply_free(r);
    mark(c, false);
    return is_done;
}

/* Headers that matter, by name; what is sent twice is as if it were not there, but marked. */
struct headers {
    struct request *request;
    bool has_coding, has_length, is_doubled;
    uint64_t length;
};

static enum MHD_Result take_header(void *ctx, enum MHD_ValueKind kind, const char *name,
                                   const char *value)
{
    struct headers *const h = ctx;
    struct request *const q = h->request;
    const struct {
        const char *name;
        const char **place;
    } wanted[] = {
        { "Host", &q->host },
        { "Origin", &q->origin },
        { "Sec-Fetch-Site", &q->fetch_site },
        { "Sec-Fetch-Mode", &q->fetch_mode },
        { "Content-Type", &q->content_type },
        { "If-None-Match", &q->if_none_match },
    };

    (void)kind;
    value = value != NULL ? value : "";
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (strcasecmp(name, wanted[i].name) == 0) {
            h->is_doubled = h->is_doubled || *wanted[i].place != NULL;
            *wanted[i].place = value;
        }
    if (strcasecmp(name, "Transfer-Encoding") == 0)
        h->has_coding = true;
    if (strcasecmp(name, "Content-Length") == 0) {
        h->is_doubled =
            h->is_doubled || h->has_length || !number_parse_u64(span_of(value), &h->length);
        h->has_length = true;
    }
    return MHD_YES;
}

static void refuse_request(struct reply *r, int status, const char *why)
{
    r->status = status;
    reply_header(r, "Content-Type", "application/json");
    reply_header(r, "Cache-Control", "no-store");
    text_printf(&r->text, "{\"error\":\"%s\"}\n", why);
    guard_headers(r);
}

/* The head of a request: whether it is taken on.  If not, *r says why. */
static bool take_head(struct exchange *x, struct MHD_Connection *c, const char *path,
                      const char *method, struct reply *r)
{
    struct request *const q = &x->request;
    struct headers h = { .request = q };

    q->path = path;
    q->method = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0 ? HTTP_GET
                : strcmp(method, "POST") == 0                             ? HTTP_POST
                                                                          : HTTP_OTHER;
    mhd.get_connection_values(c, MHD_HEADER_KIND, take_header, &h);
    if (h.is_doubled) {
        refuse_request(r, 400, "a header is there twice, or is not a number");
        return false;
    }
    if (!x->http->site.admit(x->http->site.ctx, q, r))
        return false;
    if (h.has_coding || (q->method == HTTP_POST && !h.has_length))
        refuse_request(r, 411, "say how long the body is");
    else if (h.length > (q->method == HTTP_POST ? HTTP_BODY : 0))
        refuse_request(r, 413, "the body is too long");
    else if (atomic_fetch_add(&x->http->n_bodies, (size_t)h.length) + (size_t)h.length >
             HTTP_BODIES) {
        atomic_fetch_sub(&x->http->n_bodies, (size_t)h.length);
        refuse_request(r, 503, "too much at once; try again in a moment");
    } else {
        x->room = (size_t)h.length;
        x->body = mem_new(x->room + 1, 1);
        if (x->body != NULL)
            return true;
        refuse_request(r, 503, "out of memory; try again in a moment");
    }
    return false;
}

static enum MHD_Result on_request(void *ctx, struct MHD_Connection *c, const char *path,
                                  const char *method, const char *version,
                                  const char *bytes, size_t *n, void **place)
{
    struct http *const h = ctx;
    struct exchange *x = *place;
    struct reply r;

    (void)version;
    if (x == NULL) {
        x = *place = mem_new(1, sizeof *x);
        if (x == NULL)
            return MHD_NO;
        x->http = h;
        atomic_fetch_add(&h->n_active, 1);
        mark(c, true);
        reply_init(&r);
        if (take_head(x, c, path, method, &r)) {
            reply_free(&r);
            return MHD_YES;
        }
        return send_reply(c, &r);
    }
    if (*n > 0) {
        if (x->body == NULL || *n > x->room - x->n_body)
            return MHD_NO;
        memcpy(x->body + x->n_body, bytes, *n);
        x->n_body += *n;
        *n = 0;
        return MHD_YES;
    }
    x->request.body = (peck_span){ x->body, x->n_body };
    reply_init(&r);
    h->site.answer(h->site.ctx, &x->request, &r);
    return send_reply(c, &r);
}

static void on_completed(void *ctx, struct MHD_Connection *c, void **place,
                         enum MHD_RequestTerminationCode why)
{
    struct http *const h = ctx;
    struct exchange *const x = *place;

    (void)why;
    if (x == NULL)
        return;
    atomic_fetch_sub(&h->n_bodies, x->room);
    atomic_fetch_sub(&h->n_active, 1);
    mem_free(x->body);
    mem_free(x);
    *place = NULL;
    mark(c, true);
}

/* Escapes stay: guard.h undoes them once, knowing what is a separator. */
static size_t leave_escapes(void *ctx, struct MHD_Connection *c, char *text)
{
    (void)ctx;
    (void)c;
    return strlen(text);
}

/* The library has nothing to say that a person could use. */
PRINTF(2, 0) static void say_nothing(void *ctx, const char *fmt, va_list args)
{
    (void)ctx;
    (void)fmt;
    (void)args;
}

peck_status http_start(struct http **out, int listener, const struct http_site *site,
                       peck_error *err)
{
    struct http *const h = mem_new(1, sizeof *h);

    *out = NULL;
    if (h == NULL) {
        close(listener);
        return fail_memory(err, "the server", 1, sizeof *h);
    }
    h->site = *site;
    pthread_mutex_init(&h->lock, NULL);
    h->daemon = mhd.start_daemon(
        MHD_USE_EPOLL | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_ITC | MHD_USE_ERROR_LOG,
        0, NULL, NULL, on_request, h, MHD_OPTION_EXTERNAL_LOGGER, say_nothing, NULL,
        MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_THREAD_POOL_SIZE,
        (unsigned)HTTP_THREADS, MHD_OPTION_CONNECTION_LIMIT, (unsigned)HTTP_CONNECTIONS,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned)HTTP_PER_ADDRESS,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)HTTP_IDLE_SECONDS,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HTTP_HEAD, MHD_OPTION_STRICT_FOR_CLIENT,
        1, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_UNESCAPE_CALLBACK,
        leave_escapes, NULL, MHD_OPTION_NOTIFY_COMPLETED, on_completed, h,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, h, MHD_OPTION_END);
    if (h->daemon == NULL) {
        const int why = errno;

        close(listener);
        pthread_mutex_destroy(&h->lock);
        mem_free(h);
        return fail(err, PECK_IO, "the server does not start: %s", strerror(why));
    }
    *out = h;
    return PECK_OK;
}

void http_stop(struct http *h)
{
    if (h == NULL)
        return;
    const int listener = mhd.quiesce_daemon(h->daemon);
    const struct timespec moment = { 0, 20000000 };

    for (double end = now() + HTTP_DRAIN_SECONDS;
         atomic_load(&h->n_active) > 0 && now() < end;)
        nanosleep(&moment, NULL);
    mhd.stop_daemon(h->daemon);
    if (listener >= 0)
        close(listener);
    pthread_mutex_destroy(&h->lock);
    mem_free(h);
}
