/* Messages that only two sides with the same key can write and read: authenticated, encrypted, and never accepted
 * twice. For UDP beyond this machine.
 *
 *     HELLO, CHALLENGE, WELCOME, REFUSE: "YSH" | nonce 24 | sealed by the key: salt of the run 16, of the rig 16,
 * message all others:                        "YSD" | number 8 | sealed by a key of the session and the direction:
 * message
 *
 * Both seals end with a tag of 16 bytes (XChaCha20-Poly1305, ChaCha20-Poly1305). The keys of a session are BLAKE2b of
 * both salts under the key: salts are random, so what was recorded in one session means nothing in another. Within a
 * session every datagram has its own number, and one that was heard, or is 64 behind the newest, is dropped.
 *
 * The run knows an answer of now by its own salt. The rig cannot tell a HELLO of now from a recorded one by its seal:
 * it asks for a fresh number first (challenge.h), and has keys of a session only after that. */
#ifndef YOKE_SEALED_H
#define YOKE_SEALED_H

#include "rig/link.h"

enum { YK_KEY = 32, YK_SALT = 16 };

struct yk_seal {
    bool serves; /* the side of the rig */
    unsigned char key[YK_KEY];

    /* private */
    bool greeted;     /* the commanding side has a salt */
    bool keyed;       /* both salts are known */
    uint32_t session; /* of the keys */
    unsigned char salt[YK_SALT], rig_salt[YK_SALT];
    unsigned char outward[YK_KEY], inward[YK_KEY];
    uint64_t sent;                /* number of the last datagram */
    uint64_t heard, window;       /* the newest number; bit i: heard - i came */
    unsigned char asked[YK_SALT]; /* the rig: of the HELLO heard last */
    uint32_t asked_session;       /* and its session */
};

/* Reads a key file (64 hexadecimal digits), which nobody else may read. */
enum yk_status yk_seal_open(struct yk_seal *seal, const char *key_file, bool serves, struct yk_err *err);
/* The link seals by it from now on. */
void yk_seal_use(struct yk_seal *seal, struct yk_link *link);
/* Writes a new key; refuses to replace a file. */
enum yk_status yk_seal_make_key(const char *path, struct yk_err *err);

#endif
