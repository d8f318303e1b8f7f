/* serve.c -- a poll on the network: where to listen, what links to give, when to stop. */
#define _DEFAULT_SOURCE /* getifaddrs */

#include "web.h"

#include "http.h"
#include "routes.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* One address to listen at. */
struct place {
    struct sockaddr_storage at;
    socklen_t n;
};

static bool is_wildcard(const struct sockaddr *a)
{
    if (a->sa_family == AF_INET)
        return ((const struct sockaddr_in *)a)->sin_addr.s_addr == htonl(INADDR_ANY);
    return a->sa_family == AF_INET6 &&
           IN6_IS_ADDR_UNSPECIFIED(&((const struct sockaddr_in6 *)a)->sin6_addr);
}

static peck_status find_place(struct place *out, const char *address, peck_error *err)
{
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE };
    struct addrinfo *found = NULL;
    const int why = getaddrinfo(address, NULL, &hints, &found);

    if (why != 0)
        return fail(err, PECK_ARG, "--listen %.60s: %s; give an address of this machine",
                    address, gai_strerror(why));
    memcpy(&out->at, found->ai_addr, found->ai_addrlen);
    out->n = found->ai_addrlen;
    freeaddrinfo(found);
    return PECK_OK;
}

static void set_port(struct place *p, unsigned port)
{
    if (p->at.ss_family == AF_INET6)
        ((struct sockaddr_in6 *)&p->at)->sin6_port = htons((uint16_t)port);
    else
        ((struct sockaddr_in *)&p->at)->sin_port = htons((uint16_t)port);
}

/* A socket that listens there, or -1; *port is where. */
static int listen_at(struct place *p, unsigned *port)
{
    const int yes = 1;
    const int fd = socket(p->at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct sockaddr_storage got;
    socklen_t n = sizeof got;

    set_port(p, *port);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(fd, (const struct sockaddr *)&p->at, p->n) != 0 || listen(fd, 256) != 0 ||
        getsockname(fd, (struct sockaddr *)&got, &n) != 0) {
        const int why = errno;

        close(fd);
        errno = why;
        return -1;
    }
    *port = ntohs(got.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&got)->sin6_port
                                            : ((struct sockaddr_in *)&got)->sin_port);
    return fd;
}

/* A poll's own port, below those that the system hands out: links stay good when the server
 * is started again. */
static unsigned usual_port(const char *token)
{
    uint32_t h = 2166136261U;

    for (; *token != '\0'; token++)
        h = (h ^ (unsigned char)*token) * 16777619U;
    return 20000 + h % 12000;
}

static peck_status open_listener(int *out, struct place *place, unsigned *port,
                                 const char *address, const char *token, peck_error *err)
{
    const unsigned asked = *port;

    *port = asked != 0 ? asked : usual_port(token);
    *out = listen_at(place, port);
    if (*out < 0 && asked == 0) {
        *port = 0;
        *out = listen_at(place, port);
    }
    if (*out < 0 && (errno == EADDRINUSE || errno == EACCES))
        return fail(err, PECK_IO, "--port %u at %.60s: %s; give another port", asked,
                    address, strerror(errno));
    if (*out < 0)
        return fail(err, PECK_IO, "--listen %.60s: %s; give an address of this machine",
                    address, strerror(errno));
    return PECK_OK;
}

/* The names under which browsers may ask: the address, or at a wildcard all that this machine
 * has.  `out` gets the one that others should use. */
static void name_hosts(struct guard *g, const struct place *place, unsigned port,
                       char out[GUARD_HOST])
{
    const struct sockaddr *const at = (const struct sockaddr *)&place->at;
    char name[256] = "", local[sizeof name + 8];
    struct ifaddrs *all = NULL;

    getnameinfo(at, place->n, out, GUARD_HOST, NULL, 0, NI_NUMERICHOST);
    guard_add_host(g, "127.0.0.1", port);
    guard_add_host(g, "localhost", port);
    guard_add_host(g, "::1", port);
    guard_add_host(g, out, port);
    if (at->sa_family == AF_INET &&
        (ntohl(((const struct sockaddr_in *)at)->sin_addr.s_addr) >> 24) == 127)
        return;
    if (gethostname(name, sizeof name - 1) == 0 && name[0] != '\0') {
        guard_add_host(g, name, port);
        snprintf(local, sizeof local, "%s.local", name);
        guard_add_host(g, local, port);
    }
    if (!is_wildcard(at) || getifaddrs(&all) != 0)
        return;
    bool has_one = false;

    for (const struct ifaddrs *i = all; i != NULL; i = i->ifa_next) {
        const int family = i->ifa_addr != NULL ? i->ifa_addr->sa_family : AF_UNSPEC;
        const socklen_t n =
            family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);

        if ((family != AF_INET && family != AF_INET6) ||
            getnameinfo(i->ifa_addr, n, name, sizeof name, NULL, 0, NI_NUMERICHOST) != 0)
            continue;
        guard_add_host(g, name, port);
        if (!has_one && family == AF_INET && (i->ifa_flags & IFF_LOOPBACK) == 0) {
            snprintf(out, GUARD_HOST, "%s", name);
            has_one = true;
        }
    }
    freeifaddrs(all);
}

