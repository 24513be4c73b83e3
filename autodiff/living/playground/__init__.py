"""A network that trains in a page: the steps that Python would make, in JavaScript.

`checks` refuses what cannot be drawn or compiled, `programs` traces the programs, and `plan` says what the
page knows of them; `descent` does so for a loss of two numbers. `body`, `still` and `page` write it.

In the page, `training.js` makes the steps, `painting.js`, `network.js`, `points.js` and `history.js` draw,
`time.js` plays and goes back. `looking.js` computes what is drawn of a network, and `controls.js` is the
hand; `surface.js` is both for a loss of two numbers.
"""

from .page import Playground, playground

__all__ = ["Playground", "playground"]
