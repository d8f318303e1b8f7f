/* fuzz_prefs.c -- preferences.  Byte 0 chooses: beside a tiny dataset or alone, the kind
 * of file by its name, and whether bad lines are left out.                            */
#include "memory_file.h"
#include "promise.h"

#include <math.h>
#include <string.h>

static void promise_prefs(const peck_prefs *p, size_t n_lists, size_t n_items)
{
    peck_prefs_info info;

    peck_prefs_describe(p, &info);
    for (size_t i = 0; i < info.n_prefs; i++) {
        const peck_pref pref = peck_prefs_at(p, i);

        promise(pref.list < n_lists && pref.winner < n_items && pref.loser < n_items,
                "a preference is between known things");
        promise(pref.winner != pref.loser, "nothing is preferred to itself");
        promise(pref.probability >= 0.0f && pref.probability <= 1.0f,
                "a probability is one");
        promise(pref.weight > 0.0f && isfinite(pref.weight), "weights are positive");
    }
    for (size_t i = 0; i < info.n_lists; i++)
        peck_prefs_list_name(p, i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char text[] = "1 qid:a 1:1 #docid = x\n0 qid:b 1:2 #docid = x\n"
                               "2 qid:a 1:3 #docid = y\n0 qid:b 1:4 #docid = z\n";
    static const char *const names[] = { "p.csv", "p.tsv", "p.pairs", "p.grouped_pairs" };
    const peck_read_options options = { .format = "letor", .threads = 1 };
    peck_dataset *d = NULL;
    peck_prefs *p = NULL;
    peck_error err = { PECK_OK, "" };
    peck_prefs_info info;

    if (size == 0)
        return 0;
    const char *const name = names[data[0] & 3];
    const bool is_alone = (data[0] & 4) != 0, skips_bad = (data[0] & 8) != 0;

    memory_file("data.txt", (const uint8_t *)text, strlen(text));
    memory_file(name, data + 1, size - 1);
    promise(peck_dataset_read(&d, "data.txt", &options, &err) == PECK_OK,
            "the dataset is fine");
    const peck_status st = peck_prefs_read(&p, name, is_alone ? NULL : d, skips_bad, &err);

    promise_outcome(st, p, &err);
    if (st == PECK_OK) {
        peck_prefs_describe(p, &info);
        promise_prefs(p, is_alone ? info.n_lists : 2, is_alone ? info.n_items : 4);
        for (size_t i = 0; is_alone && i < info.n_items; i++)
            peck_prefs_item_name(p, i);
    }
    peck_prefs_free(p);
    peck_dataset_free(d);
    memory_clear();
    return 0;
}
