#!/usr/bin/python3
# theory.py FAMILY ... - the bounds of the papers for sizes that are given
# SPDX-License-Identifier: MIT
"""Print what the theorems of the papers say of sizes that are given, one quantity a line:

    name  value  (source)

  exploration, exploitation, hybrid   Murata and Suzuki 2018
  screening                           Liang and Poon 2022
  sampling                            Kukliansky and Shamir 2015
  oomp                                Saad, Blanchard and Arlot 2024

A source that begins with "order:" has a constant that the theorem does not tell, or leaves
out logarithms: its value compares one size with another, and no more. What begins with
"ours:" stands in none of them. src/solvers/THEORY.md says what the program uses instead.
"""
import argparse
import math
import sys
from math import log, sqrt


# --- Murata and Suzuki 2018: hard thresholding ---------------------------------------------

def step_of_thresholding(o):
    """eta of the proofs of Theorems 4.1 and 4.3."""
    return 1 / (4 * o.smoothness)


def contraction(o):
    """alpha of the proofs of Theorems 4.1 and 4.3: 1 / (32 kappa)."""
    return o.convexity / o.smoothness / 32


def updates_to(o, ratio):
    """The least T with (1 - alpha)^T ratio <= 1."""
    return max(0, math.ceil(log(ratio) / -math.log1p(-contraction(o))))


def least_sparsity(o, quotient=64):
    """Proposition A.1: s at least this. Its last condition needs no more than 40 for 64."""
    x = step_of_thresholding(o) * o.smoothness / 2
    first = 2 * (0.25 + x) / (0.25 - x) - 1
    second = quotient / (step_of_thresholding(o) * o.convexity) ** 2 + 1
    return math.ceil(max(first, second) * o.true - 1e-9)


def contraction_at_sparsity(o):
    """alpha of Proposition A.1."""
    eta, s = step_of_thresholding(o), o.sparsity
    return (0.5 * (1 - 2 * o.true / (s + o.true)) * o.convexity
            * (0.25 + eta * o.smoothness / 2) * eta)


def price_of_noise(o, updates):
    """T / (Delta (1 - alpha)^T), which the batches of Theorems 4.1 to 4.4 have."""
    return updates / (o.gap * (1 - contraction(o)) ** updates)


def batch_of_exploration(o, updates):
    """B_t of the proof of Theorem 4.1."""
    eta, s, part = step_of_thresholding(o), o.sparsity, o.delta / (2 * updates)
    steep = s * (2.5 + eta * o.smoothness) * o.bound ** 2 * eta
    support = (4 / o.true * (s + o.true) ** 2 * steep * o.bound ** 2
               * log(2 * o.attributes / part) / (1 / (4 * eta) + o.smoothness / 2))
    noise = 4 * o.noise ** 2 * steep * log(o.attributes / part) * price_of_noise(o, updates)
    return math.ceil(max(support, noise))


def batches_of_exploitation(o, updates):
    """B_t of the proof of Theorem 4.3: where the support holds the true one, and for any
    support, t = T."""
    eta, s, part = step_of_thresholding(o), o.sparsity, o.delta / (2 * updates)
    slack, mu = 1 - eta * o.smoothness, o.convexity
    spread = s * (s + o.true) * o.bound ** 4 * log(2 * s / part)
    noise = 2 * o.noise ** 2 * s * o.bound ** 2 * eta * log(s / part)
    true = max(32 * spread / (slack * mu ** 2), noise * (1 + slack) * price_of_noise(o, updates))
    any_of = max(4 * spread * updates * eta ** 2 / slack, noise * updates / o.gap,
                 16 * spread * updates * eta * (1 - contraction(o)) / mu)
    return math.ceil(true), math.ceil(any_of)


def updates_of_exploitation(o):
    """T_k of Theorem 4.4, with kappa^2 for Theta(kappa^2)."""
    kappa = o.smoothness / o.convexity
    return updates_to(o, max(1, o.attributes / (kappa ** 2 * (o.budget - o.sparsity))))


