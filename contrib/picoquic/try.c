/* Runs picoquic's own tests of multipath with multipath-cc in place of its default algorithm, and checks that the paths were coupled.
 * Ten of picoquic's tests of multipath run. Two more end later than their limits, which are for uncoupled paths: with LIA, break1 takes 11.2 s in
 * place of 10.8 s, and ab1 3.5 s in place of 3 s. The others were not tried. */
#include "multipath_cc_picoquic.h"
#include "picoquic_utils.h"
#include "picoquictest.h"
#include <stdio.h>

/* The default algorithm is the one to which this points: PICOQUIC_DEFAULT_CONGESTION_ALGORITHM. */
extern picoquic_congestion_algorithm_t *picoquic_newreno_algorithm;

static picoquic_congestion_algorithm_t counted;
static size_t most, events;

static void notify(picoquic_cnx_t *cnx, picoquic_path_t *path, picoquic_congestion_notification_t what, picoquic_per_ack_state_t *state,
		   uint64_t now)
{
	multipath_cc_algorithm.alg_notify(cnx, path, what, state, now);
	size_t paths = multipath_cc_paths(path);
	most = paths > most ? paths : most;
	events++;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} tests[] = {
		{ "basic", multipath_basic_test },
		{ "drop_first", multipath_drop_first_test },
		{ "drop_second", multipath_drop_second_test },
		{ "sat_plus", multipath_sat_plus_test },
		{ "renew", multipath_renew_test },
		{ "nat", multipath_nat_test },
		{ "abandon", multipath_abandon_test },
		{ "back1", multipath_back1_test },
		{ "backup", multipath_backup_test },
		{ "datagram", multipath_datagram_test },
	};
	int failed = 0;
	if (argc != 2)
		return 2;
	picoquic_set_solution_dir(argv[1]);
	counted = multipath_cc_algorithm;
	counted.alg_notify = notify;
	picoquic_newreno_algorithm = &counted;
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
		most = events = 0;
		int result = tests[i].run();
		int bad = result != 0 || most < 2;
		printf("%-12s %s: result %d, %zu events, up to %zu paths in a group\n", tests[i].name, bad ? "failed" : "ok", result, events, most);
		failed |= bad;
	}
	return failed;
}
