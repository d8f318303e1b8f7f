"""The module peck_rank._c, by CFFI: every declaration is taken from peck.h itself, and the
compiler checks each of them against that header.

Beside them stand a few lines of C for calls that Python watches: whether a call shall stop is
asked by any thread at any time, so that is answered without the interpreter.
"""
import os
import re
from pathlib import Path

from cffi import FFI

HERE = Path(__file__).resolve().parent
# The tree of Peck: around this folder, or inside it where this is a source distribution.
TREE = HERE.parent if (HERE.parent / "include" / "peck.h").exists() else HERE / "libpeck"
HEADER = TREE / "include" / "peck.h"
# A build of the Makefile: "asan" is for tests.
VARIANT = os.environ.get("PECK_VARIANT", "release")
ARCHIVE = TREE / "build" / ("" if VARIANT == "release" else VARIANT) / "libpeck.a"
SANITIZE = ["-fsanitize=address,undefined"] if VARIANT == "asan" else []

WATCH = """
typedef struct py_watch {
    int stop;   /* set by Python: the call shall end     */
    int is_heard; /* whether Python wants to hear of shares */
    void *self; /* a handle of who hears                  */
} py_watch;
"""

# The Arrow C data interface, by which frames hand out their columns (peck_rank/arrow.py).
ARROW = """
struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};
struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};
"""

HEARD = """
extern "Python" int py_share(void *ctx, double share);
extern "Python" int py_epoch(void *ctx, const peck_epoch *e);
extern "Python" void py_warn(void *ctx, const char *text);
extern "Python" int py_ask(void *ctx, const peck_duel *duel, size_t n_duels, float *h);
extern "Python" peck_status py_keep(void *ctx, const peck_fold_result *r, peck_error *err);
int py_stopped(void *ctx);
int py_progress(void *ctx, double share);
"""

SOURCE = """
#include <peck.h>
""" + WATCH + ARROW + """
static int py_share(void *ctx, double share);

static int py_stopped(void *ctx)
{
    return __atomic_load_n(&((py_watch *)ctx)->stop, __ATOMIC_RELAXED);
}

static int py_progress(void *ctx, double share)
{
    const py_watch *const w = ctx;

    return py_stopped(ctx) || (w->is_heard && py_share(ctx, share));
}
"""


def constant(name, value):
    """What CFFI is told of a macro, by the kind of its value; the compiler knows the value."""
    if value.startswith('"'):
        return f"static char *const {name};"
    is_real = re.search(r"[.]", value)
    return f"static const double {name};" if is_real else f"static const long long {name};"


def declarations(header):
    """The text of peck.h as CFFI reads it: no comments, no preprocessor, constants declared."""
    text = re.sub(r"/\*.*?\*/", " ", header, flags=re.S).replace("\\\n", " ")
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.S)
    statuses = re.findall(r"\bV\((\w+), (-?\d+),", text)
    macros = re.findall(r'^#define (PECK_\w+) +("[^"\n]*"|\(?-?[\d.]+f?\)?) *$', text, re.M)
    constants = [constant(name, value) for name, value in macros]
    text = re.sub(r"^#.*$", "", text, flags=re.M)
    text = text.replace("PECK_STATUS_MAP(PECK_STATUS_ENUM)",
                        " ".join(f"PECK_{name} = {number}," for name, number in statuses))
    text = re.sub(r"\bPECK_(API|MUST_CHECK)\b", "", text)
    # Files of C are not for Python: peck_report_print gives the same text.
    text = re.sub(r"[^;]*\bFILE \*to\b[^;]*;", "", text)
    return "\n".join([text, *constants])


def version():
    return re.search(r'#define PECK_VERSION "(.*)"', HEADER.read_text()).group(1)


ffibuilder = FFI()
ffibuilder.cdef(declarations(HEADER.read_text()))
ffibuilder.cdef(WATCH + ARROW + HEARD)
ffibuilder.set_source(
    "peck_rank._c", SOURCE,
    include_dirs=[str(HEADER.parent)],
    extra_objects=[str(ARCHIVE)], depends=[str(ARCHIVE)],
    libraries=["z", "zstd", "m"],
    extra_compile_args=["-pthread", "-g0", *SANITIZE],
    # The archive's names stay inside: another libpeck in the process is not disturbed.
    extra_link_args=["-pthread", "-Wl,--exclude-libs,ALL", *SANITIZE],
    py_limited_api=True)
