# Tests io_*
th_test(NAME io_dataset SOURCES io_data.c RANKS 1 2 3 4 LIBS thresher_io thresher_mpi thresher_solvers_driver)
th_test(NAME io_damage SOURCES io_data.c LIBS thresher_io thresher_solvers_driver)
th_test(NAME io_model SOURCES io_data.c RANKS 1 3 LIBS thresher_io thresher_mpi thresher_solvers_driver)
th_test(NAME io_checkpoint SOURCES io_data.c RANKS 1 2 3 4 LIBS thresher_io thresher_mpi thresher_solvers_driver)
th_test(NAME io_names SOURCES io_data.c LIBS thresher_io thresher_solvers_driver)
th_test(NAME io_twins SOURCES io_data.c LIBS thresher_io thresher_solvers_driver HDF5::HDF5 MPI::MPI_C)
th_test(NAME io_full SOURCES io_data.c LIBS thresher_io thresher_solvers_driver)
th_test(NAME io_import SOURCES io_data.c RANKS 1 2 3 4 LIBS thresher_io thresher_mpi thresher_solvers_driver)
th_test(NAME io_changing SOURCES io_data.c RANKS 1 2 3 4 LIBS thresher_io thresher_mpi thresher_solvers_driver ZLIB::ZLIB)
th_test(NAME io_groups SOURCES io_data.c RANKS 1 3 LIBS thresher_io thresher_mpi thresher_solvers_driver)
# compilers clear the registers where they optimise
if(CMAKE_BUILD_TYPE MATCHES "^Rel")
  th_test(NAME io_vector_state SOURCES io_data.c LIBS thresher_io thresher_solvers_driver)
endif()
th_test(NAME io_decompress LIBS thresher_io thresher_solvers_driver LibLZMA::LibLZMA)
set_target_properties(io_decompress PROPERTIES ENABLE_EXPORTS ON)
set_source_files_properties(io_decompress.c PROPERTIES COMPILE_DEFINITIONS _GNU_SOURCE) # RTLD_NEXT
th_test(NAME io_csv LIBS thresher_io thresher_solvers_driver)
th_test(NAME io_number LIBS thresher_io thresher_solvers_driver)
th_test(NAME io_libsvm LIBS thresher_io thresher_solvers_driver)
th_test(NAME io_cache SOURCES io_data.c LIBS thresher_io thresher_solvers_driver)
th_test(NAME io_mapping SOURCES io_data.c LIBS thresher_io thresher_solvers_driver)
th_test(NAME io_entries SOURCES io_data.c LIBS thresher_io thresher_solvers_driver)
th_test(NAME io_ahead SOURCES io_data.c LIBS thresher_io thresher_solvers_driver)
th_test(NAME io_ahead_mixed SOURCES io_data.c LIBS thresher_io thresher_solvers_driver)
th_test(NAME io_ranks SOURCES io_data.c RANKS 1 2 3 4 LIBS thresher_io thresher_mpi thresher_solvers_driver)
foreach(name IN ITEMS output interrupt)
  th_test(NAME io_${name} SOURCES io_data.c output_folder.c
    LIBS thresher_io thresher_solvers_driver Threads::Threads)
endforeach()
# no_locks.c stands before the system's functions
th_test(NAME io_lock SOURCES io_data.c no_locks.c output_folder.c
  LIBS thresher_io thresher_solvers_driver ${CMAKE_DL_LIBS})
th_test(NAME io_piece LIBS thresher_io thresher_solvers_driver HDF5::HDF5 MPI::MPI_C)
set(forge SOURCES io_data.c forge.c forge_seal.c forge_try.c
  LIBS thresher_problem thresher_io thresher_solvers_driver HDF5::HDF5 MPI::MPI_C)
th_test(NAME io_forged WIDE ${forge} LONG 12000)
th_test(NAME io_forged_named ${forge})
th_test(NAME io_forged_model SOURCES forge.c forge_seal.c
  LIBS thresher_io thresher_solvers_driver HDF5::HDF5 MPI::MPI_C)

# A tool for scripts, and data sets as Python sees them.
add_executable(io_tool io_tool.c io_data.c)
target_link_libraries(io_tool PRIVATE thresher_flags thresher_io thresher_solvers_driver m)
th_script_test(NAME io_h5py ARGS $<TARGET_FILE:io_tool>)

# For tests/bench/checkpoint.sh
add_executable(checkpoint_cost bench/checkpoint.c)
target_link_libraries(checkpoint_cost PRIVATE thresher_flags thresher_io thresher_solvers_driver m)

# For tests/bench/piece.sh
add_executable(piece_cost bench/piece.c)
target_link_libraries(piece_cost PRIVATE thresher_flags thresher_io thresher_solvers_driver HDF5::HDF5 MPI::MPI_C m)

# For tests/bench/entries.sh
add_executable(entries_cost bench/entries.c)
target_link_libraries(entries_cost PRIVATE thresher_flags thresher_io thresher_synthetic thresher_solvers_driver m)

# For tests/bench/reading.sh
add_executable(reading_cost bench/reading.c)
target_link_libraries(reading_cost PRIVATE thresher_flags thresher_io thresher_solvers_driver m)
