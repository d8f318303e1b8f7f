/* replay.c -- a plain main() that feeds every file of a folder to a fuzz target, so that
 * what fuzzing once found stays found in `make check`, with any compiler.             */
#include "memory_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int feed(const char *folder, const char *name)
{
    char path[4096];
    uint8_t *data = NULL;
    long size = -1;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const file = fopen(path, "rb");

    if (file != NULL && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 &&
        fseek(file, 0, SEEK_SET) == 0)
        data = malloc(size > 0 ? (size_t)size : 1);
    const int is_read = data != NULL && fread(data, 1, (size_t)size, file) == (size_t)size;

    /* Said before, so that a crash is told with its input. */
    printf("%s\n", path);
    fflush(stdout);
    if (is_read)
        LLVMFuzzerTestOneInput(data, (size_t)size);
    else
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
    free(data);
    if (file != NULL)
        fclose(file);
    return is_read;
}

int main(int argc, char **argv)
{
    DIR *const folder = argc == 2 ? opendir(argv[1]) : NULL;
    const struct dirent *entry;
    int n = 0, failed = 0;

    if (folder == NULL) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    while ((entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        failed += !feed(argv[1], entry->d_name);
        n++;
    }
    closedir(folder);
    printf("replay: %d cases, %d failed\n", n, failed);
    return n == 0 || failed > 0;
}
