/* model_file.h -- inside the room: what writing and reading a model file share.
 *
 * A model is a safetensors file:
 *
 *     metadata   format      "peck model 1": the number rises when old readers would fail
 *                family      "mlp"
 *                shape       its settings: "hidden=64-32 activation=tanh ..."
 *                norm        "quantile+query-zscore"
 *                features    how many go in
 *                members     nets of the ensemble
 *                checksum    of all other metadata, names and data, 16 hexadecimal digits
 *                the rest    the model's notes: method, settings, seed, ...
 *     tensors    weights                F32 [members, weights of one]
 *                scales                 F64 [members, 2]: mean and deviation, where the
 *                                       members are not standardised over the query;
 *                                       the format is then "peck model 2"
 *                norm.<i>               as the normaliser wrote them
 *                feature_name_offsets   U64 [features + 1], where features have names
 *                feature_names          U8
 *
 * and so is a committee, whose models follow each other, every key and every name of model
 * i, from 1, behind "i.":
 *
 *     metadata   format      "peck committee 1"; 2, where there are scales or models
 *                            that differ in their features
 *                models      how many
 *                checksum    as above
 *                the rest    the committee's notes
 *                1.family    ... and all that a model says but its format and checksum
 *     tensors    shares                 F64 [models], above 0, 1 in all
 *                scales                 F64 [models, 2]: as above
 *                feature_name_offsets   as above; models have none of their own, unless they
 *                feature_names          look at other features: then the committee has none
 *                1.weights   ...
 *
 * Neither threads nor paths nor times: the same training gives the same bytes.  Nothing
 * is taken from a file that its length does not cover, so a small file cannot ask for
 * much memory.  A file without a checksum passes, for those written by other programs. */
#ifndef MODEL_FILE_H
#define MODEL_FILE_H

#include "model.h"

#define MODEL_FORMAT "peck model 1"
#define COMMITTEE_FORMAT "peck committee 1"
/* With scales, or models of a committee that look at other features: what readers of the
 * formats above would pass over. */
#define MODEL_FORMAT_2 "peck model 2"
#define COMMITTEE_FORMAT_2 "peck committee 2"

enum { CHECKSUM_DIGITS = 16, PREFIX_ROOM = 24 };

/* Keys that are no notes. */
enum own_key {
    KEY_FORMAT,
    KEY_FAMILY,
    KEY_SHAPE,
    KEY_NORM,
    KEY_FEATURES,
    KEY_MEMBERS,
    KEY_MODELS,
    KEY_CHECKSUM,
    N_OWN_KEYS
};
extern const char *const own_keys[N_OWN_KEYS];
bool is_own_key(peck_span key);

/* "3.": what stands before the keys and names of model i, counted from 0. */
void print_prefix(char to[PREFIX_ROOM], size_t i);
/* How many digits stand before the point of a committee's key that belongs to one of its
 * models; 0: it belongs to the committee. */
size_t digits_of_part(peck_span key);

/* The checksum with these bytes added. */
uint64_t mix_bytes(uint64_t sum, const void *bytes, size_t n);
void print_checksum(char to[CHECKSUM_DIGITS + 1], uint64_t sum);

#endif
