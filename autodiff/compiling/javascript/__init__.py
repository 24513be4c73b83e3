"""Programs in JavaScript: a small NumPy in that language (the ``.js`` files), ``runtime``, which takes from
it what one program calls, and ``translated``, which writes a program.

With ``const nd`` the object that ``runtime`` writes:

- ``np.f(x, y, key=value)`` is ``nd.f(x, y, {key: value})``, for NumPy's names and the package's own, such as
  ``convolution``; ``np.linalg.f`` is ``nd.f`` too. Tuples are arrays ``[2, 3]``, dtypes are texts, and
  ``None`` is ``null``. ``out=`` is a key like any other.
- ``x + y`` is ``nd.add(x, y)``, ``x @ y`` ``nd.matmul(x, y)``, ``x.sum(axis=0)`` ``nd.sum(x, {axis: 0})``,
  ``x.T`` ``nd.transpose(x)``, ``x.astype("float32")`` ``nd.astype(x, "float32")``, ``float(x)``
  ``nd.number(x)``.
- ``x[1:, None, ..., i]`` is ``nd.getitem(x, {from: 1}, null, "...", i)``, ``x[i] = v`` is
  ``nd.setitem(x, v, i)``, and ``np.add.at(x, np.s_[i], v)`` is ``nd.add_at(x, [i], v)``.
- A constant array is ``nd.packed(base64, shape, dtype)`` or ``nd.array(nested, dtype)``.
- A Python number is a JavaScript number, of which 2.0 is a 2. Where its dtype decides, in ``nd.reshape``,
  ``nd.stack`` or beside an array of integers, it is written as ``nd.array(2, "float64")``.
- What NumPy returns without axes is an array without axes: ``nd.number`` makes a number of it.
"""

from .shaking import runtime
from .translation import Line, Translation, exported, module, translated

__all__ = ["Line", "Translation", "exported", "module", "runtime", "translated"]
