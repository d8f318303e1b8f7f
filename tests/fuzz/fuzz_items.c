/* fuzz_items.c -- lists of items.  Byte 0 chooses the ending of the file's name. */
#include "memory_file.h"
#include "promise.h"

#include "../ask/items.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = { "l.txt", "l.csv", "l.tsv", "l.md" };
    struct item_list l;
    peck_error err = { PECK_OK, "" };

    if (size == 0)
        return 0;
    const peck_status st = items_parse(&l, (peck_span){ (const char *)data + 1, size - 1 },
                                       names[data[0] & 3], &err);

    promise((st == PECK_OK) == (l.n > 0), "there are items, or there is an error");
    promise((st == PECK_OK) == (err.text[0] == '\0'), "an error has a sentence");
    promise(l.n <= POLL_MAX_ITEMS, "there are not too many");
    for (size_t i = 0; i < l.n; i++) {
        const peck_span name = strings_get(&l.name, i), link = strings_get(&l.link, i);
        const peck_span image = strings_get(&l.image, i);

        promise(name.n > 0 && name.n <= POLL_MAX_NAME && items_is_plain(name),
                "a name is plain text");
        promise(items_is_plain(link) && items_is_plain(image), "links are plain text");
        promise(link.n == 0 || (link.n > 7 && (link.s[0] | 32) == 'h' &&
                                memchr(link.s, ':', link.n) != NULL),
                "a link leads to the web");
        promise(image.n == 0 || image.s[0] != '/', "a picture lies below the list");
        promise(!isinf(l.rating[i]), "a rating is a number");
    }
    items_free(&l);
    return 0;
}
