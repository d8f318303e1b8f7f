/* test_items.c -- items as people have them: lines, Markdown, CSV, folders of pictures. */
#include "support/check.h"
#include "support/scratch.h"

#include "../ask/items.h"

#include <math.h>
#include <sys/stat.h>

static peck_error err;

static void parse(struct item_list *out, const char *text, const char *name)
{
    assert_ok(items_parse(out, (peck_span){ text, strlen(text) }, name, &err), err);
}

static void refuse_text(const char *text, const char *name, const char *phrase)
{
    struct item_list out;

    assert_int_not_equal(items_parse(&out, (peck_span){ text, strlen(text) }, name, &err),
                         PECK_OK);
    assert_failed(err, PECK_FORMAT, phrase);
    assert_int_equal(out.n, 0);
}

static void test_lines(void **state)
{
    struct item_list l;

    (void)state;
    parse(&l, "\xEF\xBB\xBF  apple \r\n\r\n\npear, green\n\tfig\n- quince\napple", "l.txt");
    assert_int_equal(l.n, 4);
    assert_span(strings_get(&l.name, 0), "apple");
    assert_span(strings_get(&l.name, 1), "pear, green");
    assert_span(strings_get(&l.name, 2), "fig");
    assert_span(strings_get(&l.name, 3), "- quince"); /* not every line is a point */
    assert_int_equal(l.n_twice, 1);
    assert_string_equal(l.twice, "apple");
    assert_true(isnan(l.rating[0]));
    items_free(&l);
}

static void test_control_characters_become_blanks(void **state)
{
    struct item_list l;

    (void)state;
    parse(&l, "a\x1B[31mb\nc\xC2\x9Bz\n", "l.txt");
    assert_span(strings_get(&l.name, 0), "a [31mb");
    assert_span(strings_get(&l.name, 1), "c  z");
    items_free(&l);
}

static void test_markdown(void **state)
{
    struct item_list l;

    (void)state;
    parse(&l,
          "# Films\n\n- [ ] Alien\n* [x] Brazil\n+ [Casablanca](https://example.org/c)\n"
          "12. [Dune](javascript:x)\n1) Eraserhead\n",
          "list.md");
    assert_int_equal(l.n, 5);
    assert_span(strings_get(&l.name, 0), "Alien");
    assert_span(strings_get(&l.name, 1), "Brazil");
    assert_span(strings_get(&l.name, 2), "Casablanca");
    assert_span(strings_get(&l.link, 2), "https://example.org/c");
    assert_span(strings_get(&l.name, 3), "[Dune](javascript:x)");
    assert_span(strings_get(&l.link, 3), "");
    assert_span(strings_get(&l.name, 4), "Eraserhead");
    items_free(&l);
}

static void test_csv(void **state)
{
    struct item_list l;

    (void)state;
    parse(&l,
          "Image;name;TEXT;rating\r\na.png;\"the \"\"A\"\"; yes\";\"two\nlines\";7.5\r\n"
          ";b;;\n;;;\n x/c.png ; c ;t;NA",
          "l.txt");
    assert_int_equal(l.n, 3);
    assert_span(strings_get(&l.name, 0), "the \"A\"; yes");
    assert_span(strings_get(&l.text, 0), "two\nlines");
    assert_span(strings_get(&l.image, 0), "a.png");
    assert_true(l.rating[0] == 7.5);
    assert_span(strings_get(&l.name, 1), "b");
    assert_true(isnan(l.rating[1]));
    assert_span(strings_get(&l.name, 2), "c");
    assert_span(strings_get(&l.image, 2), "x/c.png");
    assert_true(isnan(l.rating[2]));
    items_free(&l);
    parse(&l, "name\none\ntwo\n", "l.csv"); /* the ending says that it is a header ... */
    assert_int_equal(l.n, 2);
    items_free(&l);
    parse(&l, "name\none\ntwo\n", "l.txt"); /* ... and here it is an item */
    assert_int_equal(l.n, 3);
    items_free(&l);
}

