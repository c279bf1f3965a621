#!/usr/bin/env bash
# disk_cache.sh SWAGE CORPUS DIR [DEVICE]: the corpus twice over one cache in DIR, then the cache
# itself.
set -euo pipefail
swage=$1 corpus=$2
export SWAGE_CACHE_DIR=$3 XDG_CACHE_HOME= SWAGE_CONFIG=
rm -rf "$SWAGE_CACHE_DIR"
for pass in cold warm; do
  "$swage" corpus "$corpus" --device "${4:-cpu}" --list first_ops.txt --cache
done
"$swage" cache verify --dir "$SWAGE_CACHE_DIR"
rm -rf "$SWAGE_CACHE_DIR"
