/* complete.h -- completion scripts for shells, written from the verbs' own tables. */
#ifndef COMPLETE_H
#define COMPLETE_H

#include <stdio.h>

/* Shells, as an option takes them. */
#define COMPLETE_SHELLS "bash|zsh|fish"

/* Writes the script of one of them. */
void complete_print(FILE *to, const char *shell);

#endif
