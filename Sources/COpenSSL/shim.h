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
#include <openssl/rand.h>

#endif
