/* penalty.c -- soft logic: how far a clause is from holding, and which way to go.
 *
 *   expected position   pos_d = 1 + sum over i != d of s(alpha (f_i - f_d))
 *   top(k, d)           s(beta (k + 1/2 - pos_d))
 *   before(d, e)        s(alpha (f_d - f_e)), 0 where d is e
 *   matrix              t = sum over true rows c of exp(-|x - c|^2 / (2 sigma^2)), or
 *                       t = 1 - the same sum over false rows;  phi = max(1 - t, 0)
 *   forall, exists      the largest phi over the documents (or the mean); the smallest
 *
 * with s(z) = 1 / (1 + e^-z), f the scores, x the truth values of the propositions.
 * A Gaussian over x is a product over propositions: w0 and w1 hold the factors for
 * "false" and "true".  The documents of the last quantifier are done together, a strip:
 * what does not depend on them is one number, the rest are arrays.  What is smallest or
 * largest has the gradient of one combination of documents alone, so going back costs
 * next to nothing.
 *
 * Where preferences take the place of scores (penalty_add_leads), f_i - f_d above is the
 * lead of i over d, whatever that is made of, and derivatives are by the leads.
 *
 * Second derivatives (penalty_add_newton): for every direction v of the scores
 *     v' H v  <=  sum_i h_i v_i^2,   H the second derivatives of the weighted penalties
 * wherever there are any, so that no tie of documents (a leaf of a tree) makes a step too
 * long.  With q_d = dphi / dpos_d and p_j = dpos_d / df_j:
 *     what positions bend   |q_d| alpha^2 s (1 - s) (v_i - v_d)^2, and (a - b)^2 <= 2 a^2 + 2 b^2
 *     what top() and the mixture bend   c (p . v)^2 <= c |p|_1 sum_j |p_j| v_j^2
 * with c from the rows of the table: see gaussian_push.  A bend that would lengthen the step
 * is left out where top() and the mixture have it, and counted as if it shortened the step
 * where s() has it: there it changes its sign within a step.
 *
 * Papini and Diligenti 2012, Eqs. 5 and 6.  The half in top() is ours: it puts the
 * threshold between the places k and k + 1.  The t-norms take the matrix as it is
 * written; phi = 1 - its value.                                                      */
#include "tree.h"

#include "../base/maths.h"

enum pick { PICK_LARGEST, PICK_SMALLEST, PICK_MEAN };
enum {
    N_TEMPORARY = 5,  /* arrays of a number a document */
    BLOCK = 16,       /* numbers that curves take at once: what is left of one costs more */
    SHORT_ROWS = 256, /* leads that become probabilities together */
    SHORT_LIST = 64   /* documents; both are whole blocks */
};

/* One query, all rules. */
struct sight {
    const struct bound *bound;
    const struct scene *scene;
    size_t n;
    double alpha;     /* times each rule's own */
    const real *s;    /* NULL: there are leads */
    const real *lead; /* [n][n]: of the first document over the second */
    real *g;          /* by each score, or by each lead; NULL: values alone */
    real *h;          /* [n], above; NULL: nobody asks */
    real *pos;        /* [n_alphas][n] */
    real *dpos;
    real *bend, *spread; /* of each position: |q_d| and c, above */
    bool has_pos[MAX_RULES];
    real *row, *product, *sum, *slope, *curve; /* n each */
    /* The rule at hand: */
    const struct rule *rule;
    /* [n_atoms][n]: of what is about one document, for each; of what is about two, for
     * the strip. */
    real *x, *w0, *w1;
    double *side;               /* [n_atoms][2][n]: both sides of a comparison of two */
    uint32_t *choice[MAX_VARS]; /* level l: the document picked, for each of n^l ways */
    uint32_t doc[MAX_VARS];     /* of each variable */
    /* Where the strip finds atom a of its document i: at + i step. */
    size_t at[MAX_ATOMS], step[MAX_ATOMS];
};

/* Positions -------------------------------------------------------------------------- */

/* to[i] = by * (lead of document d over document first + i). */
static void find_leads(const struct sight *v, real by, size_t d, size_t first, size_t n,
                       real *to)
{
    const real *const s = v->s, *const lead = v->lead;

    if (s != NULL)
        for (size_t i = 0; i < n; i++)
            to[i] = by * (s[d] - s[first + i]);
    else
        for (size_t i = 0; i < n; i++)
            to[i] = by * lead[d * v->n + first + i];
}

