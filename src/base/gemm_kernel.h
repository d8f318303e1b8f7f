/* gemm_kernel.h -- the products of gemm.h for one width of vector; gemm.c includes it once
 * for each, with
 *
 *     LANES           floats of a vector
 *     FUSED           a b + c of such vectors, rounded once (cpu.h)
 *     SUMS, VECTORS   a block keeps SUMS vectors of sums in registers, in rows of up to
 *                     VECTORS: 3 or 4
 *     ISA             function attributes: the instructions it may use
 *
 * Vectors lie along the columns of c.  A panel is VECTORS - 1 vectors of columns, the last
 * one up to VECTORS, so that none but the only one is narrower than a vector; blocks of
 * rows below each other read the panel's part of b again.                              */
#include "alloc.h"
#include "cpu.h"
#include "gemm.h"

#include <stdbool.h>

#ifndef LANES /* for those who compile this header alone */
#define LANES 4
#define FUSED plain_4
#define SUMS 12
#define VECTORS 3
#define ISA
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define LANED(name) JOIN(name, LANES)
#define VECTOR LANED(floats)
#define GROUP (SUMS / (VECTORS - 1)) /* rows of a block of a full panel */

#ifndef GEMM_KERNEL_H
#define GEMM_KERNEL_H

/* Sums stay in registers only where loops over them are gone.  Not where clang puts checks of
 * memory into each of their steps: it takes minutes over them.  The sums are the same. */
#ifdef __has_feature
#define IS_CHECKED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define IS_CHECKED 0
#endif
#if IS_CHECKED
#define UNROLLED
#elif defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 16")
#endif

/* For the caches: the first holds a panel, the second the rows that every panel meets. */
enum {
    MOST_TERMS = 352,
    DEEP = 64,            /* terms behind which a fetch from memory hides */
    MOST_ROWS = 12,       /* of a block */
    NEAR_ROWS = 240,      /* rows at a time */
    MANY_ROWS = 32,       /* enough to copy a panel for them, so that it has no gaps */
    FEW_COLUMNS = 64,     /* not worth copying rows for */
    NEAR_C = 6144,        /* floats of c that are walked along: the first cache */
    ROOM = 1 << 14,       /* floats: copied rows on the stack */
    LARGE_ROOM = 1 << 17, /* and where there is memory */
    ROW_VECTORS = 8,      /* of a block of a single row */
    DOT_LANES = 16,       /* sums that a dot product is worked out in */
    DOT_ROWS = 4          /* such products at a time */
};

/* c[m][n] = from + a b, over k terms. */
struct product {
    size_t m, n, k;
    const float *a;
    size_t row, step; /* floats from one row of a to the next, from one term to the next */
    size_t group, next; /* so many rows, then `next` floats on from the first of them */
    const float *b;
    size_t ldb;
    bool is_b_turned;  /* b[n][k] */
    const float *from; /* where the sums begin; NULL: at 0 */
    size_t ld_from;
    float *c;
    size_t ldc;
};

#endif

/* rows x vectors of c, from row i on, whose part of a begins at `a`.  The last vector begins
 * at column `last`: where columns are no multiple of LANES it overlaps the one before, and
 * both write the same numbers.  Counts are constants wherever this is called. */
ISA static inline ALWAYS_INLINE void LANED(block)(const int rows, const int vectors,
                                                  size_t last, const struct product *p,
                                                  const float *a, size_t i)
{
    const size_t row = p->row, ldc = p->ldc;
    /* In bytes, and hidden: else gcc makes loops of their own for steps of one float, and
     * keeps the sums of both in memory. */
    size_t step = p->step * sizeof *a, ldb = p->ldb * sizeof *a, k = p->k;
    const float *b = p->b;
    float *const c = p->c + i * ldc;
    VECTOR sum[MOST_ROWS][VECTORS], some[VECTORS];

    __asm__("" : "+r"(step), "+r"(ldb));
#define AT(v) ((v) < vectors - 1 ? (size_t)(v)*LANES : last)
    UNROLLED
    for (int r = 0; r < rows; r++) {
        const float *const from =
            p->from != NULL ? p->from + (i + (size_t)r) * p->ld_from : NULL;

        UNROLLED
        for (int v = 0; v < vectors; v++)
            sum[r][v] = from != NULL ? *(const VECTOR *)(from + AT(v)) : (VECTOR){ 0.0f };
    }
    if (k >= DEEP) { /* c of the next block: far away, and its sums begin with it */
        UNROLLED
        for (int r = 0; r < rows; r++)
            __builtin_prefetch(c + (size_t)(rows + r) * ldc + LANES, 1);
    }
    do {
        UNROLLED
        for (int v = 0; v < vectors; v++)
            some[v] = *(const VECTOR *)(b + AT(v));
        UNROLLED
        for (int r = 0; r < rows; r++) {
            const VECTOR same = a[(size_t)r * row] - (VECTOR){ 0.0f };

            UNROLLED
            for (int v = 0; v < vectors; v++)
                sum[r][v] = FUSED(same, some[v], sum[r][v]);
        }
        a = (const float *)((const char *)a + step);
        b = (const float *)((const char *)b + ldb);
    } while (--k > 0);
    UNROLLED
    for (int r = 0; r < rows; r++) {
        UNROLLED
        for (int v = 0; v < vectors; v++)
            *(VECTOR *)(c + (size_t)r * ldc + AT(v)) = sum[r][v];
    }
#undef AT
}

