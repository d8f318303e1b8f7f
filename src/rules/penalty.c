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
 * "false" and "true", once for each document.  What is smallest or largest has the
 * gradient of one combination of documents alone, so going back costs next to nothing.
 *
 * Papini and Diligenti 2012, Eqs. 5 and 6.  The half in top() is ours: it puts the
 * threshold between the places k and k + 1.  The t-norms (and: product, Lukasiewicz's,
 * minimum) take the matrix as it is written; phi = 1 - its value.                    */
#include "tree.h"

#include <stdint.h>

enum pick { PICK_LARGEST, PICK_SMALLEST, PICK_MEAN };

/* One query, all rules. */
struct sight {
    const struct bound *bound;
    const struct scene *scene;
    size_t n;
    const real *s;
    real *g;   /* NULL: values alone */
    real *pos; /* [n_alphas][n] */
    real *dpos;
    bool has_pos[MAX_RULES];
    real *row; /* n */
    /* The rule at hand: */
    const struct rule *rule;
    real *x, *w0, *w1;          /* [n_atoms][n], of atoms about one document or none */
    uint32_t *choice[MAX_VARS]; /* level l: the document picked, for each of n^l ways */
    uint32_t doc[MAX_VARS];     /* of each variable */
};

static real sigmoid_of(real z)
{
    real_sigmoid(&z, 1);
    return z;
}

static real exp_of(real z)
{
    real_exp(&z, 1);
    return z;
}

/* Positions -------------------------------------------------------------------------- */

/* Each pair once: what does not come before comes after. */
static void find_positions(struct sight *v, size_t which)
{
    const real alpha = (real)v->bound->rules->alpha[which];
    real *const pos = v->pos + which * v->n;

    if (v->has_pos[which])
        return;
    v->has_pos[which] = true;
    for (size_t i = 0; i < v->n; i++)
        pos[i] = 1;
    for (size_t i = 0; i + 1 < v->n; i++) {
        const size_t m = v->n - i - 1;
        const real *const later = v->s + i + 1;

        for (size_t j = 0; j < m; j++)
            v->row[j] = alpha * (v->s[i] - later[j]);
        real_sigmoid(v->row, m);
        real_axpy(m, 1, v->row, pos + i + 1);
        pos[i] += (real)((double)m - real_sum(v->row, m));
    }
    for (size_t i = 0; i < v->n; i++)
        v->dpos[which * v->n + i] = 0;
}

/* From dpos to g. */
static void push_positions(struct sight *v, size_t which)
{
    const real alpha = (real)v->bound->rules->alpha[which];
    const real *const dpos = v->dpos + which * v->n;

    for (size_t d = 0; v->has_pos[which] && d < v->n; d++) {
        const real push = alpha * dpos[d];

        if (push == 0)
            continue;
        for (size_t j = 0; j < v->n; j++)
            v->row[j] = alpha * (v->s[j] - v->s[d]);
        real_sigmoid(v->row, v->n);
        v->row[d] = 0;
        for (size_t j = 0; j < v->n; j++)
            v->row[j] *= 1 - v->row[j];
        real_axpy(v->n, push, v->row, v->g);
        v->g[d] -= push * (real)real_sum(v->row, v->n);
    }
}

/* Propositions ----------------------------------------------------------------------- */

static void weigh(struct sight *v, size_t atom, size_t n)
{
    const double sigma = v->rule->config.sigma;
    const real scale = (real)(-0.5 / (sigma * sigma));
    const real *const x = v->x + atom * v->n;
    real *const w0 = v->w0 + atom * v->n, *const w1 = v->w1 + atom * v->n;

    for (size_t i = 0; i < n; i++) {
        w0[i] = scale * x[i] * x[i];
        w1[i] = scale * (x[i] - 1) * (x[i] - 1);
    }
    real_exp(w0, n);
    real_exp(w1, n);
}

