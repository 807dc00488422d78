# Tests of this folder; see tests/README.md.
