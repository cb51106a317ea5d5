# Tests cli_*
th_script_test(NAME cli_options)
th_script_test(NAME cli_help)
th_script_test(NAME cli_generate TIMEOUT 300)
th_script_test(NAME cli_evaluate TIMEOUT 300)
th_script_test(NAME cli_train TIMEOUT 300)
