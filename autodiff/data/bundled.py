"""Small real data sets from the files that scikit-learn installs. Nothing is downloaded."""

from __future__ import annotations

from types import ModuleType

import numpy as np


def digits() -> tuple[np.ndarray, np.ndarray]:
    """1,797 handwritten digits of 8 x 8 pixels: the test set of Alpaydin and Kaynak (1998).

    Returns
    -------
    x, y
        The images, float32 of shape (1797, 64) from 0 (paper) to 1 (ink), and the digits, int64 of shape
        (1797,).

    Raises
    ------
    ImportError
        If scikit-learn is not installed; the message says how to install it.

    Example
    -------
    >>> from autodiff import data
    >>> x, y = data.digits()
    >>> x.shape, y[:5], x[0].reshape(8, 8)[3].tolist()
    ((1797, 64), array([0, 1, 2, 3, 4]), [0.0, 0.25, 0.75, 0.0, 0.0, 0.5, 0.5, 0.0])
    """
    x, y = sklearn_datasets("digits").load_digits(return_X_y=True)
    return x.astype(np.float32) / 16, y.astype(np.int64)


def iris() -> tuple[np.ndarray, np.ndarray]:
    """Four measurements of 150 irises, 50 of each of three species (Anderson, 1935; Fisher, 1936).

    Returns
    -------
    x, y
        The measurements, float32 of shape (150, 4): length and width of the sepal and of the petal, in cm.
        The species, int64 of shape (150,): 0 is setosa, 1 is versicolor, 2 is virginica.

    Raises
    ------
    ImportError
        If scikit-learn is not installed; the message says how to install it.

    Example
    -------
    >>> from autodiff import data
    >>> x, y = data.iris()
    >>> x[0], y[0]
    (array([5.1, 3.5, 1.4, 0.2], dtype=float32), np.int64(0))
    """
    x, y = sklearn_datasets("iris").load_iris(return_X_y=True)
    return x.astype(np.float32), y.astype(np.int64)


def sklearn_datasets(function: str) -> ModuleType:
    """Import ``sklearn.datasets`` for a function of this module, which the error message names."""
    try:
        import sklearn.datasets
    except ImportError as error:
        raise ImportError(
            f"{function}() reads a file of scikit-learn, which is not installed: "
            'pip install "autodiff[lessons]"'
        ) from error
    return sklearn.datasets
