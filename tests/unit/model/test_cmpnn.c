/* The comparing net: its symmetries to the last bit, a plain twin of section III-A, and
 * its derivatives against central differences in double precision. */
#include "support/check.h"
#include "support/models.h"
#include "support/twins.h"

#include <math.h>

enum { MOST_DOCS = 12, MOST_DUELS = 40 };

static peck_error err;

/* One random net with documents and duels. */
struct trial {
    char text[3][64];
    const char *setting[4];
    size_t n_duels;
    struct rows x;
    peck_duel duel[MOST_DUELS];
};

static void draw(struct trial *t, uint64_t seed)
{
    static const char *const hidden[] = { "2",    "4",      "10",     "16",
                                          "20",   "34",     "50",     "5-2",
                                          "1-20", "6-4-10", "3-1-16", "16-8-5-34" };
    struct rng r;

    *t = (struct trial){ 0 };
    rng_seed(&r, seed, 1);
    snprintf(t->text[0], sizeof t->text[0], "hidden=%s",
             hidden[rng_below(&r, N_OF(hidden))]);
    snprintf(t->text[1], sizeof t->text[1], "activation=%s",
             rng_below(&r, 2) > 0 ? "tanh" : "sigmoid");
    snprintf(t->text[2], sizeof t->text[2], "cross=%d", (int)rng_below(&r, 2));
    for (int i = 0; i < 3; i++)
        t->setting[i] = t->text[i];
    t->x = (struct rows){ .n = 2 + rng_below(&r, MOST_DOCS - 1),
                          .dim = 1 + rng_below(&r, 20) };
    t->x.stride = t->x.dim + rng_below(&r, 4);
    t->x.x = random_floats(t->x.n * t->x.stride, seed + 7);
    t->n_duels = 1 + rng_below(&r, MOST_DUELS);
    for (size_t k = 0; k < t->n_duels; k++)
        t->duel[k] =
            (peck_duel){ (uint32_t)rng_below(&r, t->x.n), (uint32_t)rng_below(&r, t->x.n) };
}

#define FOR_EACH_TRIAL(t, seed, n_trials)                         \
    for (uint64_t seed = 0; seed < (n_trials); seed++)            \
        for (struct trial t = (draw(&t, seed), t); t.x.x != NULL; \
             free((void *)t.x.x), t.x.x = NULL)

/* The float family at work. */
struct net {
    const struct family *family;
    void *shape;
    size_t n_weights;
    float *w, *view, *scratch;
};

static struct net net_open(const struct trial *t, uint64_t seed)
{
    struct net n = { .family = family_named("cmpnn") };

    n.shape = shape_open(n.family, t->setting, t->x.dim, &err);
    assert_non_null(n.shape);
    n.n_weights = n.family->n_weights(n.shape);
    n.w = random_floats(n.n_weights, seed);
    n.view = calloc(t->x.n * n.family->compares->view_size(n.shape), sizeof *n.view);
    n.scratch = calloc(t->x.n * n.family->scratch(n.shape) + 1, sizeof *n.scratch);
    n.family->compares->view(n.shape, n.w, t->x, n.view, n.scratch);
    return n;
}

static void net_close(struct net *n)
{
    free(n->shape), free(n->w), free(n->view), free(n->scratch);
}

static void ask(const struct net *n, const peck_duel *duel, size_t n_duels, float (*out)[2])
{
    n->family->compares->duels(n->shape, n->w, n->view, duel, n_duels, out, NULL);
}

/* Symmetries ----------------------------------------------------------------------- */

static void both_outputs_change_places_with_the_documents(void **state)
{
    (void)state;
    FOR_EACH_TRIAL(t, seed, 300)
    {
        struct net net = net_open(&t, seed);
        float out[MOST_DUELS][2], turned[MOST_DUELS][2], alone[1][2];

        ask(&net, t.duel, t.n_duels, out);
        for (size_t k = 0; k < t.n_duels; k++)
            t.duel[k] = (peck_duel){ t.duel[k].j, t.duel[k].i };
        ask(&net, t.duel, t.n_duels, turned);
        for (size_t k = 0; k < t.n_duels; k++) {
            ask(&net, &t.duel[k], 1, alone);
            assert_true(out[k][0] == turned[k][1] && out[k][1] == turned[k][0]);
            assert_memory_equal(alone[0], turned[k], sizeof alone[0]);
            assert_true(out[k][0] >= 0.0f && out[k][0] <= 1.0f);
        }
        net_close(&net);
    }
}

