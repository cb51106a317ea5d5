# Tests io_*
th_test(NAME io_dataset SOURCES io_data.c RANKS 1 2 3 4 LIBS thresher_io thresher_mpi thresher_core)
th_test(NAME io_damage SOURCES io_data.c LIBS thresher_io thresher_core)
th_test(NAME io_model SOURCES io_data.c RANKS 1 3 LIBS thresher_io thresher_mpi thresher_core)
th_test(NAME io_full SOURCES io_data.c LIBS thresher_io thresher_core)
th_test(NAME io_import SOURCES io_data.c RANKS 1 2 3 4 LIBS thresher_io thresher_mpi thresher_core TIMEOUT 120)
th_test(NAME io_number LIBS thresher_io thresher_core)
th_test(NAME io_libsvm LIBS thresher_io thresher_core)