/* All rows of a panel. */
ISA static inline ALWAYS_INLINE void LANED(blocks)(const int vectors, size_t last,
                                                   const struct product *p)
{
    const int rows = SUMS / vectors < MOST_ROWS ? SUMS / vectors : MOST_ROWS;
    const size_t row = p->row;
    const float *group = p->a;

    for (size_t i = 0; i < p->m; group += p->next) {
        const size_t end = p->m - i < p->group ? p->m : i + p->group;
        const float *a = group;

        for (; i + rows <= end; i += rows, a += rows * row)
            LANED(block)(rows, vectors, last, p, a, i);
        for (; i + 4 <= end; i += 4, a += 4 * row)
            LANED(block)(4, vectors, last, p, a, i);
        for (; i + 2 <= end; i += 2, a += 2 * row)
            LANED(block)(2, vectors, last, p, a, i);
        for (; i < end; i++, a += row)
            LANED(block)(1, vectors, last, p, a, i);
    }
}

ISA static void LANED(panel)(size_t vectors, size_t last, const struct product *p)
{
    if (vectors == 1)
        LANED(blocks)(1, last, p);
    else if (vectors == 2)
        LANED(blocks)(2, last, p);
    else if (vectors == 3)
        LANED(blocks)(3, last, p);
#if VECTORS > 3
    else
        LANED(blocks)(4, last, p);
#endif
}

/* c is narrower than a vector: blocks are made beside it, a vector wide. */
ISA static void LANED(narrow_panel)(const struct product *p)
{
    float tile[MOST_ROWS * LANES] = { 0.0f };
    struct product one = *p;

    one.c = tile;
    one.ldc = one.ld_from = LANES;
    one.from = p->from != NULL ? tile : NULL;
    for (size_t i = 0; i < p->m; i += one.m) {
        one.m = one.group = p->m - i < MOST_ROWS ? p->m - i : MOST_ROWS;
        one.a = p->a + i * p->row;
        for (size_t r = 0; p->from != NULL && r < one.m; r++)
            memcpy(tile + r * LANES, p->from + (i + r) * p->ld_from, p->n * sizeof *tile);
        LANED(panel)(1, 0, &one);
        for (size_t r = 0; r < one.m; r++)
            memcpy(p->c + (i + r) * p->ldc, tile + r * LANES, p->n * sizeof *tile);
    }
}

/* Four columns of b[n][k]: to[k][width]. */
ISA static inline ALWAYS_INLINE void LANED(turn_4)(const struct product *p, const float *b,
                                                   size_t width, float *to)
{
    const size_t ldb = p->ldb;
    size_t k = 0;

    for (; k + 4 <= p->k; k += 4, to += 4 * width) {
        const floats4 r0 = *(const floats4 *)(b + k);
        const floats4 r1 = *(const floats4 *)(b + ldb + k);
        const floats4 r2 = *(const floats4 *)(b + 2 * ldb + k);
        const floats4 r3 = *(const floats4 *)(b + 3 * ldb + k);
        const floats4 t0 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
        const floats4 t1 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
        const floats4 t2 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
        const floats4 t3 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);

        *(floats4 *)to = __builtin_shufflevector(t0, t1, 0, 1, 4, 5);
        *(floats4 *)(to + width) = __builtin_shufflevector(t0, t1, 2, 3, 6, 7);
        *(floats4 *)(to + 2 * width) = __builtin_shufflevector(t2, t3, 0, 1, 4, 5);
        *(floats4 *)(to + 3 * width) = __builtin_shufflevector(t2, t3, 2, 3, 6, 7);
    }
    for (; k < p->k; k++, to += width)
        for (size_t j = 0; j < 4; j++)
            to[j] = b[j * ldb + k];
}

