/* Chains that users bring: files with a section `transfer`. */
#ifndef YOKE_BENCHMARK_CHAIN_H
#define YOKE_BENCHMARK_CHAIN_H

/* Name of the experiment that a problem becomes, malloc'd: `name`, in the folder of the chain if that is a file
 * ("FOLDER/chain.yaml"), so that file names in the chain (the library of a plugin) count from its own folder. */
char *yk_benchmark_path(const char *chain, const char *name);

#endif
