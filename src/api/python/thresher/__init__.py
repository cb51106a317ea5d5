# __init__.py - Thresher from Python
# SPDX-License-Identifier: MIT
"""Sparse linear models under an attribute budget.

    from thresher import ThresherRegressor
    model = ThresherRegressor(budget=50).fit(X, y)
    model.predict(X)

Estimators follow scikit-learn; their keywords are the options of `thresher train`. The package
calls the library libthresher: it is looked for in THRESHER_LIBRARY, in the folders that the
package is installed in, and where the system looks for libraries (LD_LIBRARY_PATH).
"""

from ._dataset import Data, read_data
from ._estimators import ThresherClassifier, ThresherRegressor
from ._library import (ThresherArithmeticError, ThresherError, ThresherIOError,
                       ThresherMemoryError, ThresherValueError, ask as _ask)
from ._model import Model, read_model
from ._plots import plot_path, plot_run

__version__ = _ask("version").decode()

__all__ = ["Data", "Model", "ThresherArithmeticError", "ThresherClassifier", "ThresherError",
           "ThresherIOError", "ThresherMemoryError", "ThresherRegressor", "ThresherValueError",
           "plot_path", "plot_run", "read_data", "read_model"]
