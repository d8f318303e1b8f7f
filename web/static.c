/* static.c -- see static.h.  The assembler takes the files in (.incbin), relative to the
 * folder that make runs in: any compiler, any machine, no tool.                          */
#include "static.h"

/* Ended by a zero byte, which is not counted. */
#define FILE(symbol, name, type)                                   \
    __asm__(".pushsection .rodata, \"a\"\n"                        \
            ".global static_" #symbol ", static_" #symbol "_end\n" \
            ".hidden static_" #symbol ", static_" #symbol "_end\n" \
            "static_" #symbol ": .incbin \"web/page/" name "\"\n"  \
            "static_" #symbol "_end: .byte 0\n"                    \
            ".popsection\n");                                      \
    extern const char static_##symbol[], static_##symbol##_end[];
#include "static.def"
#undef FILE

const struct static_file static_files[] = {
#define FILE(symbol, name, type) { name, type, static_##symbol, static_##symbol##_end },
#include "static.def"
#undef FILE
    { 0 }
};

const struct static_file *static_find(const char *name)
{
    const struct static_file *f = static_files;

    while (f->name != NULL && strcmp(f->name, name) != 0)
        f++;
    return f->name != NULL ? f : NULL;
}