static void a_document_draws_with_itself(void **state)
{
    (void)state;
    FOR_EACH_TRIAL(t, seed, 100)
    {
        struct net net = net_open(&t, seed);
        float out[MOST_DUELS][2], lead[MOST_DUELS];

        for (size_t k = 0; k < t.n_duels; k++)
            t.duel[k].j = t.duel[k].i;
        ask(&net, t.duel, t.n_duels, out);
        net.family->compares->decide(net.shape, net.w, net.view, t.duel, t.n_duels, lead);
        for (size_t k = 0; k < t.n_duels; k++)
            assert_true(out[k][0] == out[k][1] && lead[k] == 0.0f);
        net_close(&net);
    }
}

static void the_decision_is_the_side_of_the_larger_output(void **state)
{
    size_t n_won = 0;

    (void)state;
    FOR_EACH_TRIAL(t, seed, 300)
    {
        struct net net = net_open(&t, seed);
        float out[MOST_DUELS][2], lead[MOST_DUELS], turned;

        ask(&net, t.duel, t.n_duels, out);
        net.family->compares->decide(net.shape, net.w, net.view, t.duel, t.n_duels, lead);
        for (size_t k = 0; k < t.n_duels; k++) {
            const peck_duel back = { t.duel[k].j, t.duel[k].i };

            net.family->compares->decide(net.shape, net.w, net.view, &back, 1, &turned);
            assert_true(turned == -lead[k]);
            /* But for rounding, where neither leads; sigmoids may round to the same. */
            assert_true(lead[k] <= 1e-5f || out[k][0] >= out[k][1]);
            assert_true(lead[k] >= -1e-5f || out[k][0] <= out[k][1]);
            n_won += out[k][0] > out[k][1] && lead[k] > 0.0f;
        }
        net_close(&net);
    }
    assert_true(n_won > 1000);
}

static void a_view_is_the_same_in_any_company(void **state)
{
    (void)state;
    FOR_EACH_TRIAL(t, seed, 100)
    {
        struct net net = net_open(&t, seed);
        const size_t size = net.family->compares->view_size(net.shape), at = t.x.n / 2;
        const struct rows one = { t.x.x + at * t.x.stride, 1, t.x.dim, t.x.stride };
        float *const alone = calloc(size, sizeof *alone);

        net.family->compares->view(net.shape, net.w, one, alone, net.scratch);
        assert_memory_equal(alone, net.view + at * size, size * sizeof *alone);
        free(alone);
        net_close(&net);
    }
}

static void without_cross_weights_it_is_a_score_in_disguise(void **state)
{
    size_t n_triples = 0;

    (void)state;
    FOR_EACH_TRIAL(t, seed, 100)
    {
        struct net net;
        float ab[2], bc[2], ac[2], lead[3];

        snprintf(t.text[2], sizeof t.text[2], "cross=0");
        net = net_open(&t, seed);
        for (uint32_t a = 0; a + 2 < t.x.n; a++) {
            const peck_duel duel[] = { { a, a + 1 }, { a + 1, a + 2 }, { a, a + 2 } };
            float out[3][2];

            ask(&net, duel, 3, out);
            memcpy(ab, out[0], sizeof ab), memcpy(bc, out[1], sizeof bc);
            memcpy(ac, out[2], sizeof ac);
            /* Each output knows one document only. */
            assert_true(ab[0] == ac[0] && ab[1] == bc[0] && bc[1] == ac[1]);
            net.family->compares->decide(net.shape, net.w, net.view, duel, 3, lead);
            if (lead[0] >= 0.0f && lead[1] >= 0.0f)
                assert_true(lead[2] >= 0.0f);
            n_triples++;
        }
        net_close(&net);
    }
    assert_true(n_triples > 300);
}

