/* Results whose bits do not depend on the model of the CPU. */
#ifndef YOKE_CLI_PORTABLE_H
#define YOKE_CLI_PORTABLE_H

/* Restarts the program with the arithmetic of every x86-64 CPU, unless already done. An exit code after a message if
 * that is impossible, 0 to continue. */
int portable_begin(char **argv);

#endif
