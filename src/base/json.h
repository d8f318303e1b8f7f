/* json.h -- JSON text (RFC 8259) to a tree that can be walked, and strings to JSON text.
 *
 * The tree is one array of nodes in the order of the text: a node is followed by what it
 * holds, an object's members as key, value, key, value.                              */
#ifndef JSON_H
#define JSON_H

#include "strings.h"
#include "view.h"

#include <stdint.h>

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_node {
    enum json_type type;
    uint32_t n_inside; /* elements of an array, members of an object */
    uint32_t n_nodes;  /* this one and all inside it: v + v->n_nodes is the next */
    peck_span text;    /* a string without quotes and escapes; others as written */
};

/* Parsed text.  Spans point into the text that was parsed, or into `unescaped`. */
struct json {
    struct json_node *node; /* node[0] is the whole */
    size_t n_nodes, cap_nodes;
    char *unescaped;
    size_t n_unescaped;
};

enum { JSON_MAX_DEPTH = 64, JSON_MAX_NODES = 1 << 22 };

/* `text` must outlive *out.  `name` begins the message: "FILE: ... at byte 17". */
MUST_CHECK peck_status json_parse(struct json *out, peck_span text, const char *name,
                                  peck_error *err);
void json_free(struct json *j);

/* The first thing inside a non-empty array or object (a member's key), and the one after
 * v; count with n_inside. */
static inline const struct json_node *json_first(const struct json_node *v)
{
    return v + 1;
}

static inline const struct json_node *json_next(const struct json_node *v)
{
    return v + v->n_nodes;
}

/* The value that goes by `key` in an object, or NULL. */
const struct json_node *json_get(const struct json_node *object, const char *key);

/* True for a whole number without sign, point or exponent that fits; for true or false. */
bool json_u64(const struct json_node *v, uint64_t *value);
bool json_bool(const struct json_node *v, bool *value);

/* The length of the UTF-8 character at s (n > 0 bytes are there), or 0 when there is
 * none: RFC 3629, so no surrogates and no longer form than needed. */
size_t utf8_length(const char *s, size_t n);

/* Appends s as a JSON string with its quotes.  Bytes that are no UTF-8 become U+FFFD. */
void json_quote(struct text *to, peck_span s);

/* Writing: one thing after another; commas come by themselves.  `key` is that of a member,
 * and NULL in an array or for the whole.
 *     struct json_out o = { .to = &text };
 *     json_open(&o, NULL, '{'); json_put_count(&o, "n", 3); json_close(&o, '}');          */
struct json_out {
    struct text *to;
    bool needs_comma;
};

void json_open(struct json_out *o, const char *key, char bracket);
void json_close(struct json_out *o, char bracket);
void json_put_text(struct json_out *o, const char *key, peck_span s);
void json_put_count(struct json_out *o, const char *key, uint64_t n);
/* With so many significant digits; null for what is no finite number. */
void json_put_number(struct json_out *o, const char *key, double value, int digits);
void json_put_bool(struct json_out *o, const char *key, bool value);
void json_put_null(struct json_out *o, const char *key);

#endif
