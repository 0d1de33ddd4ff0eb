/* multipath-cc as a congestion control algorithm of picoquic.
 *
 * picoquic_set_default_congestion_algorithm_ex(quic, &multipath_cc_algorithm, "olia") takes it for new connections; without a name it
 * is LIA. A name that multipath-cc does not have, or an algorithm that needs delivery rates, leaves the window as it begins: mpcc_new() returns NULL
 * for it, so check the name with that. "independent" does not work: picoquic does not ask whether a path is barred. All paths of a connection are then one group. */
#ifndef MULTIPATH_CC_PICOQUIC_H
#define MULTIPATH_CC_PICOQUIC_H

#include "picoquic.h"

extern picoquic_congestion_algorithm_t multipath_cc_algorithm;

/* How many paths are in the group of this path. */
size_t multipath_cc_paths(picoquic_path_t *path);

#endif
