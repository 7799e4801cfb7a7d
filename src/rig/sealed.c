/* Sealed messages, with libsodium. */
#include "rig/sealed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef YOKE_SODIUM
#include <sodium.h>

enum { HEAD = 3, NONCE = 24, NUMBER = 8, TAG = 16, SALTS = 2 * YK_SALT, DIGITS = 2 * YK_KEY };

_Static_assert(HEAD + NUMBER + TAG <= YK_SEAL_BYTES, "the buffers of a link have room for a seal");
_Static_assert(NONCE == crypto_aead_xchacha20poly1305_ietf_NPUBBYTES &&
                   TAG == crypto_aead_chacha20poly1305_ietf_ABYTES &&
                   YK_KEY == crypto_aead_chacha20poly1305_ietf_KEYBYTES,
               "sizes of libsodium");

/* Authenticated, not encrypted: kind and direction. The direction exposes datagrams sent back to their sender. */
struct head {
    unsigned char bytes[HEAD + 1];
};
YK_RT static struct head head_of(char kind, bool from_rig)
{
    return (struct head){{'Y', 'S', (unsigned char)kind, from_rig ? 'r' : 'c'}};
}

/* ---- keys of a session ---- */

YK_RT static void derive(struct yk_seal *s, uint32_t session)
{
    unsigned char salts[SALTS], keys[2 * YK_KEY];

    memcpy(salts, s->salt, YK_SALT);
    memcpy(salts + YK_SALT, s->rig_salt, YK_SALT);
    crypto_generichash(keys, sizeof keys, salts, sizeof salts, s->key, sizeof s->key);
    memcpy(s->serves ? s->inward : s->outward, keys, YK_KEY);
    memcpy(s->serves ? s->outward : s->inward, keys + YK_KEY, YK_KEY);
    s->sent = s->heard = s->window = 0;
    s->session = session;
    s->keyed = true;
}

/* Was this number heard in the session? Notes it. */
YK_RT static bool is_replayed(struct yk_seal *s, uint64_t number)
{
    if (number == 0 || (number <= s->heard && s->heard - number >= 64))
        return true;
    if (number > s->heard) {
        const uint64_t ahead = number - s->heard;

        s->window = ahead < 64 ? s->window << ahead : 0;
        s->heard = number;
    }
    const uint64_t bit = UINT64_C(1) << (s->heard - number);
    const bool known = s->window & bit;
    s->window |= bit;
    return known;
}

/* ---- greetings ---- */

YK_RT static size_t seal_greeting(const struct yk_seal *s, const unsigned char *salt, const unsigned char *rig_salt,
                                  const struct yk_message *m, unsigned char *bytes)
{
    const struct head head = head_of('H', s->serves);
    unsigned char plain[SALTS + YK_WIRE_LARGEST], *nonce = bytes + HEAD;
    const size_t size = yk_message_pack(m, plain + SALTS);

    memcpy(plain, salt, YK_SALT);
    memcpy(plain + YK_SALT, rig_salt, YK_SALT);
    memcpy(bytes, head.bytes, HEAD);
    randombytes_buf(nonce, NONCE);
    crypto_aead_xchacha20poly1305_ietf_encrypt(nonce + NONCE, NULL, plain, SALTS + size, head.bytes, sizeof head.bytes,
                                               NULL, nonce, s->key);
    return HEAD + NONCE + SALTS + size + TAG;
}

/* A greeting has no more than the words of a refusal. */
enum { LARGEST_GREETING = HEAD + NONCE + SALTS + YK_WIRE_HEAD + 8 * (2 + YK_WIRE_WORDS / 8) + 4 + TAG };

/* Does this greeting belong here? The rig notes whom it would answer; whether the HELLO is of now, its number says.
 * Once the keys of a session are known, only the WELCOME of that session does. */
YK_RT static enum yk_verdict judge_greeting(struct yk_seal *s, const unsigned char *salts, const struct yk_message *m)
{
    if (s->serves) {
        s->asked_session = m->session;
        return m->kind == YK_HELLO ? YK_FRAME_GOOD : YK_FRAME_FORGED;
    }
    if (m->kind == YK_WELCOME && !s->keyed) {
        memcpy(s->rig_salt, salts + YK_SALT, YK_SALT);
        derive(s, m->session);
    } else if (s->keyed && memcmp(s->rig_salt, salts + YK_SALT, YK_SALT) != 0)
        return YK_FRAME_REPLAYED;
    return YK_FRAME_GOOD;
}