def order_of_batch(o, updates, k):
    """B_k(T, s, alpha) of Theorem 4.4."""
    alpha, part = contraction(o), o.bound ** 2 / o.smoothness * o.sparsity
    return max((o.smoothness / o.convexity * part) ** 2 * updates,
               o.noise ** 2 / (alpha * (1 - alpha) ** k) * part * price_of_noise(o, updates))


def orders_of_examples(o):
    """Corollaries 4.2 and 4.5."""
    kappa, mu, r2, s = o.smoothness / o.convexity, o.convexity, o.bound ** 2, o.sparsity
    visits = o.attributes * s / (o.budget - s)
    found = kappa * (r2 / mu) ** 2 * visits * s
    fit = kappa * r2 / mu * o.noise ** 2 / o.accuracy
    on_support = kappa ** 2 * s / (mu * o.smallest ** 2)
    return (found + fit * visits,
            found + kappa ** 3 * (r2 / mu * s) ** 2 + fit * min(on_support, visits))


def rows_of_all(o):
    return [("step_size", step_of_thresholding(o), "proofs of Theorems 4.1 and 4.3"),
            ("contraction", contraction(o), "proofs of Theorems 4.1 and 4.3"),
            ("least_sparsity", least_sparsity(o), "Proposition A.1")]


def rows_of_exploration(o):
    updates, blocks = max(1, updates_to(o, 2 * o.gap / o.accuracy)), blocks_of(o)
    batch = batch_of_exploration(o, updates)
    return rows_of_all(o) + [
        ("step_size_below", 1 / (2 * o.smoothness), "Proposition A.1"),
        ("least_sparsity_of_proof", least_sparsity(o, 40), "ours: its last condition"),
        ("sparsity_suffices", o.sparsity >= least_sparsity(o), "Proposition A.1"),
        ("contraction_at_sparsity", contraction_at_sparsity(o), "Proposition A.1"),
        ("blocks", blocks, "Algorithm 1"),
        ("updates", updates, "Theorem 4.1 with Delta of Corollary 4.2"),
        ("batch", batch, "proof of Theorem 4.1"),
        ("examples", blocks * batch * updates, "proof of Corollary 4.2"),
        ("times_those_at_hand", blocks * batch * updates / o.examples, "ours: the ratio"),
        ("order_of_examples", orders_of_examples(o)[0], "order: Corollary 4.2")]


def blocks_of(o):
    """d' of Algorithm 1."""
    return math.ceil(o.attributes / (o.budget - o.sparsity))


def rows_of_exploitation(o):
    updates = max(1, updates_to(o, 2 * o.gap / o.accuracy))
    true, any_of = batches_of_exploitation(o, updates)
    return rows_of_all(o)[:2] + [
        ("updates", updates, "Theorem 4.3"),
        ("batch_true_support", true, "proof of Theorem 4.3, special case"),
        ("batch_any_support", any_of, "proof of Theorem 4.3, general case"),
        ("examples_true_support", true * updates, "Theorem 4.3"),
        ("times_those_at_hand", true * updates / o.examples, "ours: the ratio")]


def rows_of_hybrid(o):
    late, k = updates_of_exploitation(o), updates_to(
        o, 4 * o.gap / (o.smallest ** 2 * o.convexity))
    slow, fast = orders_of_examples(o)
    return rows_of_all(o) + [
        ("updates_explore", 3, "Theorem 4.4"),
        ("updates_exploit", late, "order: Theorem 4.4, kappa^2 for Theta"),
        ("rounds_to_support", k, "Theorem 4.4"),
        ("batch_explore", order_of_batch(o, 3, k), "order: Theorem 4.4, at that round"),
        ("batch_exploit", order_of_batch(o, late, k), "order: Theorem 4.4, at that round"),
        ("order_of_examples", fast, "order: Corollary 4.5"),
        ("order_of_exploration", slow, "order: Corollary 4.2")]


