// OpenSSL 3 for VaultCrypto. Shims exist only for calls that Swift cannot make: macros with arguments or casts, and
// variadic functions.
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
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/prctl.h>
#if __has_include(<linux/seccomp.h>)
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#endif
#include <sys/syscall.h>
#include <unistd.h>

// prctl is variadic. Returns 1 if the kernel now writes no core of this process and lets no other one attach to it.
static inline int vault_forbid_dumping(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0; }

// prctl is variadic. Returns 0 if the process cannot be dumped.
static inline int vault_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

// prctl is variadic. Returns 1 if programs that this process starts can gain no rights that it does not have.
static inline int vault_forbid_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0; }

// syscall is variadic, and not every C library has unshare. Returns 1 if this process, which must have one thread, now
// has a separate, empty network. Root gets no user namespace, because it would not be root there.
static inline int vault_leave_network(void) {
  // The values of clone(2); the headers of C libraries show them only to some programs.
  const int clone_newuser = 0x10000000, clone_newnet = 0x40000000;
  int flags = clone_newnet | (geteuid() == 0 ? 0 : clone_newuser);
  return syscall(SYS_unshare, flags) == 0;
}

#if defined(__x86_64__) && defined(SECCOMP_RET_ALLOW)
#define VAULT_AUDIT_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && defined(SECCOMP_RET_ALLOW)
#define VAULT_AUDIT_ARCH AUDIT_ARCH_AARCH64
#endif

#if defined(VAULT_AUDIT_ARCH)
// The calls of a process that reads and computes, has threads and writes to files that are already open.
static const int vault_reading_calls[] = {
    SYS_read, SYS_readv, SYS_pread64, SYS_preadv, SYS_write, SYS_writev, SYS_close, SYS_lseek, SYS_fstat,
    SYS_newfstatat, SYS_statx, SYS_statfs, SYS_fstatfs, SYS_faccessat, SYS_readlinkat,
    SYS_getdents64, SYS_getcwd, SYS_fcntl, SYS_flock, SYS_dup, SYS_dup3, SYS_pipe2, SYS_fadvise64,
    SYS_ppoll, SYS_pselect6, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_eventfd2,
    SYS_timerfd_create, SYS_timerfd_settime, SYS_mmap, SYS_munmap, SYS_mprotect, SYS_mremap, SYS_madvise,
    SYS_brk, SYS_mlock, SYS_mlock2, SYS_munlock, SYS_membarrier, SYS_futex, SYS_set_robust_list, SYS_rseq,
    SYS_set_tid_address, SYS_sched_yield, SYS_sched_getaffinity, SYS_sched_getparam, SYS_sched_getscheduler,
    SYS_nanosleep, SYS_clock_nanosleep, SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday, SYS_getpid,
    SYS_getppid, SYS_gettid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getrlimit, SYS_setrlimit,
    SYS_getrusage, SYS_getrandom, SYS_uname, SYS_sysinfo, SYS_prctl, SYS_rt_sigaction, SYS_rt_sigprocmask,
    SYS_rt_sigreturn, SYS_rt_sigtimedwait, SYS_rt_sigpending, SYS_sigaltstack, SYS_restart_syscall,
    SYS_umask, SYS_exit, SYS_exit_group, SYS_getpgid, SYS_getsid,
#if defined(SYS_faccessat2)
    SYS_faccessat2,
#endif
#if defined(__x86_64__)
    SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_dup2, SYS_pipe, SYS_poll, SYS_select, SYS_epoll_wait,
    SYS_epoll_create, SYS_time, SYS_getdents, SYS_arch_prctl, SYS_getpgrp,
#endif
};
#endif

// Limits this thread, and those that it starts, permanently to the calls for reading; other calls fail as if the kernel
// did not have them. Returns 1 on success. A kernel without filters, or another processor, changes nothing.
// With asks_terminal, existing files may be opened for writing, because a terminal is.
static inline int vault_allow_reading_only(int asks_terminal) {
#if defined(VAULT_AUDIT_ARCH)
  enum { count = sizeof vault_reading_calls / sizeof *vault_reading_calls };
  struct sock_filter code[2 * count + 40];
  unsigned short n = 0;
  const unsigned nothing = SECCOMP_RET_ERRNO | ENOSYS, allowed = SECCOMP_RET_ALLOW;
  // The value of clone(2): a thread of this process, not a process.
  const unsigned clone_thread = 0x10000;
  const unsigned writing = O_CREAT | O_TRUNC | (asks_terminal ? 0 : O_ACCMODE);
#define VAULT_LOAD(field) code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (field))
#define VAULT_ANSWER(what) code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, (what))
#define VAULT_TEST(how, value, yes, no) code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | (how) | BPF_K, (value), (yes), (no))
// If the call is NUMBER, an argument (its lower half, which comes first on these processors) decides.
#define VAULT_ARGUMENT(number, argument, how, value, if_so, if_not)                      \
  VAULT_TEST(BPF_JEQ, (number), 0, 4);                                                    \
  VAULT_LOAD(offsetof(struct seccomp_data, args) + 8 * (argument));                       \
  VAULT_TEST((how), (value), 0, 1);                                                       \
  VAULT_ANSWER(if_so);                                                                    \
  VAULT_ANSWER(if_not)
  VAULT_LOAD(offsetof(struct seccomp_data, arch));
  VAULT_TEST(BPF_JEQ, VAULT_AUDIT_ARCH, 1, 0);
  VAULT_ANSWER(SECCOMP_RET_KILL_THREAD);
  VAULT_LOAD(offsetof(struct seccomp_data, nr));
  for (int i = 0; i < count; i++) {
    VAULT_TEST(BPF_JEQ, vault_reading_calls[i], 0, 1);
    VAULT_ANSWER(allowed);
  }
  VAULT_ARGUMENT(SYS_openat, 2, BPF_JSET, writing, nothing, allowed);
#if defined(__x86_64__)
  VAULT_ARGUMENT(SYS_open, 1, BPF_JSET, writing, nothing, allowed);
#endif
  VAULT_ARGUMENT(SYS_clone, 0, BPF_JSET, clone_thread, allowed, nothing);
  VAULT_ARGUMENT(SYS_tgkill, 0, BPF_JEQ, (unsigned)getpid(), allowed, nothing);
  VAULT_ARGUMENT(SYS_prlimit64, 0, BPF_JEQ, 0, allowed, nothing);
  if (asks_terminal) {
    VAULT_TEST(BPF_JEQ, SYS_ioctl, 0, 1);
    VAULT_ANSWER(allowed);
  }
  VAULT_ANSWER(nothing);
#undef VAULT_LOAD
#undef VAULT_ANSWER
#undef VAULT_TEST
#undef VAULT_ARGUMENT
  struct sock_fprog program = {n, code};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
#else
  (void)asks_terminal;
  return 0;
#endif
}

// Whether the kernel can filter calls.
static inline int vault_can_filter_calls(void) {
#if defined(VAULT_AUDIT_ARCH)
  return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
#else
  return 0;
#endif
}
#endif

#endif
