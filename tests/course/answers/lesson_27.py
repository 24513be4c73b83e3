"""Answers to the exercises of lesson 27."""

from . import Right, Wrong


def function(head, *lines):
    """A function with these lines."""
    name = head.partition("(")[0]
    return "\n    ".join([f"def {head}:", *lines]) + f"\n\n{name}"


def window(*lines):
    return function("window(length, count)", *lines)


def apart(*lines):
    return function("apart(lengths)", *lines)


def back(*lines):
    return function("looks_back(length)", *lines)


def alike(*lines):
    return function("looks_for_same(codes)", *lines)


FULL = "full = np.full((sum(lengths), sum(lengths)), -np.inf); b = 0"
SQUARES = "for n in lengths:", "    full[b : b + n, b : b + n] = mask(n); b += n", "return full"
ONE_HOT = "one_hot = np.eye(27)[codes]"

ANSWERS = {
    "27 equal": (
        Right("3", "3"),
        Right("computed", "(6 + 2 + 1) / 3"),
        Right("by attend", "attend([0, 0], [[1, 2], [3, 4], [5, 6]], [[6], [2], [1]])[0]"),
        Wrong("nothing", "0", "What are their shares"),
        Wrong("the sum", "9", "sum of the values"),
        Wrong("the first", "6", "first value alone"),
        Wrong("the middle", "2", "value in the middle"),
        Wrong("one", "1", "sum of the shares"),
        Wrong("a share", "1 / 3", "one share"),
        Wrong("something else", "4", "three scores"),
    ),
    "27 window": (
        Right(
            "two triangles",
            window("return mask(length) + np.tril(np.full((length, length), -np.inf), -count)"),
        ),
        Right(
            "loops",
            window(
                "rows = []",
                "for i in range(length):",
                "    rows.append([0 if i - count < j <= i else -np.inf for j in range(length)])",
                "return rows",
            ),
        ),
        Wrong("the old mask", window("return mask(length)"), "hides nothing of the past"),
        Wrong(
            "one too many",
            window("return mask(length) + np.tril(np.full((length, length), -np.inf), -count - 1)"),
            "one too many",
        ),
        Wrong(
            "one too few",
            window("return mask(length) + np.tril(np.full((length, length), -np.inf), -count + 1)"),
            "one too few",
        ),
        Wrong(
            "turned round",
            window("return (mask(length) + np.tril(np.full((length, length), -np.inf), -count)).T"),
            "turned round",
        ),
        Wrong(
            "the future",
            window("return np.tril(np.full((length, length), -np.inf), -count)"),
            "The future is seen",
        ),
        Wrong(
            "1 for hidden",
            window("return 1.0 * (mask(length) + np.tril(np.full((length, length), -np.inf), -count) < 0)"),
            "which places are hidden",
        ),
        Wrong(
            "1 for seen",
            window("return 1.0 * (mask(length) + np.tril(np.full((length, length), -np.inf), -count) == 0)"),
            "which places are seen",
        ),
        Wrong(
            "infinity times 0",
            window("return np.tril(np.ones((length, length)), -count) * -np.inf + mask(length)"),
            "0 times infinity",
        ),
        Wrong(
            "nearly minus infinity",
            window(
                "return np.where(mask(length) + np.tril(np.ones((length, length)), -count) == 0, 0, -1e9)"
            ),
            "nearly work",
        ),
        Wrong("a part", window("return mask(count)"), "has the shape"),
        Wrong("printed", window("print(mask(length))"), "returns nothing"),
        Wrong("constant", window("return np.zeros((length, length))"), "Row i has a 0"),
    ),
    "27 apart": (
        Right("squares", apart(FULL, *SQUARES)),
        Right(
            "by text",
            apart(
                "text = np.repeat(np.arange(len(lengths)), lengths)",
                "return np.where(text[:, None] == text, mask(len(text)), -np.inf)",
            ),
        ),
        Wrong("one mask", apart("return mask(sum(lengths))"), "look at each other"),
        Wrong(
            "the future",
            apart(
                "text = np.repeat(np.arange(len(lengths)), lengths)",
                "return np.where(text[:, None] == text, 0, -np.inf)",
            ),
            "within each the future is seen",
        ),
        Wrong("zeros first", apart(FULL.replace("-np.inf", "0.0"), *SQUARES), "begin with minus infinity"),
        Wrong(
            "one corner",
            apart(FULL, "for n in lengths:", "    full[:n, :n] = mask(n)", "return full"),
            "in a square on the diagonal",
        ),
        Wrong("a list of masks", apart("return mask(len(lengths))"), "has the shape"),
        Wrong("printed", apart(FULL, "print(full)"), "returns nothing"),
    ),
    "27 looks back": (
        Right("shifted", back("return 100 * np.eye(length, k=-1), np.eye(length)")),
        Right("keys shifted", back("return 30 * np.eye(length), 30 * np.eye(length, k=1)")),
        Wrong("itself", back("return 100 * np.eye(length), np.eye(length)"), "It looks at itself"),
        Wrong("too small", back("return np.eye(length, k=-1), np.eye(length)"), "the scores are too small"),
        Wrong("zeros", back("return np.zeros((length, 2)), np.zeros((length, 2))"), "All count alike"),
        Wrong(
            "the first",
            back("q = np.zeros((length, length)); q[:, 0] = 100", "return q, np.eye(length)"),
            "by far",
        ),
        Wrong("one array", back("return np.eye(length)"), "two arrays"),
        Wrong(
            "other lengths", back("return np.eye(length), np.ones((length, 2 * length))"), "the same length"
        ),
        Wrong("one row", back("return np.ones(length), np.ones(length)"), "rows, one for each place"),
        Wrong("infinite", back("return np.inf * np.eye(length, k=-1), np.eye(length)"), "infinite"),
        Wrong("printed", back("print(np.eye(length))"), "returns nothing"),
        Wrong("a constant", back("return 100 * np.eye(5, k=-1), np.eye(5)"), "There should be 8 rows"),
    ),
    "27 looks for same": (
        Right("one-hot", alike(ONE_HOT, "return 100 * one_hot, one_hot")),
        Right("both large", alike(ONE_HOT, "return 10 * one_hot, 10 * one_hot")),
        Wrong("too small", alike(ONE_HOT, "return one_hot, one_hot"), "too small"),
        Wrong("itself", alike("n = len(codes)", "return 100 * np.eye(n), np.eye(n)"), "only at itself"),
        Wrong(
            "zeros", alike("n = len(codes)", "return np.zeros((n, 2)), np.zeros((n, 2))"), "All count alike"
        ),
        Wrong(
            "the numbers",
            alike("x = 10 * np.array(codes, dtype=float)[:, None]", "return x, x"),
            "All count alike",
        ),
        Wrong("one array", alike(ONE_HOT, "return one_hot"), "two arrays"),
        Wrong("printed", alike("print(codes)"), "returns nothing"),
    ),
}