# --- Liang and Poon 2022: screening --------------------------------------------------------

def radius_printed(o):
    """(2.4) times the root below (2.5), with eta_i = 1/m and N_g = sum eta_i Omega(x_i)^2."""
    return sqrt(2 * o.smoothness * o.gap) / o.penalty * sqrt(o.norm / o.examples)


def radius_corrected(o, gap):
    """sqrt(2 L G N_g) / lambda: strong concavity is by the weights eta_i."""
    return sqrt(2 * o.smoothness * gap * o.norm) / o.penalty


def half_widths(o):
    """Section 3.4 (ii) as printed; corrected; and of the program, with a bound on variance."""
    risk, entry = log(2 * o.attributes / o.delta), o.bound / o.penalty
    both = log(4 * o.attributes / o.delta)
    return (sqrt(o.bound * risk / (2 * o.fresh)), entry * sqrt(2 * risk / o.fresh),
            sqrt(2 * o.variance * both / o.fresh) + 14 * entry * both / (3 * (o.fresh - 1)))


def rows_of_screening(o):
    printed, hoeffding, bernstein = half_widths(o)
    return [
        ("sphere", sqrt(2 * o.smoothness * o.gap) / o.penalty, "equation 2.4"),
        ("radius_printed", radius_printed(o), "equations 2.4 and 2.5"),
        ("radius", radius_corrected(o, o.gap), "ours: equations 2.4 and 2.5 corrected"),
        ("radius_online", radius_corrected(o, o.gap + o.primal * o.infeasible), "Lemma 3.1"),
        ("order_of_online_error", o.examples ** (0.5 - o.exponent), "order: section 3.1.3"),
        ("half_width_printed", printed, "section 3.4 (ii), solved for epsilon"),
        ("half_width_hoeffding", hoeffding, "ours: section 3.4 (ii) corrected"),
        ("half_width_bernstein", bernstein, "ours: Maurer and Pontil 2009")]


# --- Kukliansky and Shamir 2015: attribute efficient regression ----------------------------

def moments_of(o):
    """norm_half where E x^2 adds up to 1, and norm1 where its largest is 1, of i^decay."""
    powers = [i ** o.decay for i in range(1, o.attributes + 1)]
    total = math.fsum(powers)
    return math.fsum(map(sqrt, powers)) ** 2 / total, total


def error_of_moments(o):
    """epsilon: Algorithm 2, line 11."""
    return o.attributes * log(2 * o.attributes / o.delta) / (o.budget * o.first)


def rows_of_ridge(o, half, k, m2):
    d, m, four, e = o.attributes, o.examples, 4 * o.radius ** 2, error_of_moments(o)
    spread = half + d * sqrt(5 / 3 * half * e)
    full = (sqrt(half) + d * sqrt(2 * e)) ** 2
    return [
        ("ridge_uniform_step", sqrt(k / (2 * d * m)), "below Theorem 3.1"),
        ("ridge_uniform", four * sqrt(2 * d / (k * m)), "below Theorem 3.1"),
        ("ridge_known_step", 1 / sqrt(m * (half / k + 1)), "Theorem 3.5"),
        ("ridge_known", four * sqrt((half / k + 1) / m), "Theorem 3.5"),
        ("ridge_norm_known_step", max(sqrt(k / (6 * d * m2)),
                                      sqrt(k / (m2 * (2 * spread + k)))), "Theorem 3.6"),
        ("ridge_norm_known", four * sqrt((2 / k * spread + 1) / m2), "Theorem 3.6"),
        ("ridge_two_phase", 4 * four * sqrt((full / k + 1) / m2), "Theorem 3.12"),
        ("ridge_two_phase_sure", four * sqrt(6 * d / (k * m2)), "Theorems 3.6 and 3.12")]


