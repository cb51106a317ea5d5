# Tests mpi_*: at 1, 2, 3 and 4 ranks
th_test(NAME mpi_comm RANKS ${THRESHER_TEST_RANKS} LIBS thresher_mpi thresher_core)
