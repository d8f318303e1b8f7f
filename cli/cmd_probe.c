/* cmd_probe.c -- how far the comparisons of a model can be trusted. */
#include "inputs.h"
#include "outputs.h"

struct probe_args {
    struct printing printing;
    peck_read_options read;
    struct judging judging;
    const char *match, *decoder;
    uint64_t budget, n_shuffles, n_drawn;
};

static const struct opt probe_rows[] = {
    { "decoder", 'd', OPT_TEXT, "NAME[:KEY=VALUE,...]", PECK_DEFAULT_DECODER,
      "how an order comes from comparisons (`peck list decoders`)",
      offsetof(struct probe_args, decoder) },
    { "budget", 0, OPT_COUNT, "Q", "0",
      "maximum number of comparisons per list, for decoders that can choose; 0: their own",
      offsetof(struct probe_args, budget) },
    { "shuffles", 0, OPT_COUNT, "N", AS_TYPED(PECK_DEFAULT_SHUFFLES),
      "orders of the documents to start from", offsetof(struct probe_args, n_shuffles) },
    { "sample", 0, OPT_COUNT, "N", AS_TYPED(PECK_DEFAULT_DRAWN),
      "from a list of more pairs than this, so many pairs and triples are drawn; of "
      "others all are asked",
      offsetof(struct probe_args, n_drawn) },
    { 0 }
};

static peck_status probe_judge(peck_report **out, const struct call *c,
                               const peck_judge_spec *judge)
{
    const struct probe_args *a = c->args;
    const peck_decode_spec decode = { .decoder = a->decoder, .budget = a->budget };
    const peck_probe_spec spec = { .decode = &decode,
                                   .judge = judge,
                                   .n_shuffles = (size_t)a->n_shuffles,
                                   .n_drawn = a->n_drawn };
    peck_model *m = NULL;
    peck_dataset *d = NULL, *fit = NULL;
    peck_status st = peck_model_load(&m, c->word[0], c->err);

    if (st == PECK_OK)
        st = peck_dataset_read(&d, c->word[1], &a->read, c->err);
    if (st == PECK_OK)
        st = match_data(&fit, c, d, m, a->match);
    if (st == PECK_OK)
        st = peck_probe(out, m, fit, &spec, c->err);
    peck_dataset_free(fit);
    peck_dataset_free(d);
    peck_model_free(m);
    return st;
}

static peck_status probe_main(struct call *c)
{
    const struct probe_args *a = c->args;

    if (c->n_words != 2)
        return refuse(c->err, PECK_ARG,
                      "probe takes MODEL and DATA; see `peck probe --help`");
    if (a->n_shuffles == 0 || a->n_drawn == 0)
        return refuse(c->err, PECK_ARG, "--%s takes a whole number from 1 on",
                      a->n_shuffles == 0 ? "shuffles" : "sample");
    const peck_status st = expect_model(c, c->word[0]);

    return st == PECK_OK
               ? judge_and_print(c, probe_judge, &a->judging, a->read.threads, &a->printing)
               : st;
}

const struct verb verb_probe = {
    .name = "probe",
    .summary = "measure how consistent the comparisons of a model are",
    .usage = { "MODEL DATA [options]" },
    .about =
        "A model that compares may say that a goes before b, b before c and c before a; "
        "then the order it gives depends on where the sorting began. This asks how often "
        "and how much (SortNet, Rigutini et al. 2011, Tables III, IX and X): the share of "
        "triples of a query that are consistent, a tie agreeing with either direction "
        "(random answers would reach 0.75); the standard deviation of every metric when "
        "the documents come in another order; how many comparisons the decoder takes of "
        "all n (n - 1) / 2; and how well pairs of different labels are "
        "ordered.\n\nAccuracy counts a tie as half right. Precision and recall are the "
        "means over the two relations, goes before and goes behind, the first document of "
        "a pair being the one that comes first in DATA. A model that scores compares by "
        "its scores. Without labels, what needs them is left out.",
    .groups = { { "What is asked", probe_rows, 0 },
                { "How orders are judged", judging_rows,
                  offsetof(struct probe_args, judging) },
                JUDGING_PARTS(offsetof(struct probe_args, judging.parts)),
                { "Printing", printing_rows, offsetof(struct probe_args, printing) },
                { "Reading DATA", reading_rows, offsetof(struct probe_args, read) },
                { "Matching features", match_rows, offsetof(struct probe_args, match) } },
    .examples = { { "Does it contradict itself, and does that matter?",
                    "peck probe m.peck data.txt" },
                  { "With all pairs compared, not only those of the tree",
                    "peck probe m.peck data.txt --decoder championship -M ndcg@10,map" } },
    .args_size = sizeof(struct probe_args),
    .run = probe_main,
};