static void test_refusals(void **state)
{
    char *const wide = calloc(1, POLL_MAX_NAME + 3);
    char *const many = calloc(1, (POLL_MAX_ITEMS + 2) * 8);
    size_t at = 0;

    (void)state;
    refuse_text("", "l.txt", "l.txt: no items in it");
    refuse_text("\xEF\xBB\xBF \r\n \n", "l.txt", "l.txt: no items in it");
    refuse_text("a\nb\xFF\n", "l.txt", "l.txt:2: bytes that are no UTF-8");
    refuse_text("a,b\n1,2\n", "l.csv", "l.csv:1: the header has no column 'name'");
    refuse_text("name,link\nx,javascript:alert(1)\n", "l.csv",
                "l.csv:2: the link 'javascript:");
    refuse_text("name,image\nx,../y.png\n", "l.csv",
                "l.csv:2: the image '../y.png' is not");
    refuse_text("name,image\nx,/etc/passwd\n", "l.csv", "l.csv:2: the image '/etc/passwd'");
    refuse_text("name,image\nx,a/../../y\n", "l.csv", "l.csv:2: the image");
    refuse_text("name,rating\nx,high\n", "l.csv",
                "l.csv:2: the rating 'high' is not a number");
    refuse_text("name,rating\nx,1e999\n", "l.csv", "is not a number");
    refuse_text("name,text\nx,\"open\ny,z\n", "l.csv", "l.csv:2: a quote is opened");
    memset(wide, 'w', POLL_MAX_NAME + 1);
    refuse_text(wide, "l.txt", "l.txt:1: a name of 501 bytes");
    for (size_t i = 0; i <= POLL_MAX_ITEMS; i++)
        at += (size_t)snprintf(many + at, 8, "%zu\n", i);
    refuse_text(many, "l.txt", "l.txt:10001: more than 10000 items");
    free(wide);
    free(many);
}

static void test_zero_byte(void **state)
{
    struct item_list l;

    (void)state;
    assert_int_equal(items_parse(&l, (peck_span){ "a\n\0b\n", 5 }, "l.txt", &err),
                     PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "l.txt:2: a zero byte");
}

/* A file of 64 bytes that begins like this. */
static void picture(const char *name, const char *head)
{
    char bytes[64];

    memset(bytes, '.', sizeof bytes);
    memcpy(bytes, head, strlen(head));
    scratch_bytes(name, bytes, sizeof bytes);
}

static void test_folder(void **state)
{
    const char *const folder = scratch_path("pics");
    struct item_list l;

    (void)state;
    mkdir(folder, 0700);
    picture("pics/b2.png", "\x89PNG\r\n\x1A\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    picture("pics/b10.jpeg", "\xFF\xD8\xFF\xE0yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy");
    picture("pics/a", "GIF89a..........................................");
    picture("pics/a.webp", "RIFF....WEBP....................................");
    picture("pics/not.png", "text that calls itself a picture, and is none");
    picture("pics/.hidden.png", "\x89PNG\r\n\x1A\nxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    assert_ok(items_read(&l, folder, &err), err);
    assert_int_equal(l.n, 4);
    assert_span(strings_get(&l.name, 0), "a");
    assert_span(strings_get(&l.name, 1), "a.webp"); /* two differ by it alone */
    assert_span(strings_get(&l.name, 2), "b2");
    assert_span(strings_get(&l.name, 3), "b10");
    assert_span(strings_get(&l.image, 3), "b10.jpeg");
    assert_span(strings_get(&l.key.names, 2), "b2.png");
    assert_int_equal(l.n_no_picture, 1);
    items_free(&l);
    mkdir(scratch_path("none"), 0700);
    assert_int_equal(items_read(&l, scratch_path("none"), &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "no pictures in this folder");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_control_characters_become_blanks),
        cmocka_unit_test(test_markdown),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_zero_byte),
        cmocka_unit_test(test_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
