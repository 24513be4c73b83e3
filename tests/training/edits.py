"""Random edits of a saved run, as a fuzzer makes them: of the header's text and values, of the headers of the
arrays, and of the archive."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np

from autodiff.training.files import write_npz
from autodiff.training.runs import arrays_checksum

VALUES = [
    None, True, False, 0, 1, -1, 2, 7, 10**6, 2**63, 2**64, -(2**70), 10**400, 0.0, -0.5, 1.5, 1e308,
    float("nan"), float("inf"), "", "weight", "nan", "ü", [], [1], [None], [[0]], {}, {"dict": []},
    {"array": "header"}, {"array": "absent"}, {"array": ["a"]}, {"scalar": "net/0.weight"}, {"float": "x"},
    {"float": 5}, {"tuple": 3}, {"tuple": [1, 2]}, {"dict": [[1]]}, {"dict": [["a", 1], ["a", 2]]},
    {"dict": 0}, {"dict": [[[], 1]]}, {"object": 1}, {"array": "a", "tuple": []}, "@deep@",
]  # fmt: skip


def places(tree, place=()):
    """All places in a tree of lists and dictionaries."""
    yield place
    pairs = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, part in pairs:
        yield from places(part, (*place, key))


def at(tree, place):
    for key in place:
        tree = tree[key]
    return tree


def edited_value(value, rng):
    """Another value in the place of one."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and rng.random() < 0.5:
        changes = [value + 1, -value, value * 2, value / 2, str(value), float(value), [value], value - 1]
        return changes[rng.integers(len(changes))]
    if isinstance(value, str) and rng.random() < 0.5:
        changes = [value + "x", value[:-1], value.upper(), [value], {value: value}, value * 100]
        return changes[rng.integers(len(changes))]
    if isinstance(value, (list, dict)) and rng.random() < 0.3:
        for _ in range(rng.integers(1, 6)):
            value = [value] if rng.random() < 0.5 else {"tuple": [value]}
        return value
    return VALUES[rng.integers(len(VALUES))]


def edited_tree(tree, rng):
    """A header with one edit: a value replaced, a part taken out, doubled or renamed, or two swapped."""
    tree = json.loads(json.dumps(tree))
    found = [place for place in places(tree) if place]
    place = found[rng.integers(len(found))]
    parent, key = at(tree, place[:-1]), place[-1]
    kind = rng.integers(6)
    if kind == 0:
        del parent[key]
    elif kind == 1 and isinstance(parent, dict):
        parent[key + "x"] = parent.pop(key)
    elif kind == 1:
        parent.insert(key, parent[key])
    elif kind == 2:
        other = found[rng.integers(len(found))]
        value, others = parent[key], at(tree, other[:-1])
        if other[: len(place)] != place and place[: len(other)] != other:
            parent[key], others[other[-1]] = others[other[-1]], value
    else:
        parent[key] = edited_value(parent[key], rng)
    return tree


def edited_text(text, rng):
    """A header's text, cut off or with some bytes changed."""
    if rng.random() < 0.3:
        return text[: rng.integers(len(text))]
    content = bytearray(text)
    for _ in range(rng.integers(1, 4)):
        content[rng.integers(len(content))] = rng.choice(list(b'0123456789"[]{},:. aexn-\xff\0'))
    return bytes(content)


def edited_array(name, array, rng):
    """An array under another name, or of another shape, dtype, order or value."""
    changes = [
        (name, array.reshape(-1)), (name, array[None]), (name, array.astype(np.float64)),
        (name, array.T.copy()), (name, array.astype(np.int64)), (name, array.view(np.uint8)),
        (name, array[..., :0]),
        (name, array.astype(array.dtype.newbyteorder())), (name, array.astype("U9")), (name, np.array(5.0)),
        (name + "x", array), (name, array + np.ones((), array.dtype)), (name, array.astype(complex)),
        (name, array.astype([("a", "f4")])), (name, array.astype(bool)),
    ]  # fmt: skip
    return changes[rng.integers(len(changes))]


def edit(path, arrays, rng, sealed):
    """Write a run with one edit, sealed anew or not."""
    arrays, old = dict(arrays), arrays["sha256"]
    del arrays["sha256"]
    header = arrays["header"].tobytes()
    kind = rng.integers(10)
    names = [name for name in arrays if name != "header"]
    if kind == 0:
        name = names[rng.integers(len(names))]
        del arrays[name]
    elif kind in (1, 2):
        name = names[rng.integers(len(names))]
        other, array = edited_array(name, np.atleast_1d(arrays.pop(name)), rng)
        arrays[other] = array
    elif kind == 3:
        first, second = rng.choice(names, 2)
        arrays[first], arrays[second] = arrays[second], arrays[first]
    else:
        text = (
            edited_text(header, rng)
            if kind == 4
            else json.dumps(edited_tree(json.loads(header), rng)).encode()
        )
        depth = int(rng.choice([300, 100_000]))  # the deeper one json.dumps would not write
        arrays["header"] = np.frombuffer(text.replace(b'"@deep@"', b"[" * depth + b"]" * depth), np.uint8)
    write_npz(path, {"sha256": arrays_checksum(arrays) if sealed else old, **arrays})


def edit_archive(path, content, rng):
    """Write a run with its archive edited, whose checksums are right again."""
    members = []
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = [(info.filename, archive.read(info)) for info in archive.infolist()]
    place = rng.integers(len(members))
    name, data = members[place]
    kind, method = rng.integers(7), zipfile.ZIP_STORED
    if kind == 0:
        del members[place]
    elif kind == 1:
        members[place] = (name[: rng.integers(1, len(name))], data)
    elif kind == 2:
        members[place] = (name, data[: rng.integers(len(data))])
    elif kind == 3:
        members.append((f"more{name}", data))
    elif kind == 4:
        method = zipfile.ZIP_DEFLATED
    else:  # in the header of the array
        changed = bytearray(data)
        for _ in range(rng.integers(1, 3)):
            changed[rng.integers(min(120, len(data)))] = rng.choice(
                list(b"0123456789<>fiucTrueFals',(){}: \xff\0")
            )
        members[place] = (name, bytes(changed))
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
