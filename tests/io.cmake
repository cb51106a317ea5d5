# Tests io_*
th_test(NAME io_dataset SOURCES io_data.c RANKS 1 2 3 4 LIBS thresher_io thresher_mpi thresher_core)
th_test(NAME io_damage SOURCES io_data.c TIMEOUT 240 LIBS thresher_io thresher_core)
th_test(NAME io_model SOURCES io_data.c RANKS 1 3 LIBS thresher_io thresher_mpi thresher_core)
th_test(NAME io_full SOURCES io_data.c LIBS thresher_io thresher_core)
th_test(NAME io_import SOURCES io_data.c RANKS 1 2 3 4 LIBS thresher_io thresher_mpi thresher_core TIMEOUT 120)
th_test(NAME io_groups SOURCES io_data.c RANKS 1 3 LIBS thresher_io thresher_mpi thresher_core)
th_test(NAME io_vector_state SOURCES io_data.c LIBS thresher_io thresher_core)
th_test(NAME io_number LIBS thresher_io thresher_core)
th_test(NAME io_libsvm LIBS thresher_io thresher_core)
th_test(NAME io_cache SOURCES io_data.c LIBS thresher_io thresher_core)
th_test(NAME io_ahead SOURCES io_data.c TIMEOUT 120 LIBS thresher_io thresher_core)
th_test(NAME io_ahead_mixed SOURCES io_data.c TIMEOUT 120 LIBS thresher_io thresher_core)
th_test(NAME io_ranks SOURCES io_data.c RANKS 1 2 3 4 LIBS thresher_io thresher_mpi thresher_core)

# A tool for scripts, and data sets as Python sees them.
add_executable(io_tool io_tool.c io_data.c)
target_link_libraries(io_tool PRIVATE thresher_flags thresher_io thresher_core m)
th_script_test(NAME io_h5py ARGS $<TARGET_FILE:io_tool>)