/* x, w0, w1 of what is about one document, or none. */
static void find_truths(struct sight *v)
{
    const struct rule *const rule = v->rule;
    const struct peck_rules *const r = v->bound->rules;

    for (uint32_t a = 0; a < rule->n_atoms; a++) {
        const struct atom *const atom = &rule->atom[a];
        const size_t n = atom->n_vars == 0 ? 1 : v->n;
        real *const x = v->x + a * v->n;

        if (atom->n_vars == 2)
            continue;
        if (atom->is_ranking) {
            const real beta = (real)rule->config.beta,
                       edge = (real)(r->node[atom->node].number + 0.5);
            const real *const pos = v->pos + rule->steepness * v->n;

            find_positions(v, rule->steepness);
            for (size_t i = 0; i < n; i++)
                x[i] = beta * (edge - pos[i]);
            real_sigmoid(x, n);
        } else {
            for (uint32_t i = 0; i < n; i++) {
                v->doc[atom->var[0]] = i;
                x[i] = (real)atom_value(v->bound, atom->node, v->scene, v->doc);
            }
        }
        weigh(v, a, n);
    }
}

/* The truth of a proposition for the documents at hand. */
static real truth_of(const struct sight *v, uint32_t a)
{
    const struct atom *const atom = &v->rule->atom[a];

    if (atom->n_vars < 2)
        return v->x[a * v->n + (atom->n_vars == 0 ? 0 : v->doc[atom->var[0]])];
    const uint32_t d = v->doc[atom->var[0]], e = v->doc[atom->var[1]];

    if (!atom->is_ranking)
        return (real)atom_value(v->bound, atom->node, v->scene, v->doc);
    return d == e ? 0 : sigmoid_of((real)v->rule->config.alpha * (v->s[d] - v->s[e]));
}

/* Passes dphi/dx of a ranking proposition on to the scores, or to the position. */
static void push_truth(struct sight *v, uint32_t a, real push)
{
    const struct atom *const atom = &v->rule->atom[a];
    const real x = truth_of(v, a), slope = push * x * (1 - x);
    const uint32_t d = v->doc[atom->var[0]], e = v->doc[atom->var[1]];

    if (atom->n_vars == 1) {
        v->dpos[v->rule->steepness * v->n + d] -= (real)v->rule->config.beta * slope;
    } else if (d != e) {
        v->g[d] += (real)v->rule->config.alpha * slope;
        v->g[e] -= (real)v->rule->config.alpha * slope;
    }
}

/* The matrix as a mixture of Gaussians ----------------------------------------------- */

/* w[a][c]: the factor of proposition a in a row where it is c. */
static void find_factors(const struct sight *v, real w[MAX_ATOMS][2])
{
    const double sigma = v->rule->config.sigma;
    const real scale = (real)(-0.5 / (sigma * sigma));

    for (uint32_t a = 0; a < v->rule->n_atoms; a++) {
        const struct atom *const atom = &v->rule->atom[a];

        if (atom->n_vars < 2) {
            const size_t at = a * v->n + (atom->n_vars == 0 ? 0 : v->doc[atom->var[0]]);

            w[a][0] = v->w0[at];
            w[a][1] = v->w1[at];
        } else {
            const real x = truth_of(v, a);

            w[a][0] = exp_of(scale * x * x);
            w[a][1] = exp_of(scale * (x - 1) * (x - 1));
        }
    }
}

static real row_value(const struct rule *rule, uint16_t row, real w[MAX_ATOMS][2])
{
    real product = 1;

    for (uint32_t a = 0; a < rule->n_atoms; a++)
        product *= w[a][row >> a & 1];
    return product;
}

static double gaussian_value(const struct sight *v)
{
    const struct rule *const rule = v->rule;
    real w[MAX_ATOMS][2];
    double sum = 0.0;

    find_factors(v, w);
    for (size_t i = 0; i < rule->n_rows; i++)
        sum += (double)row_value(rule, rule->row[i], w);
    if (!rule->is_of_true)
        return sum;
    return sum < 1.0 ? 1.0 - sum : 0.0;
}

