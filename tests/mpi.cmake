# Tests mpi_*
