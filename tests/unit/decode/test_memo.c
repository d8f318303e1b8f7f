/* test_memo.c -- answers are found again, in short lists and in long ones. */
#include "support/check.h"

#include "base/rng.h"
#include "decode/decoder.h"
#include "support/oracles.h"

#include <math.h>

static void every_pair_has_a_place_of_its_own(void **state)
{
    static const uint32_t sizes[] = { 2, 3, 60, 2048, 2049, 1000000 };

    (void)state;
    for (size_t k = 0; k < N_OF(sizes); k++) {
        const uint32_t n = sizes[k], shown = n < 60 ? n : 60, first = n - shown;
        struct memo *const m = memo_new(n);

        assert_non_null(m);
        for (int pass = 0; pass < 2; pass++)
            for (uint32_t i = first; i < n; i++)
                for (uint32_t j = i + 1; j < n; j++) {
                    const float h = (float)(i - first) + (float)(j - first) / 64;

                    assert_true(memo_reserve(m, 1));
                    float *const place = memo_place(m, (peck_duel){ i, j });

                    assert_true(pass == 0 ? isnan(*place) : *place == h);
                    *place = h;
                }
        memo_free(m);
    }
    memo_free(NULL);
}

/* What is remembered is what was said, and nobody is asked twice. */
static void long_lists_are_remembered(void **state)
{
    enum { N = 3000 };
    struct decoding fresh = decoding_new(N), known = decoding_new(N);
    struct decode_plan plan;
    struct session s;
    peck_error err = { 0 };

    (void)state;
    session_open(&s, jury_find("noisy"), N, 1);
    decode_with(&fresh, "merge:runs=5", &s.oracle, 1, 0);
    assert_ok(decode_plan_open(&plan, "merge:runs=5", &err), err);
    atomic_store(&s.asked, 0);
    assert_ok(decode_run(
                  &(struct decode_call){
                      .plan = &plan, .oracle = &s.oracle, .seed = 1, .is_cached = true },
                  &known, &err),
              err);
    assert_memory_equal(known.order, fresh.order, N * sizeof *known.order);
    assert_int_equal(known.n_questions, fresh.n_questions);
    assert_int_equal(known.n_distinct, s.asked);
    assert_true(known.n_distinct < known.n_questions);
    decoding_free(&fresh);
    decoding_free(&known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_has_a_place_of_its_own),
        cmocka_unit_test(long_lists_are_remembered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
