// proxcsl.cpp - all models of proxCSL's updates, with their seconds: see proxcsl.sh
// SPDX-License-Identifier: MIT
//
// The main program that its own sweep is not: that one writes accuracies, and no models.
// Arguments: TRAIN TEST ATTRIBUTES OUT START UPDATES ALPHA ADAPTIVE LAMBDA... Data are in
// TRAIN.RANK.svm and TEST.RANK.svm. START: naive or owa. Rank 0 writes OUT.I.K, the
// coefficients after K updates at lambda I as doubles, and prints a line of JSON for each.
#include "mpi/mpi_pcsl.hpp"

#include <mpi.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

namespace
{

double user_seconds()
{
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_utime.tv_usec * 1e-6;
}

// What training has taken since the last start, without what lies between stop and go.
class Clock
{
public:
  void go()
  {
    MPI_Barrier(MPI_COMM_WORLD);
    began = MPI_Wtime();
    user_began = user_seconds();
  }

  void stop()
  {
    user += user_seconds() - user_began; // before it waits for others
    MPI_Barrier(MPI_COMM_WORLD);
    wall += MPI_Wtime() - began;
  }

  double wall = 0;
  double user = 0;

private:
  double began = 0;
  double user_began = 0;
};

void tell(const MPIProxCSL &solver, const Clock &clock, const std::string &out, int i, int k)
{
  double busiest = clock.user;
  MPI_Reduce(&clock.user, &busiest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0)
    return;
  std::fprintf(stderr, "{\"lambda\": %d, \"updates\": %d, \"seconds\": %.6f, \"user\": %.6f}\n",
               i, k, clock.wall, busiest);
  std::ofstream file(out + "." + std::to_string(i) + "." + std::to_string(k), std::ios::binary);
  file.write(reinterpret_cast<const char *>(solver.model.memptr()),
             solver.model.n_elem * sizeof(double));
}

} // namespace

int main(int argc, char **argv)
{
  if (argc < 10)
    return 2;
  MPI_Init(&argc, &argv);
  const std::string out = argv[4], start = argv[5];
  const int updates = std::atoi(argv[6]);
  const double alpha = std::atof(argv[7]);
  const bool adaptive = std::string(argv[8]) == "yes";
  Clock loading;
  loading.go();
  MPIProxCSL solver(argv[1], argv[2], "svm", std::atoi(argv[3]), 1);
  loading.stop();
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    std::fprintf(stderr, "{\"loading\": %.6f}\n", loading.wall);

  for (int i = 9; i < argc; i++) {
    solver.lambda = std::atof(argv[i]);
    Clock clock;
    for (int k = 0; k <= updates; k++) {
      clock.go();
      if (k > 0)
        solver.Update(10, alpha, adaptive);
      else if (start == "owa")
        solver.Train();
      else
        solver.TrainNaive();
      clock.stop();
      tell(solver, clock, out, i - 9, k);
    }
  }
  MPI_Finalize();
  return 0;
}
