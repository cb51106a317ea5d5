# Tests of the project as a whole: its layers, its functions, its installation
th_test(NAME api_handles LIBS thresher_api LABELS api)
th_test(NAME api_weights LIBS thresher_api LABELS api)
th_test(NAME api_arguments SOURCES io_data.c RANKS 1 2 3 LIBS thresher_api MPI::MPI_C LABELS api)
th_script_test(NAME project_layering SCRIPT layering.sh LABELS project)
th_script_test(NAME project_layering_broken SCRIPT layering_broken.sh LABELS project)
th_script_test(NAME project_elementary SCRIPT elementary.sh LABELS project)
th_script_test(NAME project_functions SCRIPT functions.sh LABELS project)
th_script_test(NAME project_headers SCRIPT headers.sh LABELS project)
th_script_test(NAME project_scripts SCRIPT scripts.sh LABELS project)
th_script_test(NAME project_pages SCRIPT pages.sh LABELS project)
set(checked no)
if(CMAKE_BUILD_TYPE MATCHES "^(Rel|MinSizeRel)" AND NOT THRESHER_SANITIZE)
  set(checked yes)
endif()
th_script_test(NAME project_built SCRIPT built.sh ARGS ${checked} LABELS project)
th_script_test(NAME project_quoted SCRIPT quoted.sh LABELS project)
th_script_test(NAME project_packages SCRIPT packages.sh LABELS project)
th_script_test(NAME project_installed SCRIPT installed.sh ARGS ${checked} LABELS project)
add_test(NAME unit_cost_model
  COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/unit_cost_model.py ${CMAKE_SOURCE_DIR}/jobs)
set_tests_properties(unit_cost_model PROPERTIES LABELS unit)
add_test(NAME project_arguments
  COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/arguments.py ${CMAKE_SOURCE_DIR})
set_tests_properties(project_arguments PROPERTIES LABELS project)
add_test(NAME project_papers
  COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/papers.py ${CMAKE_SOURCE_DIR})
set_tests_properties(project_papers PROPERTIES LABELS project)
add_test(NAME project_names
  COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/names.py ${CMAKE_SOURCE_DIR})
set_tests_properties(project_names PROPERTIES LABELS project)
add_test(NAME project_limits
  COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/limits.py ${CMAKE_SOURCE_DIR})
set_tests_properties(project_limits PROPERTIES LABELS project)
add_test(NAME project_contracts
  COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/contracts.py ${CMAKE_SOURCE_DIR})
set_tests_properties(project_contracts PROPERTIES LABELS project)
# Bytes of models: golden/golden.py
set(folder ${CMAKE_CURRENT_BINARY_DIR}/golden.run)
file(MAKE_DIRECTORY ${folder})
add_test(NAME golden
  COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/golden/golden.py $<TARGET_FILE:thresher>
    ${CMAKE_SOURCE_DIR}/jobs/launch.sh
  WORKING_DIRECTORY ${folder})
set_tests_properties(golden PROPERTIES LABELS cli TIMEOUT ${SCRIPT_TIMEOUT} PROCESSORS 2
  ENVIRONMENT "${TEST_ENVIRONMENT}")
