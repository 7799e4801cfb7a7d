/* Shared by users of HDF5 in the library; see also yoke/hdf5.h. */
#ifndef YOKE_H5_H
#define YOKE_H5_H

#include <hdf5.h>
#include <yoke/file.h>
#include <yoke/hdf5.h>

/* In a child process that was started between enter and leave: the same, with nobody to wait for. */
void yk_h5_listen(void);
/* File access properties of every recording, read or written. */
hid_t yk_h5_access(void);

#endif
