# Tests unit_*
th_test(NAME unit_synthetic LIBS thresher_core)
