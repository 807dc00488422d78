#!/bin/sh
# SPDX-License-Identifier: MIT
# Statistical claims on stored noise; prints the tables of docs/statistics.md.
set -u
exec "$BUILD/tests/table/noise" "$SRC/tests/data/noise.csv"
