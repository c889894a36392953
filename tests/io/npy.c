/* .npy files as they are read: every dtype, headers, and files that must be refused, each with the
 * byte and a part of the message.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>

#include "tests/io/npy_made.h"

#define TAIL "'fortran_order': False, 'shape': (2, 3)}"

static void dtypes(void)
{
    static const struct {
        const char *descr;
        int size;
        const char *bytes; /* of the first element */
        orr_type type;
        double re, im;
    } t[] = {
        {"<f2", 2, "\x00\x3e", ORR_H, 1.5, 0},
        {">f2", 2, "\x3e\x00", ORR_H, 1.5, 0},
        {"<f4", 4, "\x00\x00\xc0\x3f", ORR_S, 1.5, 0},
        {">f4", 4, "\x3f\xc0\x00\x00", ORR_S, 1.5, 0},
        {"<f8", 8, "\0\0\0\0\0\0\xf8\x3f", ORR_D, 1.5, 0},
        {">f8", 8, "\x3f\xf8\0\0\0\0\0\0", ORR_D, 1.5, 0},
        {"=f8", 8, "\0\0\0\0\0\0\xf8\x3f", ORR_D, 1.5, 0},
        {"<c8", 8, "\x00\x00\xc0\x3f\x00\x00\x00\xc0", ORR_C, 1.5, -2},
        {">c8", 8, "\x3f\xc0\x00\x00\xc0\x00\x00\x00", ORR_C, 1.5, -2},
        {"<c16", 16, "\0\0\0\0\0\0\xf8\x3f\0\0\0\0\0\0\0\xc0", ORR_Z, 1.5, -2},
        {">c16", 16, "\x3f\xf8\0\0\0\0\0\0\xc0\0\0\0\0\0\0\0", ORR_Z, 1.5, -2},
        {"|i1", 1, "\xfe", ORR_D, -2, 0},
        {"i1", 1, "\x80", ORR_D, -128, 0},
        {"|u1", 1, "\xfe", ORR_D, 254, 0},
        {"|b1", 1, "\x01", ORR_D, 1, 0},
        {"?", 1, "\x01", ORR_D, 1, 0},
        {"|b1", 1, "\x02", ORR_D, 1, 0},
        {"<i2", 2, "\xfe\xff", ORR_D, -2, 0},
        {">i2", 2, "\xff\xfe", ORR_D, -2, 0},
        {"<u2", 2, "\xfe\xff", ORR_D, 65534, 0},
        {"<i4", 4, "\x00\x00\x00\x80", ORR_D, -2147483648., 0},
        {">i4", 4, "\x80\x00\x00\x00", ORR_D, -2147483648., 0},
        {"<u4", 4, "\xff\xff\xff\xff", ORR_D, 4294967295., 0},
        {"<i8", 8, "\0\0\0\0\0\0\x20\0", ORR_D, 9007199254740992., 0},
        {"<i8", 8, "\0\0\0\0\0\0\xe0\xff", ORR_D, -9007199254740992., 0},
        {">i8", 8, "\xff\xff\xff\xff\xff\xff\xff\xff", ORR_D, -1, 0},
        {"<u8", 8, "\0\0\0\0\0\0\x20\0", ORR_D, 9007199254740992., 0},
    };
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        char header[128];
        unsigned char data[96] = {0};
        orr_npy a;
        orr_io_error e;
        memcpy(data, t[k].bytes, (size_t)t[k].size);
        snprintf(header, sizeof header, "{'descr': '%s', " TAIL, t[k].descr);
        make(1 + (int)k % 3, header, data, (size_t)t[k].size * 6);
        orr_status s = orr_npy_parse(file, file_size, "t.npy", 0, &a, &e);
        CHECK(s == ORR_OK, "%s: %s", t[k].descr, e.message);
        if (s != ORR_OK)
            continue;
        CHECK(a.type == t[k].type && a.ndim == 2 && a.shape[0] == 2 && a.shape[1] == 3,
              "%s: type %d", t[k].descr, a.type);
        double re = 0, im = 0;
        if (a.type == ORR_S || a.type == ORR_C)
            re = ((float *)a.data)[0];
        if (a.type == ORR_D || a.type == ORR_Z)
            re = ((double *)a.data)[0];
        if (a.type == ORR_C)
            im = ((float *)a.data)[1];
        if (a.type == ORR_Z)
            im = ((double *)a.data)[1];
        if (a.type == ORR_H)
            re = ((uint16_t *)a.data)[0] == 0x3e00 ? 1.5 : 0;
        CHECK(re == t[k].re && im == t[k].im, "%s: %g %g", t[k].descr, re, im);
        orr_npy_free(&a);
    }
}

