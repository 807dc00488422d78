noinst_LIBRARIES += src/profile/libprofile.a
src_profile_libprofile_a_SOURCES = \
	src/profile/branches.c \
	src/profile/counting.c \
	src/profile/order.c \
	src/profile/profile.h \
	src/profile/reading.c src/profile/reading.h \
	src/profile/kernel.c \
	src/profile/resolve.c \
	src/profile/timeline.c src/profile/timeline.h
EXTRA_DIST += src/profile/README.md
