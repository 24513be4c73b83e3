"""A graph as a picture: its source in DOT or Mermaid, its direction, and the engines that draw it.

`compose` makes a scene of a graph, and a state: what the scene shows. `layout` finds a place for everything,
by an engine that `render` calls with a text of `dot`, or by itself (`layered`). `page` and `paint` make
shapes of that, which `svg` and `painting` write to files. `mermaid` writes the graph in another language.
"""