/* Against the paper's own formula -------------------------------------------------- */

static double curve(const struct trial *t, double z)
{
    return strcmp(t->setting[1], "activation=tanh") == 0 ? tanh(z) : 1.0 / (1.0 + exp(-z));
}

enum { MOST_WIDE = 64 };

/* at[] through the tower, one layer after the other; returns what comes out, and moves *w
 * past its weights.  *width is left at the units. */
static size_t climb(const struct trial *t, const double **w, double *at, const char **width)
{
    size_t in = t->x.dim;

    *width = t->setting[0] + strlen("hidden=");
    for (; strchr(*width, '-') != NULL; *width = strchr(*width, '-') + 1) {
        const size_t out = strtoul(*width, NULL, 10);
        double sum[MOST_WIDE];

        for (size_t j = 0; j < out; j++) {
            sum[j] = (*w)[in * out + j];
            for (size_t i = 0; i < in; i++)
                sum[j] += at[i] * (*w)[i * out + j];
        }
        for (size_t j = 0; j < out; j++)
            at[j] = curve(t, sum[j]);
        *w += (in + 1) * out;
        in = out;
    }
    return in;
}

/* All hidden neurons written out, duals too, with weights copied by the sharing rules. */
static void plain_duel(const struct trial *t, const double *all, peck_duel duel,
                       double out[2])
{
    const bool has_cross = strcmp(t->setting[2], "cross=1") == 0;
    const double *w = all;
    const char *width = NULL;
    double x[MOST_WIDE], y[MOST_WIDE];

    for (size_t k = 0; k < t->x.dim; k++) {
        x[k] = t->x.x[duel.i * t->x.stride + k];
        y[k] = t->x.x[duel.j * t->x.stride + k];
    }
    (void)climb(t, &w, y, &width);
    w = all;
    const size_t dim = climb(t, &w, x, &width), units = strtoul(width, NULL, 10) / 2;
    const size_t columns = has_cross ? 2 * units : units;
    const double *const b = w + dim * columns, *const win = b + units;
    const double *const lose = win + units, bias = *(has_cross ? lose + units : lose);
    double net[2] = { bias, bias };

    for (size_t i = 0; i < 2 * units; i++) {
        const bool is_dual = i >= units;
        const size_t at = is_dual ? i - units : i;
        const double w_lose = has_cross ? lose[at] : 0.0;
        double z = b[at];

        for (size_t k = 0; k < dim; k++) {
            const double vx = w[k * columns + at];
            const double vy = has_cross ? w[k * columns + units + at] : 0.0;

            z += (is_dual ? vy : vx) * x[k] + (is_dual ? vx : vy) * y[k];
        }
        net[0] += (is_dual ? w_lose : win[at]) * curve(t, z);
        net[1] += (is_dual ? win[at] : w_lose) * curve(t, z);
    }
    out[0] = 1.0 / (1.0 + exp(-net[0]));
    out[1] = 1.0 / (1.0 + exp(-net[1]));
}

static void outputs_are_those_of_the_net_written_out(void **state)
{
    (void)state;
    FOR_EACH_TRIAL(t, seed, 200)
    {
        struct net net = net_open(&t, seed);
        double *const w = calloc(net.n_weights, sizeof *w), plain[2];
        float out[MOST_DUELS][2];

        for (size_t i = 0; i < net.n_weights; i++)
            w[i] = net.w[i];
        ask(&net, t.duel, t.n_duels, out);
        for (size_t k = 0; k < t.n_duels; k++) {
            plain_duel(&t, w, t.duel[k], plain);
            assert_true(fabs(plain[0] - out[k][0]) < 2e-5);
            assert_true(fabs(plain[1] - out[k][1]) < 2e-5);
        }
        free(w);
        net_close(&net);
    }
}

/* Derivatives ---------------------------------------------------------------------- */

/* L = sum_k c_k . out_k */
static double loss(struct twin *twin, const struct trial *t, const double *w,
                   const double (*c)[2])
{
    double out[MOST_DUELS][2], sum = 0.0;

    twin_duels(twin, w, t->x, t->duel, t->n_duels, out);
    for (size_t k = 0; k < t->n_duels; k++)
        sum += c[k][0] * out[k][0] + c[k][1] * out[k][1];
    return sum;
}