static void headers(void)
{
    static const char *const good[] = {
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }      \n",
        "{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<f8\"}",
        " { 'fortran_order' : False , 'shape' : ( 2L , 3L, ) , 'descr' : '<f8' , } \n\n",
        "{'descr': '<f8',\n 'fortran_order': False,\n 'shape': (1, 2, 1, 3)}\n",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (6,)}",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3)}",
    };
    static const double data[6] = {1, 2, 3, 4, 5, 6}, turned[6] = {1, 3, 5, 2, 4, 6};
    orr_npy a;
    orr_io_error e;
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        make(1, good[k], data, sizeof data);
        CHECK(orr_npy_parse(file, file_size, "h.npy", 48, &a, &e) == ORR_OK, "%s: %s", good[k],
              e.message);
        CHECK(a.data && memcmp(a.data, k == 5 ? turned : data, sizeof data) == 0, "%s", good[k]);
        orr_npy_free(&a);
    }
    make(1, "{'descr': '<f8', 'fortran_order': False, 'shape': ()}", data, 8);
    CHECK(orr_npy_parse(file, file_size, "h.npy", 0, &a, &e) == ORR_OK && a.ndim == 0 &&
              *(double *)a.data == 1,
          "%s", e.message);
    orr_npy_free(&a);
    make(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (5, 0, 7)}", data, 0);
    CHECK(orr_npy_parse(file, file_size, "h.npy", 0, &a, &e) == ORR_OK && a.ndim == 3 && a.data &&
              a.shape[1] == 0,
          "%s", e.message);
    orr_npy_free(&a);

    static char longest[(1 << 16) + 1]; /* there can be */
    memset(longest, ' ', sizeof longest - 1);
    memcpy(longest, good[0], strlen(good[0]));
    make(2, longest, data, sizeof data);
    CHECK(orr_npy_parse(file, file_size, "h.npy", 0, &a, &e) == ORR_OK, "%s", e.message);
    orr_npy_free(&a);
}

/* ---- files that must be refused ---- */

static void refused(const char *what, int64_t offset, const char *part, orr_status status,
                    int64_t most)
{
    orr_npy a;
    orr_io_error e;
    orr_status s = orr_npy_parse(file, file_size, "bad.npy", most, &a, &e);
    CHECK(s == status && e.offset == offset && strstr(e.message, part) && !a.data,
          "%s: status %d, byte %lld, %s (wanted byte %lld, %s)", what, s, (long long)e.offset,
          e.message, (long long)offset, part);
}

