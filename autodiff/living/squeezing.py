"""Scripts and style sheets without what only their readers need: comments, indentation, blanks that mean
nothing, and long names.

The scripts follow the convention of `compiling/javascript`: a declaration stands at the left edge, the key of
an object is right before its colon, and operators have blanks around them.
"""

from __future__ import annotations

import re

from ..compiling.javascript.shaking import minified

TEXT = r""""(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"""
PATTERN = r"/(?![/* ])(?:[^/\\\n[]|\\.|\[[^\]\n]*\])+/"  # unlike a division it has no blank behind its slash
TOKEN = re.compile(rf"{TEXT}|{PATTERN}|\s+|.", re.DOTALL)
NAME = re.compile(r"(?<![\w$.])[A-Za-z]\w*(?![\w$:])|(?<=\.\.\.)[A-Za-z]\w*")  # neither attribute nor key
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


def shortened(script: str) -> str:
    r"""JavaScript in which what is declared at the left edge has a short name, with a dollar.

    A name that stands in an object without a value, as in `{sum}`, stays.

    >>> shortened("const total = 1, rest = {sum: 2};\nconst sum = () => `sum ${total + rest.sum}`;\n")
    'const $a = 1, rest = {sum: 2};\nconst $b = () => `sum ${$a + rest.sum}`;\n'
    """
    script = minified(script) + "\n"
    declared = re.findall(r"^(?:const|let|function) (\w+)", script, re.MULTILINE)
    free = [name for name in declared if not re.search(rf"[{{,]\s*{name}\s*[,}}]", script)]
    short = {name: f"${_letters(k)}" for k, name in enumerate(free)}

    def renamed(code: re.Match[str]) -> str:
        return NAME.sub(lambda found: short.get(found[0], found[0]), code[0])

    def token(found: re.Match[str]) -> str:
        if found[0][0] == "`":
            return re.sub(r"(?<=\$\{)[^{}]*(?=\})", renamed, found[0])
        return found[0] if found[0][0] in "\"'/" else renamed(found)

    return re.sub(rf"{TEXT}|{PATTERN}|[^\"'`/]+|/", token, script)


def _letters(k: int) -> str:
    """a, b, ... z, aa, ab, ..."""
    return (_letters(k // 26 - 1) if k >= 26 else "") + "abcdefghijklmnopqrstuvwxyz"[k % 26]


def squeezed_style(sheet: str) -> str:
    """A style sheet without comments, indentation and ends of lines."""
    return re.sub(r"\s*\n\s*", "", re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL))
