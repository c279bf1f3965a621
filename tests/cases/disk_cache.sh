#!/usr/bin/env bash
# disk_cache.sh CASES_TEST DIR: the cases twice over one cache in a new folder of DIR; the second process
# must generate no kernel.
set -euo pipefail
mkdir -p "$2"
CASES_CACHE_DIR=$(mktemp -d "$2/XXXXXX")
export CASES_CACHE_DIR
trap 'rm -rf "$CASES_CACHE_DIR"' EXIT
"$1" --gtest_brief=1 --gtest_filter='*/Cpu:*/Cuda'
CASES_WARM=1 "$1" --gtest_brief=1 --gtest_filter='*/Cpu:*/Cuda'
