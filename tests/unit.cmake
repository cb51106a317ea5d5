# Tests unit_*