YK_RT static enum yk_verdict open_greeting(struct yk_seal *s, const unsigned char *bytes, size_t size,
                                           struct yk_message *m)
{
    const struct head head = head_of('H', !s->serves);
    unsigned char plain[LARGEST_GREETING];
    const unsigned char *nonce = bytes + HEAD;

    if (size < HEAD + NONCE + SALTS + TAG || size > LARGEST_GREETING ||
        crypto_aead_xchacha20poly1305_ietf_decrypt(plain, NULL, NULL, nonce + NONCE, size - HEAD - NONCE, head.bytes,
                                                   sizeof head.bytes, nonce, s->key))
        return YK_FRAME_FORGED;
    if (s->serves)
        memcpy(s->asked, plain, YK_SALT);
    else if (memcmp(s->salt, plain, YK_SALT) != 0)
        return YK_FRAME_REPLAYED; /* an answer to another run */
    const enum yk_verdict verdict = yk_message_unpack(plain + SALTS, size - HEAD - NONCE - SALTS - TAG, m);
    return verdict == YK_FRAME_GOOD ? judge_greeting(s, plain, m) : verdict;
}

/* ---- the messages of a session ---- */

YK_RT static void nonce_of(uint64_t number, unsigned char nonce[12])
{
    memset(nonce, 0, 4);
    for (int i = 0; i < NUMBER; i++)
        nonce[4 + i] = (unsigned char)(number >> 8 * i);
}

YK_RT static size_t seal_message(struct yk_seal *s, const struct yk_message *m, unsigned char *bytes)
{
    const struct head head = head_of('D', s->serves);
    unsigned char plain[YK_WIRE_LARGEST], nonce[12];
    const size_t size = yk_message_pack(m, plain);

    nonce_of(++s->sent, nonce);
    memcpy(bytes, head.bytes, HEAD);
    memcpy(bytes + HEAD, nonce + 4, NUMBER);
    crypto_aead_chacha20poly1305_ietf_encrypt(bytes + HEAD + NUMBER, NULL, plain, size, head.bytes, sizeof head.bytes,
                                              NULL, nonce, s->outward);
    return HEAD + NUMBER + size + TAG;
}

YK_RT static enum yk_verdict open_message(struct yk_seal *s, const unsigned char *bytes, size_t size,
                                          struct yk_message *m)
{
    const struct head head = head_of('D', !s->serves);
    unsigned char plain[YK_WIRE_LARGEST], nonce[12] = {0};
    uint64_t number = 0;

    if (!s->keyed || size < HEAD + NUMBER + TAG || size > HEAD + NUMBER + TAG + YK_WIRE_LARGEST)
        return YK_FRAME_FORGED;
    memcpy(nonce + 4, bytes + HEAD, NUMBER);
    if (crypto_aead_chacha20poly1305_ietf_decrypt(plain, NULL, NULL, bytes + HEAD + NUMBER, size - HEAD - NUMBER,
                                                  head.bytes, sizeof head.bytes, nonce, s->inward))
        return YK_FRAME_FORGED;
    for (int i = NUMBER - 1; i >= 0; i--)
        number = number << 8 | nonce[4 + i];
    if (is_replayed(s, number))
        return YK_FRAME_REPLAYED;
    return yk_message_unpack(plain, size - HEAD - NUMBER - TAG, m);
}

/* ---- the codec ---- */

/* A HELLO of a new session begins with a new salt. */
YK_RT static void begin(struct yk_seal *s, uint32_t session)
{
    if (s->greeted && s->session == session)
        return;
    randombytes_buf(s->salt, YK_SALT);
    memset(s->rig_salt, 0, YK_SALT);
    s->session = session;
    s->greeted = true;
    s->keyed = false;
}

/* The rig: the HELLO heard last begins a session; its keys from here on. */
static void adopt(void *self)
{
    struct yk_seal *s = self;

    memcpy(s->salt, s->asked, YK_SALT);
    randombytes_buf(s->rig_salt, YK_SALT);
    derive(s, s->asked_session);
}

YK_RT static bool is_greeting(const unsigned char *bytes, size_t size)
{
    return size >= HEAD && bytes[0] == 'Y' && bytes[1] == 'S' && bytes[2] == 'H';
}

