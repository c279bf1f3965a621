#!/usr/bin/env bash
# pass_filters.sh CASES_TEST SWAGE: the cases on the CPU without each pass that may be left out.
set -euo pipefail
"$2" passes | while read -r pass rest; do
  case $pass in *:) continue ;; esac
  case $rest in *"(required)") continue ;; esac
  echo "without $pass"
  SWAGE_DISABLE_PASSES=$pass SWAGE_LOG=error "$1" --gtest_brief=1 --gtest_filter='*/Cpu'
done
