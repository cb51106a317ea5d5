# Tests io_*
th_test(NAME io_dataset SOURCES io_data.c RANKS 1 2 3 4 LIBS thresher_io thresher_mpi thresher_core)
