// What this program says of C libraries that it opens when it first needs them, held against their headers by the
// compiler. Nothing of it is built or run: Scripts/lint-libraries compiles it, as far as the headers are here.

#include <stddef.h>
#include <stdint.h>

#include "../../Sources/Core/CDynamicLibraries/shim.h"

#define SAME_SIZE(ours, theirs) _Static_assert(sizeof(ours) == sizeof(theirs), #ours)
#define SAME_PLACE(ours, member, theirs, name) \
  _Static_assert( \
      offsetof(ours, member) == offsetof(theirs, name) \
          && sizeof(((ours *)0)->member) == sizeof(((theirs *)0)->name), \
      #ours "." #member)
// A function, what it gives, and what it takes.
#define CALLS(name, result, ...) \
  _Static_assert(_Generic(&name, result (*)(__VA_ARGS__): 1, default: 0), #name " is declared otherwise")
#define SAME_VALUE(name, value) _Static_assert(name == value, #name)

#if __has_include(<zlib.h>)
#include <zlib.h>
SAME_SIZE(late_zlib_stream, z_stream);
SAME_PLACE(late_zlib_stream, next_in, z_stream, next_in);
SAME_PLACE(late_zlib_stream, avail_in, z_stream, avail_in);
SAME_PLACE(late_zlib_stream, next_out, z_stream, next_out);
SAME_PLACE(late_zlib_stream, avail_out, z_stream, avail_out);
SAME_PLACE(late_zlib_stream, allocate, z_stream, zalloc);
SAME_PLACE(late_zlib_stream, free, z_stream, zfree);
SAME_PLACE(late_zlib_stream, opaque, z_stream, opaque);
SAME_VALUE(Z_STREAM_END, 1);
CALLS(inflateInit2_, int, z_streamp, int, const char *, int);
CALLS(inflate, int, z_streamp, int);
CALLS(inflateEnd, int, z_streamp);
CALLS(crc32, unsigned long, unsigned long, const unsigned char *, unsigned int);
#else
#pragma message("not compared: zlib.h")
#endif

#if __has_include(<cairo/cairo-pdf.h>)
#include <cairo/cairo-pdf.h>
SAME_SIZE(int, cairo_status_t);
SAME_SIZE(int, cairo_font_slant_t);
SAME_SIZE(int, cairo_font_weight_t);
SAME_VALUE(CAIRO_STATUS_SUCCESS, 0);
SAME_VALUE(CAIRO_STATUS_WRITE_ERROR, 11);
SAME_VALUE(CAIRO_FONT_SLANT_NORMAL, 0);
SAME_VALUE(CAIRO_FONT_WEIGHT_BOLD, 1);
_Static_assert(
    _Generic((cairo_write_func_t)0, cairo_status_t (*)(void *, const unsigned char *, unsigned int): 1, default: 0),
    "cairo_write_func_t");
CALLS(cairo_pdf_surface_create_for_stream, cairo_surface_t *, cairo_write_func_t, void *, double, double);
CALLS(cairo_create, cairo_t *, cairo_surface_t *);
CALLS(cairo_select_font_face, void, cairo_t *, const char *, cairo_font_slant_t, cairo_font_weight_t);
CALLS(cairo_set_font_size, void, cairo_t *, double);
CALLS(cairo_move_to, void, cairo_t *, double, double);
CALLS(cairo_show_text, void, cairo_t *, const char *);
CALLS(cairo_rectangle, void, cairo_t *, double, double, double, double);
CALLS(cairo_fill, void, cairo_t *);
CALLS(cairo_show_page, void, cairo_t *);
CALLS(cairo_destroy, void, cairo_t *);
CALLS(cairo_surface_finish, void, cairo_surface_t *);
CALLS(cairo_surface_destroy, void, cairo_surface_t *);
CALLS(cairo_status, cairo_status_t, cairo_t *);
CALLS(cairo_surface_status, cairo_status_t, cairo_surface_t *);
#else
#pragma message("not compared: cairo/cairo-pdf.h")
#endif

#if __has_include(<yaml.h>)
#include <yaml.h>
SAME_SIZE(late_yaml_mark, yaml_mark_t);
SAME_PLACE(late_yaml_mark, line, yaml_mark_t, line);
SAME_SIZE(late_yaml_event, yaml_event_t);
SAME_PLACE(late_yaml_event, type, yaml_event_t, type);
SAME_PLACE(late_yaml_event, data.alias.anchor, yaml_event_t, data.alias.anchor);
SAME_PLACE(late_yaml_event, data.scalar.anchor, yaml_event_t, data.scalar.anchor);
SAME_PLACE(late_yaml_event, data.scalar.tag, yaml_event_t, data.scalar.tag);
SAME_PLACE(late_yaml_event, data.scalar.value, yaml_event_t, data.scalar.value);
SAME_PLACE(late_yaml_event, data.scalar.length, yaml_event_t, data.scalar.length);
SAME_PLACE(late_yaml_event, data.scalar.style, yaml_event_t, data.scalar.style);
SAME_PLACE(late_yaml_event, data.collection.anchor, yaml_event_t, data.sequence_start.anchor);
SAME_PLACE(late_yaml_event, data.collection.tag, yaml_event_t, data.sequence_start.tag);
SAME_PLACE(late_yaml_event, data.collection.anchor, yaml_event_t, data.mapping_start.anchor);
SAME_PLACE(late_yaml_event, data.collection.tag, yaml_event_t, data.mapping_start.tag);
SAME_PLACE(late_yaml_event, start, yaml_event_t, start_mark);
// It is given so much memory (YAMLEvents.swift).
_Static_assert(sizeof(yaml_parser_t) <= 4096, "yaml_parser_t");
CALLS(yaml_parser_initialize, int, yaml_parser_t *);
CALLS(yaml_parser_delete, void, yaml_parser_t *);
CALLS(yaml_parser_set_input_string, void, yaml_parser_t *, const unsigned char *, size_t);
CALLS(yaml_parser_parse, int, yaml_parser_t *, yaml_event_t *);
CALLS(yaml_event_delete, void, yaml_event_t *);
#else
#pragma message("not compared: yaml.h")
#endif

#if __has_include(<expat.h>)
#include <expat.h>
SAME_SIZE(XML_Char, char);
SAME_SIZE(XML_Bool, uint8_t);
SAME_SIZE(XML_Size, unsigned long);
SAME_SIZE(enum XML_Status, int);
CALLS(XML_ParserCreate, XML_Parser, const XML_Char *);
CALLS(XML_ParserFree, void, XML_Parser);
CALLS(XML_SetUserData, void, XML_Parser, void *);
CALLS(XML_SetElementHandler, void, XML_Parser, void (*)(void *, const char *, const char **), void (*)(void *, const char *));
CALLS(XML_SetCharacterDataHandler, void, XML_Parser, void (*)(void *, const char *, int));
CALLS(
    XML_SetStartDoctypeDeclHandler, void, XML_Parser, void (*)(void *, const char *, const char *, const char *, int));
CALLS(XML_Parse, enum XML_Status, XML_Parser, const char *, int, int);
CALLS(XML_StopParser, enum XML_Status, XML_Parser, XML_Bool);
CALLS(XML_GetCurrentLineNumber, XML_Size, XML_Parser);
CALLS(XML_GetCurrentColumnNumber, XML_Size, XML_Parser);
#else
#pragma message("not compared: expat.h")
#endif

#if __has_include(<argon2.h>)
#include <argon2.h>
CALLS(
    argon2_hash, int, uint32_t, uint32_t, uint32_t, const void *, size_t, const void *, size_t, void *, size_t, char *,
    size_t, argon2_type, uint32_t);
SAME_SIZE(argon2_type, int32_t);
SAME_VALUE(Argon2_d, 0);
SAME_VALUE(Argon2_id, 2);
#else
#pragma message("not compared: argon2.h")
#endif

#if __has_include(<qrencode.h>)
#include <qrencode.h>
SAME_VALUE(QR_ECLEVEL_L, 0);
SAME_VALUE(QR_ECLEVEL_M, 1);
SAME_SIZE(QRecLevel, int32_t);
_Static_assert(offsetof(QRcode, version) == 0 && sizeof(((QRcode *)0)->version) == 4, "QRcode.version");
_Static_assert(offsetof(QRcode, width) == 4 && offsetof(QRcode, data) == 8, "QRcode");
CALLS(QRcode_encodeData, QRcode *, int, const unsigned char *, int, QRecLevel);
CALLS(QRcode_free, void, QRcode *);
#else
#pragma message("not compared: qrencode.h")
#endif

#if __has_include(<zxcvbn.h>)
#include <zxcvbn.h>
CALLS(ZxcvbnMatch, double, const char *, const char **, ZxcMatch_t **);
#else
#pragma message("not compared: zxcvbn.h")
#endif

#if __has_include(<systemd/sd-bus.h>)
#include <systemd/sd-bus.h>
typedef int (*late_bus_handler)(sd_bus_message *, void *, sd_bus_error *);
CALLS(sd_bus_open_system, int, sd_bus **);
CALLS(sd_bus_open_user, int, sd_bus **);
CALLS(sd_bus_add_match_async, int, sd_bus *, sd_bus_slot **, const char *, late_bus_handler, late_bus_handler, void *);
CALLS(sd_bus_get_fd, int, sd_bus *);
CALLS(sd_bus_is_ready, int, sd_bus *);
CALLS(sd_bus_process, int, sd_bus *, sd_bus_message **);
CALLS(sd_bus_message_is_signal, int, sd_bus_message *, const char *, const char *);
CALLS(sd_bus_message_read_basic, int, sd_bus_message *, char, void *);
CALLS(sd_bus_message_unref, sd_bus_message *, sd_bus_message *);
CALLS(sd_bus_flush_close_unref, sd_bus *, sd_bus *);
#else
#pragma message("not compared: systemd/sd-bus.h")
#endif

#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
SAME_SIZE(Oid, uint32_t);
SAME_SIZE(ConnStatusType, int32_t);
SAME_SIZE(ExecStatusType, int32_t);
SAME_SIZE(PGPing, int32_t);
CALLS(PQconnectStartParams, PGconn *, const char *const *, const char *const *, int);
CALLS(PQconnectPoll, PostgresPollingStatusType, PGconn *);
SAME_VALUE(PGRES_POLLING_FAILED, 0);
SAME_VALUE(PGRES_POLLING_READING, 1);
SAME_VALUE(PGRES_POLLING_WRITING, 2);
SAME_VALUE(PGRES_POLLING_OK, 3);
CALLS(PQhostaddr, char *, const PGconn *);
CALLS(PQparameterStatus, const char *, const PGconn *, const char *);
CALLS(PQsetErrorVerbosity, PGVerbosity, PGconn *, PGVerbosity);
SAME_VALUE(PQERRORS_DEFAULT, 1);
SAME_VALUE(PQERRORS_VERBOSE, 2);
CALLS(PQgetCancel, PGcancel *, PGconn *);
CALLS(PQcancel, int, PGcancel *, char *, int);
CALLS(PQfreeCancel, void, PGcancel *);
CALLS(PQfinish, void, PGconn *);
CALLS(PQstatus, ConnStatusType, const PGconn *);
CALLS(PQconnectionUsedPassword, int, const PGconn *);
CALLS(PQsocket, int, const PGconn *);
CALLS(PQerrorMessage, char *, const PGconn *);
CALLS(PQsetNoticeReceiver, PQnoticeReceiver, PGconn *, void (*)(void *, const PGresult *), void *);
CALLS(
    PQsendQueryParams, int, PGconn *, const char *, int, const Oid *, const char *const *, const int *, const int *,
    int);
CALLS(PQsendQuery, int, PGconn *, const char *);
CALLS(PQsetSingleRowMode, int, PGconn *);
CALLS(PQconsumeInput, int, PGconn *);
CALLS(PQisBusy, int, PGconn *);
CALLS(PQgetResult, PGresult *, PGconn *);
CALLS(PQputCopyData, int, PGconn *, const char *, int);
CALLS(PQputCopyEnd, int, PGconn *, const char *);
CALLS(PQenterPipelineMode, int, PGconn *);
CALLS(PQsendFlushRequest, int, PGconn *);
CALLS(PQpipelineSync, int, PGconn *);
CALLS(PQexitPipelineMode, int, PGconn *);
CALLS(PQsendPrepare, int, PGconn *, const char *, const char *, int, const Oid *);
CALLS(
    PQsendQueryPrepared, int, PGconn *, const char *, int, const char *const *, const int *, const int *, int);
CALLS(PQbackendPID, int, const PGconn *);
CALLS(PQserverVersion, int, const PGconn *);
CALLS(PQsslAttribute, const char *, PGconn *, const char *);
CALLS(PQuser, char *, const PGconn *);
CALLS(PQresultStatus, ExecStatusType, const PGresult *);
CALLS(PQresultErrorField, char *, const PGresult *, int);
CALLS(PQcmdTuples, char *, PGresult *);
CALLS(PQntuples, int, const PGresult *);
CALLS(PQnfields, int, const PGresult *);
CALLS(PQgetisnull, int, const PGresult *, int, int);
CALLS(PQgetlength, int, const PGresult *, int, int);
CALLS(PQgetvalue, char *, const PGresult *, int, int);
CALLS(PQclear, void, PGresult *);
#else
#pragma message("not compared: libpq-fe.h")
#endif

#if __has_include(<gcrypt.h>)
#include <gcrypt.h>
SAME_SIZE(gcry_error_t, uint32_t);
SAME_VALUE(GCRY_CIPHER_TWOFISH, 10);
SAME_VALUE(GCRY_CIPHER_MODE_CBC, 3);
CALLS(gcry_check_version, const char *, const char *);
CALLS(gcry_cipher_open, gcry_error_t, gcry_cipher_hd_t *, int, int, unsigned int);
CALLS(gcry_cipher_close, void, gcry_cipher_hd_t);
CALLS(gcry_cipher_setkey, gcry_error_t, gcry_cipher_hd_t, const void *, size_t);
CALLS(gcry_cipher_setiv, gcry_error_t, gcry_cipher_hd_t, const void *, size_t);
CALLS(gcry_cipher_decrypt, gcry_error_t, gcry_cipher_hd_t, void *, size_t, const void *, size_t);
#else
#pragma message("not compared: gcrypt.h")
#endif
