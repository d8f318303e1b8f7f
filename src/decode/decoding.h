/* decoding.h -- what the ways to an order share. */
#ifndef DECODING_H
#define DECODING_H

#include "decode.h"

/* Runs the decoder that spec names, on so many threads. */
MUST_CHECK peck_status decode_by(const peck_decode_spec *spec, int threads,
                                 const struct oracle *oracle, struct decoding *out,
                                 peck_error *err);

#endif
