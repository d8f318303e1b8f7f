/* spec.c -- see spec.h. */
#include "spec.h"

#include <string.h>

peck_status spec_take(void *own, size_t own_size, size_t usual_size, const void *given,
                      const char *type, peck_error *err)
{
    size_t size = 0;

    memset(own, 0, own_size);
    if (given != NULL)
        memcpy(&size, given, sizeof size);
    if (size != 0 && size < sizeof size)
        return fail(err, PECK_ARG,
                    "%s.size is %zu, less than that member itself; give sizeof(%s), or 0",
                    type, size, type);
    if (size > own_size)
        return fail(err, PECK_ARG,
                    "%s.size is %zu, but this library (%s) knows %zu bytes of it: it is "
                    "older than the header of the program, or the struct is not set to 0",
                    type, size, PECK_VERSION, own_size);
    if (given != NULL)
        memcpy(own, given, size != 0 ? size : usual_size);
    memcpy(own, &own_size, sizeof own_size);
    return PECK_OK;
}