/* Richardson's step makes the difference good to h^4. */
static double difference(struct twin *twin, const struct trial *t, double *w, size_t i,
                         const double (*c)[2])
{
    const double kept = w[i];
    double slope[2];

    for (int k = 0; k < 2; k++) {
        const double step = k == 0 ? 1e-3 : 5e-4;

        w[i] = kept + step;
        const double up = loss(twin, t, w, c);

        w[i] = kept - step;
        slope[k] = (up - loss(twin, t, w, c)) / (2 * step);
        w[i] = kept;
    }
    return (4 * slope[1] - slope[0]) / 3;
}

static void check_gradient(const struct trial *t, uint64_t seed)
{
    struct twin *const twin = twin_open("cmpnn", t->setting, t->x.dim);
    const size_t n = twin_n_weights(twin);
    double *const w = calloc(n, sizeof *w), *const dw = calloc(n, sizeof *dw);
    double c[MOST_DUELS][2];
    struct rng r;

    rng_seed(&r, seed, 2);
    for (size_t i = 0; i < n; i++)
        w[i] = 0.5 * rng_normal(&r);
    for (size_t k = 0; k < t->n_duels; k++)
        c[k][0] = rng_normal(&r), c[k][1] = rng_normal(&r);
    (void)loss(twin, t, w, c);
    dw[n - 1] = 3.0; /* what stands there is added to */
    twin_duels_back(twin, w, t->x, t->duel, t->n_duels, c, dw);
    dw[n - 1] -= 3.0;
    for (size_t k = 0; k < 60; k++) {
        const size_t last = n - 1 - k / 2,
                     i = k % 2 == 0 && k / 2 < n ? last : rng_below(&r, n);
        const double found = difference(twin, t, w, i, c);

        if (fabs(found - dw[i]) > 1e-6 * (fabs(found) + 1e-2))
            fail_msg("seed %llu, %s %s %s, weight %zu of %zu: %.12g, but %.12g",
                     (unsigned long long)seed, t->setting[0], t->setting[1], t->setting[2],
                     i, n, dw[i], found);
    }
    free(w);
    free(dw);
    twin_free(twin);
}

static void derivatives_match_differences(void **state)
{
    (void)state;
    FOR_EACH_TRIAL(t, seed, 250)
    {
        check_gradient(&t, seed);
    }
}

static void check_agreement(const struct trial *t, uint64_t seed)
{
    struct net net = net_open(t, seed);
    const struct family *const f = net.family;
    const size_t n = net.n_weights, size = f->compares->view_size(net.shape);
    struct twin *const twin = twin_open("cmpnn", t->setting, t->x.dim);
    double *const w = calloc(n, sizeof *w), *const dwide = calloc(n, sizeof *dwide);
    float *const dw = calloc(n, sizeof *dw), *const dview = calloc(t->x.n * size, 4);
    float *const keep = calloc(t->n_duels * f->compares->kept(net.shape), sizeof *keep);
    float out[MOST_DUELS][2], c[MOST_DUELS][2];
    double wide[MOST_DUELS][2], c_wide[MOST_DUELS][2];

    for (size_t i = 0; i < n; i++)
        w[i] = net.w[i];
    for (size_t k = 0; k < 2 * t->n_duels; k++)
        c_wide[k / 2][k % 2] = c[k / 2][k % 2] = (float)(k % 7) - 2.5f;
    f->compares->duels(net.shape, net.w, net.view, t->duel, t->n_duels, out, keep);
    twin_duels(twin, w, t->x, t->duel, t->n_duels, wide);
    for (size_t k = 0; k < t->n_duels; k++)
        assert_true(fabs(out[k][0] - wide[k][0]) + fabs(out[k][1] - wide[k][1]) < 4e-5);
    f->compares->duels_back(net.shape, net.w, net.view, t->duel, t->n_duels, c, keep, dview,
                            dw);
    f->compares->view_back(net.shape, net.w, t->x, dview, dw, net.scratch);
    twin_duels_back(twin, w, t->x, t->duel, t->n_duels, c_wide, dwide);
    for (size_t i = 0; i < n; i++)
        if (fabs(dw[i] - dwide[i]) > 1e-3 * (1.0 + fabs(dwide[i])))
            fail_msg("seed %llu: dw[%zu] is %.9g, but %.9g", (unsigned long long)seed, i,
                     (double)dw[i], dwide[i]);
    free(w), free(dwide), free(dw), free(dview), free(keep);
    twin_free(twin);
    net_close(&net);
}

