"""Scripts and style sheets without what only their readers need: comments, indentation, and blanks that
mean nothing.

The scripts follow the convention of `compiling/javascript`: operators have blanks around them.
"""

from __future__ import annotations

import re

from ..compiling.javascript.shaking import minified

TEXT = r""""(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"""
PATTERN = r"/(?![/* ])(?:[^/\\\n[]|\\.|\[[^\]\n]*\])+/"  # unlike a division it has no blank behind its slash
TOKEN = re.compile(rf"{TEXT}|{PATTERN}|\s+|.", re.DOTALL)
WORD = re.compile(r"[\w$]")
OPEN, SHUT = "{([,;", "})],;"  # no line has to end behind the first or before the second


def squeezed(script: str) -> str:
    r"""JavaScript without comments, indentation, and blanks beside signs.

    >>> squeezed('// A sum.\nconst add = (a, b) => {\n  return a + b; // of two\n};\n')
    'const add=(a,b)=>{return a+b;};'
    >>> squeezed('x = a - -b + "a  b" + `${a + b}` + c / d;')
    'x=a- -b+"a  b"+`${a + b}`+c/d;'
    """
    made = ""
    tokens = TOKEN.findall(minified(script))
    for token, after in zip(tokens, [*tokens[1:], "\n"]):
        before = made[-1:]
        if not token.isspace():
            made += token
        elif "\n" in token:
            made += "" if before in OPEN or after[0] in SHUT else "\n"
        elif (WORD.match(before) and WORD.match(after)) or (before == after and before in "+-"):
            made += " "
    return made


def squeezed_style(sheet: str) -> str:
    """A style sheet without comments, indentation and ends of lines."""
    return re.sub(r"\s*\n\s*", "", re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL))