/* dt/dx_a = sum over rows of row * (c_a - x_a) / sigma^2. */
static void gaussian_push(struct sight *v, double weight)
{
    const struct rule *const rule = v->rule;
    const double sigma = rule->config.sigma;
    real w[MAX_ATOMS][2];
    double slope[MAX_ATOMS] = { 0 }, sum = 0.0;

    find_factors(v, w);
    for (size_t i = 0; i < rule->n_rows; i++) {
        const double value = (double)row_value(rule, rule->row[i], w);

        sum += value;
        for (uint32_t a = 0; a < rule->n_atoms; a++)
            if (rule->atom[a].is_ranking)
                slope[a] += value * ((rule->row[i] >> a & 1) - (double)truth_of(v, a));
    }
    if (rule->is_of_true && sum >= 1.0)
        return;
    const double scale = (rule->is_of_true ? -weight : weight) / (sigma * sigma);

    for (uint32_t a = 0; a < rule->n_atoms; a++)
        if (rule->atom[a].is_ranking)
            push_truth(v, a, (real)(scale * slope[a]));
}

/* The matrix under a t-norm ---------------------------------------------------------- */

/* a and b; *da and *db: its derivatives. */
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

/* a or b = not (not a and not b). */
static double either(int logic, double a, double b, double *da, double *db)
{
    return 1.0 - both(logic, 1.0 - a, 1.0 - b, da, db);
}

/* (not a or b) and (not b or a) */
static double alike(int logic, double a, double b, double *da, double *db)
{
    double p1, p2, q1, q2, dp, dq;
    const double p = either(logic, 1.0 - a, b, &p1, &p2);
    const double q = either(logic, 1.0 - b, a, &q1, &q2);
    const double value = both(logic, p, q, &dp, &dq);

    *da = dq * q2 - dp * p1;
    *db = dp * p2 - dq * q1;
    return value;
}

static double norm_value(const struct sight *v, uint32_t at);

/* The value of a connective and what its two sides do to it. */
static double connect(const struct sight *v, const struct node *n, double *dl, double *dr)
{
    const int logic = v->rule->config.logic;
    const double left = norm_value(v, n->left), right = norm_value(v, n->right);

    switch (n->kind) {
    case NODE_AND:
        return both(logic, left, right, dl, dr);
    case NODE_OR:
        return either(logic, left, right, dl, dr);
    case NODE_IFF:
        return alike(logic, left, right, dl, dr);
    default: { /* implies */
        const double value = either(logic, 1.0 - left, right, dl, dr);

        *dl = -*dl;
        return value;
    }
    }
}

static double norm_value(const struct sight *v, uint32_t at)
{
    const struct node *const n = &v->bound->rules->node[at];
    double dl, dr;

    if (is_atom(n->kind))
        return (double)truth_of(v, n->proposition);
    if (n->kind == NODE_TRUE || n->kind == NODE_FALSE)
        return n->kind == NODE_TRUE;
    if (n->kind == NODE_NOT)
        return 1.0 - norm_value(v, n->left);
    return connect(v, n, &dl, &dr);
}

