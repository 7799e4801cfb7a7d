/* The SII of a slave: a small memory (EEPROM) with its identity, names, SyncManagers and process data. */
#ifndef YOKE_ETHERCAT_SII_H
#define YOKE_ETHERCAT_SII_H

#include <yoke/ethercat_setup.h>

enum {
    YK_EC_SII_WORDS = 4096, /* longest that is read */
    YK_EC_SM_MOST = 8,
    YK_EC_SII_PDOS = 64,
    YK_EC_SII_ENTRIES = 512
};

enum yk_ec_sm_use { YK_EC_SM_UNUSED, YK_EC_SM_MAIL_OUT, YK_EC_SM_MAIL_IN, YK_EC_SM_DATA_OUT, YK_EC_SM_DATA_IN };
struct yk_ec_sii_sm {
    uint16_t start, length;
    uint8_t control;
    uint8_t enable;
    uint8_t use; /* enum yk_ec_sm_use */
};

struct yk_ec_sii_pdo {
    uint16_t index;
    uint8_t sm;          /* 0xFF: not assigned */
    bool to_slave;       /* RxPDO */
    size_t first, count; /* its entries */
};

struct yk_ec_sii {
    uint32_t vendor, product, revision, serial;
    uint16_t alias;
    bool checked;                                            /* the check sum of the head holds */
    uint16_t mail_out, mail_out_size, mail_in, mail_in_size; /* offsets and sizes [bytes]; 0: no mailbox */
    uint16_t protocols;
    char name[64], order[64];
    uint8_t coe; /* abilities */
    bool no_lrw;
    size_t sm_count;
    struct yk_ec_sii_sm sms[YK_EC_SM_MOST];
    size_t pdo_count;
    struct yk_ec_sii_pdo pdos[YK_EC_SII_PDOS];
    size_t entry_count;
    struct yk_ec_entry entries[YK_EC_SII_ENTRIES];
    bool has_dc;
    uint16_t assign_activate;
};

/* CRC-8 of the head: polynomial 0x07, start 0xFF. */
uint8_t yk_ec_sii_checksum(const uint8_t *bytes, size_t size);
/* How many words of the memory must be read to go on, given the first `words` of it; `words` itself: it is complete. */
size_t yk_ec_sii_needed(const uint8_t *image, size_t words);
/* Decodes a complete image; false: categories extend beyond it. Entries beyond the size of the tables are left out. */
bool yk_ec_sii_decode(const uint8_t *image, size_t words, struct yk_ec_sii *sii);

#endif
