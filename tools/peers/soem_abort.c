/* Does SOEM see that a slave aborts the download of an SDO? To slave 2: an object that is not there, one that is read-only, one
 * that takes the value. Exit code 0 if the first two failed with their codes and the third did not.
 *
 * usage: soem_abort INTERFACE */
#include "soem/soem.h"

#include <stdio.h>

static ecx_contextt context;

/* The abort code of a download, 0 if it succeeded. */
static uint32 download(uint16 index, uint8 sub, int size, void *value)
{
    ec_errort error;
    uint32 code = 0;

    while (ecx_poperror(&context, &error))
        ;
    const int counter = ecx_SDOwrite(&context, 2, index, sub, FALSE, size, value, EC_TIMEOUTRXM);

    while (ecx_poperror(&context, &error))
        if (error.Etype == EC_ERR_TYPE_SDO_ERROR)
            code = (uint32)error.AbortCode;
    printf("0x%04X:%d: working counter %d, abort code 0x%08X\n", index, sub, counter, code);
    return counter > 0 && !code ? 0 : code ? code : 1;
}

int main(int argc, char **argv)
{
    uint32 word = 1;
    uint8 byte = 1;

    if (argc != 2 || !ecx_init(&context, argv[1]) || ecx_config_init(&context) < 2)
        return 2;
    ecx_statecheck(&context, 0, EC_STATE_PRE_OP, EC_TIMEOUTSTATE);
    ecx_readstate(&context); /* without it SOEM takes the slaves for being in INIT */
    const uint32 missing = download(0x5FFF, 0, 4, &word), fixed = download(0x6502, 0, 4, &word),
                 taken = download(0x60C2, 1, 1, &byte);

    ecx_close(&context);
    return missing == 0x06020000 && fixed == 0x06010002 && !taken ? 0 : 1;
}
