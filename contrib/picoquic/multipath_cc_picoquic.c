/* One of multipath-cc's algorithms over all paths of a picoquic connection. */
#include "multipath_cc_picoquic.h"
#include "cc_common.h"
#include "multipath_cc.h"
#include "picoquic_internal.h"
#include <math.h>
#include <stdlib.h>

/* What the paths of a connection share. */
typedef struct {
	MpccGroup *group;
	size_t paths;
} shared_t;

/* A path: picoquic keeps it in `congestion_alg_state`. */
typedef struct {
	shared_t *shared;
	size_t row;
	uint64_t round, round_start;
	/* The last recovery: when it began, the first lost packet, and packets deemed lost whose acknowledgement did not arrive since. */
	uint64_t recovery_start, first_lost, lost;
} row_t;

static double seconds(uint64_t microseconds)
{
	return (double)microseconds / 1e6;
}

static void apply(picoquic_path_t *path, const row_t *row)
{
	MpccPath now = mpcc_path(row->shared->group, row->row);
	uint64_t cwin = (uint64_t)(now.window * (double)path->send_mtu);
	path->cwin = cwin > PICOQUIC_CWIN_MINIMUM ? cwin : PICOQUIC_CWIN_MINIMUM;
	path->is_ssthresh_initialized = isfinite(now.ssthresh);
	picoquic_update_pacing_data(path, now.window < now.ssthresh);
}

/* The group that another path of the connection is in, or a new one. */
static shared_t *find_or_create(picoquic_path_t *path, char const *name)
{
	picoquic_cnx_t *cnx = path->cnx;
	for (int i = 0; i < cnx->nb_paths; i++)
		if (cnx->path[i] != path && cnx->path[i]->congestion_alg_state != NULL)
			return ((row_t *)cnx->path[i]->congestion_alg_state)->shared;
	shared_t *shared = calloc(1, sizeof *shared);
	if (shared == NULL)
		return NULL;
	shared->group = mpcc_new(name == NULL || *name == 0 ? "lia" : name);
	if (shared->group == NULL) {
		free(shared);
		return NULL;
	}
	return shared;
}

static void join(picoquic_path_t *path, row_t *row)
{
	double window = (double)PICOQUIC_CWIN_INITIAL / (double)path->send_mtu;
	double srtt = path->rtt_sample > 0 ? seconds(path->smoothed_rtt) : 0.0;
	*row = (row_t){ .shared = row->shared, .row = mpcc_join(row->shared->group, srtt, window) };
	apply(path, row);
}

static void init(picoquic_path_t *path, char const *name, uint64_t UNUSED(now))
{
	row_t *row = malloc(sizeof *row);
	shared_t *shared = row == NULL ? NULL : find_or_create(path, name);
	path->congestion_alg_state = shared == NULL ? NULL : row;
	if (shared == NULL) {
		free(row);
		return;
	}
	row->shared = shared;
	shared->paths++;
	join(path, row);
}

static void acknowledged(picoquic_cnx_t *cnx, picoquic_path_t *path, row_t *row, const picoquic_per_ack_state_t *state, uint64_t now)
{
	uint64_t sent = picoquic_cc_get_ack_sent_time(cnx, path);
	double packets = (double)state->nb_bytes_acknowledged / (double)path->send_mtu;
	if (sent >= row->round_start) {
		row->round++;
		row->round_start = now;
	}
	MpccAck ack = {
		.now = seconds(now),
		.acked = row->recovery_start == 0 || sent > row->recovery_start ? packets : 0.0,
		.delivered = packets,
		.rtt = seconds(state->rtt_measurement),
		.srtt = seconds(path->smoothed_rtt),
		.in_flight = (double)path->bytes_in_transit / (double)path->send_mtu,
		.round = row->round,
		/* As picoquic's own algorithms have it. */
		.cwnd_limited = path->last_time_acked_data_frame_sent > path->last_sender_limited_time,
	};
	mpcc_on_ack(row->shared->group, row->row, &ack);
}

/* Whether this begins a recovery: one for all that was sent before it (RFC 9002, section 7.3.2). */
static int begins(row_t *row, uint64_t sent, uint64_t packet, uint64_t now)
{
	if (row->recovery_start != 0 && sent <= row->recovery_start)
		return 0;
	row->recovery_start = now;
	row->first_lost = packet;
	row->lost = 0;
	return 1;
}

static void notify(picoquic_cnx_t *cnx, picoquic_path_t *path, picoquic_congestion_notification_t what, picoquic_per_ack_state_t *state,
		   uint64_t now)
{
	row_t *row = path->congestion_alg_state;
	if (row == NULL)
		return;
	MpccGroup *group = row->shared->group;
	path->is_cc_data_updated = 1;
	switch (what) {
	case picoquic_congestion_notification_acknowledgement:
		acknowledged(cnx, path, row, state, now);
		break;
	case picoquic_congestion_notification_repeat:
		if (begins(row, state->lost_packet_sent_time, state->lost_packet_number, now))
			mpcc_on_loss(group, row->row, seconds(now));
		row->lost++;
		break;
	case picoquic_congestion_notification_timeout:
		if (begins(row, state->lost_packet_sent_time, state->lost_packet_number, now))
			mpcc_on_timeout(group, row->row, seconds(now));
		row->lost++;
		break;
	case picoquic_congestion_notification_ecn_ec:
		if (begins(row, picoquic_cc_get_ack_sent_time(cnx, path), UINT64_MAX, now))
			mpcc_on_ecn(group, row->row, seconds(now));
		break;
	case picoquic_congestion_notification_spurious_repeat:
		/* Only if all of the recovery's losses were spurious. */
		if (state->lost_packet_number >= row->first_lost && row->lost > 0 && --row->lost == 0)
			mpcc_on_spurious(group, row->row);
		break;
	case picoquic_congestion_notification_reset:
		mpcc_leave(group, row->row);
		join(path, row);
		break;
	default:
		break;
	}
	apply(path, row);
}

static void delete(picoquic_path_t *path)
{
	row_t *row = path->congestion_alg_state;
	path->congestion_alg_state = NULL;
	if (row == NULL)
		return;
	mpcc_leave(row->shared->group, row->row);
	if (--row->shared->paths == 0) {
		mpcc_free(row->shared->group);
		free(row->shared);
	}
	free(row);
}

static void observe(picoquic_path_t *path, uint64_t *state, uint64_t *parameter)
{
	const row_t *row = path->congestion_alg_state;
	MpccPath now = row == NULL ? (MpccPath){ 0 } : mpcc_path(row->shared->group, row->row);
	*state = now.window >= now.ssthresh;
	*parameter = isfinite(now.ssthresh) ? (uint64_t)(now.ssthresh * (double)path->send_mtu) : 0;
}

size_t multipath_cc_paths(picoquic_path_t *path)
{
	const row_t *row = path->congestion_alg_state;
	return row == NULL ? 0 : row->shared->paths;
}

/* A number that picoquic's algorithms do not have. */
picoquic_congestion_algorithm_t multipath_cc_algorithm = { "multipath-cc", 77, PICOQUIC_ECN_ECT_0, init, notify, delete, observe };