/* 128 bits in base64url; false when the system has none to give. */
static bool draw_code(char to[POLL_TOKEN + 1])
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    unsigned char bytes[POLL_TOKEN];

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        to[i] = letters[bytes[i] & 63];
    to[POLL_TOKEN] = '\0';
    return true;
}

/* Other users of this machine see the words of a command, so what it is given leads to the
 * page once, and holds no token.  Returns its process; -1: there is no browser. */
static pid_t open_browser(struct routes *s, const char *base)
{
    char link[sizeof s->base + POLL_TOKEN + 16];
    char program[] = "xdg-open", *const words[] = { program, link, NULL };
    posix_spawn_file_actions_t files;
    pid_t child = -1;

    if ((getenv("DISPLAY") == NULL && getenv("WAYLAND_DISPLAY") == NULL) ||
        !draw_code(s->start))
        return -1;
    snprintf(link, sizeof link, "%s/start/%s", base, s->start);
    if (posix_spawn_file_actions_init(&files) != 0)
        return -1;
    for (int fd = 0; fd < 3; fd++)
        posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
    if (posix_spawnp(&child, program, &files, NULL, words, environ) != 0)
        child = -1;
    posix_spawn_file_actions_destroy(&files);
    return child;
}

static peck_status tell_links(const struct routes *s, const char *own_base,
                              const struct web_spec *spec, peck_error *err)
{
    char link[sizeof s->base + POLL_TOKEN + 8];
    struct poll_voters all;

    TRY(poll_voters(s->poll, &all, err));
    for (size_t i = 0; i < all.n; i++) {
        const struct poll_voter *const who = &all.voter[i];

        if (!who->is_owner && !spec->has_voters)
            continue;
        snprintf(link, sizeof link, "%s/%c/%s/", who->is_owner ? own_base : s->base,
                 who->is_owner ? 'o' : 'v', who->token);
        spec->tell(spec->ctx, who->is_owner ? "you" : who->name, link);
    }
    poll_voters_free(&all);
    return PECK_OK;
}

/* Serves until it is over.  Signals are for the caller's thread. */
static peck_status run_server(struct routes *s, int listener, const char *own_base,
                              const struct web_spec *spec, peck_error *err)
{
    const struct http_site site = { s, routes_admit, routes_answer };
    const struct timespec moment = { 0, 100000000 };
    struct http *http;
    pid_t browser = -1;
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    peck_status st = http_start(&http, listener, &site, err);

    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (st != PECK_OK)
        return st;
    st = tell_links(s, own_base, spec, err);
    if (st == PECK_OK && spec->opens_browser)
        browser = open_browser(s, own_base);
    for (unsigned tick = 0; st == PECK_OK && !spec->is_over(spec->ctx); tick++) {
        nanosleep(&moment, NULL);
        if (tick % 10 == 0)
            http_tend(http);
        if (browser > 0 && waitpid(browser, NULL, WNOHANG) != 0)
            browser = -1;
    }
    http_stop(http);
    return st;
}

peck_status web_serve(struct poll *p, const struct web_spec *spec, peck_error *err)
{
    const char *const address = spec->address != NULL ? spec->address : "127.0.0.1";
    struct routes s = { .poll = p, .folder = -1 };
    char others[GUARD_HOST], own_base[sizeof s.base];
    struct place place;
    struct poll_voters all;
    unsigned port = spec->port;
    int listener;

    if (http_missing() != NULL)
        return fail(err, PECK_ARG, "%s", http_missing());
    if (spec->address != NULL && !spec->has_voters)
        return fail(
            err, PECK_ARG,
            "--listen %.60s: others could answer; add --voters, which gives each a link "
            "of their own",
            spec->address);
    TRY(find_place(&place, address, err));
    TRY(poll_voters(p, &all, err));
    const peck_status st =
        open_listener(&listener, &place, &port, address, all.voter[0].token, err);

    poll_voters_free(&all);
    TRY(st);
    name_hosts(&s.guard, &place, port, others);
    snprintf(s.base, sizeof s.base, strchr(others, ':') ? "http://[%s]:%u" : "http://%s:%u",
             others, port);
    if (is_wildcard((const struct sockaddr *)&place.at))
        snprintf(own_base, sizeof own_base, "http://127.0.0.1:%u", port);
    else
        snprintf(own_base, sizeof own_base, "%s", s.base);
    s.folder = open(poll_folder(p), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    signal(SIGPIPE, SIG_IGN);
    const peck_status served = run_server(&s, listener, own_base, spec, err);

    if (s.folder >= 0)
        close(s.folder);
    return served;
}
