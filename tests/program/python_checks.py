# python_checks.py NAME[=ARGUMENT]... - checks of the Python package, for python.sh
# SPDX-License-Identifier: MIT
import os
import pickle
import signal
import subprocess
import sys
import unittest
import warnings

import numpy as np


long = os.environ.get("THRESHER_LONG") == "yes"


def program(*arguments):
    """Run the program; its standard output."""
    done = subprocess.run([os.environ["THRESHER"], *arguments], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


def content(path):
    with open(path, "rb") as file:
        return file.read()


def problem(n=240, d=40, seed=1):
    """Values that float32 has, and targets of three attributes."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)).astype(np.float32)
    y = X[:, :3] @ np.array([3.0, -2.0, 1.0]) + 0.1 * rng.standard_normal(n)
    return X, y


def save(X, y, weights=None):
    """The same values as files; the arguments of import."""
    if hasattr(X, "tocsr"):
        import scipy.sparse

        scipy.sparse.save_npz("x.npz", X)
    else:
        np.save("x.npy", X)
    np.save("y.npy", y)
    told = ["x.npz" if hasattr(X, "tocsr") else "x.npy", "--target", "y.npy"]
    if weights is not None:
        np.save("w.npy", weights)
        told += ["--weights", "w.npy"]
    return told


def same_as_program(X, y, weights=None, estimator=None, storage=None, options=(), **keywords):
    """A model of memory has the bytes of one of files, and predicts the same. Returns it."""
    from thresher import ThresherRegressor

    told = save(X, y, weights) + (["--type", storage] if storage else [])
    program("import", *told, "-o", "data.h5", "-f", "-q")
    program("train", "data.h5", "-o", "model.h5", "-f", "-q", *options)
    fitted = (estimator or ThresherRegressor)(storage=storage, **keywords).fit(
        X, y, sample_weight=weights)
    fitted.model_.write("own.h5", force=True)
    assert content("own.h5") == content("model.h5"), "the bytes differ"
    program("predict", "model.h5", "data.h5", "-o", "p.csv", "-f", "-q", "--split", "all")
    told = np.genfromtxt("p.csv", delimiter=",", names=True)
    stored = told["prediction"][np.argsort(told["row"])]
    assert (fitted.model_.predict(X) == stored).all(), "predictions differ"
    assert (fitted.model_.predict("data.h5") == stored).all(), "predictions of the path differ"
    coefficients = fitted.coef_.reshape(-1)
    assert (coefficients[fitted.support_] != 0).all() and len(coefficients) == X.shape[1]
    return fitted


def values():
    X, y = problem()
    forms = {
        "rows": X, "columns": np.asfortranarray(X), "double": X.astype(np.float64),
        "part": np.hstack([X, X])[:, ::2], "backwards": X[::-1, ::-1],
        "bytes": (40 * X).clip(0, 255).astype(np.uint8),
        "signed": (40 * X).clip(-127, 127).astype(np.int8), "truths": X > 0,
        "integers": np.round(9 * X).astype(np.int64),
        "missing": np.where(X > 1.5, np.nan, X), "mostly zeros": np.where(X > 1, X, 0),
        "half": X.astype(np.float16), "other bytes": X.astype(">f4"), "list": X[:30].tolist()}
    usual = "rows", "columns", "double", "bytes", "signed", "missing"
    for name, form in forms.items():
        if not long and name not in usual:
            continue
        print(name)
        form = form if name != "list" else np.array(form)
        targets = y[::-1] if name == "backwards" else y[:len(form)]
        same_as_program(form, targets, options=["--budget", "30"], budget=30)
    for storage in ("f32", "f64") if long else ("f64",):
        print(storage)
        same_as_program(X.astype(np.float64) / 3, y, storage=storage)
    if long:
        same_as_program((40 * X).clip(0, 255).astype(np.uint8), y, storage="u8")
    same_as_program(X, y, solver="lasso", options=["--solver", "lasso"])


def sparse():
    import scipy.sparse as sp

    rng = np.random.default_rng(3)
    X = sp.random(300, 900, 0.02, format="csr", random_state=4, dtype=np.float64)
    y = np.asarray(X[:, :4].sum(axis=1)).ravel() + 0.01 * rng.standard_normal(300)
    for form in "csr", "csc":
        print(form)
        A = X.asformat(form)
        fitted = same_as_program(A, y)
        again = fitted.predict(A.toarray())
        assert (again == fitted.predict(A)).all(), "dense and sparse differ"
        for index in np.int32, np.int64:
            B = A.copy()
            B.indices, B.indptr = B.indices.astype(index), B.indptr.astype(index)
            assert (fitted.predict(B) == again).all()
    same_as_program(X.astype(np.float32).tocoo().tocsr(), y)
    same_as_program((X > 0).astype(np.int8), y)
    A = sp.csr_matrix((X.data, X.indices, X.indptr), shape=X.shape)
    A.indices[A.indptr[2]:A.indptr[3]] = A.indices[A.indptr[2]:A.indptr[3]][::-1]  # out of order
    same_as_program(A, y)


def wide():
    """Of very many columns those that occur are the attributes."""
    import scipy.sparse as sp

    rng = np.random.default_rng(5)
    d = 200000
    column = rng.choice(d, 400, replace=False)
    inner = sp.random(200, 400, 0.05, format="coo", random_state=6)
    X = sp.csr_matrix((inner.data, (inner.row, column[inner.col])), shape=(200, d))
    y = np.asarray(X.sum(axis=1)).ravel()
    fitted = same_as_program(X, y)
    assert fitted.coef_.shape == (d,) and set(fitted.support_) <= set(column)
    near = fitted.intercept_ + X @ fitted.coef_
    assert np.abs(near - fitted.predict(X)).max() < 1e-5


def weights():
    X, y = problem()
    w = np.random.default_rng(2).integers(0, 3, len(y)).astype(float)
    fitted = same_as_program(X, y, weights=w)
    assert fitted.score(X, y, w) > 0.9
    same_as_program(X, y, weights=np.full(len(y), 0.5), solver="saga", options=["--solver", "saga"])


def classes():
    from thresher import ThresherClassifier

    X, y = problem()
    signs = np.where(y > 0, 1.0, -1.0)
    fitted = same_as_program(X, signs, estimator=ThresherClassifier,
                             options=["--loss", "logistic"])
    assert fitted.coef_.shape == (1, X.shape[1]) and fitted.intercept_.shape == (1,)
    words = np.array(["no", "yes"])[(y > 0).astype(int)]
    named = ThresherClassifier().fit(X, words)
    assert (named.coef_ == fitted.coef_).all() and named.score(X, words) > 0.9
    p = named.predict_proba(X)
    assert np.allclose(p.sum(axis=1), 1) and ((p[:, 1] > 0.5) == (named.predict(X) == "yes")).all()
    margin = ThresherClassifier(loss="squared-hinge", solver="lasso").fit(X, words)
    assert not hasattr(margin, "predict_proba") and margin.score(X, words) > 0.9
    three = np.digitize(y, [-2, 2])
    several = ThresherClassifier().fit(X, three)
    assert several.coef_.shape == (3, X.shape[1]) and several.score(X, three) > 0.6
    assert several.predict_proba(X).shape == (len(y), 3) and len(several.ledger_) == 3


def counts():
    X, y = problem()
    rates = np.exp(0.5 + np.clip(0.3 * y, -3, 3))
    counted = np.random.default_rng(4).poisson(rates).astype(float)
    fitted = same_as_program(X, counted, solver="lasso", loss="poisson", lambda_ratio=0.1,
                             options=["--solver", "lasso", "--loss", "poisson",
                                      "--lambda-ratio", "0.1"])
    assert np.allclose(fitted.predict(X), np.exp(fitted.model_.predict(X)), rtol=1e-14)
    assert fitted.score(X, counted) > 0.3


def refused(kind, words, call, *arguments, **keywords):
    try:
        call(*arguments, **keywords)
    except kind as error:
        text = str(error)
        assert words in text and "\n" not in text and "--" not in text, text
        return
    raise AssertionError(f"not refused: {words}")


def errors():
    import thresher
    from thresher import ThresherClassifier, ThresherRegressor

    X, y = problem()
    fit = ThresherRegressor().fit
    refused(ValueError, "budget -1: must be at least 1", ThresherRegressor(budget=-1).fit, X, y)
    refused(ValueError, "solver sifft", ThresherRegressor(solver="sifft").fit, X, y)
    refused(ValueError, "does not use lambda", ThresherRegressor(lambda_=0.1).fit, X, y)
    refused(TypeError, "budged", ThresherRegressor, budged=3)
    refused(ValueError, "storage='f16'", ThresherRegressor(storage="f16").fit, X, y)
    refused(ValueError, "targets must be finite", fit, X, np.where(y > 1, np.nan, y))
    refused(ValueError, "inconsistent numbers", fit, X, y[1:])
    refused(ValueError, "2D array", fit, y, y)
    refused(ValueError, "Complex", fit, X.astype(complex), y)
    refused(ValueError, "no numbers", fit, np.full(X.shape, "a"), y)
    infinite = X.copy()
    infinite[5, 7] = np.inf
    refused(ValueError, "row 6, column 8", fit, infinite, y)
    refused(ValueError, "weight -1", fit, X, y, sample_weight=np.where(y > 1, -1.0, 1))
    refused(ValueError, "1 class", ThresherClassifier().fit, X, np.ones(len(y)))
    refused(OSError, "absent.h5", fit, "absent.h5")
    refused(OSError, "absent.h5", thresher.read_model, "absent.h5")
    fitted = ThresherRegressor().fit(X, y)
    refused(ValueError, "expecting 40 features", fitted.predict, X[:, 1:])
    refused(ValueError, "finite", fitted.predict, np.where(X > 2, np.inf, X))
    refused(ValueError, "not fitted", ThresherRegressor().predict, X)
    os.environ["TMPDIR"] = "/absent"
    fit(X, y)  # held in memory
    refused(OSError, "set TMPDIR", fit, with_a_hole(X), y)
    os.environ["TMPDIR"] = os.path.abspath("temporary")


def interrupt():
    """A signal stops a run that would never end, with nothing left behind; the next run is as
    any other."""
    from thresher import ThresherRegressor, _estimators

    X, y = problem()
    seen = []

    def heard(self, progress):
        seen.append(progress.contents.updates)
        signal.raise_signal(signal.SIGINT)

    usual = _estimators._Following._on_progress
    _estimators._Following._on_progress = heard
    stopped = False
    try:
        ThresherRegressor(solver="sgd", epochs=10**9).fit(X, y)
    except KeyboardInterrupt:
        stopped = True
    _estimators._Following._on_progress = usual
    assert stopped and seen
    assert not os.listdir("temporary")
    ThresherRegressor().fit(X, y)


def parts():
    """What an estimator and a model know."""
    import thresher
    from thresher import ThresherRegressor

    X, y = problem()
    fitted = ThresherRegressor(solver="lasso", path=12).fit(X, y)
    model = fitted.model_
    assert fitted.n_iter_ >= 1 and fitted.n_features_in_ == 40
    assert not hasattr(fitted, "feature_names_in_")
    path = fitted.path_
    chosen = path["coefficients"][path["chosen"]].toarray().ravel()
    points = len(path["lambda"])
    assert 3 < points <= 12 and path["coefficients"].shape == (points, 40)
    assert (chosen == fitted.coef_).all()
    assert (np.diff(path["lambda"]) < 0).all() and path["intercept"][path["chosen"]] == model.intercept
    assert model.settings["solver"] == "lasso" == model.solver and model.loss == "squared"
    assert model.certificate["gap"] >= 0 and fitted.report_["settings"] == model.settings
    assert fitted.ledger_["examples"] > 0 and model.names is None
    assert ThresherRegressor().fit(X, y).path_ is None
    model.write("m.h5")
    again = thresher.read_model("m.h5")
    for other in again, pickle.loads(pickle.dumps(fitted)).model_:
        other.write("n.h5", force=True)
        assert content("n.h5") == content("m.h5")
    assert (again.predict(X) == fitted.predict(X)).all()
    told = program("inspect", "m.h5", "--json")
    assert '"solver": "lasso"' in told
    options = program("train", "--help-all")
    for name in fitted.get_params():
        option = name.rstrip("_").replace("_", "-")
        if name not in ("storage", "memory", "comm", "verbose"):
            assert f"--{option}" in options or f"--[no-]{option}" in options, name
    assert fitted.set_params(path=5).get_params()["path"] == 5


def read():
    import scipy.sparse as sp
    import thresher

    X, y = problem()
    lacks = np.where(X > 1.5, np.nan, X)
    cases = [(lacks, []), ((40 * X).clip(0, 255).astype(np.uint8), []), (X, ["--test", "0.2"]),
             (sp.random(240, 500, 0.02, format="csr", random_state=1, dtype=np.float32), [])]
    for A, told in cases:
        program("import", *save(A, y), "-o", "data.h5", "-f", "-q", "--shards", "3", *told)
        data = thresher.read_data("data.h5")
        got, wanted = (B.toarray() if hasattr(B, "tocsr") else np.asarray(B) for B in (data.X, A))
        assert np.array_equal(got, wanted, equal_nan=wanted.dtype.kind == "f")
        assert (data.y == y).all() and data.test.sum() == (48 if told else 0)
        assert data.weights is None and data.names is None
    refused(ValueError, "is no data set", thresher.read_data, model_file())


def model_file():
    from thresher import ThresherRegressor

    ThresherRegressor().fit(*problem()).model_.write("other.h5", force=True)
    return "other.h5"


def frames():
    import pandas as pd
    import thresher
    from thresher import ThresherRegressor

    X, y = problem()
    frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(X.shape[1])])
    fitted = ThresherRegressor().fit(frame, pd.Series(y))
    with open("names.txt", "w") as file:
        file.writelines(name + "\n" for name in frame.columns)
    program("import", *save(X, y), "--names", "names.txt", "-o", "data.h5", "-f", "-q")
    program("train", "data.h5", "-o", "model.h5", "-f", "-q")
    fitted.model_.write("own.h5", force=True)
    assert content("own.h5") == content("model.h5"), "the bytes differ"
    assert list(fitted.feature_names_in_) == list(frame.columns)
    assert fitted.model_.names == [f"g{j}" for j in fitted.support_]
    data = thresher.read_data("data.h5").to_pandas()
    assert list(data.columns) == list(frame.columns) + ["target"]

    mixed = pd.DataFrame({"x": X[:, 0], "kind": pd.Categorical(np.where(X[:, 1] > 0, "up", "down")),
                          "n": pd.array([1, None, 3] * 80, dtype="Int64")})
    target = X[:, 0] + 2 * (X[:, 1] > 0)
    fitted = ThresherRegressor().fit(mixed, target)
    assert fitted.attribute_names_ == ["x", "kind=down", "kind=up", "n"]
    assert fitted.coef_.shape == (4,) and fitted.score(mixed, target) > 0.99
    unseen = mixed.assign(kind="sideways")
    assert np.isfinite(fitted.predict(unseen)).all()
    try:
        fitted.predict(mixed[["kind", "x", "n"]])
        raise AssertionError("another order")
    except ValueError as error:
        assert "same order" in str(error)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        ThresherRegressor().fit(frame, y).predict(X)
    assert any("feature names" in str(w.message) for w in heard)


def plots():
    import thresher
    from thresher import ThresherRegressor

    X, y = problem()
    fitted = ThresherRegressor(solver="lasso", path=12).fit(X, y)
    left, right = thresher.plot_path(fitted)
    assert left.get_xlabel() == "lambda" and len(left.lines) > 3
    left.figure.savefig("path.png")
    program("train", "data.h5", "-o", "t.h5", "-f", "-q", "--telemetry", "run.jsonl")
    for run in fitted, "run.jsonl":
        left, right = thresher.plot_run(run)
        assert len(left.lines) == 1 and len(left.lines[0].get_xdata()) > 0
    refused(ValueError, "no path", thresher.plot_path, ThresherRegressor().fit(X, y))


def alone():
    """Without scikit-learn the same model, parameters and score."""
    assert sys.modules["sklearn"] is None
    from thresher import ThresherClassifier, ThresherRegressor

    X, y = problem()
    fitted = same_as_program(X, y, budget=30, options=["--budget", "30"])
    assert fitted.get_params()["budget"] == 30 and fitted.set_params(budget=20).budget == 20
    assert repr(fitted) == "ThresherRegressor(budget=20)" and fitted.score(X, y) > 0.9
    assert ThresherClassifier().fit(X, y > 0).score(X, y > 0) > 0.9
    refused(ValueError, "not fitted", ThresherRegressor().predict, X)
    refused(ValueError, "Invalid parameter", fitted.set_params, budged=1)
    fitted.fit(with_a_hole(X), y)  # in a folder, which takes away what a dead one has left


def sklearn(each):
    """Every so many checks of scikit-learn."""
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV
    from sklearn.utils.estimator_checks import check_estimator
    from thresher import ThresherClassifier, ThresherRegressor

    warnings.simplefilter("ignore")
    for estimator in ThresherRegressor(), ThresherClassifier():
        checks = list(check_estimator(estimator, generate_only=True))
        assert len(checks) > 40
        for each_estimator, check in checks[::int(each)]:
            print(check)
            try:
                check(each_estimator)
            except unittest.SkipTest as why:  # what it compares with is not installed
                print(why)
    X, y = problem()
    search = GridSearchCV(ThresherRegressor(solver="lasso", path=5), {"choose": ["best", "1se"]}, cv=2)
    assert search.fit(X, y).best_score_ > 0.9
    assert clone(search.best_estimator_).get_params()["path"] == 5


def with_a_hole(X):
    """A value less."""
    X = X.copy()
    X[2, 3] = np.nan
    return X


def killed():
    """It dies with its data open, which are in a folder: a value is missing."""
    from thresher import ThresherRegressor, _estimators

    def die(self, progress):
        os.kill(os.getpid(), signal.SIGKILL)

    _estimators._Following._on_progress = die
    X, y = problem()
    ThresherRegressor().fit(with_a_hole(X), y)


def ranks():
    from mpi4py import MPI
    from thresher import ThresherRegressor

    comm = MPI.COMM_WORLD
    X, y = problem()
    fitted = ThresherRegressor(comm=comm, budget=30).fit(X, y)
    one = ThresherRegressor(budget=30).fit(X, y)
    for name, model in ("together", fitted.model_), ("alone", one.model_):
        model.write(f"{name}{comm.rank}.h5", force=True)
    assert content(f"together{comm.rank}.h5") == content(f"alone{comm.rank}.h5")
    wrong = comm.rank == comm.size - 1
    refused(ValueError, "inconsistent numbers", ThresherRegressor(comm=comm).fit, X,
            y[1:] if wrong else y)
    comm.Barrier()
    print("all ranks\n", end="")


if __name__ == "__main__":
    if sys.argv[1] == "alone":
        for absent in "sklearn", "sklearn.base", "sklearn.exceptions":
            sys.modules[absent] = None
    for told in sys.argv[1:]:
        name, *argument = told.split("=")
        print(f"--- {name}", flush=True)
        globals()[name](*argument)
        left = [path for path in os.listdir(os.environ["TMPDIR"]) if "thresher" in path]
        assert not left, f"{name}: temporary files stay: {left}"
