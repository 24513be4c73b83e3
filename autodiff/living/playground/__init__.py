"""A network that trains in a page: the steps that Python would make, in JavaScript.

`checks` refuses what cannot be drawn or compiled, `programs` traces the programs, `plan` says what the page
knows of them, `body`, `still` and `page` write it. In the page, `training.js` makes the steps; `painting.js`,
`network.js`, `points.js` and `history.js` draw; `looking.js` computes what is drawn, and `controls.js` is
the hand.
"""

from .page import Playground, playground

__all__ = ["Playground", "playground"]
