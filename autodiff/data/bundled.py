"""Small real data sets out of the files that scikit-learn brings along: no download."""

from __future__ import annotations

from types import ModuleType

import numpy as np


def digits() -> tuple[np.ndarray, np.ndarray]:
    """1,797 handwritten digits of 8 x 8 pixels (Alpaydin and Kaynak, 1998; the test set of the original).

    Returns
    -------
    x, y
        float32 of shape (1797, 64), from 0 for paper to 1 for ink, and int64 of shape (1797,): the digits.

    Raises
    ------
    ImportError
        If scikit-learn is not installed; the message says how to.

    Example
    -------
    >>> from autodiff import data
    >>> x, y = data.digits()
    >>> x.shape, y[:5], x[0].reshape(8, 8)[3].tolist()
    ((1797, 64), array([0, 1, 2, 3, 4]), [0.0, 0.25, 0.75, 0.0, 0.0, 0.5, 0.5, 0.0])
    """
    x, y = sets("digits").load_digits(return_X_y=True)
    return x.astype(np.float32) / 16, y.astype(np.int64)


def iris() -> tuple[np.ndarray, np.ndarray]:
    """150 irises of three species, 50 each, by four lengths (Anderson, 1935; Fisher, 1936).

    Returns
    -------
    x, y
        float32 of shape (150, 4): length and width of the sepal, of the petal, in cm. int64 of shape (150,):
        0 for setosa, 1 for versicolor, 2 for virginica.

    Raises
    ------
    ImportError
        If scikit-learn is not installed; the message says how to.

    Example
    -------
    >>> from autodiff import data
    >>> x, y = data.iris()
    >>> x[0], y[0]
    (array([5.1, 3.5, 1.4, 0.2], dtype=float32), np.int64(0))
    """
    x, y = sets("iris").load_iris(return_X_y=True)
    return x.astype(np.float32), y.astype(np.int64)


def sets(wanted: str) -> ModuleType:
    """scikit-learn's data sets."""
    try:
        import sklearn.datasets
    except ImportError as error:
        raise ImportError(
            f"{wanted}() reads a file of scikit-learn, which is not installed: "
            'pip install "autodiff[lessons]"'
        ) from error
    return sklearn.datasets
