/* content.c -- peck_file_content: what would be lost if a file were replaced.
 *
 * Its first bytes tell.  The files of this house are safetensors files that say what they
 * are at the head of their header; a page begins as HTML does; a log has one JSON object
 * a line, that of an epoch; scores are one number a line.                            */
#include "../base/input.h"
#include "../base/number.h"

#include <string.h>
#include <strings.h>

enum { HEAD = 4096, PREFIX = 8 };

static bool holds(peck_span s, const char *word)
{
    const size_t n = strlen(word);

    for (size_t i = 0; i + n <= s.n; i++)
        if (memcmp(s.s + i, word, n) == 0)
            return true;
    return false;
}

static bool begins_with(peck_span s, const char *word)
{
    const size_t n = strlen(word);

    return s.n >= n && strncasecmp(s.s, word, n) == 0;
}

/* A safetensors file has the length of its header in front of that. */
static const char *tensors_content(peck_span s)
{
    static const struct {
        const char *format, *content;
    } known[] = { { "\"peck model ", "model" },
                  { "\"peck committee ", "model" },
                  { "\"peck data ", "cache" },
                  { "\"peck checkpoint ", "checkpoint" } };

    if (s.n <= PREFIX || s.s[PREFIX] != '{')
        return "binary";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (holds(s, known[i].format))
            return known[i].content;
    return "binary";
}

static const char *text_content(peck_span s)
{
    const struct input in = { .data = s.s, .size = s.n };
    struct lines l = lines_of(&in);
    peck_span line = { s.s, 0 };
    double unused;

    while (line.n == 0 && lines_next(&l, &line))
        line = span_trim(line);

    if (begins_with(line, "<!doctype html") || begins_with(line, "<html"))
        return "page";
    if (begins_with(line, "{\"member\":"))
        return "log";
    return line.n > 0 && number_parse(line, &unused) ? "scores" : "text";
}

const char *peck_file_content(const char *path)
{
    char head[HEAD];
    const peck_span s = { head, input_head(path, head, HEAD) };

    if (s.n == 0)
        return NULL;
    return memchr(s.s, '\0', s.n) != NULL ? tensors_content(s) : text_content(s);
}
