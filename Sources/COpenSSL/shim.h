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
#include <sys/syscall.h>
#include <unistd.h>

// prctl is variadic. 1: the kernel now writes no core of this process and lets no other one attach to it.
static inline int vault_forbid_dumping(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0; }

// prctl is variadic. 0 when the process cannot be dumped.
static inline int vault_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

// prctl is variadic. 1: no program that this process starts can do more than it may itself.
static inline int vault_forbid_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0; }

// syscall is variadic, and not every C library has unshare. 1: this process, which must have one thread, now has a
// network of its own, in which nothing is. Root leaves it as it is, for in a user namespace it is root no longer.
static inline int vault_leave_network(void) {
  // As clone(2) has them; the headers of C libraries show them to some programs only.
  const int clone_newuser = 0x10000000, clone_newnet = 0x40000000;
  int flags = clone_newnet | (geteuid() == 0 ? 0 : clone_newuser);
  return syscall(SYS_unshare, flags) == 0;
}
#endif

#endif
