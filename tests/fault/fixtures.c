/* fixtures.c -- see fixtures.h. */
#include "fixtures.h"

#include "files.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "cannot prepare the operations: %s\n", what);
    exit(2);
}

void write_files(void)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        FILE *const f = fopen(files[i].name, "w");

        must(f != NULL && fputs(files[i].text, f) >= 0 && fclose(f) == 0, files[i].name);
    }
}

void write_comparator(const char *path)
{
    static const char header[] =
        "{\"__metadata__\":{\"format\":\"peck model 1\",\"family\":\"cmpnn\",\"shape\":"
        "\"hidden=2\",\"norm\":\"none\",\"features\":\"2\",\"members\":\"2\"},\"weights\":"
        "{\"dtype\":\"F32\",\"shape\":[2,8],\"data_offsets\":[0,64]}}";
    static const float weights[16] = { 1, -1, 2, 0, 0, 1, -1, 0, 0, 1, 1, -1, 0, -2, 1, 0 };
    const uint64_t length = sizeof header - 1;
    FILE *const f = fopen(path, "wb");

    must(f != NULL && fwrite(&length, sizeof length, 1, f) == 1 &&
             fwrite(header, length, 1, f) == 1 &&
             fwrite(weights, sizeof weights, 1, f) == 1 && fclose(f) == 0,
         path);
}

void write_committee(const char *path, const peck_model *a, const peck_model *b)
{
    const peck_model *const part[] = { a, b };
    const peck_blend_spec spec = { .model = part, .n_models = 2, .threads = 1 };
    peck_error err = { PECK_OK, "" };
    peck_model *m = NULL;

    must(peck_blend(&m, &spec, &err) == PECK_OK, err.text);
    must(peck_model_save(m, path, &err) == PECK_OK, err.text);
    peck_model_free(m);
}

peck_model *train_narrow(const char *path, const char *features)
{
    const peck_read_options options = { .features = features, .threads = 1 };
    peck_train_spec spec = { .method = "ridge", .threads = 1 };
    peck_error err = { PECK_OK, "" };
    peck_dataset *d = NULL;
    peck_model *m = NULL;

    must(peck_dataset_read(&d, path, &options, &err) == PECK_OK, err.text);
    spec.train = d;
    must(peck_train(&m, &spec, &err) == PECK_OK, err.text);
    peck_dataset_free(d);
    return m;
}

size_t empty_folder(const char *path)
{
    DIR *const dir = opendir(path);
    const struct dirent *entry;
    char name[4096];
    size_t n = 0;

    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        n += entry->d_name[0] != '.' && unlink(name) == 0;
    }
    if (dir != NULL)
        closedir(dir);
    return n;
}

peck_model *train_trees(const peck_dataset *d)
{
    peck_model *m = NULL;
    peck_error err = { PECK_OK, "" };
    const peck_train_spec spec = { .method = "mart",
                                   .alone = 1,
                                   .settings = (const char *const[]){ "trees=2", NULL },
                                   .train = d,
                                   .threads = 1 };

    must(peck_train(&m, &spec, &err) == PECK_OK, err.text);
    return m;
}
