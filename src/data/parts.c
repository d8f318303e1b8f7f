/* parts.c -- data in several files that follow each other: "train-*.safetensors", read as one
 * dataset in the order of their names.  Features of caches stay in the files: of many ranks,
 * each reads those of its own queries.                                               */
#include "reader.h"

#include "../base/alloc.h"
#include "../base/folder.h"

/* The last part of a path that has a '*' in it. */
static const char *pattern_of(const char *path)
{
    const char *const slash = strrchr(path, '/');
    const char *const last = slash != NULL ? slash + 1 : path;

    return strchr(last, '*') != NULL ? last : NULL;
}

bool parts_are_meant(const char *path)
{
    return pattern_of(path) != NULL && !input_exists(path);
}

/* '*' stands for any run of characters. */
static bool name_matches(peck_span name, const char *pattern)
{
    size_t i = 0, star_at = 0;
    const char *star = NULL;

    while (i < name.n) {
        if (*pattern == '*') {
            star = ++pattern;
            star_at = i;
        } else if (*pattern == name.s[i]) {
            pattern++;
            i++;
        } else if (star != NULL) {
            pattern = star;
            i = ++star_at;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

/* Paths of the files that a pattern means, in the order of their names. */
static peck_status list_parts(struct strings *paths, const char *path, peck_error *err)
{
    const char *const pattern = pattern_of(path);
    const size_t n_folder = (size_t)(pattern - path);
    struct strings names = { 0 };
    struct text folder, file;

    text_init(&folder, MAX_LINE);
    text_init(&file, MAX_LINE);
    text_add(&folder, n_folder > 0 ? path : ".", n_folder > 0 ? n_folder : 1);
    peck_status st = folder.failed ? fail_memory(err, "a name", 1, n_folder)
                                   : folder_list(&names, folder.s, err);

    for (size_t i = 0; st == PECK_OK && i < names.n; i++) {
        const peck_span name = strings_get(&names, i);

        if (!name_matches(name, pattern))
            continue;
        file.len = 0;
        text_add(&file, path, n_folder);
        text_add(&file, name.s, name.n);
        if (file.failed || !strings_add(paths, (peck_span){ file.s, file.len }))
            st = fail_memory(err, "names of parts", names.n, 1);
    }
    if (st == PECK_OK && paths->n == 0)
        st = fail(err, PECK_IO, "%.300s: no file has such a name", path);
    strings_free(&names);
    text_free(&folder);
    text_free(&file);
    return st;
}

/* What must be the same in all parts. */
static peck_status check_part(const struct peck_dataset *first,
                              const struct peck_dataset *d, peck_error *err)
{
    bool fits = d->dim == first->dim && d->feature_name.n == first->feature_name.n;

    for (size_t i = 0; fits && i < d->feature_name.n; i++) {
        const peck_span a = strings_get(&first->feature_name, i),
                        b = strings_get(&d->feature_name, i);

        fits = a.n == b.n && memcmp(a.s, b.s, a.n) == 0;
    }
    if (!fits)
        return fail(err, PECK_SHAPE,
                    "%.150s: other features than in %.150s; write parts with `peck convert "
                    "--shards`",
                    d->name, first->name);
    return (d->doc_id.n > 0) == (first->doc_id.n > 0)
               ? PECK_OK
               : fail(err, PECK_SHAPE, "%.150s: %s ids of documents, and %.150s %s",
                      d->name, d->doc_id.n > 0 ? "has" : "has no", first->name,
                      d->doc_id.n > 0 ? "has none" : "has some");
}

/* Everything of a part but its features, at the end of what t has. */
static bool add_frame(struct peck_dataset *t, const struct peck_dataset *d)
{
    const size_t row = t->n_docs, query = t->n_queries;
    bool fits = true;

    memcpy(t->label + row, d->label, d->n_docs * sizeof *t->label);
    for (size_t q = 0; q < d->n_queries && fits; q++) {
        t->start[query + q + 1] = row + d->start[q + 1];
        fits = strings_add(&t->query_id, dataset_query_id(d, q));
    }
    for (size_t i = 0; i < d->doc_id.n && fits; i++)
        fits = strings_add(&t->doc_id, strings_get(&d->doc_id, i));
    for (size_t q = 0; t->query_weight != NULL && q < d->n_queries; q++)
        t->query_weight[query + q] = dataset_query_weight(d, q);
    for (size_t i = 0; t->doc_weight != NULL && i < d->n_docs; i++)
        t->doc_weight[row + i] = d->doc_weight != NULL ? d->doc_weight[i] : 1.0f;
    for (size_t f = 0; t->missing_in != NULL && d->missing_in != NULL && f < d->dim; f++)
        t->missing_in[f] += d->missing_in[f];
    t->n_docs += d->n_docs;
    t->n_queries += d->n_queries;
    t->n_missing += d->n_missing;
    t->is_checked &= d->is_checked;
    t->keeps_missing |= d->keeps_missing;
    t->is_sparse |= d->is_sparse;
    return fits;
}

/* The frame of all parts. */
static peck_status join_frames(struct peck_dataset **out, const char *name,
                               struct peck_dataset *const *part, size_t n, peck_error *err)
{
    struct peck_dataset *const t = *out = dataset_new(name);
    size_t n_docs = 0, n_queries = 0;
    bool has_query_weights = false, has_doc_weights = false, has_missing = false;
    struct index seen = { 0 };

    if (t == NULL)
        return fail_memory(err, name, 1, sizeof *t);
    for (size_t i = 0; i < n; i++) {
        n_docs += part[i]->n_docs;
        n_queries += part[i]->n_queries;
        has_query_weights |= part[i]->query_weight != NULL;
        has_doc_weights |= part[i]->doc_weight != NULL;
        has_missing |= part[i]->missing_in != NULL;
    }
    t->dim = part[0]->dim;
    t->reader = part[0]->reader;
    t->is_checked = true;
    t->label = mem_new(n_docs, sizeof *t->label);
    t->start = mem_new(n_queries + 1, sizeof *t->start);
    if (has_query_weights)
        t->query_weight = mem_new(n_queries, sizeof *t->query_weight);
    if (has_doc_weights)
        t->doc_weight = mem_new(n_docs, sizeof *t->doc_weight);
    if (has_missing)
        t->missing_in = mem_new(t->dim, sizeof *t->missing_in);
    bool fits = t->label != NULL && t->start != NULL &&
                (!has_query_weights || t->query_weight != NULL) &&
                (!has_doc_weights || t->doc_weight != NULL) &&
                (!has_missing || t->missing_in != NULL) &&
                strings_add_from(&t->feature_name, &part[0]->feature_name, NULL,
                                 part[0]->feature_name.n);

    for (size_t i = 0; i < n && fits; i++)
        fits = add_frame(t, part[i]);
    const int64_t distinct = fits ? index_distinct(&seen, &t->query_id) : INDEX_FULL;

    index_free(&seen);
    if (distinct == INDEX_FULL)
        return fail_memory(err, name, n_docs, sizeof *t->label);
    if ((size_t)distinct < n_queries)
        return fail(err, PECK_FORMAT,
                    "%.200s: query '%.*s' is in two parts; a part has whole queries", name,
                    SPAN_ARGS(dataset_query_id(t, (size_t)distinct)));
    dataset_count_labels(t);
    return PECK_OK;
}

/* Whether all features lie in mapped files, at the same place in each. */
static bool are_mapped(struct peck_dataset *const *part, size_t n)
{
    bool are = part[0]->dim > 0;

    for (size_t i = 0; i < n && are; i++)
        are = part[i]->x_owned == NULL && part[i]->mapped.is_mapped &&
              (const char *)part[i]->x - part[i]->mapped.data ==
                  (const char *)part[0]->x - part[0]->mapped.data;
    return are;
}

/* All files in one mapping, a whole number of rows apart. */
static peck_status map_rows(struct peck_dataset *t, struct peck_dataset *const *part,
                            size_t n, peck_error *err)
{
    const size_t row = t->dim * sizeof *t->x;
    struct input_file *const file = mem_new(n, sizeof *file);
    size_t query = 0;

    t->place = mem_new(t->n_queries, sizeof *t->place);
    peck_status st = file == NULL || t->place == NULL
                         ? fail_memory(err, t->name, t->n_queries, sizeof *t->place)
                         : PECK_OK;

    for (size_t i = 0; st == PECK_OK && i < n; i++)
        file[i] =
            (struct input_file){ .path = part[i]->name, .size = part[i]->mapped.size };
    if (st == PECK_OK)
        st = input_map_files(&t->mapped, file, n, row, err);
    if (st == PECK_OK)
        t->x = (const float *)(const void *)(t->mapped.data + ((const char *)part[0]->x -
                                                               part[0]->mapped.data));
    for (size_t i = 0; st == PECK_OK && i < n; i++)
        for (size_t q = 0; q < part[i]->n_queries; q++)
            t->place[query++] = file[i].at / row + part[i]->start[q];
    t->mapped.name = t->name;
    mem_free(file);
    return st;
}

static peck_status copy_rows(struct peck_dataset *t, struct peck_dataset *const *part,
                             size_t n, peck_error *err)
{
    TRY(builder_check_size(t->name, t->n_docs, t->dim, err));
    float *const x = mem_new(t->n_docs * t->dim, sizeof *x);
    size_t at = 0;

    if (x == NULL)
        return fail_memory(err, t->name, t->n_docs * t->dim, sizeof *x);
    t->x = t->x_owned = x;
    for (size_t i = 0; i < n; at += part[i++]->n_docs * t->dim)
        if (t->dim > 0)
            memcpy(x + at, part[i]->x, part[i]->n_docs * t->dim * sizeof *x);
    return PECK_OK;
}

peck_status parts_read(struct peck_dataset **out, const char *path,
                       const peck_read_options *options, peck_error *err)
{
    peck_read_options each = *options;
    struct strings paths = { 0 };
    struct peck_dataset **part = NULL;
    struct text name;
    peck_status st = list_parts(&paths, path, err);

    each.comm = NULL; /* the caller deals */
    each.query_weights = NULL;
    text_init(&name, MAX_LINE);
    if (st == PECK_OK && (part = mem_new(paths.n, sizeof *part)) == NULL)
        st = fail_memory(err, "parts", paths.n, sizeof *part);
    for (size_t i = 0; st == PECK_OK && i < paths.n; i++) {
        const peck_span file = strings_get(&paths, i);

        name.len = 0;
        text_add(&name, file.s, file.n);
        st = name.failed ? fail_memory(err, "a name", 1, file.n)
                         : peck_dataset_read(&part[i], name.s, &each, err);
        if (st == PECK_OK)
            st = check_part(part[0], part[i], err);
    }
    if (st == PECK_OK)
        st = join_frames(out, path, part, paths.n, err);
    if (st == PECK_OK)
        st = (are_mapped(part, paths.n) ? map_rows : copy_rows)(*out, part, paths.n, err);
    for (size_t i = 0; part != NULL && i < paths.n; i++)
        peck_dataset_free(part[i]);
    mem_free(part);
    strings_free(&paths);
    text_free(&name);
    return st;
}