/* Adds d(weighted penalty) / d(lead of document d over document e). */
static void push_lead(struct sight *v, size_t d, size_t e, real push)
{
    if (v->s == NULL) {
        v->g[d * v->n + e] += push;
        return;
    }
    v->g[d] += push;
    v->g[e] -= push;
}

/* Each pair once: what does not come before comes after. */
static void find_positions(struct sight *v, size_t which)
{
    const real alpha = (real)(v->alpha * v->bound->rules->alpha[which]);
    real *const pos = v->pos + which * v->n;

    if (v->has_pos[which])
        return;
    v->has_pos[which] = true;
    for (size_t i = 0; i < v->n; i++)
        pos[i] = 1;
    for (size_t i = 0, end; i + 1 < v->n; i = end) {
        real some[SHORT_ROWS], *row = some;
        size_t n = 0;

        /* Rows i .. end - 1: as many as go at once, or a long one alone. */
        for (end = i; end + 1 < v->n && n + v->n - end - 1 <= SHORT_ROWS; end++) {
            find_leads(v, alpha, end, end + 1, v->n - end - 1, some + n);
            n += v->n - end - 1;
        }
        if (end == i) {
            n = v->n - ++end;
            row = v->row;
            find_leads(v, alpha, i, i + 1, n, row);
        }
        for (; row == some && n % BLOCK != 0; n++)
            some[n] = 0;
        real_sigmoid(row, n);
        for (size_t k = i; k < end; row += v->n - ++k) {
            const size_t m = v->n - k - 1;

            real_axpy(m, 1, row, pos + k + 1);
            pos[k] += (real)((double)m - real_sum(row, m));
        }
    }
    for (size_t i = which * v->n; i < (which + 1) * v->n; i++)
        v->dpos[i] = v->bend[i] = v->spread[i] = 0;
}

/* What the position of d, whose row holds the s_j (1 - s_j), adds to h. */
static void bend_position(const struct sight *v, size_t which, size_t d, real alpha)
{
    const real sum = (real)real_sum(v->row, v->n);
    const real each =
        2 * alpha * alpha * (v->bend[which * v->n + d] + v->spread[which * v->n + d] * sum);

    real_axpy(v->n, each, v->row, v->h);
    v->h[d] += each * sum;
}

/* From dpos to g, and to h. */
static void push_positions(struct sight *v, size_t which)
{
    const real alpha = (real)(v->alpha * v->bound->rules->alpha[which]);
    const real *const dpos = v->dpos + which * v->n;

    for (size_t d = 0; v->has_pos[which] && d < v->n; d++) {
        /* With s_j = s(alpha (f_j - f_d)): dpos_d / df_j = alpha s_j (1 - s_j) for j
         * other than d, and minus the sum of these for d itself. */
        const real push = alpha * dpos[d];

        if (push == 0 && v->bend[which * v->n + d] == 0)
            continue;
        find_leads(v, -alpha, d, 0, v->n, v->row);
        real_sigmoid(v->row, v->n);
        v->row[d] = 0;
        for (size_t j = 0; j < v->n; j++)
            v->row[j] *= 1 - v->row[j];
        if (v->h != NULL)
            bend_position(v, which, d, alpha);
        if (v->s == NULL) {
            real_axpy(v->n, -push, v->row, v->g + d * v->n);
            continue;
        }
        real_axpy(v->n, push, v->row, v->g);
        v->g[d] -= push * (real)real_sum(v->row, v->n);
    }
}

/* Propositions ----------------------------------------------------------------------- */

