#!/usr/bin/env bash
# pass_filters.sh SWAGE CORPUS: the corpus without each pass, and with each pass alone.
set -euo pipefail
swage=$1 corpus=$2
"$swage" passes | while read -r pass rest; do
  case $pass in *:) continue ;; esac
  echo "only $pass"
  SWAGE_ONLY_PASSES=$pass SWAGE_LOG=error "$swage" corpus "$corpus" --list first_ops.txt
  case $rest in *"(required)") continue ;; esac
  echo "without $pass"
  SWAGE_DISABLE_PASSES=$pass SWAGE_LOG=error "$swage" corpus "$corpus" --list first_ops.txt
done