def rows_of_lasso(o, one, k, m2):
    d, m, b = o.attributes, o.examples, o.radius
    logd, error = log(2 * d), min(error_of_moments(o), 1)
    lasso = 16 * one + 88 / 3 * d * error + k
    return [
        ("lasso_uniform_step", sqrt(k * logd / (40 * d * m)) / b, "ours: from Theorem 4.1"),
        ("lasso_uniform", 4 * b * b * sqrt(10 * d * logd / (k * m)), "below Theorem 4.1"),
        ("lasso_known_step", sqrt(logd / (5 * m * (one / k + 1))) / (2 * b), "Theorem 4.6"),
        ("lasso_known", 4 * b * b * sqrt(5 * logd * (one / k + 1) / m), "Theorem 4.6"),
        ("lasso_two_phase", 4 * b * b * sqrt(5 * lasso * logd / (k * m2)), "Theorem 4.7"),
        ("lasso_two_phase_sure", 61 * b * b * sqrt(d * logd / (k * m2)), "Theorem 4.7")]


def rows_of_sampling(o):
    d, m, k = o.attributes, o.examples, o.budget - 1
    half, one = moments_of(o)
    table = [("order_%s_%s" % (name, kind), sqrt(logs * part / m), "order: Table 1")
             for name, logs, norm in (("ridge", 1, half), ("lasso", log(d), one))
             for kind, part in (("new", (norm + k) / k), ("old", d / k), ("full", 1))]
    return [("attributes_per_example", o.budget, "Algorithm 1: k + 1"),
            ("attributes_in_all", o.budget * m, "Algorithm 1: (k + 1) m"),
            ("norm_half", half, "section 1"), ("norm_one", one, "section 1"),
            ("moment_error", error_of_moments(o), "Algorithm 2, line 11")
            ] + rows_of_ridge(o, half, k, m - o.first) + rows_of_lasso(
                o, one, k, m - o.first) + table


# --- Saad, Blanchard and Arlot 2024: online OMP --------------------------------------------

def mean_squares(o):
    """beta~^2_(k+1), k = 0, 1, ...: means of the squares of (52) from the (k+1)th on."""
    squares = [(1 - q / o.true) ** (2 * o.gamma) / o.true for q in range(o.true)]
    return [math.fsum(squares[k:]) / (o.true - k) for k in range(o.true)]


def half_width(o, n, delta):
    """(26), which no interval exceeds."""
    risk = log(2 * o.attributes * n * n / delta)
    bound = o.bound + 2 * o.bound ** 2 * sqrt(o.selected / o.rho)
    return (8 * sqrt(o.smoothness * o.bound ** 2 * risk / (o.rho * n)) + 27 * bound * risk / n)


def rows_of_selection(o, delta):
    """(28): the least n whose half-width is below W of (27)."""
    wanted, low, high = (1 - o.mu) / (3 - o.mu) * o.score, 1, 2
    while half_width(o, high, delta) >= wanted:
        low, high = high, 2 * high
    while high - low > 1:
        n = (low + high) // 2
        low, high = (low, n) if half_width(o, n, delta) < wanted else (n, high)
    return high


def descent_steps(o, delta):
    """Corollary D.2, with its G."""
    g = 8 * o.selected * o.bound ** 2 / sqrt(o.rho) + 4 * sqrt(o.selected) * o.bound
    return 21 * g * g * log(1 / delta) / (o.rho * o.xi)


def examples_of_omp(o):
    """(42), the noise being at most --noise."""
    least = mean_squares(o)[-1]
    return (18 * o.noise ** 2 * log(4 * o.attributes / o.delta)
            / ((1 - o.mu) ** 2 * o.rho ** 2 * least))


def cost_of_selection(o, delta):
    """Theorem 5.2 with the least that W_i can be: Optim, Try-Select."""
    k, several, d = o.selected, max(1, o.selected), o.attributes
    best, w = (1 - o.mu) * o.score, (1 - o.mu) / (2 - o.mu) * o.score
    optim = k ** 3 * max(1 / best ** 2, sqrt(k) / best) * log(several / (delta * best))
    tried = max(1 / w ** 2, sqrt(several) / w) * log(d / (delta * best)) * log(several / best)
    return optim, (d - k) * tried


