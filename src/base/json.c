/* json.c -- see json.h.  A recursive-descent parser of our own: the headers it reads are
 * small, every allocation is checked, and what it accepts is the grammar of RFC 8259 and
 * nothing more.                                                                       */
#include "json.h"

#include "alloc.h"
#include "number.h"

#include <math.h>

struct json_parser {
    struct json *j;
    const char *start, *p, *end;
    const char *name;
    peck_error *err;
    int depth;
};

static peck_status refuse_json(const struct json_parser *s, const char *why)
{
    return fail(s->err, PECK_FORMAT, "%s: broken JSON at byte %zu: %s", s->name,
                (size_t)(s->p - s->start), why);
}

static void skip_json_blanks(struct json_parser *s)
{
    while (s->p < s->end &&
           (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r'))
        s->p++;
}

static bool take_char(struct json_parser *s, char c)
{
    if (s->p >= s->end || *s->p != c)
        return false;
    s->p++;
    return true;
}

static peck_status add_node(struct json_parser *s, enum json_type type, peck_span text)
{
    struct json *const j = s->j;

    if (j->n_nodes >= JSON_MAX_NODES)
        return refuse_json(s, "it holds too many values");
    if (!mem_reserve(&j->node, &j->cap_nodes, j->n_nodes + 1, sizeof *j->node))
        return fail_memory(s->err, s->name, j->n_nodes, sizeof *j->node);
    j->node[j->n_nodes++] = (struct json_node){ .type = type, .n_nodes = 1, .text = text };
    return PECK_OK;
}

size_t utf8_length(const char *s, size_t n)
{
    const unsigned char *const u = (const unsigned char *)s;

    if (u[0] < 0x80)
        return 1;
    const size_t len = u[0] < 0xC2   ? 0
                       : u[0] < 0xE0 ? 2
                       : u[0] < 0xF0 ? 3
                       : u[0] < 0xF5 ? 4
                                     : 0;

    if (len == 0 || len > n)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((u[i] & 0xC0) != 0x80)
            return 0;
    /* What the first byte alone lets through: overlong forms, surrogates, > U+10FFFF. */
    if ((u[0] == 0xE0 && u[1] < 0xA0) || (u[0] == 0xED && u[1] > 0x9F) ||
        (u[0] == 0xF0 && u[1] < 0x90) || (u[0] == 0xF4 && u[1] > 0x8F))
        return 0;
    return len;
}

static size_t utf8_write(char *to, uint32_t c)
{
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        to[0] = (char)(0xC0 | c >> 6);
        to[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        to[0] = (char)(0xE0 | c >> 12);
        to[1] = (char)(0x80 | (c >> 6 & 0x3F));
        to[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    to[0] = (char)(0xF0 | c >> 18);
    to[1] = (char)(0x80 | (c >> 12 & 0x3F));
    to[2] = (char)(0x80 | (c >> 6 & 0x3F));
    to[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

/* Four hexadecimal digits. */
static bool take_hex4(struct json_parser *s, uint32_t *value)
{
    *value = 0;
    for (int i = 0; i < 4; i++) {
        const char c = s->p < s->end ? *s->p : '\0';
        const char low = (char)(c | 0x20);

        if (is_digit(c))
            *value = *value << 4 | (uint32_t)(c - '0');
        else if (low >= 'a' && low <= 'f')
            *value = *value << 4 | (uint32_t)(low - 'a' + 10);
        else
            return false;
        s->p++;
    }
    return true;
}

/* What stands behind a backslash: "n", "u0041", or a surrogate pair "uD83D\uDE00". */
static peck_status take_escape(struct json_parser *s, char **to)
{
    static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    const char *const at = s->p < s->end && *s->p != '\0' ? strchr(names, *s->p) : NULL;
    uint32_t c, low;

    if (at != NULL) {
        s->p++;
        *(*to)++ = bytes[at - names];
        return PECK_OK;
    }
    if (!take_char(s, 'u'))
        return refuse_json(s, "unknown escape");
    if (!take_hex4(s, &c))
        return refuse_json(s, "\\u needs four hexadecimal digits");
    if (c >= 0xD800 && c < 0xDC00) {
        if (!take_char(s, '\\') || !take_char(s, 'u') || !take_hex4(s, &low) ||
            low < 0xDC00 || low > 0xDFFF)
            return refuse_json(s, "half a surrogate pair");
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
    } else if (c >= 0xDC00 && c < 0xE000) {
        return refuse_json(s, "half a surrogate pair");
    }
    *to += utf8_write(*to, c);
    return PECK_OK;
}

/* A string is never longer without its escapes, so one block as long as the text holds
 * them all and spans into it stay good. */
static peck_status unescape(struct json_parser *s, const char *from, peck_span *text)
{
    struct json *const j = s->j;

    if (j->unescaped == NULL &&
        (j->unescaped = mem_new((size_t)(s->end - s->start), 1)) == NULL)
        return fail_memory(s->err, s->name, (size_t)(s->end - s->start), 1);
    char *const first = j->unescaped + j->n_unescaped, *to = first;

    for (s->p = from; *s->p != '"';) {
        if (*s->p == '\\') {
            s->p++;
            TRY(take_escape(s, &to));
        } else {
            *to++ = *s->p++;
        }
    }
    s->p++;
    *text = (peck_span){ first, (size_t)(to - first) };
    j->n_unescaped += text->n;
    return PECK_OK;
}

static peck_status parse_string(struct json_parser *s)
{
    if (!take_char(s, '"'))
        return refuse_json(s, "expected a string");
    const char *const first = s->p;
    bool is_plain = true;

    while (s->p < s->end && *s->p != '"') {
        const size_t n = utf8_length(s->p, (size_t)(s->end - s->p));

        if (n == 0 || (unsigned char)*s->p < 0x20)
            return refuse_json(s, "a byte that is not allowed in a string");
        is_plain = is_plain && *s->p != '\\';
        s->p += *s->p == '\\' && s->end - s->p > 1 ? 2 : n;
    }
    peck_span text = { first, (size_t)(s->p - first) };

    if (!take_char(s, '"'))
        return refuse_json(s, "a string without its end");
    if (!is_plain)
        TRY(unescape(s, first, &text));
    return add_node(s, JSON_STRING, text);
}

static size_t skip_digits(struct json_parser *s)
{
    const char *const first = s->p;

    while (s->p < s->end && is_digit(*s->p))
        s->p++;
    return (size_t)(s->p - first);
}

static peck_status parse_number(struct json_parser *s)
{
    const char *const first = s->p;

    take_char(s, '-');
    if (!take_char(s, '0') && skip_digits(s) == 0)
        return refuse_json(s, "expected a value");
    if (take_char(s, '.') && skip_digits(s) == 0)
        return refuse_json(s, "digits are missing after the point");
    if (take_char(s, 'e') || take_char(s, 'E')) {
        if (!take_char(s, '-'))
            take_char(s, '+');
        if (skip_digits(s) == 0)
            return refuse_json(s, "digits are missing in the exponent");
    }
    return add_node(s, JSON_NUMBER, (peck_span){ first, (size_t)(s->p - first) });
}

static bool take_word(struct json_parser *s, const char *word)
{
    const size_t n = strlen(word);

    if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n) != 0)
        return false;
    s->p += n;
    return true;
}

static peck_status parse_value(struct json_parser *s);

/* The inside of [...] or {...}. */
static peck_status parse_members(struct json_parser *s, enum json_type type)
{
    const char close = type == JSON_ARRAY ? ']' : '}';
    const size_t self = s->j->n_nodes;
    uint32_t n = 0;

    s->p++;
    TRY(add_node(s, type, (peck_span){ 0 }));
    skip_json_blanks(s);
    for (bool more = !take_char(s, close); more; n++) {
        skip_json_blanks(s);
        if (type == JSON_OBJECT) {
            TRY(parse_string(s));
            skip_json_blanks(s);
            if (!take_char(s, ':'))
                return refuse_json(s, "expected a colon");
        }
        TRY(parse_value(s));
        skip_json_blanks(s);
        more = take_char(s, ',');
        if (!more && !take_char(s, close))
            return refuse_json(s, type == JSON_ARRAY ? "expected a comma or ]"
                                                     : "expected a comma or }");
    }
    s->j->node[self].n_inside = n;
    s->j->node[self].n_nodes = (uint32_t)(s->j->n_nodes - self);
    return PECK_OK;
}

static peck_status parse_value(struct json_parser *s)
{
    skip_json_blanks(s);
    const char c = s->p < s->end ? *s->p : '\0';
    const char *const first = s->p;
    peck_status st;

    if (++s->depth > JSON_MAX_DEPTH)
        return refuse_json(s, "it is nested too deeply");
    if (c == '{' || c == '[')
        st = parse_members(s, c == '[' ? JSON_ARRAY : JSON_OBJECT);
    else if (c == '"')
        st = parse_string(s);
    else if (take_word(s, "true") || take_word(s, "false"))
        st = add_node(s, JSON_BOOL, (peck_span){ first, (size_t)(s->p - first) });
    else if (take_word(s, "null"))
        st = add_node(s, JSON_NULL, (peck_span){ first, 4 });
    else
        st = parse_number(s);
    s->depth--;
    return st;
}

peck_status json_parse(struct json *out, peck_span text, const char *name, peck_error *err)
{
    struct json_parser s = { .j = out,
                             .start = text.s,
                             .p = text.s,
                             .end = text.s + text.n,
                             .name = name,
                             .err = err };

    *out = (struct json){ 0 };
    peck_status st = parse_value(&s);

    skip_json_blanks(&s);
    if (st == PECK_OK && s.p != s.end)
        st = refuse_json(&s, "something follows the end");
    if (st != PECK_OK)
        json_free(out);
    return st;
}

void json_free(struct json *j)
{
    mem_free(j->node);
    mem_free(j->unescaped);
    *j = (struct json){ 0 };
}

const struct json_node *json_get(const struct json_node *object, const char *key)
{
    const struct json_node *v = json_first(object);

    if (object->type != JSON_OBJECT)
        return NULL;
    for (uint32_t i = 0; i < object->n_inside; i++) {
        const struct json_node *const value = json_next(v);

        if (span_is(v->text, key))
            return value;
        v = json_next(value);
    }
    return NULL;
}

bool json_u64(const struct json_node *v, uint64_t *value)
{
    return v->type == JSON_NUMBER && number_parse_u64(v->text, value);
}

bool json_bool(const struct json_node *v, bool *value)
{
    *value = v->type == JSON_BOOL && v->text.n == 4;
    return v->type == JSON_BOOL;
}

void json_quote(struct text *to, peck_span s)
{
    text_add(to, "\"", 1);
    for (size_t i = 0; i < s.n;) {
        const unsigned char c = (unsigned char)s.s[i];
        const size_t n = utf8_length(s.s + i, s.n - i);

        if (n == 0)
            text_add_str(to, "\xEF\xBF\xBD");
        else if (c == '"' || c == '\\')
            text_printf(to, "\\%c", c);
        else if (c < 0x20 || c == 0x7F)
            text_printf(to, "\\u%04x", (unsigned)c);
        else
            text_add(to, s.s + i, n);
        i += n > 0 ? n : 1;
    }
    text_add(to, "\"", 1);
}

static void begin_value(struct json_out *o, const char *key)
{
    if (o->needs_comma)
        text_add(o->to, ",", 1);
    o->needs_comma = true;
    if (key != NULL) {
        json_quote(o->to, span_of(key));
        text_add(o->to, ":", 1);
    }
}

void json_open(struct json_out *o, const char *key, char bracket)
{
    begin_value(o, key);
    text_add(o->to, &bracket, 1);
    o->needs_comma = false;
}

void json_close(struct json_out *o, char bracket)
{
    text_add(o->to, &bracket, 1);
    o->needs_comma = true;
}

void json_put_text(struct json_out *o, const char *key, peck_span s)
{
    begin_value(o, key);
    json_quote(o->to, s);
}

void json_put_count(struct json_out *o, const char *key, uint64_t n)
{
    begin_value(o, key);
    text_printf(o->to, "%llu", (unsigned long long)n);
}

void json_put_number(struct json_out *o, const char *key, double value, int digits)
{
    char number[64];

    if (!isfinite(value)) {
        json_put_null(o, key);
        return;
    }
    begin_value(o, key);
    text_add(o->to, number, number_print(number, sizeof number, 'g', digits, value));
}

void json_put_bool(struct json_out *o, const char *key, bool value)
{
    begin_value(o, key);
    text_add_str(o->to, value ? "true" : "false");
}

void json_put_null(struct json_out *o, const char *key)
{
    begin_value(o, key);
    text_add_str(o->to, "null");
}
