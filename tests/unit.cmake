# Tests unit_*
th_test(NAME unit_number LIBS thresher_io thresher_core)
th_test(NAME unit_libsvm LIBS thresher_io thresher_core)
