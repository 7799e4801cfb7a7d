/* HDF5 for programs that use it beside the library: one lock for the process, no output of HDF5, and the reason of a
 * failure. */
#ifndef YOKE_HDF5_H
#define YOKE_HDF5_H

/* HDF5 may be built without thread safety, so only one thread is ever between enter and leave. In between HDF5 prints
 * nothing; the caller's own error handler is back in place after leave. Not recursive. */
void yk_h5_enter(void);
void yk_h5_leave(void);
/* Between enter and leave: why the first failing HDF5 call since enter (or forget) failed; "" where none did. Calls on
 * identifiers that could not be allocated fail too but come later, so that a chain of calls needs one check at its end.
 */
const char *yk_h5_reason(void);
void yk_h5_forget(void);
/* Call it before any other function of HDF5, in a program that closes its files itself: after a damaged file HDF5 would
 * print at exit that it cannot release its resources. */
void yk_h5_end_silently(void);

#endif
