/* Reads events from standard input, one a line with its path's row, and writes window, threshold and pacing rate of that path after each.
 * Numbers are the bits of doubles in hexadecimal: exact. */
#include "multipath_cc.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static double number(void)
{
	uint64_t bits = 0;
	double x;
	if (scanf("%" SCNx64, &bits) != 1)
		fprintf(stderr, "a number is missing\n");
	memcpy(&x, &bits, sizeof x);
	return x;
}

static void print(double x, char end)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof bits);
	printf("%016" PRIx64 "%c", bits, end);
}

int main(int argc, char **argv)
{
	if (argc != 2 || mpcc_new("no such") != NULL || mpcc_new("bbr") != NULL)
		return 2;
	MpccGroup *group = mpcc_new(argv[1]);
	if (group == NULL)
		return 2;
	char kind[16];
	size_t row;
	while (scanf("%15s %zu", kind, &row) == 2) {
		if (!strcmp(kind, "join")) {
			double srtt = number();
			if (mpcc_join(group, srtt, number()) != row)
				return 3;
		} else if (!strcmp(kind, "leave")) {
			mpcc_leave(group, row);
		} else if (!strcmp(kind, "ack")) {
			MpccAck ack = { .now = number() };
			ack.acked = number();
			ack.delivered = number();
			ack.rtt = number();
			ack.srtt = number();
			ack.in_flight = number();
			ack.round = (uint64_t)number();
			ack.cwnd_limited = number() != 0;
			mpcc_on_ack(group, row, &ack);
		} else if (!strcmp(kind, "spurious")) {
			mpcc_on_spurious(group, row);
		} else if (!strcmp(kind, "loss")) {
			mpcc_on_loss(group, row, number());
		} else if (!strcmp(kind, "ecn")) {
			mpcc_on_ecn(group, row, number());
		} else if (!strcmp(kind, "timeout")) {
			mpcc_on_timeout(group, row, number());
		} else {
			return 3;
		}
		MpccPath path = mpcc_path(group, row);
		print(path.window, ' ');
		print(path.ssthresh, ' ');
		print(path.pacing_rate, '\n');
	}
	mpcc_free(group);
	mpcc_free(NULL);
	return 0;
}
