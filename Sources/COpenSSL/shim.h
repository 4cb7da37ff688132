// OpenSSL 3 as VaultCrypto sees it. Only what Swift cannot call by itself gets a shim: macros with arguments or casts,
// and variadic functions.
#ifndef VAULT_COPENSSL_SHIM_H
#define VAULT_COPENSSL_SHIM_H

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/proverr.h>
#include <openssl/rand.h>

#if defined(__linux__)
#include <sys/prctl.h>

// prctl is variadic. 1: the kernel now writes no core of this process and lets no other one attach to it.
static inline int vault_forbid_dumping(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0; }

// prctl is variadic. 0 when the process cannot be dumped.
static inline int vault_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }
#endif

#endif
