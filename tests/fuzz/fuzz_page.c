/* fuzz_page.c -- what a page of results reads: logs, reports, tables.  Whatever is let
 * through becomes a page with no script but our own.                                  */
#include "memory_file.h"
#include "promise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How often `part` stands in a file. */
static size_t count_in(const char *path, const char *part)
{
    static char text[1 << 21];
    FILE *const from = fopen(path, "r");
    size_t n = 0;

    promise(from != NULL, "the page is there");
    text[fread(text, 1, sizeof text - 1, from)] = '\0';
    fclose(from);
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
        n++;
    return n;
}

static void promise_page(peck_page *p)
{
    const peck_page_spec spec = { .resamples = 2, .threads = 1 };
    peck_error err = { PECK_OK, "" };
    const peck_status st = peck_page_write(p, promise_path(), &spec, &err);

    promise(st == PECK_OK || st == PECK_FORMAT || st == PECK_SHAPE,
            "a page is written, or a file is at fault");
    promise(st == PECK_OK || err.text[0] != '\0', "a failure is told");
    if (st == PECK_OK)
        promise(count_in(promise_path(), "<script") == 1, "the only script is ours");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    peck_page *p = NULL;
    peck_error err = { PECK_OK, "" };

    memory_file("fuzzed.run", data, size);
    promise(peck_page_new(&p, &err) == PECK_OK, "a page can be begun");
    const peck_status st = peck_page_read(p, "fuzzed.run", &err);

    promise_outcome(st, st == PECK_OK ? p : NULL, &err);
    if (st == PECK_OK)
        promise_page(p);
    peck_page_free(p);
    memory_clear();
    return 0;
}
