/* kept_cases.c -- see kept_cases.h. */
#include "support/kept_cases.h"

#include "base/alloc.h"
#include "support/check.h"
#include "support/scratch.h"

#include <math.h>

/* The call of kept_main. */
static bool is_written;
static const char *kept_path;
static const struct kept_kind *kinds;
static size_t n_kinds;

enum { MOST_TOLD = 10 };

void keep_bytes(struct kept_case *c, const void *bytes, size_t n)
{
    const unsigned char *const at = bytes;

    for (size_t i = 0; i < n; i++)
        c->hash = (c->hash ^ at[i]) * 0x100000001b3;
}

void keep_number(struct kept_case *c, double x)
{
    x = isnan(x) ? 12345.0 : x; /* which NaN nobody says */
    keep_bytes(c, &x, sizeof x);
}

const char *word_of(const struct kept_case *c, const char *key, const char *otherwise)
{
    const size_t n = strlen(key);

    for (size_t i = 1; i < c->n; i++)
        if (strncmp(c->word[i], key, n) == 0 && c->word[i][n] == '=')
            return c->word[i] + n + 1;
    return otherwise;
}

double number_of(const struct kept_case *c, const char *key, double otherwise)
{
    const char *const word = word_of(c, key, NULL);

    return word != NULL ? strtod(word, NULL) : otherwise;
}

bool has_word(const struct kept_case *c, const char *word)
{
    for (size_t i = 1; i < c->n; i++)
        if (strcmp(c->word[i], word) == 0)
            return true;
    return false;
}

const char *file_of(const struct kept_case *c, const char *key, const char *name)
{
    const char *from = word_of(c, key, NULL);
    char text[1000];
    size_t n = 0;

    if (from == NULL)
        return NULL;
    for (; *from != '\0'; from++, n++) {
        assert_true(n + 1 < sizeof text);
        text[n] = *from == '_' ? ' ' : *from;
        if (from[0] == '\\' && from[1] != '\0')
            text[n] = *++from == 'n' ? '\n' : *from == 't' ? '\t' : '\r';
    }
    text[n] = '\0';
    return scratch_file(name, text);
}

void keep_report(struct kept_case *c, peck_report *r)
{
    peck_item item, cell;

    for (size_t i = 0; peck_report_item(r, i, &item) != 0; i++) {
        keep_number(c, item.kind == PECK_ITEM_NUMBER ? item.number : 0.0);
        for (size_t row = 0; item.kind == PECK_ITEM_TABLE && row < item.n_rows; row++)
            for (size_t k = 0; k < item.n_columns; k++)
                if (peck_report_cell(r, i, row, k, &cell) != 0)
                    keep_number(c, cell.number);
    }
    const size_t n = peck_report_queries(r);
    double *const value = mem_new(n + 1, sizeof *value);

    for (size_t k = 0; peck_report_query_metric(r, k).n > 0; k++) {
        char name[200];
        peck_error err = { 0 };
        const peck_span metric = peck_report_query_metric(r, k);

        snprintf(name, sizeof name, "%.*s", (int)metric.n, metric.s);
        assert_ok(peck_report_query_values(r, name, value, &err), err);
        for (size_t q = 0; q < n; q++)
            keep_number(c, value[q]);
    }
    mem_free(value);
    peck_report_free(r);
}

/* The folder of this test is left out. */
void keep_failure(struct kept_case *c, peck_status status, const peck_error *err)
{
    const char *const folder = scratch_path("");
    const char *at = err->text;

    keep_number(c, status);
    while (*at != '\0')
        if (strncmp(at, folder, strlen(folder)) == 0) {
            at += strlen(folder);
        } else {
            if (*at >= '0' && *at <= '9')
                keep_bytes(c, at, 1);
            at++;
        }
}

/* The file --------------------------------------------------------------------------- */

/* The hash of a line's words, which are cut apart in place. */
static uint64_t run_line(char *line)
{
    struct kept_case c = { .hash = 0xcbf29ce484222325 };

    for (char *word = line, *end; word != NULL; word = end) {
        assert_true(c.n < MOST_WORDS);
        c.word[c.n++] = word;
        if ((end = strchr(word, ' ')) != NULL)
            *end++ = '\0';
    }
    assert_true(c.n >= 2);
    for (size_t k = 0; k < n_kinds; k++)
        if (strcmp(kinds[k].name, c.word[0]) == 0) {
            kinds[k].run(&c);
            return c.hash;
        }
    fail_msg("%s is no kind of case", c.word[0]);
    return 0;
}

/* Where it is written it gets the hashes of now; what stands there otherwise stays. */
static void results_stay(void **state)
{
    size_t n, n_changed = 0;
    char *const text = file_bytes(kept_path, &n);
    char *out = NULL;
    size_t n_out = 0;
    FILE *const to = is_written ? open_memstream(&out, &n_out) : NULL;

    (void)state;
    assert_non_null(text);
    for (char *line = text, *end;
         n_changed < MOST_TOLD && (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        char *const colon = strstr(line, " : "), words[1500];

        if (line[0] == '#' || colon == NULL) {
            if (to != NULL)
                fprintf(to, "%s\n", line);
            continue;
        }
        *colon = '\0';
        snprintf(words, sizeof words, "%s", line);
        const uint64_t now = run_line(words);

        if (to != NULL)
            fprintf(to, "%s : %016llx\n", line, (unsigned long long)now);
        else if (strtoull(colon + 3, NULL, 16) != now) {
            print_error("%s: %016llx now, %s kept\n", line, (unsigned long long)now,
                        colon + 3);
            n_changed++;
        }
    }
    if (to != NULL) {
        FILE *const file = fopen(kept_path, "w");

        fclose(to);
        assert_non_null(file);
        assert_int_equal(fwrite(out, 1, n_out, file), n_out);
        assert_int_equal(fclose(file), 0);
    }
    free(out);
    free(text);
    if (n_changed > 0)
        fail_msg("%zu results%s have changed; if they should: contract_kept write",
                 n_changed, n_changed == MOST_TOLD ? ", and perhaps more," : "");
}

int kept_main(int argc, char **argv, const char *path, const struct kept_kind *kind,
              size_t n)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_stay),
    };

    is_written = argc > 1 && strcmp(argv[1], "write") == 0;
    kept_path = path;
    kinds = kind;
    n_kinds = n;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
