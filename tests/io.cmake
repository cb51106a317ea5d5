# Tests io_*
th_test(NAME io_dataset SOURCES io_data.c RANKS 1 2 3 4 LIBS thresher_io thresher_mpi thresher_core)
th_test(NAME io_damage SOURCES io_data.c LIBS thresher_io thresher_core)
th_test(NAME io_model SOURCES io_data.c RANKS 1 3 LIBS thresher_io thresher_mpi thresher_core)
th_test(NAME io_full SOURCES io_data.c LIBS thresher_io thresher_core)
th_test(NAME io_cache SOURCES io_data.c LIBS thresher_io thresher_core)
th_test(NAME io_ranks SOURCES io_data.c RANKS 1 2 3 4 LIBS thresher_io thresher_mpi thresher_core)
