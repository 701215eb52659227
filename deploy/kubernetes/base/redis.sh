#!/bin/sh
# Starts the Redis of one pod. The first pod is the primary, the others are its replicas. None is promoted by itself:
# it would lose the moves that had not reached it yet.
set -eu
if [ "${HOSTNAME##*-}" = 0 ]; then
    # If this pod has lost its disk it must not start empty, because its replicas would become empty too.
    if [ -z "$(ls /data | grep -v '^lost+found$')" ]; then
        for other in redis-1.redis-nodes redis-2.redis-nodes; do
            keys=$(timeout 5 redis-cli -h "$other" dbsize 2>/dev/null || true)
            if [ "${keys:-0}" != 0 ]; then
                echo "/data is empty, but $other answers dbsize with $keys: copy that back first (docs/operating.md)" >&2
                exit 1
            fi
        done
    fi
    follow=
else
    follow="--replicaof redis-0.redis-nodes 6379"
fi
exec redis-server --dir /data --appendonly yes --appendfsync always --save "" \
    --maxmemory-policy noeviction --requirepass "$REDISCLI_AUTH" --masterauth "$REDISCLI_AUTH" $follow