def costs_of_oomp(o):
    """Corollary 5.3, summed over the selections: Optim, Try-Select."""
    costs = [(k ** 3 / square * log(max(1, k) / (o.delta * square)),
              o.attributes / square * log(max(1, k) / square)
              * log(o.attributes / (o.delta * square))) for k, square in enumerate(mean_squares(o))]
    return [math.fsum(parts) for parts in zip(*costs)]


def ratio_to_omp(o):
    """Corollary 5.4; that to SSR is 1/s* of it."""
    squares = mean_squares(o)
    shares = math.fsum(squares[-1] / square for square in squares) / o.true
    return log(o.true / squares[-1]) ** 2 * shares


def rows_of_oomp(o):
    k, d, s = o.selected, o.attributes, o.true
    delta, omp = o.delta / (2 * (k + 1) * (k + 2)), examples_of_omp(o)
    n, once, costs = rows_of_selection(o, delta), cost_of_selection(o, delta), costs_of_oomp(o)
    reach = sqrt(o.smoothness / o.rho ** 3)
    return [
        ("guarantee", 1 - 2 * o.delta, "Lemma 3.1"),
        ("delta_of_selection", delta, "Algorithm 3"),
        ("steps_of_optim", descent_steps(o, delta), "Corollary D.2"),
        ("examples_of_try_select", n, "equations 26 to 28"),
        ("remaining_bound", reach * (o.score + half_width(o, n, delta)), "appendix F"),
        ("cost_optim", once[0], "order: Theorem 5.2"),
        ("cost_try_select", once[1], "order: Theorem 5.2, least W_i"),
        ("cost_optim_all", costs[0], "order: Corollary 5.3, all selections"),
        ("cost_try_select_all", costs[1], "order: Corollary 5.3, all selections"),
        ("examples_of_omp", omp, "equation 42"),
        ("cost_of_omp", (s * d + s * s) * omp, "section 6"),
        ("corollary_applies", d > s ** 3, "Corollary 5.4: d > s*^3"),
        ("ratio_to_omp", ratio_to_omp(o), "order: Corollary 5.4"),
        ("ratio_to_ssr", ratio_to_omp(o) / s, "order: Corollary 5.4"),
        ("ratio_by_decay", log(s) ** 2 / s ** min(2 * o.gamma, 1), "order: equation 9"),
        ("values_kept", 3 * d, "Algorithm 6: Z, v and conf"),
        ("values_kept_by_omp", d * omp, "appendix K.2: the data matrix")]


# --- Options -------------------------------------------------------------------------------

def number(low, high=math.inf, whole=False, closed=True):
    """A type of argparse: from `low` on, or above it, and below `high`."""
    def convert(word):
        value = int(word) if whole else float(word)
        if not (low <= value if closed else low < value) or not value < high:
            raise ValueError
        return value
    convert.__name__ = "whole number" if whole else "number"
    return convert


COUNT, TWO, FROM_0 = number(1, whole=True), number(2, whole=True), number(0)
ABOVE, SHARE = number(0, closed=False), number(0, 1, closed=False)
OPTIONS = {
    "examples": (COUNT, "at hand"), "attributes": (COUNT, "d, or n"),
    "budget": (TWO, "attributes observed of an example: s', k + 1"),
    "sparsity": (COUNT, "s"), "true": (COUNT, "s*; else --sparsity"),
    "smoothness": (ABOVE, "L_s of (a - y)^2; L"), "convexity": (ABOVE, "mu_s of (a - y)^2"),
    "bound": (ABOVE, "R of |x|; M of |x|; G of |theta x|"), "noise": (ABOVE, "sigma"),
    "gap": (ABOVE, "of the objective, at the start; of duality"), "norm": (FROM_0, "N_g"),
    "accuracy": (ABOVE, "epsilon"), "smallest": (ABOVE, "r_min"),
    "penalty": (ABOVE, "lambda"), "primal": (FROM_0, "P at the anchor"),
    "infeasible": (FROM_0, "dual norm of Z, less 1"), "exponent": (number(0.5, 1.01), "of mu_t"),
    "variance": (FROM_0, "of theta x / lambda"), "fresh": (TWO, "K, examples of a check"),
    "radius": (ABOVE, "B"), "decay": (number(-math.inf, 0.01), "E x_i^2 falls as i^decay"),
    "first": (COUNT, "m_1; else a tenth"), "selected": (number(0, whole=True), "k, so far"),
    "score": (ABOVE, "largest |Z_i|"), "rho": (ABOVE, "least eigenvalue"),
    "mu": (number(0, 1), "irrepresentable constant"), "gamma": (FROM_0, "of (52)"),
    "xi": (ABOVE, "excess that Optim reaches"), "delta": (SHARE, "chance of failure")}
