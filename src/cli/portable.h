/* Results whose bits do not depend on the model of the CPU. */
#ifndef YOKE_CLI_PORTABLE_H
#define YOKE_CLI_PORTABLE_H

/* Starts the program again with the arithmetic that every x86-64 CPU has, unless it has been. An exit code after a
 * message where that cannot be had, 0 to go on. */
int portable_begin(char **argv);

#endif
