/* test_guard.c -- what is refused before anybody looks at what a request wants. */
#include "../web/guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

static struct guard guard;

static int setup(void **state)
{
    (void)state;
    guard = (struct guard){ .n_hosts = 0 };
    guard_add_host(&guard, "127.0.0.1", 8080);
    guard_add_host(&guard, "localhost", 8080);
    guard_add_host(&guard, "::1", 8080);
    return 0;
}

/* A POST that our own page sends; tests change one thing of it. */
static const struct request good = { .method = HTTP_POST,
                                     .path = "/o/x/api/undo",
                                     .host = "127.0.0.1:8080",
                                     .origin = "http://127.0.0.1:8080",
                                     .fetch_site = "same-origin",
                                     .fetch_mode = "cors",
                                     .content_type = "application/json" };

static int status_of(const struct request *q)
{
    return guard_check(&guard, q).status;
}

static void our_own_page_may_change_things(void **state)
{
    struct request q = good;

    (void)state;
    assert_int_equal(status_of(&q), 0);
    q.host = "LOCALHOST:8080";
    q.origin = "http://localhost:8080";
    assert_int_equal(status_of(&q), 0);
    q.host = "[::1]:8080";
    q.origin = "http://[::1]:8080";
    assert_int_equal(status_of(&q), 0);
    /* No browser: it has a token or nothing. */
    q.origin = q.fetch_site = q.fetch_mode = NULL;
    q.content_type = "application/json; charset=utf-8";
    assert_int_equal(status_of(&q), 0);
}

static void another_name_of_this_machine_is_refused(void **state)
{
    static const char *const names[] = { "evil.example",
                                         "evil.example:8080",
                                         "127.0.0.1",
                                         "127.0.0.1:80",
                                         "127.0.0.1:8080.evil.example",
                                         "127.0.0.1:80800",
                                         "",
                                         "127.0.0.2:8080",
                                         "127.0.0.1:8080 ",
                                         "::1:8080" };
    struct request q = good;

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int method = HTTP_GET; method <= HTTP_POST; method++) {
            q.method = method;
            q.host = names[i];
            q.origin = NULL;
            assert_int_equal(status_of(&q), 421);
        }
    q.host = NULL;
    assert_int_equal(status_of(&q), 421);
}

static void a_post_from_another_page_is_refused(void **state)
{
    static const char *const origins[] = { "null",
                                           "",
                                           "http://evil.example",
                                           "https://127.0.0.1:8080",
                                           "http://127.0.0.1:9090",
                                           "http://127.0.0.1:8080.evil.example",
                                           "http://127.0.0.1:8080/",
                                           "http://localhost:8080" };
    static const char *const sites[] = { "cross-site", "same-site", "none", "",
                                         "Same-Origin" };
    struct request q = good;

    (void)state;
    for (size_t i = 0; i < sizeof origins / sizeof *origins; i++) {
        q.origin = origins[i];
        q.fetch_site = NULL; /* browsers before 2020, 2023 */
        assert_int_equal(status_of(&q), 403);
    }
    q = good;
    for (size_t i = 0; i < sizeof sites / sizeof *sites; i++) {
        q.fetch_site = sites[i];
        q.origin = NULL;
        assert_int_equal(status_of(&q), 403);
        q.origin = good.origin; /* one that agrees does not make up for it */
        assert_int_equal(status_of(&q), 403);
    }
}

static void a_form_of_another_page_is_refused_by_its_type(void **state)
{
    static const char *const types[] = { "text/plain",
                                         "application/x-www-form-urlencoded",
                                         "multipart/form-data; boundary=x",
                                         "application/jsonp",
                                         "text/plain;application/json",
                                         "" };
    struct request q = good;

    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        q.content_type = types[i];
        assert_int_equal(status_of(&q), 415);
    }
    q.content_type = NULL;
    assert_int_equal(status_of(&q), 415);
}

static void links_may_lead_here_but_other_pages_may_not_read(void **state)
{
    struct request q = good;

    (void)state;
    q.method = HTTP_GET;
    q.origin = NULL;
    q.content_type = NULL;
    assert_int_equal(status_of(&q), 0);
    q.fetch_site = "none";
    assert_int_equal(status_of(&q), 0);
    q.fetch_site = "cross-site";
    q.fetch_mode = "navigate";
    assert_int_equal(status_of(&q), 0);
    q.fetch_mode = "no-cors";
    assert_int_equal(status_of(&q), 403);
    q.fetch_mode = NULL;
    assert_int_equal(status_of(&q), 403);
    q.fetch_site = "same-site";
    assert_int_equal(status_of(&q), 403);
    q.fetch_site = NULL;
    assert_int_equal(status_of(&q), 0);
}

static void other_methods_are_refused(void **state)
{
    struct request q = good;

    (void)state;
    q.method = HTTP_OTHER;
    assert_int_equal(status_of(&q), 405);
}

static void the_usual_port_may_be_left_out(void **state)
{
    struct request q = good;

    (void)state;
    guard_add_host(&guard, "192.0.2.1", 80);
    q.origin = NULL;
    q.host = "192.0.2.1";
    assert_int_equal(status_of(&q), 0);
    q.host = "192.0.2.1:80";
    assert_int_equal(status_of(&q), 0);
}

