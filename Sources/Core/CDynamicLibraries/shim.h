// The functions of libraries that are opened when an import first needs them, and never linked. Their headers are not
// needed: this is the used part of each interface, as its documentation fixes it.
#ifndef VAULT_CLATELIBRARIES_SHIM_H
#define VAULT_CLATELIBRARIES_SHIM_H

#include <stddef.h>
#include <stdint.h>

// Every supported C library has it, but declares it only with GNU extensions.
void *memmem(const void *hay, size_t hay_length, const void *needle, size_t needle_length);
#ifdef __linux__
int memfd_create(const char *name, unsigned int flags);
#endif

// zlib 1, zlib.h.
typedef struct {
  const uint8_t *next_in;
  unsigned int avail_in;
  unsigned long total_in;
  uint8_t *next_out;
  unsigned int avail_out;
  unsigned long total_out;
  const char *message;
  void *state;
  void *allocate;
  void *free;
  void *opaque;
  int data_type;
  unsigned long checksum;
  unsigned long reserved;
} late_zlib_stream;

// libyaml 0.2, yaml.h.
typedef struct {
  size_t index;
  size_t line;
  size_t column;
} late_yaml_mark;
typedef struct {
  int type;
  union {
    struct { uint8_t *anchor; } alias;
    struct {
      uint8_t *anchor;
      uint8_t *tag;
      uint8_t *value;
      size_t length;
      int plain_implicit;
      int quoted_implicit;
      int style;
    } scalar;
    struct {
      uint8_t *anchor;
      uint8_t *tag;
      int implicit;
      int style;
    } collection;
  } data;
  late_yaml_mark start;
  late_yaml_mark end;
} late_yaml_event;

#endif
