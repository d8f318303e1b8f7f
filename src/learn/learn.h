/* learn -- DATASET -> MODEL
 *   in      labelled queries or preferences, a method's settings, a seed
 *   out     weights
 *   knows   base data norm model metric
 *   never   files, printing, argv
 *   grow    obj_<name>.c + objectives.def; learner_<name>.c + learners.def; a name for
 *           users is one line in recipes.def                                         */
#ifndef LEARN_H
#define LEARN_H

#include "../data/dataset.h"
#include "../data/prefs.h"
#include "../metric/metric.h"
#include "../model/model.h"
#include "objective.h"

/* Left to the room's own work: lessons out of a dataset (pairs.c), the epoch loop
 * (fit.c), optimisers (optim.c), learners and recipes. */

#endif