/* A panel's part of b without gaps: to[k][width], n columns and zeros. */
ISA static void LANED(pack)(const struct product *p, size_t width, float *to)
{
    size_t j = 0;

    for (; p->is_b_turned && j + 4 <= p->n; j += 4)
        LANED(turn_4)(p, p->b + j * p->ldb, width, to + j);
    for (; p->is_b_turned && j < width; j++)
        for (size_t k = 0; k < p->k; k++)
            to[k * width + j] = j < p->n ? p->b[j * p->ldb + k] : 0.0f;
    for (size_t k = 0; !p->is_b_turned && k < p->k; k++, to += width) {
        const float *const b = p->b + k * p->ldb;

        __builtin_prefetch(b + width, 0, 2); /* of the next panel */
        for (j = 0; j + LANES <= p->n; j += LANES)
            *(VECTOR *)(to + j) = *(const VECTOR *)(b + j);
        for (; j < width; j++)
            to[j] = j < p->n ? b[j] : 0.0f;
    }
}

/* Rows of a that lie side by side: to[groups][k][GROUP]. */
ISA static void LANED(pack_rows)(const struct product *p, float *to)
{
    for (size_t i = 0; i < p->m; i += GROUP)
        for (size_t k = 0; k < p->k; k++, to += GROUP) {
            const float *const a = p->a + k * p->step + i;

            if (p->m - i >= GROUP)
                memcpy(to, a, GROUP * sizeof *to);
            else
                for (size_t r = 0; r < p->m - i; r++)
                    to[r] = a[r];
        }
}

/* Columns of the next panel, when so many are left. */
static inline size_t LANED(panel_width)(size_t rest)
{
    return rest <= VECTORS * LANES ? rest : (VECTORS - 1) * LANES;
}

/* All panels, for some rows and terms. */
ISA static void LANED(panels)(const struct product *all)
{
    const bool packs = all->is_b_turned || all->n < LANES ||
                       (all->m >= MANY_ROWS && all->ldb > (VECTORS - 1) * LANES);
    _Alignas(64) float packed[MOST_TERMS * VECTORS * LANES];
    struct product p = *all;

    for (size_t j = 0; j < all->n; j += p.n) {
        p.n = LANED(panel_width)(all->n - j);
        p.b = all->b + j * (all->is_b_turned ? all->ldb : 1);
        p.c = all->c + j;
        if (all->from != NULL)
            p.from = all->from + j;
        const size_t vectors = (p.n + LANES - 1) / LANES;

        if (packs) {
            p.ldb = all->ldb;
            LANED(pack)(&p, vectors * LANES, packed);
            p.b = packed;
            p.ldb = vectors * LANES;
        }
        if (p.n < LANES)
            LANED(narrow_panel)(&p);
        else
            LANED(panel)(vectors, p.n - LANES, &p);
    }
}

/* `vectors` vectors of the only row of c, from column j on; the last one begins `last`
 * columns behind, as in a block. */
ISA static inline ALWAYS_INLINE void LANED(row_block)(const int vectors, size_t last,
                                                      const struct product *p, size_t j)
{
    const float *a = p->a, *b = p->b + j;
    VECTOR sum[ROW_VECTORS];

#define AT(v) ((v) < vectors - 1 ? (size_t)(v)*LANES : last)
    UNROLLED
    for (int v = 0; v < vectors; v++)
        sum[v] =
            p->from != NULL ? *(const VECTOR *)(p->from + j + AT(v)) : (VECTOR){ 0.0f };
    for (size_t k = 0; k < p->k; k++, a += p->step, b += p->ldb) {
        const VECTOR same = *a - (VECTOR){ 0.0f };

        UNROLLED
        for (int v = 0; v < vectors; v++)
            sum[v] = FUSED(same, *(const VECTOR *)(b + AT(v)), sum[v]);
    }
    UNROLLED
    for (int v = 0; v < vectors; v++)
        *(VECTOR *)(p->c + j + AT(v)) = sum[v];
#undef AT
}

