/* cmd_posteriors.c -- probabilities of preferences that hold together. */
#include "inputs.h"
#include "outputs.h"

#include <math.h>

struct posteriors_args {
    int is_all, is_lenient;
};

static const struct opt posteriors_rows[] = {
    { "all-pairs", 0, OPT_FLAG, NULL, NULL,
      "every two items of a list that preferences connect, not those of PREFS alone",
      offsetof(struct posteriors_args, is_all) },
    { "skip-bad", 0, OPT_FLAG, NULL, NULL, "ignore malformed lines of PREFS",
      offsetof(struct posteriors_args, is_lenient) },
    { 0 }
};

/* A table that --pairs and `peck decode` read. */
static void print_prefs(const peck_prefs *p)
{
    peck_prefs_info info;

    peck_prefs_describe(p, &info);
    printf("query\twinner\tloser\tprobability\tweight\n");
    for (size_t i = 0; i < info.n_prefs; i++) {
        const peck_pref pref = peck_prefs_at(p, i);
        const peck_span list = peck_prefs_list_name(p, pref.list);

        put_plain(stdout, list.n > 0 ? list : (peck_span){ "1", 1 }, ' ');
        putchar('\t');
        put_plain(stdout, peck_prefs_item_name(p, pref.winner), ' ');
        putchar('\t');
        put_plain(stdout, peck_prefs_item_name(p, pref.loser), ' ');
        printf("\t%.7g\t%.7g\n", (double)pref.probability, (double)pref.weight);
    }
}

/* How many of the preferences have another probability now, and by how much at most. */
static void tell_changes(const struct call *c, const peck_prefs *given,
                         const peck_prefs *held)
{
    const double least = 0.001; /* what a reader of three digits would see */
    peck_prefs_info info;
    double most = 0.0;
    size_t n = 0;

    peck_prefs_describe(given, &info);
    for (size_t i = 0; i < info.n_prefs; i++) {
        const double by = fabs((double)peck_prefs_at(held, i).probability -
                               (double)peck_prefs_at(given, i).probability);

        n += by > least;
        most = by > most ? by : most;
    }
    if (n > 0)
        talk_note(
            c->talk,
            "%zu of %zu preferences did not hold together; the largest change is %.3g", n,
            info.n_prefs, most);
}

static peck_status posteriors_main(struct call *c)
{
    const struct posteriors_args *a = c->args;
    peck_prefs *given = NULL, *held = NULL;
    peck_prefs_info info;

    if (c->n_words != 1)
        return refuse(c->err, PECK_ARG,
                      "posteriors takes one PREFS; see `peck posteriors --help`");
    peck_status st = peck_prefs_read(&given, c->word[0], NULL, a->is_lenient, c->err);

    if (st != PECK_OK)
        return st;
    peck_prefs_describe(given, &info);
    if (info.n_bad > 0)
        talk_warning(c->talk, "%zu malformed line%s ignored; the first is line %zu",
                     info.n_bad, info.n_bad == 1 ? "" : "s", info.first_bad_line);
    st = peck_prefs_consistent(&held, given, a->is_all, c->err);
    if (st == PECK_OK) {
        print_prefs(held);
        if (!a->is_all)
            tell_changes(c, given, held);
    }
    peck_prefs_free(given);
    peck_prefs_free(held);
    return st;
}

const struct verb verb_posteriors = {
    .name = "posteriors",
    .summary = "make the probabilities of preferences consistent",
    .usage = { "PREFS [options]" },
    .about =
        "Scores can only express probabilities whose log-odds add up: P(a before c) "
        "follows "
        "from P(a before b) and P(b before c). PREFS, as `peck decode` and --pairs take "
        "them, may say otherwise. Prints them again, with the probabilities nearest to "
        "theirs (in cross entropy, by weight) that hold together; those that do so already "
        "stay as they are. What is certain both ways round a circle becomes open, what is "
        "certain one way alone stays certain.\n\n"
        "With --all-pairs, m - 1 probabilities between neighbours become those of all "
        "m (m - 1) / 2 pairs (the adjacency posteriors of Burges et al. 2005, section 3). "
        "Two items that are certain to go before the same third one, or behind it, are "
        "left out where no more is known: nothing follows for them. "
        "`peck train --pairs PREFS --set consistent=1` learns from such probabilities.",
    .groups = { { "Pairs", posteriors_rows, 0 } },
    .examples = { { "What of it can hold together", "peck posteriors votes.csv" },
                  { "All pairs, from some of them",
                    "peck posteriors votes.csv --all-pairs" } },
    .args_size = sizeof(struct posteriors_args),
    .run = posteriors_main,
};