/* Factors from truth values. */
static void weigh(struct sight *v, size_t atom, size_t n)
{
    const double sigma = v->rule->config.sigma;
    const real scale = (real)(-0.5 / (sigma * sigma));
    const real *const x = v->x + atom * v->n;
    real *const w0 = v->w0 + atom * v->n, *const w1 = v->w1 + atom * v->n;

    const size_t filled = (n + BLOCK - 1) / BLOCK * BLOCK;
    real both[2 * SHORT_LIST];
    const bool is_short = n <= SHORT_LIST;
    real *const f0 = is_short ? both : w0, *const f1 = is_short ? both + filled : w1;

    for (size_t i = 0; i < n; i++) {
        f0[i] = scale * x[i] * x[i];
        f1[i] = scale * (x[i] - 1) * (x[i] - 1);
    }
    if (!is_short) {
        real_exp(f0, n);
        real_exp(f1, n);
        return;
    }
    for (size_t i = n; i < filled; i++)
        f0[i] = f1[i] = 0;
    real_exp(both, 2 * filled);
    memcpy(w0, f0, n * sizeof *w0);
    memcpy(w1, f1, n * sizeof *w1);
}

/* The same where each truth value is 0 or 1; far: the factor of what is not so. */
static void weigh_hard(struct sight *v, size_t atom, size_t n, real far)
{
    const real *const x = v->x + atom * v->n;
    real *const w0 = v->w0 + atom * v->n, *const w1 = v->w1 + atom * v->n;

    for (size_t i = 0; i < n; i++) {
        w0[i] = x[i] > 0 ? far : 1;
        w1[i] = x[i] > 0 ? 1 : far;
    }
}

/* All that can be known before documents are chosen: of propositions about one document or
 * none their truth; of "term of one document < term of another" both sides. */
static void find_truths(struct sight *v)
{
    const struct rule *const rule = v->rule;
    const real *const pos = v->pos + rule->steepness * v->n;
    real far = (real)(-0.5 / (rule->config.sigma * rule->config.sigma));

    real_exp(&far, 1);
    for (uint32_t a = 0; a < rule->n_atoms; a++) {
        const struct atom *const atom = &rule->atom[a];
        const struct node *const node = &v->bound->rules->node[atom->node];
        const size_t n = atom->n_vars == 0 ? 1 : v->n;
        double *const left = v->side + 2 * a * v->n, *const right = left + v->n;
        real *const x = v->x + a * v->n;

        for (uint32_t i = 0; atom->is_separable && i < v->n; i++) {
            v->doc[atom->side[0]] = v->doc[atom->side[1]] = i;
            left[i] = term_value(v->bound, node->left, v->scene, v->doc);
            right[i] = term_value(v->bound, node->right, v->scene, v->doc);
        }
        if (atom->n_vars == 2)
            continue;
        if (atom->is_ranking) {
            const real beta = (real)rule->config.beta, edge = (real)(node->number + 0.5);

            find_positions(v, rule->steepness);
            for (size_t i = 0; i < n; i++)
                x[i] = beta * (edge - pos[i]);
            real_sigmoid(x, n);
        }
        for (uint32_t i = 0; !atom->is_ranking && i < n; i++) {
            v->doc[atom->var[0]] = i;
            x[i] = (real)atom_value(v->bound, atom->node, v->scene, v->doc);
        }
        if (atom->is_ranking || node->kind == NODE_SOFT)
            weigh(v, a, n);
        else
            weigh_hard(v, a, n, far);
    }
}

/* Strips ----------------------------------------------------------------------------- */

/* A proposition about two documents, the strip's and one that is chosen. */
static void fill_strip(struct sight *v, uint32_t a, uint32_t last)
{
    const struct atom *const atom = &v->rule->atom[a];
    const enum node_kind kind = v->bound->rules->node[atom->node].kind;
    const uint32_t other = v->doc[atom->var[0] == last ? atom->var[1] : atom->var[0]];
    const double *const left = v->side + 2 * a * v->n, *const right = left + v->n;
    const double sigma = v->rule->config.sigma;
    const real alpha = (real)(v->alpha * v->rule->config.alpha);
    const real sign = atom->var[0] == last ? alpha : -alpha; /* who comes before whom */
    const bool is_left = atom->side[0] == last;
    real *const x = v->x + a * v->n;

    if (kind == NODE_BEFORE) {
        find_leads(v, -sign, other, 0, v->n, x);
        real_sigmoid(x, v->n);
        x[other] = 0;
    }
    for (size_t i = 0; atom->is_separable && i < v->n; i++) {
        const double l = is_left ? left[i] : left[other];
        const double r = is_left ? right[other] : right[i];

        x[i] = kind == NODE_LESS ? l < r : l == r;
    }
    for (uint32_t i = 0; kind != NODE_BEFORE && !atom->is_separable && i < v->n; i++) {
        v->doc[last] = i;
        x[i] = (real)atom_value(v->bound, atom->node, v->scene, v->doc);
    }
    if (kind == NODE_BEFORE || kind == NODE_SOFT) {
        weigh(v, a, v->n);
        return;
    }
    weigh_hard(v, a, v->n, (real)math_exp(-0.5 / (sigma * sigma)));
}

