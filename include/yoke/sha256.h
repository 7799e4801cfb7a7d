/* SHA-256 (FIPS 180-4): tells files apart in protocols. */
#ifndef YOKE_SHA256_H
#define YOKE_SHA256_H

#include <stddef.h>

/* 64 hexadecimal digits and the end. */
void yk_sha256(const void *bytes, size_t size, char hex[65]);

#endif
