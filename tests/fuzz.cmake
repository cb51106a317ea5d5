# Readers that are tried with any bytes. Preset fuzz links libFuzzer; every other
# build tries the corpus and changes of it.
function(th_fuzz NAME TRIES)
  add_executable(fuzz_${NAME} fuzz/fuzz_${NAME}.c fuzz/fuzz_file.c)
  target_link_libraries(fuzz_${NAME} PRIVATE thresher_flags ${ARGN} m)
  target_include_directories(fuzz_${NAME} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/fuzz)
  if(THRESHER_FUZZ)
    target_link_options(fuzz_${NAME} PRIVATE -fsanitize=fuzzer)
    return()
  endif()
  target_sources(fuzz_${NAME} PRIVATE fuzz/fuzz_main.c)
  add_test(NAME fuzz_${NAME} COMMAND fuzz_${NAME}
    ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${NAME} ${TRIES})
  set_tests_properties(fuzz_${NAME} PROPERTIES LABELS fuzz TIMEOUT ${TEST_TIMEOUT}
    ENVIRONMENT "${TEST_ENVIRONMENT}")
endfunction()

th_fuzz(libsvm 100000 thresher_io thresher_solvers_driver)
th_fuzz(import 1000 thresher_io thresher_solvers_driver)
th_fuzz(groups 3000 thresher_io thresher_solvers_driver)
th_fuzz(deck 20000 thresher_cli_options thresher_io thresher_solvers_driver)
th_fuzz(manifest 100000 thresher_io thresher_solvers_driver)
th_fuzz(model 3000 thresher_io thresher_solvers_driver)
th_fuzz(dataset 3000 thresher_io thresher_solvers_driver)