YK_RT static size_t pack(void *self, const struct yk_message *m, unsigned char *bytes)
{
    static const unsigned char none[YK_SALT];
    struct yk_seal *s = self;

    if (m->kind == YK_HELLO) {
        begin(s, m->session);
        return seal_greeting(s, s->salt, none, m, bytes);
    }
    if (m->kind == YK_WELCOME)
        return seal_greeting(s, s->salt, s->rig_salt, m, bytes);
    if (m->kind == YK_CHALLENGE || (m->kind == YK_REFUSE && (!s->keyed || m->session != s->session)))
        return seal_greeting(s, s->asked, none, m, bytes);
    return s->keyed ? seal_message(s, m, bytes) : 0;
}

YK_RT static enum yk_verdict unpack(void *self, const unsigned char *bytes, size_t size, struct yk_message *m)
{
    if (size < HEAD || bytes[0] != 'Y' || bytes[1] != 'S')
        return YK_FRAME_FOREIGN;
    if (is_greeting(bytes, size))
        return open_greeting(self, bytes, size, m);
    return bytes[2] == 'D' ? open_message(self, bytes, size, m) : YK_FRAME_FOREIGN;
}

void yk_seal_use(struct yk_seal *seal, struct yk_link *link)
{
    link->codec =
        (struct yk_codec){.self = seal, .pack = pack, .unpack = unpack, .is_greeting = is_greeting, .adopt = adopt};
}

/* ---- key files ---- */

static enum yk_status read_key(struct yk_seal *seal, const char *path, struct yk_err *err)
{
    char text[DIGITS + 2] = "";
    struct stat about;
    size_t size = 0;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would keep it waiting */
    const bool seen = file >= 0 && fstat(file, &about) == 0, is_file = seen && S_ISREG(about.st_mode);
    const ssize_t got = is_file ? read(file, text, sizeof text - 1) : -1;

    if (file >= 0)
        close(file);
    if (seen && !is_file)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "a key must be a regular file");
    if (got < 0)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "the key cannot be read: %s", strerror(errno));
    if (about.st_mode & (S_IRWXG | S_IRWXO))
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "others may read this key; chmod 600 %s", path);
    text[strcspn(text, "\n")] = 0;
    if (strlen(text) != DIGITS || sodium_hex2bin(seal->key, YK_KEY, text, DIGITS, NULL, &size, NULL) || size != YK_KEY)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path),
                          "a key has %d hexadecimal digits; `yoke serve --make-key FILE` makes one", DIGITS);
    return YK_OK;
}

enum yk_status yk_seal_open(struct yk_seal *seal, const char *key_file, bool serves, struct yk_err *err)
{
    *seal = (struct yk_seal){.serves = serves};
    if (sodium_init() < 0)
        return yk_fail(err, YK_E_IO, "libsodium cannot be used on this machine");
    return read_key(seal, key_file, err);
}

enum yk_status yk_seal_make_key(const char *path, struct yk_err *err)
{
    unsigned char key[YK_KEY];
    char text[DIGITS + 2];

    if (sodium_init() < 0)
        return yk_fail(err, YK_E_IO, "libsodium cannot be used on this machine");
    randombytes_buf(key, sizeof key);
    sodium_bin2hex(text, sizeof text, key, sizeof key);
    text[DIGITS] = '\n';
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    const bool written = file >= 0 && write(file, text, DIGITS + 1) == DIGITS + 1;
    if (file >= 0 && close(file) == 0 && written)
        return YK_OK;
    yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "the key cannot be written: %s", strerror(errno));
    if (file >= 0)
        unlink(path); /* half a key is none */
    else if (errno == EEXIST)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "this file exists; a key is never replaced");
    return YK_E_IO;
}

#else

static enum yk_status missing(struct yk_err *err)
{
    return yk_fail(err, YK_E_UNSUPPORTED,
                   "this program was built without libsodium, so it knows no keys (Debian: libsodium-dev)");
}

enum yk_status yk_seal_open(struct yk_seal *seal, const char *key_file, bool serves, struct yk_err *err)
{
    return missing(err);
}

void yk_seal_use(struct yk_seal *seal, struct yk_link *link)
{
}

enum yk_status yk_seal_make_key(const char *path, struct yk_err *err)
{
    return missing(err);
}

#endif