static void bad_headers(void)
{
    static const struct {
        const char *header;
        int64_t offset; /* in the header */
        const char *part;
    } t[] = {
        {"", 0, "not a dictionary"},
        {"[]", 0, "not a dictionary"},
        {"{}", 2, "no 'descr'"},
        {"{'descr': '<f8'}", 16, "no 'fortran_order'"},
        {"{'descr': '<f8', 'fortran_order': True}", 39, "no 'shape'"},
        {"{'descr': '<f8', 'shape': (1,), 'x': 1}", 32, "unknown key"},
        {"{'descr': '<f8', 'descr': '<f8'}", 17, "stands twice"},
        {"{descr: '<f8'}", 1, "quoted"},
        {"{'descr' '<f8'}", 9, "colon"},
        {"{'descr': '<f8' 'shape': (1,)}", 16, "comma"},
        {"{'descr': '<f8, ", 10, "does not end"},
        {"{'descr': '<\\x66'}", 10, "does not end"},
        {"{'descr': '|O', " TAIL, 10, "pickle"},
        {"{'descr': '|V8', " TAIL, 10, "raw bytes"},
        {"{'descr': [('x', '<f8')], " TAIL, 10, "structured"},
        {"{'descr': '<f16', " TAIL, 10, "'<f16' is not read"},
        {"{'descr': '<U4', " TAIL, 10, "'<U4' is not read"},
        {"{'descr': '<M8[ns]', " TAIL, 10, "'<M8[ns]' is not read"},
        {"{'descr': '\x1b[1m', " TAIL, 10, "'\\x1b[1m' is not read"},
        {"{'descr': '', " TAIL, 10, "'' is not read"},
        {"{'descr': 'f8', " TAIL, 10, "byte order"},
        {"{'descr': '|f8', " TAIL, 10, "byte order"},
        {"{'descr': '<f8', 'fortran_order': 1, 'shape': ()}", 34, "neither True nor False"},
        {HEAD "3}", 50, "not a tuple"},
        {HEAD "(3)}", 53, "not a tuple"},
        {HEAD "[3]}", 50, "not a tuple"},
        {HEAD "(3 4)}", 53, "comma"},
        {HEAD "(,)}", 51, "expected a dimension"},
        {HEAD "(2, -3)}", 54, "negative"},
        {HEAD "(2.0, 3)}", 52, "comma"},
        {HEAD "(1, 1, 1, 1, 1)}", 64, "more than 4"},
        {HEAD "(99999999999999999999,)}", 69, "does not fit 64 bits"},
        {HEAD "(9223372036854775808,)}", 69, "does not fit 64 bits"},
        {HEAD "(1152921504606846976,)}", 0, "more bytes than 64 bits"},
        {HEAD "(4294967296, 4294967296)}", 0, "more bytes than 64 bits"},
        {HEAD "(4294967296, 4294967296, 0)}", 0, "more bytes than 64 bits"},
        {HEAD "(0, 4294967296, 4294967296)}", 0, "more bytes than 64 bits"},
        {"{'descr': '<c16', 'fortran_order': False, 'shape': (576460752303423488,)}", 0,
         "more bytes than 64 bits"},
        {HEAD "(2, 3)} x", 58, "unexpected text"},
        {HEAD "(2, 3)", 56, "comma"},
        {HEAD "(2, 3", 55, "comma"},
        {HEAD "(2, 3),", 57, "quoted"},
    };
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        make(1, t[k].header, NULL, 0);
        refused(t[k].header, t[k].offset + 10, t[k].part, ORR_E_FILE, 0);
        make(2, t[k].header, NULL, 0);
        refused(t[k].header, t[k].offset + 12, t[k].part, ORR_E_FILE, 0);
    }
}

static void bad_lengths(void)
{
    double data[8] = {0};
    file_size = 0;
    refused("empty", 0, "empty", ORR_E_FILE, 0);
    make(1, HEAD "(2, 3)}", data, 48);
    for (size_t n = 1; n < file_size; n++) { /* cut anywhere */
        orr_npy a;
        orr_io_error e;
        orr_status s = orr_npy_parse(file, n, "cut.npy", 0, &a, &e);
        CHECK(s == ORR_E_FILE && strstr(e.message, n < 67 ? "ends in the header" : "ends early") &&
                  e.offset == (int64_t)n && !a.data,
              "%d: %s", (int)n, e.message);
    }
    make(1, HEAD "(2, 3)}", data, 49);
    refused("longer", (int64_t)file_size - 1, "1 byte follows", ORR_E_FILE, 0);
}

