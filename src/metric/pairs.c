/* pairs.c -- pairs of documents by score and label, in O(n log g) for g distinct labels.
 *
 * Documents come with falling scores, one group of equal scores at a time.  A Fenwick
 * tree over grades (0: the largest label) tells how much weight with a larger label was
 * seen before: those pairs are right; what was seen with a smaller label is wrong.
 * Fenwick, "A new data structure for cumulative frequency tables", 1994.            */
#include "ranking.h"

/* The weight seen with a grade below `grade`. */
static double tree_below(const double *tree, uint32_t grade)
{
    double sum = 0.0;

    for (uint32_t i = grade; i > 0; i &= i - 1)
        sum += tree[i];
    return sum;
}

static void tree_add(double *tree, uint32_t n_grades, uint32_t grade, double weight)
{
    for (uint32_t i = grade + 1; i <= n_grades; i += i & -i)
        tree[i] += weight;
}

struct pairs pairs_count(const double *score, const uint32_t *grade, const double *weight,
                         uint32_t n, uint32_t n_grades, double *tree, double *seen,
                         double *level)
{
    struct pairs p = { 0 };
    double above = 0.0; /* the weight of all groups before this one */

    memset(tree, 0, (n_grades + 1) * sizeof *tree);
    memset(seen, 0, (n_grades + 1) * sizeof *seen);
    for (uint32_t lo = 0, hi; lo < n; lo = hi) {
        double group = 0.0;

        for (hi = lo; hi < n && score[hi] == score[lo]; hi++) {
            const uint32_t g = grade[hi];
            const double w = weight[hi], better = tree_below(tree, g);
            const double worse = above - better - seen[g];

            p.right += w * better;
            p.wrong += w * (worse > 0.0 ? worse : 0.0); /* rounding may go below 0 */
            p.tied += w * (group - level[g]);
            p.score_differ += w * above;
            p.all += w * (above + group);
            level[g] += w;
            group += w;
        }
        for (uint32_t i = lo; i < hi; i++) {
            tree_add(tree, n_grades, grade[i], weight[i]);
            seen[grade[i]] += weight[i];
            level[grade[i]] = 0.0;
        }
        above += group;
    }
    if (n_grades < 2)
        p.right = p.wrong = p.tied = 0.0;
    p.differ = p.right + p.wrong + p.tied;
    return p;
}