/* Sets at and step, for the documents chosen so far and all of the last quantifier. */
static void open_strip(struct sight *v)
{
    const struct rule *const rule = v->rule;
    const uint32_t last =
        rule->n_prefix > 0 ? rule->prefix[rule->n_prefix - 1].var : NO_NODE;

    for (uint32_t a = 0; a < rule->n_atoms; a++) {
        const struct atom *const atom = &rule->atom[a];
        const bool is_first = atom->n_vars > 0 && atom->var[0] == last;
        const bool is_second = atom->n_vars > 1 && atom->var[1] == last;
        const bool is_fixed = atom->n_vars == 1 && !is_first;

        v->at[a] = a * v->n + (is_fixed ? v->doc[atom->var[0]] : 0);
        v->step[a] = is_first || is_second;
        if (atom->n_vars < 2)
            continue;
        if (v->step[a] > 0) {
            fill_strip(v, a, last);
            continue;
        }
        /* Both documents are chosen. */
        const uint32_t d = v->doc[atom->var[0]], e = v->doc[atom->var[1]];
        real *const x = v->x + a * v->n;

        if (atom->is_ranking) {
            find_leads(v, (real)(v->alpha * rule->config.alpha), d, e, 1, x);
            real_sigmoid(x, 1);
            x[0] = d == e ? 0 : x[0];
        } else {
            x[0] = (real)atom_value(v->bound, atom->node, v->scene, v->doc);
        }
        weigh(v, a, 1);
    }
}

static size_t strip_length(const struct sight *v)
{
    return v->rule->n_prefix > 0 ? v->n : 1;
}

static real truth_at(const struct sight *v, uint32_t a, size_t i)
{
    return v->x[v->at[a] + i * v->step[a]];
}

/* The matrix as a mixture of Gaussians ----------------------------------------------- */

/* product[lo .. hi) of one row of the truth table. */
static void row_product(const struct sight *v, uint16_t row, size_t lo, size_t hi)
{
    const struct rule *const rule = v->rule;
    real *const product = v->product;
    real common = 1;

    for (uint32_t a = 0; a < rule->n_atoms; a++)
        if (v->step[a] == 0)
            common *= (row >> a & 1 ? v->w1 : v->w0)[v->at[a]];
    for (size_t i = lo; i < hi; i++)
        product[i] = common;
    for (uint32_t a = 0; a < rule->n_atoms; a++) {
        const real *const w = (row >> a & 1 ? v->w1 : v->w0) + v->at[a];

        for (size_t i = lo; v->step[a] > 0 && i < hi; i++)
            product[i] *= w[i];
    }
}

static void sum_rows(const struct sight *v, size_t lo, size_t hi)
{
    for (size_t i = lo; i < hi; i++)
        v->sum[i] = 0;
    for (size_t r = 0; r < v->rule->n_rows; r++) {
        row_product(v, v->rule->row[r], lo, hi);
        for (size_t i = lo; i < hi; i++)
            v->sum[i] += v->product[i];
    }
}

/* Passes slope[lo .. hi), d(weighted penalty) / dx of a ranking proposition, on to the
 * leads, or to the positions; with h, also curve[lo .. hi), by which the weighted penalty
 * bends in x.
 * x = s(z), so dx/dz = x (1 - x).  z of top(k, d) falls by beta with the position of d;
 * that of before(d, e) rises by alpha with the lead of d over e. */
