/* tty.h -- what is known of the terminal that a person looks at.  The command may read
 * the environment for it; the library never does.                                     */
#ifndef TTY_H
#define TTY_H

#include <stddef.h>

/* Columns: what COLUMNS says, or the terminal at fd; 0: neither does. */
size_t tty_width(int fd);
/* Whether fd is a terminal that shows colours, and nobody said NO_COLOR. */
int tty_has_colours(int fd);

#endif