static void float_agrees_with_double(void **state)
{
    (void)state;
    FOR_EACH_TRIAL(t, seed, 150)
    {
        check_agreement(&t, seed);
    }
}

/* Shape ---------------------------------------------------------------------------- */

static void an_odd_number_of_hidden_units_is_refused(void **state)
{
    static const char *const odd[] = { "hidden=7", "hidden=8-7", "hidden=8-6-1" };

    (void)state;
    for (size_t i = 0; i < N_OF(odd); i++) {
        assert_null(shape_open(family_named("cmpnn"), (const char *const[]){ odd[i], NULL },
                               3, &err));
        assert_failed(err, PECK_ARG, "has a dual");
    }
}

static void widths_that_make_no_sense_are_refused(void **state)
{
    static const char *const bad[] = {
        "hidden=",
        "hidden=0",
        "hidden=4098",
        "hidden=x",
        "hidden=-4",
        "hidden=4-",
        "hidden=8--4",
        "hidden=0-4",
        "hidden=4-0",
        "hidden=8-4098",
        "hidden=8,,4",
        "hidden=8x4",
        "hidden=65537-4",
        "hidden=1e2",
        "hidden=8-4.0",
        "hidden=8 - 4",
        "hidden=8-40000",
        "hidden=18446744073709551617-4",
        "hidden=1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-2",
    };
    static const char *const good[] = {
        "hidden=2",          "hidden=4096",       "hidden=1-2",
        "hidden=65536-4096", "hidden=65536,4096", "hidden=1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-2",
    };

    (void)state;
    for (size_t i = 0; i < N_OF(bad); i++) {
        assert_null(shape_open(family_named("cmpnn"), (const char *const[]){ bad[i], NULL },
                               3, &err));
        assert_failed(err, PECK_ARG, "give an even number of units, 2 to 4096");
    }
    /* Which of several numbers must be even is said where there are several. */
    assert_null(shape_open(family_named("cmpnn"), (const char *const[]){ "hidden=3", NULL },
                           3, &err));
    assert_failed(err, PECK_ARG, "give an even number");
    assert_null(strstr(err.text, "at the end"));
    assert_null(shape_open(family_named("cmpnn"),
                           (const char *const[]){ "hidden=4-3", NULL }, 3, &err));
    assert_failed(err, PECK_ARG, "give an even number at the end");
    for (size_t i = 0; i < N_OF(good); i++) {
        void *const s = shape_open(family_named("cmpnn"),
                                   (const char *const[]){ good[i], NULL }, 3, &err);

        assert_non_null(s);
        free(s);
    }
}

/* Biases start at 0 and are held down by nothing; all else starts somewhere. */
static void biases_are_set_apart(void **state)
{
    static const char *const setting[] = { "hidden=8-6-20", NULL };
    enum { N = 5 * 8 + 8 + 8 * 6 + 6 + 6 * 20 + 10 + 20 + 1 };
    const struct family *const f = family_named("cmpnn");
    void *const s = shape_open(f, setting, 5, &err);
    unsigned char is_decayed[N];
    float w[N];
    size_t n_biases = 0;
    struct rng r;

    (void)state;
    assert_int_equal(f->n_weights(s), N);
    rng_seed(&r, 1, 1);
    f->init(s, &r, w);
    f->decayed(s, is_decayed);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(is_decayed[i], w[i] != 0.0f);
        n_biases += !is_decayed[i];
    }
    assert_int_equal(n_biases, 8 + 6 + 10 + 1);
    assert_true(w[5 * 8] == 0.0f && w[5 * 8 + 8] != 0.0f && w[N - 1] == 0.0f);
    free(s);
}

