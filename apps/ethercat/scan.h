/* Scan of an EtherCAT bus: a table for people, and an experiment file to start from. */
#ifndef YOKE_ETHERCAT_SCAN_H
#define YOKE_ETHERCAT_SCAN_H

#include <yoke/ethercat_master.h>

#include <stdio.h>

/* Discovers the slaves, brings those with a mailbox to PREOP and reads the mapping of all. The wire is open. */
enum yk_status yk_ec_scan(struct yk_ec_master *m, double patience_s, struct yk_err *err);
/* A table of the slaves and their process data. */
void yk_ec_print(FILE *out, const struct yk_ec_master *m);
/* An experiment file with these slaves: an actuator for each drive, a sensor for each analogue input, a line for each
 * digital input. Digital outputs are comments. The file is refused until the roles of the inputs, the forces, and the
 * scales that the drives do not tell are filled in. */
void yk_ec_write_file(FILE *out, const struct yk_ec_master *m, const char *interface);

#endif