static void push_truths(struct sight *v, uint32_t a, size_t lo, size_t hi)
{
    const struct atom *const atom = &v->rule->atom[a];
    const uint32_t last =
        v->rule->n_prefix > 0 ? v->rule->prefix[v->rule->n_prefix - 1].var : NO_NODE;
    const bool is_top = atom->n_vars == 1;
    const real factor =
        (real)(is_top ? -v->rule->config.beta : v->alpha * v->rule->config.alpha);
    const size_t first = v->rule->steepness * v->n;

    for (size_t i = lo; i < hi; i++) {
        const real x = truth_at(v, a, i), dx = x * (1 - x), slope = v->slope[i];
        const real push = factor * slope * x * (1 - x);
        const size_t d = atom->var[0] == last ? i : v->doc[atom->var[0]];
        const size_t e = is_top ? d : atom->var[1] == last ? i : v->doc[atom->var[1]];

        if (is_top)
            v->dpos[first + d] += push;
        else
            push_lead(v, d, e, push);
        if (v->h == NULL)
            continue;
        const real bent = factor * factor * dx * dx * v->curve[i]; /* (dx/dz)^2 d2/dx2 */

        if (is_top) {
            v->bend[first + d] += (real)fabs((double)push);
            v->spread[first + d] +=
                bent +
                factor * factor * dx * (real)math_max((double)(slope * (1 - 2 * x)), 0.0);
        } else if (d != e) {
            const real both = 2 * (bent + factor * factor * dx * (real)fabs((double)slope));

            v->h[d] += both;
            v->h[e] += both;
        }
    }
}

/* How much the mixture bends at most, in any direction of the x: with r a row, c - x the
 * distance to it and u a direction,
 *     d2r/du2 = r ((c - x) . u)^2 / sigma^4 - r |u|^2 / sigma^2
 * so  sum r / sigma^2  bounds minus the sum over true rows, and
 *     sum r max(0, |c - x|^2 / sigma^4 - 1 / sigma^2)  that over false ones. */
static void gaussian_bend(struct sight *v, size_t lo, size_t hi, double weight)
{
    const struct rule *const rule = v->rule;
    const double sigma = rule->config.sigma, per = weight / (sigma * sigma);

    for (size_t i = lo; i < hi; i++)
        v->curve[i] = rule->is_of_true && v->sum[i] < 1 ? (real)per * v->sum[i] : 0;
    for (size_t r = 0; !rule->is_of_true && r < rule->n_rows; r++) {
        row_product(v, rule->row[r], lo, hi);
        for (size_t i = lo; i < hi; i++) {
            real apart = 0;

            for (uint32_t a = 0; a < rule->n_atoms; a++) {
                const real by = (real)(rule->row[r] >> a & 1) - truth_at(v, a, i);

                apart += rule->atom[a].is_ranking ? by * by : 0;
            }
            v->curve[i] +=
                (real)(per * math_max((double)apart / (sigma * sigma) - 1.0, 0.0)) *
                v->product[i];
        }
    }
}

/* dt/dx_a = sum over rows of row * (c_a - x_a) / sigma^2; nothing where phi is cut off. */
static void gaussian_push(struct sight *v, size_t lo, size_t hi, double weight)
{
    const struct rule *const rule = v->rule;
    const double sigma = rule->config.sigma;
    const real scale = (real)((rule->is_of_true ? -weight : weight) / (sigma * sigma));

    sum_rows(v, lo, hi);
    if (v->h != NULL)
        gaussian_bend(v, lo, hi, weight);
    for (uint32_t a = 0; a < rule->n_atoms; a++) {
        if (!rule->atom[a].is_ranking)
            continue;
        for (size_t i = lo; i < hi; i++)
            v->slope[i] = 0;
        for (size_t r = 0; r < rule->n_rows; r++) {
            const real c = rule->row[r] >> a & 1;

            row_product(v, rule->row[r], lo, hi);
            for (size_t i = lo; i < hi; i++)
                v->slope[i] += v->product[i] * (c - truth_at(v, a, i));
        }
        for (size_t i = lo; i < hi; i++)
            v->slope[i] *= rule->is_of_true && v->sum[i] >= 1 ? 0 : scale;
        push_truths(v, a, lo, hi);
    }
}

/* The matrix under a t-norm ---------------------------------------------------------- */

static double both(int logic, double a, double b, double *da, double *db)
{
    switch ((enum rule_logic)logic) {
    case LOGIC_LUKASIEWICZ:
        *da = *db = a + b > 1.0;
        return a + b > 1.0 ? a + b - 1.0 : 0.0;
    case LOGIC_MINIMUM:
        *da = a <= b;
        *db = a > b;
        return a <= b ? a : b;
    default:
        *da = b;
        *db = a;
        return a * b;
    }
}

