/* vec.c -- see vec.h.  Products go to OpenBLAS, curves are curves.h in loops. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "vec.h"

#include "curves.h"

#include <cblas.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* Memory of BLAS ------------------------------------------------------------------- */

/* A product holds one of OpenBLAS's buffers, 128 MiB of address space (BUFFER_SIZE, 32 <<
 * 22 in its common_x86_64.h), and gives it back for the next one.  Its own functions of
 * them are not in cblas.h; another BLAS need not have them. */
enum { BUFFER = 1 << 27, MOST_BUFFERS = 256 };

extern void *blas_memory_alloc(int unused) __attribute__((weak));
extern void blas_memory_free(void *buffer) __attribute__((weak));

/* Under a limit of address space: so many products at once as there are buffers. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t freed;
    atomic_size_t n_ready; /* 0: nobody counts them */
    size_t n_used;
} buffers = { .lock = PTHREAD_MUTEX_INITIALIZER, .freed = PTHREAD_COND_INITIALIZER };

/* Whether n more buffers fit now. */
static bool is_room_for(size_t n)
{
    void *room[2];
    size_t found = 0;

    while (found < n &&
           (room[found] = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) != MAP_FAILED)
        found++;
    for (size_t i = 0; i < found; i++)
        munmap(room[i], BUFFER);
    return found == n;
}

/* The first one must fit; of the others, those that leave room for one more.  Nobody counts
 * them where address space is not limited. */
peck_status vec_prepare(size_t n_threads, peck_error *err)
{
    const size_t n = n_threads < MOST_BUFFERS ? n_threads : MOST_BUFFERS;
    struct rlimit limit;
    const bool counts = getrlimit(RLIMIT_AS, &limit) == 0 &&
                        limit.rlim_cur != RLIM_INFINITY && blas_memory_alloc &&
                        blas_memory_free;

    pthread_mutex_lock(&buffers.lock);
    const bool fits = buffers.n_ready > 0 || is_room_for(1);

    while (fits && counts && buffers.n_ready < n &&
           (buffers.n_ready == 0 || is_room_for(2))) {
        /* One more is new when all that are not in use are held. */
        const size_t n_held = buffers.n_ready - buffers.n_used + 1;
        void *held[MOST_BUFFERS];

        for (size_t i = 0; i < n_held; i++)
            held[i] = blas_memory_alloc(0);
        for (size_t i = 0; i < n_held; i++)
            blas_memory_free(held[i]);
        buffers.n_ready++;
    }
    pthread_mutex_unlock(&buffers.lock);
    return fits ? PECK_OK
                : fail(err, PECK_NOMEM,
                       "products of matrices need %d MB of address space, and there is "
                       "less; allow more (ulimit -v)",
                       BUFFER >> 20);
}

/* Waits for a buffer; false: nobody counts them. */
static bool take_buffer(void)
{
    if (buffers.n_ready == 0)
        return false;
    pthread_mutex_lock(&buffers.lock);
    while (buffers.n_used == buffers.n_ready)
        pthread_cond_wait(&buffers.freed, &buffers.lock);
    buffers.n_used++;
    pthread_mutex_unlock(&buffers.lock);
    return true;
}

static void return_buffer(void)
{
    pthread_mutex_lock(&buffers.lock);
    buffers.n_used--;
    pthread_cond_signal(&buffers.freed);
    pthread_mutex_unlock(&buffers.lock);
}

/* Products ------------------------------------------------------------------------- */

/* The pool hands out the work, so BLAS keeps to the thread that calls.  The setting is
 * OpenBLAS's own and holds for the process; this version has none for a thread. */
static void keep_to_one_thread(void)
{
    openblas_set_num_threads(1);
}

/* y = beta y + op(a) x, a of `rows` rows and `columns` columns. */
static void multiply_vector(CBLAS_TRANSPOSE turn, size_t rows, size_t columns,
                            const float *a, size_t lda, const float *x, size_t step_x,
                            float beta, float *y, size_t step_y)
{
    cblas_sgemv(CblasRowMajor, turn, (blasint)rows, (blasint)columns, 1.0f, a, (blasint)lda,
                x, (blasint)step_x, beta, y, (blasint)step_y);
}

/* A single row or column of c is a matrix times a vector: that is several times quicker
 * than a product of matrices, which copies its operands first. */
