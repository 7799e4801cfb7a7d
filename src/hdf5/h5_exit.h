/* How HDF5 ends with the process; apart from h5.h, so that a program needs no header of HDF5. */
#ifndef YOKE_H5_EXIT_H
#define YOKE_H5_EXIT_H

/* Call it before any other function of HDF5, in a program that closes its files itself: after a damaged file HDF5 would
 * print at exit that it cannot release its resources. */
void yk_h5_end_silently(void);

#endif