THRESHOLDING = dict(
    examples=100000, attributes=500, budget=50, sparsity=25, true=None, smoothness=2.0,
    convexity=2.0, bound=1.0, noise=1.0, gap=25.0, accuracy=0.05, smallest=1.0, delta=0.1)
FAMILIES = {
    "exploration": (rows_of_exploration, THRESHOLDING),
    "exploitation": (rows_of_exploitation, THRESHOLDING),
    "hybrid": (rows_of_hybrid, THRESHOLDING),
    "screening": (rows_of_screening, dict(
        examples=100000, attributes=500, gap=0.01, penalty=0.1, smoothness=1.0, norm=1.0,
        primal=1.0, infeasible=0.0, exponent=0.75, bound=1.0, variance=1.0, fresh=2000,
        delta=0.05)),
    "sampling": (rows_of_sampling, dict(
        examples=100000, attributes=500, budget=5, radius=1.0, decay=-2.0, first=None,
        delta=0.05)),
    "oomp": (rows_of_oomp, dict(
        attributes=500, true=6, selected=1, score=0.03, rho=1 / 12, smoothness=1 / 12,
        bound=0.5, mu=0.0, gamma=1.0, noise=0.5, xi=0.01, delta=0.1))}


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, "theory.py: %s\n" % message)


def parse(words):
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    families = parser.add_subparsers(dest="family", metavar="FAMILY", required=True)
    for name, (_, defaults) in FAMILIES.items():
        family = families.add_parser(name)
        for key, value in defaults.items():
            kind, text = OPTIONS[key]
            family.add_argument(*["-s"] * (key == "sparsity"), "--" + key, type=kind,
                                default=value, metavar="X",
                                help=text + (" (%g)" % value if value is not None else ""))
    return parser.parse_args(words)


def fault_of(o):
    """What of the sizes cannot be, or None."""
    if "sparsity" in o:
        o.true = o.true or o.sparsity
        if not o.true <= o.sparsity < o.budget <= o.attributes:
            return "wanted: --true <= --sparsity < --budget <= --attributes"
        if o.convexity > o.smoothness:
            return "--convexity is above --smoothness"
    if "first" in o:
        o.first = o.first or max(1, o.examples // 10)
        if o.first >= o.examples:
            return "wanted: --first < --examples"
    if "rho" in o and not o.selected < o.true <= o.attributes:
        return "wanted: --selected < --true <= --attributes"
    if "rho" in o and o.rho > o.smoothness:
        return "--rho is above --smoothness"
    return None


def main():
    o = parse(sys.argv[1:])
    try:
        fault = fault_of(o)
        rows = [] if fault else FAMILIES[o.family][0](o)
    except (ValueError, OverflowError, ZeroDivisionError):
        fault = "sizes that numbers do not hold"
    if fault:
        print("theory.py: " + fault, file=sys.stderr)
        sys.exit(2)
    for name, value, source in rows:
        text = ("no", "yes")[value] if isinstance(value, bool) else "%.10g" % value
        print("%-24s  %-16s  (%s)" % (name, text, source))


if __name__ == "__main__":
    main()
