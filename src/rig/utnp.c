/* Headers of UT-SIM. */
#include "rig/utnp.h"

#include <string.h>

YK_RT void yk_utnp_put(const struct yk_utnp_head *h, unsigned char bytes[YK_UTNP_HEAD])
{
    const unsigned fields[] = {h->version, h->command,   h->test, h->substructure, h->precision,
                               h->data,    h->dofs >> 8, h->dofs, h->step >> 8,    h->step};

    memset(bytes, 0, YK_UTNP_HEAD);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        bytes[i] = (unsigned char)fields[i];
}

YK_RT struct yk_utnp_head yk_utnp_get(const unsigned char b[YK_UTNP_HEAD])
{
    return (struct yk_utnp_head){.version = b[0],
                                 .command = b[1],
                                 .test = b[2],
                                 .substructure = b[3],
                                 .precision = b[4],
                                 .data = b[5],
                                 .dofs = (unsigned)b[6] << 8 | b[7],
                                 .step = (unsigned)b[8] << 8 | b[9]};
}

YK_RT bool yk_utnp_has_forces(const struct yk_utnp_head *h, size_t dofs)
{
    return h->version == YK_UTNP_VERSION && h->precision == YK_UTNP_DOUBLES && h->dofs == dofs;
}
