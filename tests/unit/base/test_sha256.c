/* SHA-256 against the examples of FIPS 180-4 (NIST, "Secure Hash Standard", examples with intermediate values), and
 * against sha256sum for lengths around the padding. */
#include "support/check.h"

#include <yoke/sha256.h>

#include <stdlib.h>
#include <string.h>

static void the_examples_of_the_standard_hold(void **state)
{
    static const struct {
        const char *text, *hash;
    } cases[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    char hash[65], *million = malloc(1000000);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        yk_sha256(cases[i].text, strlen(cases[i].text), hash);
        assert_string_equal(hash, cases[i].hash);
    }
    assert_non_null(million);
    memset(million, 'a', 1000000);
    yk_sha256(million, 1000000, hash);
    assert_string_equal(hash, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

/* head -c N /dev/zero | sha256sum */
static void every_length_of_padding_is_right(void **state)
{
    static const struct {
        size_t length;
        const char *hash;
    } cases[] = {
        {55, "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7"},
        {56, "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb"},
        {57, "65a16cb7861335d5ace3c60718b5052e44660726da4cd13bb745381b235a1785"},
        {63, "c7723fa1e0127975e49e62e753db53924c1bd84b8ac1ac08df78d09270f3d971"},
        {64, "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b"},
        {65, "98ce42deef51d40269d542f5314bef2c7468d401ad5d85168bfab4c0108f75f7"},
        {119, "f616b0d54e78571a9611f343c9f8e022e859e920381ab0e4d3da01e193a7bd7e"},
        {120, "6edd9f6f9cc92cded36e6c4a580933f9c9f1b90562b46903b806f21902a1a54f"},
    };
    static const char zeros[128];
    char hash[65];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        yk_sha256(zeros, cases[i].length, hash);
        assert_string_equal(hash, cases[i].hash);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_of_the_standard_hold),
        cmocka_unit_test(every_length_of_padding_is_right),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
