/* Short names for tables of equivalent force control. */
#ifndef YOKE_TEST_EFC_NAMES_H
#define YOKE_TEST_EFC_NAMES_H

#include "support/efc_rig.h"

#define STEP  YK_EFC_STEP
#define LAW_1 YK_EFC_INTERPOLATION_1
#define LAW_2 YK_EFC_INTERPOLATION_2
#define NONE  YK_EFC_NONE
#define PEEK  YK_EFC_PEEK
#define DISP  YK_EFC_DISPLACEMENT
#define ACC   YK_EFC_ACCELERATION

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const double at_rest[EFC_DOFS] = {0};

#endif
