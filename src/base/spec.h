/* spec.h -- structs that callers fill, and that grow at their end from version to version:
 * a caller says by `size`, their first member, how much of one he knows.               */
#ifndef SPEC_H
#define SPEC_H

#include "status.h"

/* Copies the caller's struct (NULL: all zero) into own, a `type`.  What lies beyond the
 * caller's size is 0.  last: the last member of the layout that size 0 stands for, which
 * never changes.  own->size is then right for handing own on. */
#define SPEC_TAKE(type, own, last, given, err)                                        \
    spec_take(own, sizeof(type), offsetof(type, last) + sizeof(((type *)NULL)->last), \
              given, #type, err)
MUST_CHECK peck_status spec_take(void *own, size_t own_size, size_t usual_size,
                                 const void *given, const char *type, peck_error *err);

#endif