static double either(int logic, double a, double b, double *da, double *db)
{
    return 1.0 - both(logic, 1.0 - a, 1.0 - b, da, db);
}

static double follows(int logic, double a, double b, double *da, double *db)
{
    const double value = either(logic, 1.0 - a, b, da, db);

    *da = -*da;
    return value;
}

/* The value of a connective under a logic that is no mixture; *da and *db: what its two sides
 * do to it.
 *   and    product a b;  Lukasiewicz max(0, a + b - 1);  minimum min(a, b)
 *   not    1 - a
 *   or, implies, iff by De Morgan's law: not (not a and not b), not a or b, both ways  */
static double tnorm(int logic, enum node_kind connective, double a, double b, double *da,
                    double *db)
{
    double p, q, pa, pb, qa, qb, dp, dq;

    switch (connective) {
    case NODE_AND:
        return both(logic, a, b, da, db);
    case NODE_OR:
        return either(logic, a, b, da, db);
    case NODE_IFF:
        p = follows(logic, a, b, &pa, &pb);
        q = follows(logic, b, a, &qb, &qa);
        p = both(logic, p, q, &dp, &dq);
        *da = dp * pa + dq * qa;
        *db = dp * pb + dq * qb;
        return p;
    default:
        return follows(logic, a, b, da, db);
    }
}

static double norm_value(const struct sight *v, uint32_t at, size_t i)
{
    const struct node *const n = &v->bound->rules->node[at];
    double dl, dr;

    if (is_atom(n->kind))
        return (double)truth_at(v, n->proposition, i);
    if (n->kind == NODE_TRUE || n->kind == NODE_FALSE)
        return n->kind == NODE_TRUE;
    if (n->kind == NODE_NOT)
        return 1.0 - norm_value(v, n->left, i);
    return tnorm(v->rule->config.logic, n->kind, norm_value(v, n->left, i),
                 norm_value(v, n->right, i), &dl, &dr);
}

/* Propositions of a tree, those under `iff` twice, as its value multiplies them. */
static double norm_leaves(const struct sight *v, uint32_t at)
{
    const struct node *const n = &v->bound->rules->node[at];

    if (is_atom(n->kind) || n->kind == NODE_TRUE || n->kind == NODE_FALSE)
        return is_atom(n->kind);
    if (n->kind == NODE_NOT)
        return norm_leaves(v, n->left);
    return (n->kind == NODE_IFF ? 2.0 : 1.0) *
           (norm_leaves(v, n->left) + norm_leaves(v, n->right));
}

/* How much the value bends at most.  Under the product it is linear in each of its L leaves
 * and stays in [0,1], so each of the L (L - 1) mixed derivatives is within 2; the other logics
 * have edges, and between them no bend. */
static double norm_bend(const struct sight *v)
{
    const double n = norm_leaves(v, v->rule->matrix);

    return v->rule->config.logic == LOGIC_PRODUCT ? 2.0 * n * (n - 1.0) : 0.0;
}

/* push: d(weighted penalty) / d(value of this node), at document i of the strip.
 * Back-propagation through the tree of connectives; values below a node are worked out
 * anew, as trees are small. */
static void norm_push(struct sight *v, uint32_t at, size_t i, double push)
{
    const struct node *const n = &v->bound->rules->node[at];
    double dl, dr;

    if (push == 0.0 || n->kind == NODE_TRUE || n->kind == NODE_FALSE)
        return;
    if (is_atom(n->kind)) {
        v->slope[i] = (real)push;
        if (v->rule->atom[n->proposition].is_ranking)
            push_truths(v, n->proposition, i, i + 1);
    } else if (n->kind == NODE_NOT) {
        norm_push(v, n->left, i, -push);
    } else {
        tnorm(v->rule->config.logic, n->kind, norm_value(v, n->left, i),
              norm_value(v, n->right, i), &dl, &dr);
        norm_push(v, n->left, i, push * dl);
        norm_push(v, n->right, i, push * dr);
    }
}

/* Quantifiers ------------------------------------------------------------------------ */

/* exists is min, or De Morgan's 1 - A(1 - phi) with A that of forall: min for the largest,
 * the mean itself for the mean. */
