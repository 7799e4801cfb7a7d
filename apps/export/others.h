/* Recordings for other programs: ParaView, DesignSafe, quoFEM. */
#ifndef YOKE_EXPORT_OTHERS_H
#define YOKE_EXPORT_OTHERS_H

#include <yoke/command.h>
#include <yoke/recording.h>

/* Snapshots of the structure, `frames` of them evenly over the run, as a VTKHDF file. Exit code. */
int export_vtk(struct yk_recording *recording, const char *path, long frames);
/* A folder in the categories of a hybrid simulation of the DesignSafe data depot. `recording_path` is run.h5. Exit
 * code. */
int export_designsafe(struct yk_recording *recording, const char *recording_path, const char *folder);
/* Figures of summary.json on one line, as quoFEM reads them: names such as errors.displacement_nrms,peaks.frame.x.u. */
int export_results(struct yk_recording *recording, const char *recording_path, const char *names, const char *path);

#endif
