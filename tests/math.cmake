# Tests of src/math
foreach(name IN ITEMS kernels loss rule linalg)
  th_test(NAME unit_${name} LIBS thresher_core LABELS unit)
endforeach()
foreach(name IN ITEMS select grouping)
  th_test(NAME mpi_${name} RANKS ${THRESHER_TEST_RANKS} LIBS thresher_mpi thresher_core)
endforeach()