/* A single row of c: b is read once, as it lies. */
ISA static void LANED(multiply_row)(const struct product *p)
{
    const size_t n = p->n;
    size_t j = 0;

    if (n < LANES) {
        VECTOR sum = p->from != NULL ? LANED(first_)(p->from, n) : (VECTOR){ 0.0f };

        for (size_t k = 0; k < p->k; k++)
            sum = FUSED(p->a[k * p->step] - (VECTOR){ 0.0f },
                        LANED(first_)(p->b + k * p->ldb, n), sum);
        memcpy(p->c, &sum, n * sizeof *p->c);
        return;
    }
    /* Never less than a vector is left, so that none overlaps one that is written. */
    for (; n - j >= (ROW_VECTORS + 1) * LANES; j += ROW_VECTORS * LANES)
        LANED(row_block)(ROW_VECTORS, (ROW_VECTORS - 1) * LANES, p, j);
    if (n - j > ROW_VECTORS * LANES) {
        LANED(row_block)(4, 3 * LANES, p, j);
        j += 4 * LANES;
    }
    /* clang-format off */
    switch ((n - j + LANES - 1) / LANES) {
    case 1: LANED(row_block)(1, n - j - LANES, p, j); break;
    case 2: LANED(row_block)(2, n - j - LANES, p, j); break;
    case 3: LANED(row_block)(3, n - j - LANES, p, j); break;
    case 4: LANED(row_block)(4, n - j - LANES, p, j); break;
    case 5: LANED(row_block)(5, n - j - LANES, p, j); break;
    case 6: LANED(row_block)(6, n - j - LANES, p, j); break;
    case 7: LANED(row_block)(7, n - j - LANES, p, j); break;
    default: LANED(row_block)(ROW_VECTORS, n - j - LANES, p, j); break;
    }
    /* clang-format on */
}

/* Rows of a that lie side by side, few terms: all of b is copied first, and c is walked
 * along its rows, which is most of the work.  panels: room for (n + LANES) k floats. */
ISA static void LANED(multiply_along)(const struct product *all, float *panels)
{
    float rows[GROUP * MOST_TERMS];
    size_t some = GROUP * MOST_TERMS / all->k;
    struct product p = *all;

    if (some > NEAR_C / all->n)
        some = NEAR_C / all->n;
    some = some < GROUP ? GROUP : some / GROUP * GROUP;

    for (size_t j = 0; j < all->n; j += p.n) {
        p.n = LANED(panel_width)(all->n - j);
        p.b = all->b + j * (all->is_b_turned ? all->ldb : 1);
        LANED(pack)(&p, (p.n + LANES - 1) / LANES * LANES, panels + j * p.k);
    }
    for (size_t i = 0; i < all->m; i += p.m) {
        p.m = all->m - i < some ? all->m - i : some;
        p.a = all->a + i;
        p.step = all->step;
        LANED(pack_rows)(&p, rows);
        p.a = rows;
        p.step = p.group = GROUP;
        p.next = GROUP * p.k;
        for (size_t j = 0; j < all->n; j += p.n) {
            p.n = LANED(panel_width)(all->n - j);
            p.b = panels + j * p.k;
            p.ldb = (p.n + LANES - 1) / LANES * LANES;
            p.c = all->c + i * p.ldc + j;
            if (all->from != NULL)
                p.from = all->from + i * p.ld_from + j;
            LANED(panel)(p.ldb / LANES, p.n - LANES, &p);
        }
    }
}

