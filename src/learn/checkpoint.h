/* checkpoint.h -- a training run on disk: what every member reached at the end of its
 * last epoch, in one safetensors file that is replaced whole.
 *
 * A member hands over a copy after each epoch; the file is written when the last one is
 * old enough that writing takes a small share of the time.
 *
 * Of several ranks the first one reads and writes, and the others get what it has read.  A
 * file says nothing of ranks: any number of them goes on from it.                     */
#ifndef CHECKPOINT_H
#define CHECKPOINT_H

#include "fit.h"

struct checkpoint;

/* Room for copies of fit[n].  identity: a text that says which training this is.  comm: the
 * ranks that share it; NULL: one. */
MUST_CHECK peck_status checkpoint_open(struct checkpoint **out, const char *path,
                                       const char *identity, const peck_comm *comm,
                                       struct fit *fit, size_t n, peck_error *err);
/* Puts the file's arrays back into the fits; nothing happens where there is no file.
 * PECK_ARG when it is of another training.  The file may be anybody's: what cannot have
 * been reached by this training is PECK_FORMAT. */
MUST_CHECK peck_status checkpoint_load(struct checkpoint *c, struct fit *fit,
                                       peck_error *err);
/* Takes a copy of member i and writes the file if it is time.  The first rank alone, which alone
 * may fail; so does checkpoint_write. */
MUST_CHECK peck_status checkpoint_take(struct checkpoint *c, size_t i, struct fit *f,
                                       peck_error *err);
/* Writes what was taken last, if anything was. */
MUST_CHECK peck_status checkpoint_write(struct checkpoint *c, peck_error *err);
void checkpoint_close(struct checkpoint *c); /* takes NULL */

#endif