static void not_arrays(void)
{
    double data[8] = {0};
    uint64_t large[3] = {1, 2, (1ull << 53) + 1};
    int64_t low[4] = {0, 0, 0, -(1ll << 53) - 1};
    make(1, HEAD "(1073741824, 134217728)}", data, 48);
    refused("claims 2^60", (int64_t)file_size, "needs 1152921504606846976 bytes", ORR_E_FILE, 0);
    make(1, HEAD "(2, 3)}", data, 48);
    refused("limit", 0, "48 bytes, more than the 47 allowed", ORR_E_NOMEM, 47);
    make(1, "{'descr': '|i1', " TAIL, data, 6);
    refused("limit, as doubles", 0, "48 bytes, more than the 47 allowed", ORR_E_NOMEM, 47);
    make(4, HEAD "(2, 3)}", data, 48);
    refused("version", 6, "version 4.0", ORR_E_FILE, 0);
    make(1, HEAD "(2, 3)}", data, 48);
    file[7] = 1;
    refused("version", 6, "version 1.1", ORR_E_FILE, 0);
    make(2, HEAD "(2, 3)}", data, 48);
    memcpy(file + 8, "\xff\xff\xff\xff", 4);
    refused("long header", 8, "4294967295 bytes", ORR_E_FILE, 0);
    memcpy(file + 8, "\1\0\1", 4);
    refused("long header", 8, "65537 bytes", ORR_E_FILE, 0);
    memcpy(file, "\x1f\x8b", 2);
    refused("gzip", 0, "gzip", ORR_E_FILE, 0);
    memcpy(file, "PK\x03\x04", 4);
    refused("zip", 0, "zip", ORR_E_FILE, 0);
    memcpy(file, "%%MatrixMarket", 14);
    refused("mtx", 0, "Matrix Market", ORR_E_FILE, 0);
    memcpy(file, "garbage", 7);
    refused("words", 0, "looks like text", ORR_E_FILE, 0);
    memcpy(file, "MATLAB 5.0", 10);
    refused("MATLAB", 0, "a file of MATLAB", ORR_E_FILE, 0);
    memcpy(file,
           "\x7f"
           "ELF\2\1\1",
           8);
    refused("garbage", 0, "not a .npy", ORR_E_FILE, 0);
    make(1, "{'descr': '<u8', 'fortran_order': False, 'shape': (1, 3)}", large, 24);
    refused("2^53 + 1", (int64_t)file_size - 8, "element [0, 2] is 9007199254740993", ORR_E_FILE,
            0);
    make(1, "{'descr': '<i8', 'fortran_order': True, 'shape': (2, 2, 1)}", low, 32);
    refused("-2^53 - 1", (int64_t)file_size - 8, "element [1, 1, 0] is -9007199254740993",
            ORR_E_FILE, 0);
    static int64_t many[9000]; /* of which the last are in a second buffer */
    many[8999] = INT64_MAX;
    make(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (9000,)}", many, sizeof many);
    refused("2^63 - 1", (int64_t)file_size - 8, "element [8999] is", ORR_E_FILE, 0);
}

/* Gives what is in `file`, then fails. */
static int64_t read_then_fail(orr_input *in, void *to, size_t n)
{
    const size_t left = file_size - (size_t)in->pos, some = n < left ? n : left;
    if (some == 0) {
        in->error = EIO;
        return -1;
    }
    memcpy(to, file + in->pos, some);
    in->pos += (int64_t)some;
    return (int64_t)some;
}

/* Whether something follows an array is not known if reading fails behind it. */
static void failing(void)
{
    orr_input in = {.read = read_then_fail, .name = "failing", .size = -1, .fd = -1};
    const double data[6] = {0};
    orr_npy a;
    orr_io_error e;
    make(1, HEAD "(2, 3)}", data, 48);
    CHECK(orr_npy_from(&in, 0, &a, &e) == ORR_E_FILE && !a.data && strstr(e.message, "cannot read"),
          "%s", e.message);
}

int main(void)
{
    dtypes();
    headers();
    bad_headers();
    bad_lengths();
    not_arrays();
    failing();
    return checked();
}
