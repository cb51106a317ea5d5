# Tests cli_*
