# Tests of src/solvers
add_library(thresher_problem STATIC problem.c memory_store.c)
target_link_libraries(thresher_problem PUBLIC thresher_core PRIVATE thresher_flags m)
th_test(NAME unit_solvers TIMEOUT 300 LIBS thresher_problem thresher_core LABELS unit)
th_test(NAME unit_sparse TIMEOUT 120 LIBS thresher_problem thresher_core LABELS unit)
th_test(NAME unit_edges TIMEOUT 120 LIBS thresher_problem thresher_core LABELS unit)
th_test(NAME unit_nomem TIMEOUT 300 LIBS thresher_problem thresher_core LABELS unit)
th_test(NAME unit_steps TIMEOUT 120 LIBS thresher_problem thresher_core LABELS unit)
target_link_options(unit_steps PRIVATE -Wl,--wrap=aligned_alloc,--wrap=malloc)
target_link_options(unit_nomem PRIVATE -Wl,--wrap=aligned_alloc,--wrap=malloc)
foreach(name IN ITEMS batch gram train)
  th_test(NAME mpi_${name} TIMEOUT 300 RANKS ${THRESHER_TEST_RANKS}
    LIBS thresher_problem thresher_mpi thresher_core)
endforeach()
