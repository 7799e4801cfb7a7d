/* Texts of pages: whatever stands in a name, a title or a file stays text. */
#ifndef YOKE_PAGE_TEXT_H
#define YOKE_PAGE_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Text for HTML, also within quotes of an attribute. */
void yk_page_html(FILE *out, const char *text);
/* A JSON string that may stand in a <script> element: no < > &; broken UTF-8 becomes U+FFFD. NULL: null. */
void yk_page_string(FILE *out, const char *text);
/* A member of an object, `,"name":"text"`; without the comma if it is the first. */
void yk_page_member(FILE *out, const char *name, const char *text, bool first);
/* JSON likewise; NULL: null. */
void yk_page_json(FILE *out, const json_t *json);
/* A JSON number with 9 digits; null where it is not finite. */
void yk_page_number(FILE *out, double x);
/* Base64 (RFC 4648) without quotes. */
void yk_page_base64(FILE *out, const void *bytes, size_t size);
/* Numbers as a JSON string: little-endian, 4 or 8 bytes each, in base64. */
void yk_page_floats(FILE *out, const float *x, size_t n);
void yk_page_doubles(FILE *out, const double *x, size_t n);

#endif