static void multiply(CBLAS_TRANSPOSE turn_a, CBLAS_TRANSPOSE turn_b, size_t m, size_t n,
                     size_t k, const float *a, size_t lda, const float *b, size_t ldb,
                     float beta, float *c, size_t ldc)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const bool is_a_turned = turn_a == CblasTrans, is_b_turned = turn_b == CblasTrans;

    if (m == 0 || n == 0)
        return;
    (void)pthread_once(&once, keep_to_one_thread);
    const bool is_counted = take_buffer();

    if (m == 1 && k > 0)
        multiply_vector(is_b_turned ? CblasNoTrans : CblasTrans, is_b_turned ? n : k,
                        is_b_turned ? k : n, b, ldb, a, is_a_turned ? lda : 1, beta, c, 1);
    else if (n == 1 && k > 0)
        multiply_vector(turn_a, is_a_turned ? k : m, is_a_turned ? m : k, a, lda, b,
                        is_b_turned ? 1 : ldb, beta, c, ldc);
    else
        cblas_sgemm(CblasRowMajor, turn_a, turn_b, (blasint)m, (blasint)n, (blasint)k, 1.0f,
                    a, (blasint)lda, b, (blasint)ldb, beta, c, (blasint)ldc);
    if (is_counted)
        return_buffer();
}

void vec_gemm_nt(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b,
                 size_t ldb, float beta, float *c, size_t ldc)
{
    multiply(CblasNoTrans, CblasTrans, m, n, k, a, lda, b, ldb, beta, c, ldc);
}

void vec_gemm_tn(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b,
                 size_t ldb, float beta, float *c, size_t ldc)
{
    multiply(CblasTrans, CblasNoTrans, m, n, k, a, lda, b, ldb, beta, c, ldc);
}

/* Sums ----------------------------------------------------------------------------- */

/* Eight sums side by side, added up in pairs: the order is the same on every machine. */
enum { LANES = 8 };

static double sum_lanes(const double sum[LANES])
{
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) +
           ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

double vec_sum(const float *x, size_t n)
{
    double sum[LANES] = { 0 };
    size_t i = 0;

    for (; n - i >= LANES; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            sum[j] += x[i + j];
    for (; i < n; i++)
        sum[i % LANES] += x[i];
    return sum_lanes(sum);
}

double vec_dot(const float *x, const float *y, size_t n)
{
    double sum[LANES] = { 0 };
    size_t i = 0;

    for (; n - i >= LANES; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            sum[j] += (double)x[i + j] * y[i + j];
    for (; i < n; i++)
        sum[i % LANES] += (double)x[i] * y[i];
    return sum_lanes(sum);
}

/* Curves --------------------------------------------------------------------------- */

/* Loops of a fixed length become vectors at any level of optimisation. */
enum { BLOCK = 16 };

/* Applies one curve of curves.h to x[0..n) in place; the rest that does not fill a block
 * goes through a block of its own. */
#define EACH(curve)                                 \
    do {                                            \
        float rest[BLOCK] = { 0 };                  \
        size_t i = 0;                               \
        for (; n - i >= BLOCK; i += BLOCK)          \
            for (size_t j = 0; j < BLOCK; j++)      \
                x[i + j] = curve(x[i + j]);         \
        for (size_t j = 0; j < n - i; j++)          \
            rest[j] = x[i + j];                     \
        for (size_t j = 0; i < n && j < BLOCK; j++) \
            rest[j] = curve(rest[j]);               \
        for (size_t j = 0; j < n - i; j++)          \
            x[i + j] = rest[j];                     \
    } while (0)

#define CURVE(name)                                                         \
    static inline ALWAYS_INLINE void each_##name##_body(float *x, size_t n) \
    {                                                                       \
        EACH(curve_##name);                                                 \
    }                                                                       \
    CPU_VERSIONS(each_##name, (float *x, size_t n), (x, n))                 \
    void vec_##name(float *x, size_t n)                                     \
    {                                                                       \
        each_##name(x, n);                                                  \
    }

CURVE(exp)
CURVE(tanh)
CURVE(sigmoid)
CURVE(log1p)

static inline ALWAYS_INLINE void add_scaled_body(size_t n, float a, const float *restrict x,
                                                 float *restrict y)
{
    size_t i = 0;

    for (; n - i >= BLOCK; i += BLOCK)
        for (size_t j = 0; j < BLOCK; j++)
            y[i + j] += a * x[i + j];
    for (; i < n; i++)
        y[i] += a * x[i];
}
CPU_VERSIONS(add_scaled, (size_t n, float a, const float *x, float *y), (n, a, x, y))

void vec_axpy(size_t n, float a, const float *x, float *y)
{
    add_scaled(n, a, x, y);
}
