"""What is read: a recorded graph as plain records, with names, folded if it is large.

In the order in which they build on each other: `as_text` (data as text), `walk` (which nodes there are),
`signs` and `slopes` (what the operations are and what they pass back), `caller` and `names` (the variables),
`records`, `loops`, `parts` and `fold` (what is shown of a large graph), `highlight`, and `reading`, which
puts all this together.
"""