static void each_weight_is_stored_once(void **state)
{
    static const struct {
        const char *setting[3];
        size_t n;
    } shape[] = {
        { { "hidden=20", "cross=1" }, 44 * 20 + 10 + 20 + 1 },
        { { "hidden=20", "cross=0" }, 44 * 10 + 10 + 10 + 1 },
        { { "hidden=2", "cross=1" }, 44 * 2 + 1 + 2 + 1 },
        { { "hidden=8-6-20", "cross=1" }, 45 * 8 + 9 * 6 + 6 * 20 + 10 + 20 + 1 },
        { { "hidden=8-20", "cross=0" }, 45 * 8 + 8 * 10 + 10 + 10 + 1 },
    };

    (void)state;
    for (size_t i = 0; i < N_OF(shape); i++) {
        void *const s = shape_open(family_named("cmpnn"), shape[i].setting, 44, &err);

        assert_int_equal(family_named("cmpnn")->n_weights(s), shape[i].n);
        free(s);
    }
}

/* More duels than a block holds, in one call and one by one. */
static void a_batch_gives_what_single_duels_give(void **state)
{
    enum { N = 700, DOCS = 30, DIM = 5 };
    struct trial t = { .setting = { "hidden=50" }, .x = { NULL, DOCS, DIM, DIM } };
    static peck_duel duel[N];
    static float out[N][2], lead[N];
    float *const x = random_floats(DOCS * DIM, 3);
    float alone[1][2], side;
    struct rng r;

    (void)state;
    t.x.x = x;
    struct net net = net_open(&t, 5);

    rng_seed(&r, 1, 1);
    for (size_t k = 0; k < N; k++)
        duel[k] =
            (peck_duel){ (uint32_t)rng_below(&r, DOCS), (uint32_t)rng_below(&r, DOCS) };
    ask(&net, duel, N, out);
    net.family->compares->decide(net.shape, net.w, net.view, duel, N, lead);
    for (size_t k = 0; k < N; k++) {
        ask(&net, &duel[k], 1, alone);
        net.family->compares->decide(net.shape, net.w, net.view, &duel[k], 1, &side);
        assert_memory_equal(alone[0], out[k], sizeof out[k]);
        assert_true(side == lead[k]);
    }
    free(x);
    net_close(&net);
}

static void a_shape_says_whether_it_has_cross_weights(void **state)
{
    static const char *const setting[][3] = { { "hidden=4", "cross=1" },
                                              { "hidden=4", "cross=0" } };
    static const char *const told[] = { "2x3-4-2 tanh",
                                        "2x3-4-2 tanh without cross weights" };

    (void)state;
    for (size_t k = 0; k < N_OF(told); k++) {
        const struct family *const f = family_named("cmpnn");
        void *const shape = shape_open(f, setting[k], 3, &err);
        struct text t;

        assert_non_null(shape);
        text_init(&t, 100);
        f->describe(shape, &t);
        assert_string_equal(t.s, told[k]);
        text_free(&t);
        free(shape);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_outputs_change_places_with_the_documents),
        cmocka_unit_test(a_document_draws_with_itself),
        cmocka_unit_test(the_decision_is_the_side_of_the_larger_output),
        cmocka_unit_test(a_view_is_the_same_in_any_company),
        cmocka_unit_test(without_cross_weights_it_is_a_score_in_disguise),
        cmocka_unit_test(outputs_are_those_of_the_net_written_out),
        cmocka_unit_test(derivatives_match_differences),
        cmocka_unit_test(float_agrees_with_double),
        cmocka_unit_test(an_odd_number_of_hidden_units_is_refused),
        cmocka_unit_test(widths_that_make_no_sense_are_refused),
        cmocka_unit_test(a_shape_says_whether_it_has_cross_weights),
        cmocka_unit_test(biases_are_set_apart),
        cmocka_unit_test(each_weight_is_stored_once),
        cmocka_unit_test(a_batch_gives_what_single_duels_give),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
