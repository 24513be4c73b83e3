"""A graph as a picture: its source in DOT or Mermaid, its direction, and the engines that draw it.

`dot` writes a text with the help of `writer` (nodes and arrows), `labels` and `paint` (colours of single
nodes); `mermaid` writes the other language. `layout` chooses the direction, and `render` calls an engine.
"""
