/* screen_rule.h - which screening rule: what to do with dual points outside of
 * the ball (math/online.h)
 * SPDX-License-Identifier: MIT */
#ifndef TH_SCREEN_RULE_H
#define TH_SCREEN_RULE_H

enum th_screen_rule {
  TH_RULE_PROJ,
  TH_RULE_PAPER,
  TH_RULE_VOTES,
  TH_RULE_COUNT
};

#endif
