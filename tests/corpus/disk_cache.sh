#!/usr/bin/env bash
# disk_cache.sh SWAGE CORPUS DIR [DEVICE]: the corpus twice over one cache in a new folder of DIR, then
# the cache itself.
set -euo pipefail
swage=$1 corpus=$2
mkdir -p "$3"
cache=$(mktemp -d "$3/XXXXXX")
trap 'rm -rf "$cache"' EXIT
export SWAGE_CACHE_DIR=$cache XDG_CACHE_HOME= SWAGE_CONFIG=
for pass in cold warm; do
  "$swage" corpus "$corpus" --device "${4:-cpu}" --list first_ops.txt --cache
done
"$swage" cache verify --dir "$SWAGE_CACHE_DIR"