/* Some rows and terms at a time; the sums of later terms begin where c is by then. */
ISA static void LANED(multiply)(const struct product *all)
{
    const bool packs_rows = all->row == 1 && all->n > FEW_COLUMNS;
    const size_t all_panels = (all->n + LANES) * all->k;
    const bool goes_along = packs_rows && all->m >= MANY_ROWS && all->k <= MOST_TERMS &&
                            all_panels <= LARGE_ROOM;
    const size_t n_depths = (all->k + MOST_TERMS - 1) / MOST_TERMS;
    const size_t depth = (all->k + n_depths - 1) / n_depths;
    float near[ROOM], *far = NULL;

    if (packs_rows && (goes_along ? all_panels : all->m * depth) > ROOM)
        far = mem_resize(NULL, LARGE_ROOM, sizeof *far);
    /* Without memory: fewer rows at a time. */
    float *const rows = far != NULL ? far : near;
    const size_t room = far != NULL ? LARGE_ROOM : ROOM;

    if (goes_along && all_panels <= room) {
        LANED(multiply_along)(all, rows);
        mem_free(far);
        return;
    }
    const size_t most = packs_rows ? room / depth / GROUP * GROUP : NEAR_ROWS;
    const size_t n_chunks = (all->m + most - 1) / most;
    const size_t chunk = (all->m + n_chunks * GROUP - 1) / (n_chunks * GROUP) * GROUP;

    for (size_t i = 0; i < all->m; i += chunk)
        for (size_t k = 0; k < all->k; k += depth) {
            struct product p = *all;

            p.m = p.group = all->m - i < chunk ? all->m - i : chunk;
            p.k = all->k - k < depth ? all->k - k : depth;
            p.a += i * all->row + k * all->step;
            p.b += k * (all->is_b_turned ? 1 : all->ldb);
            p.c += i * all->ldc;
            if (k > 0) {
                p.from = p.c;
                p.ld_from = p.ldc;
            } else if (p.from != NULL) {
                p.from += i * all->ld_from;
            }
            if (packs_rows) {
                LANED(pack_rows)(&p, rows);
                p.a = rows;
                p.step = p.group = GROUP;
                p.next = GROUP * p.k;
            }
            LANED(panels)(&p);
        }
    mem_free(far);
}

/* gemm_dots() of so many rows: 4 or 1.  last_b: the last k mod LANES terms of b, and -0:
 * with 0 of a they leave a sum as it is, -0 too. */
ISA static inline ALWAYS_INLINE void LANED(dot_rows)(const int rows, size_t k,
                                                     const float *a, size_t lda,
                                                     const float *b, VECTOR last_b,
                                                     float from, float *c)
{
    enum { VECTORS_OF_DOT = DOT_LANES / LANES };
    VECTOR sum[DOT_ROWS][VECTORS_OF_DOT];
    floats4 four[DOT_ROWS];
    size_t j = 0;

    UNROLLED
    for (int i = 0; i < rows * VECTORS_OF_DOT; i++)
        sum[i / VECTORS_OF_DOT][i % VECTORS_OF_DOT] = (VECTOR){ 0.0f };
    for (; j + DOT_LANES <= k; j += DOT_LANES) {
        UNROLLED
        for (int i = 0; i < rows * VECTORS_OF_DOT; i++) {
            const int r = i / VECTORS_OF_DOT, v = i % VECTORS_OF_DOT;

            sum[r][v] = FUSED(*(const VECTOR *)(a + r * lda + j + v * LANES),
                              *(const VECTOR *)(b + j + v * LANES), sum[r][v]);
        }
    }
    UNROLLED
    for (int v = 0; v < VECTORS_OF_DOT; v++, j += LANES) {
        UNROLLED
        for (int r = 0; r < rows && j < k; r++)
            if (j + LANES <= k)
                sum[r][v] = FUSED(*(const VECTOR *)(a + r * lda + j),
                                  *(const VECTOR *)(b + j), sum[r][v]);
            else
                sum[r][v] = FUSED(LANED(first_)(a + r * lda + j, k - j), last_b, sum[r][v]);
    }
    UNROLLED
    for (int r = 0; r < rows; r++) {
        UNROLLED
        for (int half = VECTORS_OF_DOT / 2; half > 0; half /= 2)
            for (int v = 0; v < half; v++)
                sum[r][v] += sum[r][v + half];
        four[r] = LANED(four_of_)(sum[r][0]);
    }
    if (rows == DOT_ROWS)
        *(floats4 *)c = from + halves_of_4(four);
    else
        *c = from + halves(four[0]);
}

/* See gemm_dots(). */
ISA static void LANED(dots)(size_t m, size_t k, const float *a, size_t lda, const float *b,
                            float from, float *c)
{
    float rest[LANES];
    size_t i = 0;

    for (size_t l = 0; l < LANES; l++)
        rest[l] = l < k % LANES ? b[k - k % LANES + l] : -0.0f;
    const VECTOR last_b = *(const VECTOR *)rest;

    for (; i + DOT_ROWS <= m; i += DOT_ROWS)
        LANED(dot_rows)(DOT_ROWS, k, a + i * lda, lda, b, last_b, from, c + i);
    for (; i < m; i++)
        LANED(dot_rows)(1, k, a + i * lda, lda, b, last_b, from, c + i);
}

#undef JOIN_
#undef JOIN
#undef LANED
#undef VECTOR
#undef GROUP
#undef LANES
#undef FUSED
#undef SUMS
#undef VECTORS
#undef ISA
