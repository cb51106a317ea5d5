# Tests mpi_*: at 1, 2, 3 and 4 ranks
th_test(NAME mpi_comm RANKS ${THRESHER_TEST_RANKS} LIBS thresher_mpi thresher_solvers_driver)
th_test(NAME mpi_team RANKS ${THRESHER_TEST_RANKS} LIBS thresher_mpi thresher_solvers_driver)
# Programs of two versions that meet
foreach(which IN ITEMS check other)
  add_library(alike_${which} OBJECT ${CMAKE_SOURCE_DIR}/src/cli/alike.c)
  target_link_libraries(alike_${which} PRIVATE thresher_flags thresher_io thresher_solvers_driver)
endforeach()
target_compile_definitions(alike_check PRIVATE THRESHER_VERSION="99")
target_compile_definitions(alike_other PRIVATE THRESHER_VERSION="99.1" th_alike_check=th_alike_other)
th_test(NAME mpi_alike RANKS ${THRESHER_TEST_RANKS} LIBS alike_check alike_other thresher_mpi thresher_io thresher_solvers_driver)
th_test(NAME mpi_watch RANKS 2 3 4 LIBS thresher_mpi)
add_test(NAME mpi_watch.disagree COMMAND ${LAUNCH} 3 $<TARGET_FILE:mpi_watch> disagree)
set_tests_properties(mpi_watch.disagree PROPERTIES LABELS mpi PROCESSORS 3
  ENVIRONMENT "${TEST_ENVIRONMENT};THRESHER_CHECK_COLLECTIVES=yes"
  PASS_REGULAR_EXPRESSION "rank 1 of a team enters a sum of 3 numbers from rank 0, and rank 0 a sum of 2 numbers")
