/* blank.h -- a page of text that is empty when a test begins. */
#ifndef BLANK_H
#define BLANK_H

#include "support/check.h"

#include "base/strings.h"

static struct text page;

static inline int open_page(void **state)
{
    (void)state;
    text_init(&page, 1 << 20);
    return 0;
}

static inline int close_page(void **state)
{
    (void)state;
    text_free(&page);
    return 0;
}

#define ON_PAGE(test) cmocka_unit_test_setup_teardown(test, open_page, close_page)

#endif
