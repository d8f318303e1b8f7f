/* content.c -- peck_file_content: what would be lost if a file were replaced.
 *
 * Its first bytes tell.  The files of this house are safetensors files that say what they
 * are at the head of their header; a page begins as HTML does; a log has one JSON object
 * a line, that of an epoch; scores are one number a line.                            */
#include "../base/input.h"
#include "../base/number.h"

#include <string.h>
#include <strings.h>

enum { HEAD = 4096 };

static bool begins_with(peck_span s, const char *word)
{
    const size_t n = strlen(word);

    return s.n >= n && strncasecmp(s.s, word, n) == 0;
}

const char *peck_file_content(const char *path)
{
    char head[HEAD];
    const struct input in = { .data = head, .size = input_head(path, head, HEAD) };
    struct lines l = lines_of(&in);
    peck_span line = { head, 0 };
    double unused;

    if (in.size == 0)
        return NULL;
    const char *const own = input_own_kind(head, in.size);
    const char *const other = input_other_kind(head, in.size, NULL);

    if (memchr(head, '\0', in.size) != NULL && own != NULL)
        return own;
    if (other != NULL && strstr(other, "model") != NULL)
        return other;
    if (memchr(head, '\0', in.size) != NULL)
        return "binary";
    while (line.n == 0 && lines_next(&l, &line))
        line = span_trim(line);
    if (begins_with(line, "<!doctype html") || begins_with(line, "<html"))
        return "page";
    if (begins_with(line, "{\"member\":"))
        return "log";
    return line.n > 0 && number_parse(line, &unused) ? "scores" : "text";
}