static enum pick pick_of(const struct rule *rule, size_t level)
{
    const bool is_mean = rule->config.all == ALL_MEAN;

    if (rule->prefix[level].is_forall)
        return is_mean ? PICK_MEAN : PICK_LARGEST;
    return is_mean && rule->config.some == SOME_DUAL ? PICK_MEAN : PICK_SMALLEST;
}

/* One more value of a quantifier; *best is the one picked so far. */
static bool is_picked(enum pick pick, uint32_t i, double value, double *best)
{
    const bool is_better = i == 0 || (pick == PICK_LARGEST ? value > *best : value < *best);

    if (is_better)
        *best = value;
    return is_better;
}

static double strip_value(struct sight *v, size_t way)
{
    const size_t n = strip_length(v), level = v->rule->n_prefix - 1;
    double best = 0.0;

    open_strip(v); /* then phi of each of its documents, in sum[] */
    if (v->rule->config.logic == LOGIC_GAUSSIAN) {
        sum_rows(v, 0, n);
        for (size_t i = 0; v->rule->is_of_true && i < n; i++)
            v->sum[i] = v->sum[i] < 1 ? 1 - v->sum[i] : 0;
    } else {
        for (size_t i = 0; i < n; i++)
            v->sum[i] = (real)(1.0 - norm_value(v, v->rule->matrix, i));
    }
    if (v->rule->n_prefix == 0)
        return (double)v->sum[0];
    const enum pick pick = pick_of(v->rule, level);

    if (pick == PICK_MEAN)
        return real_sum(v->sum, n) / (double)n;
    for (uint32_t i = 0; i < n; i++)
        if (is_picked(pick, i, (double)v->sum[i], &best))
            v->choice[level][way] = i;
    return best;
}

/* The penalty under the documents chosen so far; `way` numbers them among n^level.
 * All n^n_prefix combinations are looked at here; the way back follows the choices. */
static double penalty_at(struct sight *v, size_t level, size_t way)
{
    const struct rule *const rule = v->rule;
    double sum = 0.0, best = 0.0;

    if (level + 1 >= rule->n_prefix)
        return strip_value(v, way);
    const enum pick pick = pick_of(rule, level);

    for (uint32_t i = 0; i < v->n; i++) {
        v->doc[rule->prefix[level].var] = i;
        const double value = penalty_at(v, level + 1, way * v->n + i);

        sum += value;
        if (is_picked(pick, i, value, &best))
            v->choice[level][way] = i;
    }
    return pick == PICK_MEAN ? sum / (double)v->n : best;
}

static void push_strip(struct sight *v, size_t way, double weight)
{
    const struct rule *const rule = v->rule;
    const size_t n = strip_length(v), level = rule->n_prefix - 1;
    const bool is_mean = rule->n_prefix == 0 || pick_of(rule, level) == PICK_MEAN;
    const size_t lo = is_mean ? 0 : v->choice[level][way], hi = is_mean ? n : lo + 1;

    open_strip(v);
    weight /= (double)(hi - lo);
    if (rule->config.logic == LOGIC_GAUSSIAN)
        gaussian_push(v, lo, hi, weight);
    else if (v->h != NULL)
        for (size_t i = lo; i < hi; i++)
            v->curve[i] = (real)(weight * norm_bend(v));
    for (size_t i = lo; rule->config.logic != LOGIC_GAUSSIAN && i < hi; i++)
        norm_push(v, rule->matrix, i, -weight);
}

static void push_at(struct sight *v, size_t level, size_t way, double weight)
{
    const struct rule *const rule = v->rule;

    if (level + 1 >= rule->n_prefix) {
        push_strip(v, way, weight);
        return;
    }
    const uint32_t var = rule->prefix[level].var;

    if (pick_of(rule, level) != PICK_MEAN) {
        v->doc[var] = v->choice[level][way];
        push_at(v, level + 1, way * v->n + v->doc[var], weight);
        return;
    }
    for (uint32_t i = 0; i < v->n; i++) {
        v->doc[var] = i;
        push_at(v, level + 1, way * v->n + i, weight / (double)v->n);
    }
}

/* Room ------------------------------------------------------------------------------- */

static size_t most_atoms(const struct peck_rules *r)
{
    size_t most = 0;

    for (size_t i = 0; i < r->n_rules; i++)
        most = r->rule[i].n_atoms > most ? r->rule[i].n_atoms : most;
    return most;
}

