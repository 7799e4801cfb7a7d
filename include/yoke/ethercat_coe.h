/* CoE: objects of a slave, read and written through its mailboxes (SDO).
 *
 * The functions here make and understand messages; whoever has a wire carries them. A transfer goes
 *     begin -> request -> (answer) -> request ... until it is no longer YK_EC_SDO_BUSY. */
#ifndef YOKE_ETHERCAT_COE_H
#define YOKE_ETHERCAT_COE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yoke/status.h>

enum {
    YK_EC_MAIL_HEAD = 6,
    YK_EC_MAIL_LEAST = 22,  /* a mailbox with head, CoE head and an SDO of 8 bytes, and some data of a segment */
    YK_EC_MAIL_MOST = 1400, /* it goes in one frame, behind its status */
    YK_EC_MAIL_COE = 3,
    YK_EC_SDO_MOST = 1024 /* bytes of an object */
};

/* services of CoE */
enum { YK_EC_COE_EMERGENCY = 1, YK_EC_COE_REQUEST = 2, YK_EC_COE_RESPONSE = 3 };

enum yk_ec_sdo_state {
    YK_EC_SDO_BUSY, /* the next request is to be sent */
    YK_EC_SDO_DONE,
    YK_EC_SDO_ABORTED, /* by the slave: `code` */
    YK_EC_SDO_WRONG    /* an answer that does not belong there: `words` */
};

struct yk_ec_sdo {
    enum yk_ec_sdo_state state;
    bool upload, started, toggle;
    uint16_t index;
    uint8_t subindex;
    uint32_t code;     /* of an abort */
    const char *words; /* what was wrong */
    size_t size, done; /* of `data`; how much of it went over */
    uint8_t data[YK_EC_SDO_MOST];
};
void yk_ec_sdo_upload(struct yk_ec_sdo *s, uint16_t index, uint8_t subindex);
void yk_ec_sdo_download(struct yk_ec_sdo *s, uint16_t index, uint8_t subindex, const void *data, size_t size);
/* Writes the next request as a message of a mailbox of `room` bytes (zeros behind it); counter: 1 .. 7. */
void yk_ec_sdo_request(struct yk_ec_sdo *s, uint8_t counter, uint8_t *mail, size_t room);

/* An emergency message. */
struct yk_ec_emergency {
    uint16_t code;   /* 0: an error was reset */
    uint8_t reg;     /* 0x1001 */
    uint8_t data[5]; /* of the manufacturer */
    unsigned count;  /* that came so far */
};
/* Takes a message of the slave; false: it is no emergency. */
bool yk_ec_emergency_take(struct yk_ec_emergency *e, const uint8_t *mail, size_t size) YK_RT;
const char *yk_ec_emergency_words(unsigned code) YK_RT; /* CiA 301, CiA 402: what the code is about */
/* Takes a message of the slave; false: it is not for this transfer (an emergency, another protocol, a stale answer). */
bool yk_ec_sdo_answer(struct yk_ec_sdo *s, const uint8_t *mail, size_t size, struct yk_ec_emergency *emergency);

uint8_t yk_ec_mail_counter(const uint8_t *mail) YK_RT; /* of a received one; 0: does not count */
const char *yk_ec_abort_words(uint32_t code);
const char *yk_ec_al_words(unsigned code);
const char *yk_ec_state_name(unsigned state); /* "SAFEOP" */

#endif
