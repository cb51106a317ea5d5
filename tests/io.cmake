# Tests io_*
