/* Preloaded before a command: its FAULT_AT-th call that changes files below FAULT_IN fails with the error FAULT, as all later
 * ones do (a full disk stays full), or is its last where FAULT is 0: SIGKILL. With FAULT_NO_EXCHANGE, two names cannot be
 * exchanged, as on some file systems. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* By the kernel: the command makes this call without the C library. */
__attribute__((constructor)) static void without_exchange(void)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[4])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, RENAME_EXCHANGE, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(steps) / sizeof(*steps), steps };

	if (!getenv("FAULT_NO_EXCHANGE"))
		return;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(77);
}

static int calls;

/* Whether this call fails; errno then says how. */
static int strikes(const char *path)
{
	const char *below = getenv("FAULT_IN");

	if (!below || !strstr(path, below))
		return 0;
	if (__atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST) < atoi(getenv("FAULT_AT")))
		return 0;
	errno = atoi(getenv("FAULT"));
	if (!errno)
		kill(getpid(), SIGKILL);
	return 1;
}

static int strikes_file(int fd)
{
	char link[32], path[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return 0;
	path[n] = 0;
	return strikes(path);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *from, size_t n)
{
	return strikes_file(fd) ? -1 : NEXT(write)(fd, from, n);
}

int fsync(int fd)
{
	return strikes_file(fd) ? -1 : NEXT(fsync)(fd);
}

int rename(const char *from, const char *to)
{
	return strikes(to) ? -1 : NEXT(rename)(from, to);
}

int unlink(const char *path)
{
	return strikes(path) ? -1 : NEXT(unlink)(path);
}

int rmdir(const char *path)
{
	return strikes(path) ? -1 : NEXT(rmdir)(path);
}

int fchmod(int fd, mode_t mode)
{
	return strikes_file(fd) ? -1 : NEXT(fchmod)(fd, mode);
}

int mkdir(const char *path, mode_t mode)
{
	return strikes(path) ? -1 : NEXT(mkdir)(path, mode);
}

int open64(const char *path, int flags, ...)
{
	va_list rest;
	mode_t mode;

	va_start(rest, flags);
	mode = va_arg(rest, mode_t);
	va_end(rest);
	return (flags & O_CREAT) && strikes(path) ? -1 : NEXT(open64)(path, flags, mode);
}