static void hosts_are_bounded_in_length_and_number(void **state)
{
    char name[GUARD_HOST + 100];

    (void)state;
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    guard_add_host(&guard, name, 8080);
    assert_int_equal(guard.n_hosts, 3);
    for (int i = 0; i < 2 * GUARD_HOSTS; i++)
        guard_add_host(&guard, "a", 80);
    assert_int_equal(guard.n_hosts, GUARD_HOSTS);
}

static void paths_lose_their_escapes_once(void **state)
{
    char to[GUARD_PATH];

    (void)state;
    assert_true(guard_decode(to, "/o/abc/"));
    assert_string_equal(to, "/o/abc/");
    assert_true(guard_decode(to, "/a%20b/%C3%A9%25"));
    assert_string_equal(to, "/a b/\xC3\xA9%");
    assert_true(guard_decode(to, "/..a/b../a..b/.../"));
    assert_true(guard_decode(to, "/"));
    assert_true(guard_decode(to, "/%252e%252e/"));
    assert_string_equal(to, "/%2e%2e/");
}

static void paths_that_lead_elsewhere_are_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "a",
        "*",
        "http://x/",
        "/..",
        "/../",
        "/a/../b",
        "/./a",
        "/a/.",
        "//",
        "/a//b",
        "//etc/passwd",
        "/%2e%2e/a",
        "/..%2fa",
        "/a%2fb",
        "/a%2F..%2F..",
        "/%2e",
        "/a/%2E%2E",
        "/a%00b",
        "/%00",
        "/a\\b",
        "/a%5cb",
        "/a%",
        "/a%2",
        "/a%zz",
        "/a%0ab",
        "/a%0d%0aX:y",
        "/a\x01",
        "/a\x7F",
        "/a%7f",
        "/a\xFF",
        "/%ff",
        "/%c0%ae%c0%ae/a",
        "/%ed%a0%80",
        "/a%-1",
        "/a%+1",
    };
    char to[GUARD_PATH], longest[GUARD_PATH + 1];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (guard_decode(to, bad[i]))
            fail_msg("%s went through", bad[i]);
    memset(longest, 'a', sizeof longest);
    longest[0] = '/';
    longest[GUARD_PATH - 1] = '\0';
    assert_true(guard_decode(to, longest));
    longest[GUARD_PATH - 1] = 'a';
    longest[GUARD_PATH] = '\0';
    assert_false(guard_decode(to, longest));
}

static void texts_are_the_same_in_every_byte_or_not(void **state)
{
    (void)state;
    assert_true(guard_same(span_of("abc"), span_of("abc")));
    assert_true(guard_same(span_of(""), span_of("")));
    assert_false(guard_same(span_of("abc"), span_of("abd")));
    assert_false(guard_same(span_of("abc"), span_of("bbc")));
    assert_false(guard_same(span_of("abc"), span_of("ab")));
    assert_false(guard_same(span_of("ab"), span_of("abc")));
    assert_false(guard_same(span_of(""), span_of("a")));
}

static void every_reply_has_the_headers_that_guard_a_page(void **state)
{
    static const char *const wanted[][2] = {
        { "Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: "
          "blob:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors "
          "'none'" },
        { "X-Content-Type-Options", "nosniff" },
        { "Referrer-Policy", "no-referrer" },
        { "Cross-Origin-Opener-Policy", "same-origin" },
        { "Cross-Origin-Resource-Policy", "same-origin" },
    };
    struct reply r;
    bool has_permissions = false;

    (void)state;
    reply_init(&r);
    guard_headers(&r);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        size_t k = 0;

        while (k < r.n_headers && strcmp(r.header[k].name, wanted[i][0]) != 0)
            k++;
        assert_true(k < r.n_headers);
        assert_string_equal(r.header[k].value, wanted[i][1]);
    }
    for (size_t k = 0; k < r.n_headers; k++) {
        has_permissions =
            has_permissions || (strcmp(r.header[k].name, "Permissions-Policy") == 0 &&
                                strstr(r.header[k].value, "camera=()") != NULL);
        assert_null(strstr(r.header[k].name, "Access-Control"));
    }
    assert_true(has_permissions);
    reply_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(our_own_page_may_change_things, setup),
        cmocka_unit_test_setup(another_name_of_this_machine_is_refused, setup),
        cmocka_unit_test_setup(a_post_from_another_page_is_refused, setup),
        cmocka_unit_test_setup(a_form_of_another_page_is_refused_by_its_type, setup),
        cmocka_unit_test_setup(links_may_lead_here_but_other_pages_may_not_read, setup),
        cmocka_unit_test_setup(other_methods_are_refused, setup),
        cmocka_unit_test_setup(the_usual_port_may_be_left_out, setup),
        cmocka_unit_test_setup(hosts_are_bounded_in_length_and_number, setup),
        cmocka_unit_test(paths_lose_their_escapes_once),
        cmocka_unit_test(paths_that_lead_elsewhere_are_refused),
        cmocka_unit_test(texts_are_the_same_in_every_byte_or_not),
        cmocka_unit_test(every_reply_has_the_headers_that_guard_a_page),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
