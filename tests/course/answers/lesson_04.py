"""Answers to the exercises of lesson 04."""

from tests.course.answers import Right, Wrong

COUNT = """
def count_paths(end, leaf):
    if end is leaf:
        return 1
    return sum(count_paths(creator, leaf) for creator in end.creators)

count_paths
"""
PRODUCTS = """
def products(end, leaf):
    if end is leaf:
        return [1]
    z, *inputs = map(value, (end, *end.creators))
    found = []
    for creator, rule in zip(end.creators, RULES[end.creation_op]):
        for rest in products(creator, leaf):
            found.append(rule(1, z, *inputs) * rest)
    return found

products
"""

ANSWERS = {
    "04 guess": (
        Right("the sum of three products", "20"),
        Right("as a float", "20.0"),
        Right("in a Tensor", "Tensor(20)"),
        Right("by the machine", "x = Tensor(5)\nbackward((x + x) * x)\nx.grad"),
        Wrong("one edge alone", "10", "Both belong"),
        Wrong("one path through the sum", "15", "each is a path of its own"),
        Wrong("the value", "50", "y itself"),
        Wrong("the square's slope", "25", "other factor"),
        Wrong("products multiplied", "10 * 5 * 5", "added, not multiplied"),
        Wrong("slopes added along a path", "11", "multiplied"),
        Wrong("something else", "7", "Not 7"),
        Wrong("a word", "'twenty'", "A number is asked for"),
    ),
    "04 count": (
        Right("by recursion", COUNT),
        Right("leaves first", """
            def count_paths(end, leaf):
                if not end.creators:
                    return 1 if end is leaf else 0
                total = 0
                for creator in end.creators:
                    if isinstance(creator, Tensor):
                        total += count_paths(creator, leaf)
                return total

            count_paths
            """),
        Right("with a list of what is to be done", """
            def count_paths(end, leaf):
                found, waiting = 0, [end]
                while waiting:
                    node = waiting.pop()
                    found += node is leaf
                    waiting.extend(node.creators)
                return found

            count_paths
            """),
        Right("remembering counts", """
            def count_paths(node, target, known=None):
                known = {} if known is None else known
                if node is target:
                    return 1
                if node not in known:
                    known[node] = sum(count_paths(c, target, known) for c in node.creators)
                return known[node]

            count_paths
            """),
        Wrong("prints", COUNT.replace("        return 1", "        print(1)\n        return")
              .replace("return sum(", "print(").replace("end.creators)\n", "end.creators)\n"),
              "prints its result and returns nothing"),
        Wrong("None at a leaf", """
            def count_paths(end, leaf):
                found = 1 if end is leaf else None
                for creator in end.creators:
                    found = (found or 0) + (count_paths(creator, leaf) or 0)
                return found

            count_paths
            """, "what stands after `return` is None there"),
        Wrong("a way without return", COUNT.replace("    return sum", "    if end.creators:\n        return sum"),
              "this path through the function has no `return`"),
        Wrong("an argument too few", "def count_paths(end):\n    return 1\n\ncount_paths",
              "2 arguments, and your function takes 1"),
        Wrong("compares numbers", COUNT.replace("end is leaf", "end.data == leaf.data"), "compare with `is`"),
        Wrong("any leaf", COUNT.replace("end is leaf", "not end.creators"), "another leaf"),
        Wrong("no path to itself", COUNT.replace("return 1", "return 0"), "with no edge in it"),
        Wrong("one level", """
            def count_paths(end, leaf):
                return 1 if end is leaf else sum(creator is leaf for creator in end.creators)

            count_paths
            """, "one level deep"),
        Wrong("creators as a set", COUNT.replace("in end.creators", "in set(end.creators)"), "Two edges"),
        Wrong("each node once", """
            def count_paths(end, leaf):
                found, seen, waiting = 0, set(), [end]
                while waiting:
                    node = waiting.pop()
                    found += node is leaf
                    if node not in seen:
                        seen.add(node)
                        waiting.extend(node.creators)
                return found

            count_paths
            """, "several paths"),
        Wrong("a loop without end", """
            def count_paths(end, leaf):
                while end is leaf:
                    pass
                return 0

            count_paths
            """, "Does a loop never end?"),
        Wrong("calls itself without end", """
            def count_paths(end, leaf):
                return count_paths(end, leaf)

            count_paths
            """, "without end"),
        Wrong("a list of paths", "def count_paths(end, leaf):\n    return [1]\n\ncount_paths",
              "Return the number"),
        Wrong("a number", "2", "A function is asked for"),
    ),
    "04 products": (
        Right("by recursion", PRODUCTS),
        Right("as a tuple, end first", """
            def products(node, leaf, so_far=1):
                if node is leaf:
                    return (so_far,)
                z, *inputs = map(value, (node, *node.creators))
                found = ()
                for creator, rule in zip(node.creators, RULES[node.creation_op]):
                    if isinstance(creator, Tensor):
                        found += products(creator, leaf, rule(so_far, z, *inputs))
                return found

            products
            """),
        Right("local slopes written out", """
            def products(end, leaf):
                if end is leaf:
                    return [1]
                if not end.creators:
                    return []
                x, y = end.creators
                to_x, to_y = (y.data, x.data) if end.creation_op == "mul" else (1, 1)
                return [to_x * p for p in products(x, leaf)] + [to_y * p for p in products(y, leaf)]

            products
            """),
        Wrong("prints", "def products(end, leaf):\n    print([1])\n\nproducts",
              "prints its result and returns nothing"),
        Wrong("the sum", PRODUCTS.replace("return found\n", "return [sum(found)]\n"), "so the list is empty"),
        Wrong("the sum, or nothing",
              PRODUCTS.replace("return found\n", "return [sum(found)] if found else []\n"),
              "That is the sum"),
        Wrong("a gradient that is not set", "def products(end, leaf):\n    return [leaf.grad]\n\nproducts",
              "multiply local slopes"),
        Wrong("append in place of extend", """
            def products(end, leaf):
                if end is leaf:
                    return [1]
                found = []
                for creator in end.creators:
                    found.append(products(creator, leaf))
                return found

            products
            """, "take extend, or +=, not append"),
        Wrong("the gradient", """
            def products(end, leaf):
                backward(end)
                return leaf.grad or 0

            products
            """, "one product for each path"),
        Wrong("slopes added along a path", PRODUCTS.replace("return [1]", "return [0]")
              .replace("* rest", "+ rest"), "The path with no edge has the product 1"),
        Wrong("one edge of each path", """
            def products(end, leaf):
                if end is leaf:
                    return [1]
                z, *inputs = map(value, (end, *end.creators))
                found = []
                for creator, rule in zip(end.creators, RULES[end.creation_op]):
                    found += [rule(1, z, *inputs)] * len(products(creator, leaf))
                return found

            products
            """, "Multiply along the whole path"),
        Wrong("slopes added, from 1", """
            def products(end, leaf, first=True):
                if end is leaf:
                    return [1] if first else [0]
                z, *inputs = map(value, (end, *end.creators))
                found = []
                for creator, rule in zip(end.creators, RULES[end.creation_op]):
                    for rest in products(creator, leaf, False):
                        found.append(rule(1, z, *inputs) + rest)
                return found

            products
            """, "here they are added"),
        Wrong("each creator once", PRODUCTS.replace(
            "for creator, rule in zip(end.creators, RULES[end.creation_op])",
            "for creator, rule in dict(zip(end.creators, RULES[end.creation_op])).items()"),
            "There are 2 paths, and the list has 1"),
        Wrong("its own number", """
            def products(end, leaf):
                if end is leaf:
                    return [1]
                found = []
                for creator in end.creators:
                    slope = creator.data if end.creation_op == "mul" else 1
                    found += [slope * rest for rest in products(creator, leaf)]
                return found

            products
            """, "the other factor"),
        Wrong("the product divided by its own number", """
            def products(end, leaf):
                if end is leaf:
                    return [1]
                found = []
                for creator in end.creators:
                    slope = end.data / creator.data if end.creation_op == "mul" else 1
                    found += [slope * rest for rest in products(creator, leaf)]
                return found

            products
            """, "divides by 0. The local slope of a product is the other factor"),
        Wrong("slopes added along a path, from 1", PRODUCTS.replace("* rest", "+ rest"),
              "here they are added"),
        Wrong("any leaf", PRODUCTS.replace("end is leaf", "not end.creators"), "No path leads from a to b"),
        Wrong("constants of the task", "def products(end, leaf):\n    return [10, 12]\n\nproducts",
              "with no edge has the product 1"),
        Wrong("an argument too many", "def products(end, leaf, known):\n    return [1]\n\nproducts",
              "2 arguments, and your function takes 3"),
    ),
}  # fmt: skip
