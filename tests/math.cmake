# Tests of src/math
foreach(name IN ITEMS cholesky confidence draws gap gradients kernels kernels_read linalg
    logistic loss online penalty products rule)
  th_test(NAME unit_${name} LIBS thresher_solvers_driver LABELS unit)
endforeach()
th_test(NAME unit_online_stream LIBS thresher_solvers_driver LABELS unit LONG study)
th_test(NAME unit_gap_safe SOURCES random_problem.c LIBS thresher_solvers_driver LABELS unit LONG 20000)
foreach(name IN ITEMS select grouping)
  th_test(NAME mpi_${name} RANKS ${THRESHER_TEST_RANKS} LIBS thresher_mpi thresher_solvers_driver)
endforeach()
