/* shared.c -- options of reading and judging, and how a report reaches standard output. */
#include "outputs.h"
#include "shared.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct opt reading_rows[] = {
    { "format", 0, OPT_TEXT, "NAME", NULL,
      "the reader to use; without it the file's content and name tell (`peck list "
      "readers`)",
      offsetof(peck_read_options, format) },
    { "missing", 0, OPT_TEXT, "error|zero|mean|keep", "error",
      "what becomes of nan and NULL features; keep: trees learn from what is missing",
      offsetof(peck_read_options, missing) },
    { "features", 0, OPT_TEXT, "LIST", NULL,
      "only these features, by number or name: 1-40,bm25",
      offsetof(peck_read_options, features) },
    { "feature-names", 0, OPT_TEXT, "FILE", NULL,
      "names of the features, one a line: \"bm25\" or \"3 bm25\"",
      offsetof(peck_read_options, feature_names) },
    { "groups", 0, OPT_TEXT, "FILE", NULL,
      "how many rows each query has, one number a line, for data without qid; without it "
      "DATA.query is tried",
      offsetof(peck_read_options, query_sizes) },
    { "query-weights", 0, OPT_TEXT, "FILE", NULL, "lines of \"query weight\"",
      offsetof(peck_read_options, query_weights) },
    { "label-column", 0, OPT_TEXT, "COLUMN", NULL,
      "the label's column of CSV and TSV, by name or by number from 1; without it label, "
      "relevance, rel or grade",
      offsetof(peck_read_options, label_column) },
    { "query-column", 0, OPT_TEXT, "COLUMN", NULL,
      "the query's column; without it query, qid or query_id",
      offsetof(peck_read_options, query_column) },
    { "doc-column", 0, OPT_TEXT, "COLUMN", NULL,
      "the document's column; without it doc, docid or doc_id",
      offsetof(peck_read_options, doc_column) },
    { "zero-based", 0, OPT_FLAG, NULL, NULL, "LETOR text counts its features from 0",
      offsetof(peck_read_options, zero_based) },
    { "threads", 0, OPT_INT, "N", "0", "worker threads; 0 is one per core",
      offsetof(peck_read_options, threads) },
    { 0 }
};

const struct opt match_rows[] = {
    { "match", 0, OPT_TEXT, "name|position", NULL,
      "how the features of the data are found; without it by name where model and data "
      "have names, whatever the order, and else by position",
      0 },
    { 0 }
};

const struct opt judging_rows[] = {
    { "metric", 'm', OPT_JOIN, "LIST", PECK_DEFAULT_METRICS,
      "what to measure, such as ndcg@10,map; or all (`peck list metrics`)",
      offsetof(struct judging, metrics) },
    { "convention", 'c', OPT_TEXT, "NAME", "standard",
      "whose rules to measure by (`peck list conventions`)",
      offsetof(struct judging, convention) },
    { "seed", 0, OPT_COUNT, "N", "1", "seed of everything drawn at random",
      offsetof(struct judging, seed) },
    { 0 }
};

const char judging_parts[] =
    "Parts of the convention; each stands as `standard` has it unless NAME says otherwise";

/* The convention with its parts, in fresh memory; NULL: out of memory, told in err. */
static char *join_parts(const struct judging *j, peck_error *err)
{
    const char *parts = j->parts != NULL ? j->parts : "";
    const size_t room = strlen(j->convention) + strlen(parts) + 2;
    char *text = malloc(room);

    if (text == NULL)
        refuse(err, PECK_NOMEM, "out of memory");
    else
        snprintf(text, room, "%s%s%s", j->convention, *parts != '\0' ? "," : "", parts);
    return text;
}

peck_status expect_model(const struct call *c, const char *path)
{
    const char *const content = peck_file_content(path);
    const peck_span order = order_of_words(c);

    if (content == NULL || strcmp(content, "model") == 0 || strcmp(content, "binary") == 0)
        return PECK_OK;
    return refuse(c->err, PECK_FORMAT,
                  "%.200s: holds %s%s, and a model belongs here; the order is `peck %s "
                  "%.*s`",
                  path, show_content(content),
                  strcmp(content, "text") == 0 ? ", perhaps data" : "", c->verb->name,
                  (int)order.n, order.s);
}

int stdout_is_closed_pipe(void)
{
    struct pollfd p = { STDOUT_FILENO, POLLOUT, 0 };

    return poll(&p, 1, 0) == 1 && (p.revents & (POLLERR | POLLHUP)) != 0;
}

peck_status forgive_closed_pipe(peck_status st)
{
    return st == PECK_IO && stdout_is_closed_pipe() ? PECK_OK : st;
}

const char *report_format(int as_json)
{
    return as_json ? "json" : isatty(STDOUT_FILENO) ? "text" : "tsv";
}

peck_status print_report(const peck_report *r, int as_json, peck_error *err)
{
    return forgive_closed_pipe(peck_report_write(r, stdout, report_format(as_json), err));
}

peck_status judge_and_print(const struct call *c, judge_call *judge,
                            const struct judging *j, int threads, int as_json)
{
    char *convention = join_parts(j, c->err);
    const peck_judge_spec spec = { j->metrics, convention, j->seed, threads };
    peck_report *report = NULL;

    if (convention == NULL)
        return PECK_NOMEM;
    peck_status st = judge(&report, c, &spec);

    if (st == PECK_OK)
        st = print_report(report, as_json, c->err);
    peck_report_free(report);
    free(convention);
    return st;
}
