/* The sockets of runs, for those who open them and for those who ask. */
#ifndef YOKE_DOOR_CONTROL_H
#define YOKE_DOOR_CONTROL_H

#include <sys/un.h>
#include <yoke/control.h>

enum { YK_CONTROL_REQUEST = 64 + YK_CONSOLE_LINE }; /* bytes, most */
#define YK_CONTROL_AS      "as "                    /* the role before a request: "as operator\npause" */
#define YK_CONTROL_CONSOLE "console "               /* before a line for a console */

/* Opens the folder of the sockets of this user, created if missing: what is checked is what is used. -1 after a
 * failure. */
int yk_control_folder(char *folder, size_t size, struct yk_err *err);
/* A socket for that path, and its address; -1: it is too long, or there is no socket to be had. */
int yk_control_socket(const char *path, struct sockaddr_un *address);
/* Reads until the other side has said all, for a while only, however slowly it speaks. Ends the text. */
size_t yk_control_read(int fd, char *text, size_t size);
/* Sends a request to whoever listens there and leaves the connection open for the answer; -1: nobody takes it. */
int yk_control_call(const char *path, const char *request);
/* The same; the answer is in `answer`. */
bool yk_control_ask_at(const char *path, const char *request, char *answer, size_t size);

#endif
