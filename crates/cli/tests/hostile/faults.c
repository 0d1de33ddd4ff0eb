/* Preloaded before a command: its FAULT_AT-th call that changes files below FAULT_IN fails with the error FAULT, as all later
 * ones do (a full disk stays full), or is its last where FAULT is 0: SIGKILL. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
