/* A directory of its own for each test program; removed with all that lies in it. */
#ifndef YOKE_TEST_SCRATCH_H
#define YOKE_TEST_SCRATCH_H

/* cmocka group set-up and tear-down. */
int scratch_create(void **state);
int scratch_remove(void **state);

/* The same, and the program stands in the directory, with a small experiment in "small.yaml". */
int scratch_enter(void **state);
int scratch_leave(void **state);

/* "<directory>/<name>"; one of eight buffers in turn. */
const char *scratch_path(const char *name);
/* Writes a file of that name, and returns its path. */
const char *scratch_write(const char *name, const char *text);
/* The text of a file of that name, until the next call; how often the words are in it; and that they are. */
const char *scratch_text(const char *name);
int scratch_count(const char *name, const char *words);
void assert_in_scratch(const char *name, const char *words);

#endif
