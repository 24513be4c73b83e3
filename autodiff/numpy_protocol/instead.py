"""What to write instead of a function of NumPy or ``scipy.special`` that is not recorded, for its message.

Each line was chosen by eye, as a similar name seldom means a similar function: ``np.put`` is not ``np.ptp``.
"""

from __future__ import annotations

from ..ops import catalogue

WRITING = "ad.where, ad.scatter or ad.concatenate, which build a new Tensor"
MASK = "t[mask]"
POWERS = "t[:, None] ** np.arange(n)"
BETWEEN = "a + (b - a) * np.linspace(0, 1, n)"
CORRELATION = "ad.nn.functional.conv1d"

INSTEAD: dict[str, str] = {
    # writing into an array
    "copyto": WRITING, "fill_diagonal": WRITING, "place": WRITING, "put": WRITING, "put_along_axis": WRITING,
    "putmask": WRITING, "insert": "np.concatenate",
    # choosing and reordering
    "choose": "np.select", "compress": MASK, "extract": MASK, "piecewise": "np.select or np.where",
    "heaviside": "t > 0", "copysign": "np.abs(x) * np.sign(y)", "sort_complex": "np.sort",
    "resize": "np.reshape or np.tile", "rollaxis": "np.moveaxis", "unstack": "ad.unbind",
    "block": "np.concatenate", "broadcast_arrays": "np.broadcast_to", "diagflat": "np.diag",
    "apply_along_axis": "ad.vmap",
    # other names
    "cumulative_prod": "np.cumprod", "cumulative_sum": "np.cumsum", "float_power": "np.power",
    "modf": "np.trunc", "real": "t itself, which is real", "real_if_close": "t itself, which is real",
    "vdot": "np.dot", "vecdot": "np.sum(x * y, axis=-1)", "matvec": "np.einsum", "vecmat": "np.einsum",
    "ldexp": "x * 2.0**n",
    # sums and statistics
    "convolve": f"{CORRELATION} of the reversed kernel", "correlate": CORRELATION, "gradient": "np.diff",
    "ediff1d": "np.diff", "nancumsum": "np.cumsum of np.nan_to_num(t)", "nanstd": "np.nanmean",
    "nanvar": "np.nanmean", "nanmedian": "np.median of t[~np.isnan(t)]",
    "nanquantile": "np.quantile of t[~np.isnan(t)]", "nanpercentile": "np.percentile of t[~np.isnan(t)]",
    # between numbers, powers
    "linspace": BETWEEN, "geomspace": f"np.exp of {BETWEEN}", "logspace": f"10 ** ({BETWEEN})",
    "vander": POWERS, "polyval": f"a product with {POWERS}", "polyfit": f"np.linalg.pinv({POWERS}) @ y",
    # matrices
    "cond": "np.linalg.svdvals", "eig": "np.linalg.eigh for a symmetric matrix",
    "eigvals": "np.linalg.eigvalsh for a symmetric matrix", "lstsq": "np.linalg.pinv(a) @ b",
    "matrix_norm": "np.linalg.norm", "vector_norm": "np.linalg.norm",
    "tensorinv": "np.linalg.inv of a matrix", "tensorsolve": "np.linalg.solve of a matrix",
    # files
    "save": "ad.save", "savez": "ad.save", "savez_compressed": "ad.save", "savetxt": "ad.save",
    # scipy.special
    "expit": "ad.sigmoid", "log_expit": "ad.logsigmoid", "logit": "ad.log(x / (1 - x))", "exp10": "10**x",
    "ndtr": "(1 + ad.erf(x / np.sqrt(2))) / 2", "huber": "ad.nn.functional.huber_loss",
}  # fmt: skip
"""By the name of the function: what goes into ``write ...``."""


def instead(name: str) -> str:
    """What to write for a function that is not recorded, as the end of a sentence; empty if nothing is known.

    >>> instead("expit"), instead("erf"), instead("unwrap")
    ('; write ad.sigmoid', '; write ad.erf', '')
    """
    ours = INSTEAD.get(name) or f"ad.{name}" * hasattr(catalogue, name)
    return f"; write {ours}" if ours else ""
