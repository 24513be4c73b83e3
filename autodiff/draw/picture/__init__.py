"""A graph as a picture: its source in DOT or Mermaid, its direction, and the engines that draw it.

`compose` turns a graph into a scene, and a state: what the scene shows. `layout` places everything, by an
engine that `render` calls with the text of `dot`, or by our own (`layered`). `page` and `paint` turn that
into shapes, which `svg` and `painting` write to files. `mermaid` writes the graph in another language.
"""
