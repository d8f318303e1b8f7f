/* letor_text.h -- for tests of LETOR text: it is read, or refused. */
#ifndef LETOR_TEXT_H
#define LETOR_TEXT_H

#include "check.h"

#include "data/dataset.h"
#include "scratch.h"

static peck_error err;

static inline peck_dataset *read_with(const char *path, peck_read_options o)
{
    peck_dataset *d = NULL;

    err = (peck_error){ 0 };
    o.format = "letor";
    assert_ok(peck_dataset_read(&d, path, &o, &err), err);
    return d;
}

static inline peck_dataset *read_text(const char *text)
{
    return read_with(scratch_file("data.txt", text), (peck_read_options){ .threads = 1 });
}

static inline void check_refused(const char *text, size_t n, peck_read_options o,
                                 peck_status why, const char *phrase)
{
    peck_dataset *d = (peck_dataset *)(uintptr_t)1;

    err = (peck_error){ 0 };
    o.format = "letor";
    o.threads = 1;
    const peck_status st =
        peck_dataset_read(&d, scratch_bytes("bad.txt", text, n), &o, &err);

    if (st == PECK_OK)
        fail_msg("taken, though \"%s\" was expected: %s", phrase, text);
    assert_null(d);
    assert_int_equal(st, why);
    assert_failed(err, why, phrase);
}

static inline float cell(const peck_dataset *d, size_t row, size_t feature)
{
    return d->x[row * d->dim + feature - 1];
}

#endif