/* push: d(weighted penalty) / d(value of this node). */
static void norm_push(struct sight *v, uint32_t at, double push)
{
    const struct node *const n = &v->bound->rules->node[at];
    double dl, dr;

    if (push == 0.0 || n->kind == NODE_TRUE || n->kind == NODE_FALSE)
        return;
    if (is_atom(n->kind)) {
        if (v->rule->atom[n->proposition].is_ranking)
            push_truth(v, n->proposition, (real)push);
    } else if (n->kind == NODE_NOT) {
        norm_push(v, n->left, -push);
    } else {
        connect(v, n, &dl, &dr);
        norm_push(v, n->left, push * dl);
        norm_push(v, n->right, push * dr);
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

/* The penalty under the documents chosen so far; `way` numbers them among n^level. */
static double value_at(struct sight *v, size_t level, size_t way)
{
    const struct rule *const rule = v->rule;
    double sum = 0.0, best = 0.0;

    if (level == rule->n_prefix)
        return rule->config.logic == LOGIC_GAUSSIAN ? gaussian_value(v)
                                                    : 1.0 - norm_value(v, rule->matrix);
    const enum pick pick = pick_of(rule, level);

    for (uint32_t i = 0; i < v->n; i++) {
        v->doc[rule->prefix[level].var] = i;
        const double value = value_at(v, level + 1, way * v->n + i);

        sum += value;
        if (i == 0 || (pick == PICK_LARGEST ? value > best : value < best)) {
            best = value;
            v->choice[level][way] = i;
        }
    }
    return pick == PICK_MEAN ? sum / (double)v->n : best;
}

static void push_at(struct sight *v, size_t level, size_t way, double weight)
{
    const struct rule *const rule = v->rule;

    if (level == rule->n_prefix) {
        if (rule->config.logic == LOGIC_GAUSSIAN)
            gaussian_push(v, weight);
        else
            norm_push(v, rule->matrix, -weight);
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

/* Ways to choose documents before the last quantifier: 1 + n + .. + n^(k-1).  From three
 * quantifiers on a query of more documents than `most` allows is refused before. */
static double choices_of(const struct rule *rule, double n)
{
    double ways = 1.0, all = 0.0;

    if (rule->n_prefix > 2)
        n = fmin(n, floor(pow((double)rule->config.most, 1.0 / rule->n_prefix) + 1e-9));
    for (uint32_t level = 0; level < rule->n_prefix; level++, ways *= n)
        all += ways;
    return all;
}

static size_t most_atoms(const struct peck_rules *r)
{
    size_t most = 0;

    for (size_t i = 0; i < r->n_rules; i++)
        most = r->rule[i].n_atoms > most ? r->rule[i].n_atoms : most;
    return most;
}

size_t penalty_room(const struct bound *b, size_t max_docs)
{
    const struct peck_rules *const r = b->rules;
    const double n = (double)max_docs,
                 reals = n * (double)(2 * r->n_alphas + 1 + 3 * most_atoms(r));
    double choices = 0.0;

    for (size_t i = 0; i < r->n_rules; i++)
        choices = fmax(choices, choices_of(&r->rule[i], n));
    const double bytes = reals * sizeof(real) + choices * sizeof(uint32_t);

    return bytes < (double)(SIZE_MAX / 2) ? (size_t)bytes : SIZE_MAX;
}

static void lay_out(struct sight *v, void *room)
{
    const struct peck_rules *const r = v->bound->rules;
    const size_t atoms = most_atoms(r) * v->n;

    v->pos = room;
    v->dpos = v->pos + r->n_alphas * v->n;
    v->row = v->dpos + r->n_alphas * v->n;
    v->x = v->row + v->n;
    v->w0 = v->x + atoms;
    v->w1 = v->w0 + atoms;
    v->choice[0] = (uint32_t *)(void *)(v->w1 + atoms);
}

static double rule_penalty(struct sight *v, const struct rule *rule, double weight)
{
    size_t ways = 1;

    v->rule = rule;
    for (uint32_t level = 1; level < rule->n_prefix; level++, ways *= v->n)
        v->choice[level] = v->choice[level - 1] + ways;
    find_truths(v);
    const double phi = value_at(v, 0, 0);

    if (v->g != NULL && phi > 0.0)
        push_at(v, 0, 0, weight);
    return phi;
}

double penalty_add(const struct bound *b, const struct scene *q, const double *weight,
                   const real *s, real *g, double *phi, void *room)
{
    const struct peck_rules *const r = b->rules;
    struct sight v = { .bound = b, .scene = q, .n = q->docs.n, .s = s, .g = g };
    double total = 0.0;

    lay_out(&v, room);
    for (size_t i = 0; i < r->n_rules; i++) {
        const double value =
            weight[i] != 0.0 ? rule_penalty(&v, &r->rule[i], weight[i]) : 0.0;

        total += weight[i] * value;
        if (phi != NULL)
            phi[i] = value;
    }
    for (size_t i = 0; g != NULL && i < r->n_alphas; i++)
        push_positions(&v, i);
    return total;
}
