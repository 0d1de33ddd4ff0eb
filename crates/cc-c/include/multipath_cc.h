/* multipath-cc: congestion control for one connection over several paths. */
/* Generated from src/lib.rs: ANABRANCH_WRITE_BOOK=1 cargo test -p multipath-cc-c renews it. */

#ifndef MULTIPATH_CC_H
#define MULTIPATH_CC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The congestion control of one connection: its paths, and the algorithm that couples them.
typedef struct MpccGroup MpccGroup;

// An acknowledgement that arrived on a path. Amounts are in full packets, times in seconds since any origin.
typedef struct {
  // When it arrived.
  double now;
  // Packets it newly acknowledged that may grow the window: 0 if they were sent before the path's last congestion.
  double acked;
  // Packets it newly acknowledged.
  double delivered;
  // The round-trip time that it measured; 0 if it did not.
  double rtt;
  // The smoothed round-trip time; 0 before the first sample.
  double srtt;
  // Packets in flight after it.
  double in_flight;
  // Counts round trips: it steps when a packet sent after the last step is acknowledged.
  uint64_t round;
  // Whether the window, not the application, the receiver or pacing, limited the sender. Where it did not, the window does not grow.
  bool cwnd_limited;
} MpccAck;

// What a path may send.
typedef struct {
  // The congestion window, in full packets; 0 for a row that is not in use.
  double window;
  // The slow-start threshold; infinite until the first congestion.
  double ssthresh;
  // Packets per second; 0 sends as the window opens.
  double pacing_rate;
  // Whether the algorithm keeps the path from carrying new data, though it could.
  bool barred;
} MpccPath;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// A connection without paths, for the algorithm of that name with its default parameters. NULL if there is no such algorithm, or if it needs
// delivery rates.
//
// # Safety
// `algorithm` is a string or NULL.
MpccGroup *mpcc_new(const char *algorithm);

// The connection ends. NULL is allowed.
//
// # Safety
// The group is not used afterwards.
void mpcc_free(MpccGroup *group);

// Adds a path with that smoothed round-trip time, 0 if it is not known, and first window, and returns its row. Rows of paths that left
// are used again.
//
// # Safety
// The group is valid.
size_t mpcc_join(MpccGroup *group,
                 double srtt,
                 double initial_window);

// The path ends.
//
// # Safety
// The group is valid.
void mpcc_leave(MpccGroup *group, size_t row);

// An acknowledgement arrived.
//
// # Safety
// The group and the acknowledgement are valid.
void mpcc_on_ack(MpccGroup *group, size_t row, const MpccAck *ack);

// A packet was lost: once for all losses of a round trip.
//
// # Safety
// The group is valid.
void mpcc_on_loss(MpccGroup *group, size_t row, double now);

// The receiver reported ECN marks: once in a round trip.
//
// # Safety
// The group is valid.
void mpcc_on_ecn(MpccGroup *group, size_t row, double now);

// Persistent congestion (RFC 9002): the window becomes one packet. Right behind `mpcc_on_loss` or `mpcc_on_ecn` of the path at the
// same time, as in that RFC's section B.8, the threshold stays.
//
// # Safety
// The group is valid.
void mpcc_on_timeout(MpccGroup *group,
                     size_t row,
                     double now);

// The last congestion event of the path was spurious: its window returns.
//
// # Safety
// The group is valid.
void mpcc_on_spurious(MpccGroup *group, size_t row);

// What the path may send. Its window changes with events of this path only, `barred` also when another path joins or leaves.
//
// # Safety
// The group is valid.
MpccPath mpcc_path(const MpccGroup *group,
                   size_t row);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MULTIPATH_CC_H */
