"""A Ray cluster of two nodes on this machine, as a program: tests/core/ingest/test_cluster.py runs it.

Tells its address, then takes "remove" for the second node and ends with its standard input.
"""

from __future__ import annotations

import sys

from ray.cluster_utils import Cluster

NODE = {"num_cpus": 1, "object_store_memory": 80_000_000, "include_log_monitor": False}


def main() -> None:
    cluster = Cluster(shutdown_at_exit=True)
    cluster.add_node(node_name="left", include_dashboard=False, no_monitor=True, **NODE)
    second = cluster.add_node(node_name="right", **NODE)
    print(cluster.address, flush=True)
    for line in sys.stdin:
        if line.strip() == "remove":
            cluster.remove_node(second, allow_graceful=False)
            print("removed", flush=True)
    cluster.shutdown()


if __name__ == "__main__":
    main()