size_t penalty_scratch(const struct bound *b, size_t max_docs)
{
    const struct peck_rules *const r = b->rules;
    const double n = (double)max_docs, atoms = (double)most_atoms(r);
    const double reals = n * (4.0 * (double)r->n_alphas + N_TEMPORARY + 3.0 * atoms);
    /* Of documents before the last quantifier: 1 + n + .. + n^(k-1). */
    double choices = 0.0;

    for (size_t i = 0; i < r->n_rules; i++) {
        const struct rule *const rule = &r->rule[i];
        double docs = n, ways = 1.0, all = 0.0;

        /* From three quantifiers on a query of more documents than `most` allows is refused
         * before. */
        if (rule->n_prefix > 2)
            docs = math_min(
                n, floor(math_pow((double)rule->config.most, 1.0 / rule->n_prefix) + 1e-9));
        for (uint32_t level = 0; level < rule->n_prefix; level++, ways *= docs)
            all += ways;
        choices = math_max(choices, all);
    }
    const double bytes = 2.0 * n * atoms * sizeof(double) + reals * sizeof(real) +
                         choices * sizeof(uint32_t);

    return bytes < (double)(SIZE_MAX / 2) ? (size_t)bytes : SIZE_MAX;
}

/* All rules on one query.  from: what is there to begin with. */
static double add_penalties(const struct sight *from, const double *weight, double *phi,
                            void *scratch)
{
    struct sight v = *from;
    const struct peck_rules *const r = v.bound->rules;
    const size_t n = v.n, atoms = most_atoms(r) * n;
    double total = 0.0;

    v.alpha = v.scene->alpha > 0.0 ? v.scene->alpha : 1.0;
    /* Doubles, reals, whole numbers, as penalty_scratch counts them: all are aligned. */
    v.side = scratch;
    v.pos = (real *)(void *)(v.side + 2 * atoms);
    v.dpos = v.pos + r->n_alphas * n;
    v.bend = v.dpos + r->n_alphas * n;
    v.spread = v.bend + r->n_alphas * n;
    v.row = v.spread + r->n_alphas * n;
    v.product = v.row + n;
    v.sum = v.product + n;
    v.slope = v.sum + n;
    v.curve = v.slope + n;
    v.x = v.curve + n;
    v.w0 = v.x + atoms;
    v.w1 = v.w0 + atoms;
    v.choice[0] = (uint32_t *)(void *)(v.w1 + atoms);
    for (size_t i = 0; i < r->n_rules; i++) {
        double value = 0.0;
        size_t ways = 1;

        if (weight[i] != 0.0) {
            v.rule = &r->rule[i];
            for (uint32_t level = 1; level < v.rule->n_prefix; level++, ways *= n)
                v.choice[level] = v.choice[level - 1] + ways;
            find_truths(&v);
            value = penalty_at(&v, 0, 0);
            if (v.g != NULL && value > 0.0)
                push_at(&v, 0, 0, weight[i]);
        }
        total += weight[i] * value;
        if (phi != NULL)
            phi[i] = value;
    }
    for (size_t i = 0; v.g != NULL && i < r->n_alphas; i++)
        push_positions(&v, i);
    return total;
}

double penalty_add(const struct bound *b, const struct scene *q, const double *weight,
                   const real *s, real *g, double *phi, void *scratch)
{
    const struct sight v = { .bound = b, .scene = q, .n = q->docs.n, .s = s, .g = g };

    return add_penalties(&v, weight, phi, scratch);
}

double penalty_add_newton(const struct bound *b, const struct scene *q,
                          const double *weight, const real *s, real *g, real *h,
                          void *scratch)
{
    const struct sight v = {
        .bound = b, .scene = q, .n = q->docs.n, .s = s, .g = g, .h = h
    };

    return add_penalties(&v, weight, NULL, scratch);
}

double penalty_add_leads(const struct bound *b, const struct scene *q, const double *weight,
                         const real *lead, real *dlead, double *phi, void *scratch)
{
    const struct sight v = {
        .bound = b, .scene = q, .n = q->docs.n, .lead = lead, .g = dlead
    };

    return add_penalties(&v, weight, phi, scratch);
}
