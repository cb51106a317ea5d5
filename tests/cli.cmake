# Tests cli_*
th_script_test(NAME cli_import TIMEOUT 600)
