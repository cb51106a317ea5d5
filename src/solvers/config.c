/* config.c - what training does where nothing else is asked for
 * SPDX-License-Identifier: MIT */
#include "solvers/config.h"

struct th_config th_config_default(void)
{
  return (struct th_config){
      .solver = "sift",
      .loss = "auto",
      .scaled.quantile = 0.5,
      .validation = -1,
      .seed = 1,
      .standardize = true,
      .intercept = true,
      .refit = TH_REFIT_AUTO,
      .select = TH_SELECT_AUTO,
      .rounds.shared_support = true,
      .penalty = "l1",
      .group.mix = 0.5,
      .greedy.delta = 0.1,
      .greedy.mu = -1,
      .screening.how = TH_SCREEN_AUTO,
      .screening.rule = TH_RULE_PROJ,
      .screening.exponent = 0.75,
      .confidence = 0.95,
  };
}
