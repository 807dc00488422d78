// SPDX-License-Identifier: MIT

package main

const (
	sysGetCPU        = 309
	sysPerfEventOpen = 298
)
