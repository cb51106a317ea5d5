# Tests cli_*
th_script_test(NAME cli_smoke)
th_script_test(NAME cli_readme)
th_script_test(NAME cli_identical TIMEOUT 900)
th_script_test(NAME cli_faults TIMEOUT 600)
th_script_test(NAME cli_real TIMEOUT 1200)
