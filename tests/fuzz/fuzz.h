/*
 * fuzz.h - what libFuzzer and replay_main.c call. One target a program; each
 * must return 0, whatever the bytes.
 */
#ifndef CPUPROF_TESTS_FUZZ_H
#define CPUPROF_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
