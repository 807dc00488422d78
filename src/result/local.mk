noinst_LIBRARIES += src/result/libresult.a
src_result_libresult_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
src_result_libresult_a_SOURCES = \
	src/result/bundle.c src/result/bundle.h \
	src/result/doctor.c src/result/doctor.h \
	src/result/json.c src/result/json.h \
	src/result/json_profile.c src/result/json_walk.c src/result/json_walk.h \
	src/result/reference.c src/result/reference.h \
	src/result/result.c src/result/result.h \
	src/result/suite.c src/result/suite.h
EXTRA_DIST += src/result/README.md
