// SPDX-License-Identifier: MIT

package main

const (
	sysGetCPU        = 168
	sysPerfEventOpen = 241
)
