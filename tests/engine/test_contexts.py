"""What a block switches on holds where it was opened: in a thread, a task or a generator, and nowhere
else."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from random import Random

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, static
from autodiff.engine import contexts, recording
from autodiff.ops.exactness import is_exact

GRAPH = static.Graph("a graph of the tests")


def finds_anomalies():
    try:
        ad.log(Tensor([0.0]))
    except FloatingPointError:
        return True
    return False


def default_session():
    return static.get_default_session() is not None


SWITCHES = {
    "no_grad": (ad.no_grad, lambda: not ad.is_grad_enabled()),
    "set_grad_enabled": (lambda: ad.set_grad_enabled(False), lambda: not (Tensor(2) * 3).requires_grad),
    "scope": (lambda: ad.scope("here"), lambda: (Tensor(2) * 3).scope == ("here",)),
    "exact": (ad.exact, is_exact),
    "detect_anomaly": (ad.detect_anomaly, finds_anomalies),
    "graph": (GRAPH.as_default, lambda: static.get_default_graph() is GRAPH),
    "session": (lambda: static.Session(GRAPH), default_session),
}


@pytest.fixture(params=SWITCHES.values(), ids=SWITCHES)
def switch(request):
    """What opens a block, and whether it holds."""
    return request.param


@pytest.fixture(autouse=True)
def _nothing_stays_open():
    yield
    assert not recording.open_blocks
    assert not contexts.of_generators
    assert ad.is_grad_enabled()


def in_a_thread(function, *args):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function, *args).result()


# -- generators ---------------------------------------------------------------------------------------------


def test_a_suspended_generator_does_not_switch_for_its_caller(switch):
    block, holds = switch

    def numbers():
        for _ in range(3):
            with block():
                yield holds()
                assert holds()
            yield holds()

    seen = []
    for inside in numbers():
        seen.append(inside)
        assert not holds()
    assert seen == [True, False] * 3


def test_a_generator_of_a_generator(switch):
    block, holds = switch

    def inner():
        with block():
            yield holds()
            yield holds()

    def delegating():
        assert (yield from inner()) is None
        yield holds()

    def looping():
        for found in inner():
            assert not holds()
            yield found
        yield holds()

    for outer in (delegating, looping):
        seen = []
        for found in outer():
            assert not holds()
            seen.append(found)
        assert seen == [True, True, False]


def test_a_generator_that_is_left_alone_ends_its_block(switch):
    block, holds = switch

    def endless():
        with block():
            while True:
                yield

    some = [endless() for _ in range(3)]
    for one in some:
        next(one)
    assert recording.open_blocks
    some[1].close()
    assert not holds()
    del some, one
    gc.collect()
    assert not recording.open_blocks


def test_a_generator_that_its_own_object_holds_is_collected_with_its_block():
    class Stream:
        def __init__(self):
            self.numbers = self.draw()
            next(self.numbers)

        def draw(self):
            with ad.no_grad():
                while True:
                    yield self

    for _ in range(3):
        Stream()
    gc.collect()
    assert not contexts.of_generators


def test_a_generator_that_ends_in_another_thread_ends_its_block(switch):
    block, holds = switch

    def endless():
        with block():
            while True:
                yield

    one = endless()
    next(one)

    def close():
        with ad.no_grad():
            one.close()
            return not ad.is_grad_enabled()

    assert in_a_thread(close)
    assert not holds()


def test_the_block_of_a_generator_wins_over_that_of_the_code_which_continues_it():
    def numbers():
        with ad.no_grad():
            while True:
                yield ad.is_grad_enabled()

    def trained():
        with ad.enable_grad():
            while True:
                yield ad.is_grad_enabled()

    off, on = numbers(), trained()
    assert (next(off), next(on)) == (False, True)
    with ad.enable_grad():
        assert (next(off), ad.is_grad_enabled()) == (False, True)
    with ad.no_grad():
        assert (next(on), ad.is_grad_enabled()) == (True, False)
        with ad.scope("x"):
            assert (next(on), next(off), ad.is_grad_enabled()) == (True, False, False)
    off.close()
    on.close()


def test_what_a_generator_does_not_switch_follows_the_code_that_continues_it():
    def named():
        with ad.scope("generator"):
            while True:
                y = Tensor(2) * 3
                yield y.requires_grad, y.scope

    some = named()
    with ad.no_grad():
        assert next(some)[0] is False
    assert next(some) == (True, ("generator",))
    with ad.no_grad():
        assert next(some)[0] is False
    assert next(some) == (True, ("generator",))
    some.close()


def test_a_generator_expression_and_a_generator_that_is_sent_values():
    def accumulate():
        total = 0.0
        with ad.no_grad():
            while True:
                x = yield total
                total = total + x
                assert not total.requires_grad

    sums = accumulate()
    next(sums)
    x = Tensor(2.0)
    for _ in range(3):
        sums.send(x * x)
        assert (x * x).requires_grad
    sums.close()


def test_a_generator_keeps_its_block_in_whichever_thread_continues_it(switch):
    block, holds = switch

    def numbers():
        with block():
            while True:
                yield holds()

    some = numbers()
    assert next(some)
    for _ in range(2):
        assert in_a_thread(lambda: (next(some), holds())) == (True, False)
        assert next(some)
        assert not holds()
    some.close()


def test_generators_that_continue_each_other_in_either_order():
    def switching(block):
        with block():
            other = yield ad.is_grad_enabled()
            while True:
                around = other() if other else None
                other = yield around, ad.is_grad_enabled()

    off, on = switching(ad.no_grad), switching(ad.enable_grad)
    assert (next(off), next(on)) == (False, True)
    for block in (contextlib.nullcontext, ad.no_grad, ad.enable_grad):
        with block():
            before = ad.is_grad_enabled()
            assert off.send(lambda: on.send(None)) == ((None, True), False)
            assert on.send(lambda: off.send(None)) == ((None, False), True)
            assert ad.is_grad_enabled() is before
    off.close()
    on.close()


def test_one_object_opens_blocks_in_a_generator_and_in_what_it_calls():
    def inner():
        with GRAPH:
            return static.get_default_graph()

    def numbers():
        with GRAPH:
            while True:
                yield inner(), static.get_default_graph()

    some, outside = numbers(), static.get_default_graph()
    for _ in range(2):
        assert next(some) == (GRAPH, GRAPH)
        with GRAPH:
            assert next(some) == (GRAPH, GRAPH)
            assert static.get_default_graph() is GRAPH
        assert static.get_default_graph() is outside
    some.close()


def test_a_block_below_ends_for_what_a_generator_has_opened_inside_of_it():
    def numbers():
        with ad.scope("generator"):
            while True:
                with ad.exact():
                    y = Tensor(2.0) * 3
                yield y.requires_grad, y.scope

    first = ad.no_grad()
    first.__enter__()
    some = numbers()
    with ad.scope("above"):
        assert next(some) == (False, ())
        first.__exit__(None, None, None)
        assert next(some) == (True, ("above", "generator"))
        assert (Tensor(2.0) * 3).scope == ("above",)
    some.close()


def test_a_generator_that_ends_when_another_object_closes_its_block_leaves_nothing():
    opened = ad.no_grad()

    def numbers():
        opened.__enter__()
        yield ad.is_grad_enabled()
        yield ad.is_grad_enabled()

    some = numbers()
    assert next(some) is False
    in_a_thread(lambda: opened.__exit__(None, None, None))
    assert next(some) is True


def random_program(seed):
    """Blocks and generators in each other, at random; each place knows what holds there."""
    random = Random(seed)
    blocks = [(ad.no_grad, False), (ad.enable_grad, True), (lambda: ad.scope("x"), None)]
    generators = []

    def body(around, depth, own=None):
        """Of a generator, which is told by each ``send`` what holds around it."""
        for _ in range(random.randrange(1, 5)):
            expected = around if own is None else own
            assert ad.is_grad_enabled() is expected
            act(expected, depth + 1)
            assert ad.is_grad_enabled() is expected
            around = yield
            if depth < 4 and random.random() < 0.4:
                block, value = random.choice(blocks)
                with block():
                    around = yield from body(around, depth + 1, own if value is None else value)
        return around

    def act(expected, depth):
        for _ in range(random.randrange(4)):
            assert ad.is_grad_enabled() is expected
            choice = random.random()
            if choice < 0.3:
                generators.append(body(expected, depth))
                advance(generators[-1], None)
            elif choice < 0.7 and generators:
                advance(random.choice(generators), expected)
            elif depth < 5:
                block, value = random.choice(blocks)
                with block():
                    act(expected if value is None else value, depth + 1)

    def advance(generator, expected):
        if generator.gi_running:
            return
        try:
            generator.send(expected)
        except StopIteration:
            generators.remove(generator)

    for _ in range(20):
        act(True, 0)
        assert ad.is_grad_enabled()
    generators.clear()


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_of_blocks_and_generators(seed):
    random_program(seed)


def test_random_programs_in_several_threads():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(random_program, range(100, 190)))
    finally:
        sys.setswitchinterval(before)


# -- context managers that are written as generators --------------------------------------------------------


def test_a_context_manager_switches_for_its_with_block(switch):
    block, holds = switch

    @contextlib.contextmanager
    def evaluating():
        with block():
            yield

    @contextlib.contextmanager
    def parts():
        with block():
            yield

    @contextlib.contextmanager
    def delegating():
        yield from parts.__wrapped__()

    @contextlib.contextmanager
    def nested():
        with evaluating():
            yield

    @contextlib.contextmanager
    def stacked():
        with contextlib.ExitStack() as stack:
            stack.enter_context(block())
            yield

    class Evaluating:
        def __enter__(self):
            self.block = block()
            self.block.__enter__()

        def __exit__(self, *exception):
            self.block.__exit__(*exception)

    class ByHand:
        def __enter__(self):
            self.generator = parts.__wrapped__()
            next(self.generator)

        def __exit__(self, *exception):
            self.generator.close()

    for manager in (evaluating, delegating, nested, stacked, Evaluating, ByHand):
        with manager():
            assert holds(), manager
        assert not holds(), manager
        with contextlib.ExitStack() as stack:
            stack.enter_context(manager())
            assert holds()
        assert not holds()

        def numbers(manager=manager):
            with manager():
                yield holds()
                yield holds()

        for found in numbers():
            assert found
            assert not holds()

    @evaluating()
    def decorated():
        return holds()

    assert decorated()
    assert not holds()


@pytest.fixture
def _without_recording():
    with ad.no_grad():
        yield


@pytest.mark.usefixtures("_without_recording")
def test_a_fixture_of_pytest_switches_for_its_test():
    assert not ad.is_grad_enabled()


# -- tasks --------------------------------------------------------------------------------------------------


def test_a_task_does_not_switch_for_another(switch):
    block, holds = switch

    async def inside(entered, leave):
        with block():
            entered.set()
            await leave.wait()
            await asyncio.sleep(0)
            return holds()

    async def outside(entered, leave):
        await entered.wait()
        found = holds()
        leave.set()
        await asyncio.sleep(0)
        return found or holds()

    async def main():
        entered, leave = asyncio.Event(), asyncio.Event()
        return await asyncio.gather(inside(entered, leave), outside(entered, leave)), holds()

    assert asyncio.run(main()) == ([True, False], False)


def test_a_task_begins_with_what_holds_where_it_is_made(switch):
    block, holds = switch

    async def found():
        await asyncio.sleep(0)
        return holds()

    async def main():
        with block():
            inner = await asyncio.gather(found(), asyncio.to_thread(holds))
            late = asyncio.create_task(found())
        return inner, await late, holds()

    assert asyncio.run(main()) == ([True, True], True, False)
    with block():
        assert asyncio.run(found())


def test_what_a_task_awaits_may_switch_for_it(switch):
    block, holds = switch

    @contextlib.asynccontextmanager
    async def evaluating():
        await asyncio.sleep(0)
        with block():
            yield

    class Evaluating:
        async def __aenter__(self):
            await asyncio.sleep(0)
            self.block = block()
            self.block.__enter__()

        async def __aexit__(self, *exception):
            self.block.__exit__(*exception)

    async def other():
        for _ in range(8):
            await asyncio.sleep(0)
            assert not holds()

    async def numbers():
        async with evaluating():
            yield holds()
            await asyncio.sleep(0)
            yield holds()

    async def main(manager):
        async with manager():
            await asyncio.sleep(0)
            assert holds()
        assert not holds()
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(manager())
            await asyncio.sleep(0)
            assert holds()
        assert not holds()
        async for found in numbers():
            assert found
            assert not holds()

    async def both(manager):
        await asyncio.gather(main(manager), other())

    for manager in (evaluating, Evaluating):
        asyncio.run(both(manager))


def test_set_grad_enabled_in_a_task_holds_to_its_end():
    async def switching():
        for _ in range(3):
            ad.set_grad_enabled(False)
        await asyncio.sleep(0)
        return ad.is_grad_enabled()

    async def called():
        ad.set_grad_enabled(False)

    async def main():
        other = asyncio.create_task(switching())
        await asyncio.sleep(0)
        before = ad.is_grad_enabled()
        await called()
        return before, await other, ad.is_grad_enabled()

    assert asyncio.run(main()) == (True, False, False)
    assert ad.is_grad_enabled()


def test_what_holds_at_the_top_level_of_a_script_holds_in_the_threads_of_its_tasks():
    script = """
import asyncio
import autodiff as ad

async def main():
    return ad.is_grad_enabled(), await asyncio.to_thread(ad.is_grad_enabled)

with ad.no_grad():
    print(*asyncio.run(main()))
ad.set_grad_enabled(False)
print(*asyncio.run(main()))
ad.set_grad_enabled(True)
print(*asyncio.run(main()))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"] * 4 + ["True"] * 2


# -- threads, and any order ---------------------------------------------------------------------------------


def test_a_block_may_be_closed_in_another_thread(switch):
    block, holds = switch
    opened = block()
    opened.__enter__()

    def close():
        with ad.no_grad():
            opened.__exit__(None, None, None)
            return ad.is_grad_enabled(), holds()

    assert in_a_thread(close)[0] is False
    assert not holds()


def test_closing_what_is_not_open_is_an_error():
    with pytest.raises(RuntimeError, match="no_grad block is not open"):
        ad.no_grad().__exit__(None, None, None)
    with ad.no_grad():
        with pytest.raises(RuntimeError, match="enable_grad block is not open"):
            ad.enable_grad().__exit__(None, None, None)
        assert not ad.is_grad_enabled()


def test_blocks_may_be_closed_in_any_order():
    first, second, third = ad.no_grad(), ad.scope("second"), ad.exact()
    for block in (first, second, third):
        block.__enter__()
    first.__exit__(None, None, None)
    assert (ad.is_grad_enabled(), (Tensor(2) * 3).scope, is_exact()) == (True, ("second",), True)
    third.__exit__(None, None, None)
    assert ((Tensor(2) * 3).scope, is_exact()) == (("second",), False)
    second.__exit__(None, None, None)


@pytest.mark.parametrize("seed", range(60))
def test_blocks_closed_in_any_order_and_in_any_thread(seed):
    random, opened = Random(seed), []
    kinds = [(ad.no_grad, False), (ad.enable_grad, True), (ad.exact, None), (lambda: ad.scope("x"), None)]
    with ThreadPoolExecutor(1) as other:
        for _ in range(40):
            if random.random() < 0.55 or not opened:
                make, value = random.choice(kinds)
                opened.append((make(), value))
                opened[-1][0].__enter__()
            else:
                block, _ = opened.pop(random.randrange(len(opened)))
                if random.random() < 0.3:
                    other.submit(block.__exit__, None, None, None).result()
                else:
                    block.__exit__(None, None, None)
            values = [value for _, value in opened if value is not None]
            assert ad.is_grad_enabled() is (values[-1] if values else True)
        random.shuffle(opened)
        for block, _ in opened:
            block.__exit__(None, None, None)


def test_a_thread_that_ends_leaves_nothing_behind(switch):
    block, holds = switch

    def run():
        opened = block()
        opened.__enter__()
        return holds()

    for _ in range(3):
        assert in_a_thread(run)
        in_a_thread(ad.set_grad_enabled, False)
    gc.collect()
    assert not recording.open_blocks
    assert not holds()


def test_set_grad_enabled_inside_a_block_ends_with_it():
    with ad.no_grad():
        for _ in range(100):
            ad.set_grad_enabled(True)
            assert ad.is_grad_enabled()
            ad.set_grad_enabled(False)
        assert len(recording.open_blocks) < 4
        ad.set_grad_enabled(True)
        with ad.set_grad_enabled(False):
            assert not ad.is_grad_enabled()
        assert ad.is_grad_enabled()
    assert ad.is_grad_enabled()
    with ad.enable_grad():
        ad.set_grad_enabled(False)
    assert ad.is_grad_enabled()


def test_set_grad_enabled_without_a_block_counts_once():
    def run():
        for mode in (False, True, False, False, True) * 20:
            ad.set_grad_enabled(mode)
            assert ad.is_grad_enabled() is mode
        return len(recording.open_blocks)

    assert in_a_thread(run) == 0


# -- decorated functions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in SWITCHES if name not in ("graph", "session")])
def test_a_decorated_function_runs_in_the_block(name):
    block, holds = SWITCHES[name]

    @block()
    def plain():
        return holds()

    @block()
    def numbers(count):
        """Count."""
        for _ in range(count):
            got = yield holds()
            assert got is None
        return "end"

    def delegating():
        assert (yield from numbers(2)) == "end"

    @block()
    async def later():
        await asyncio.sleep(0)
        return holds()

    async def main():
        task = asyncio.create_task(later())
        await asyncio.sleep(0)
        return holds(), await task, holds()

    assert (plain(), holds()) == (True, False)
    for found in delegating():
        assert found
        assert not holds()
    assert asyncio.run(main()) == (False, True, False)
    assert (numbers.__name__, numbers.__doc__, later.__name__) == ("numbers", "Count.", "later")


# -- inside of forwards, derivatives and traces -------------------------------------------------------------


def test_the_forward_of_an_operation_sees_the_block_around_it():
    seen = []

    @ad.operation
    def looking(x):
        seen.append((ad.is_grad_enabled(), is_exact()))
        return np.negative(x)

    looking.backward(lambda grad, z, x: -grad)
    x = np.ones(3)
    for _ in range(2):
        looking(x)
        with ad.no_grad():
            looking(x)
            with ad.exact(), ad.enable_grad():
                looking(x)
            looking(x)
        looking(x)
    assert seen == [(True, False), (False, False), (True, True), (False, False), (True, False)] * 2


def test_a_generator_inside_of_a_derivative_does_not_differentiate_for_its_caller():
    def slopes():
        for k in range(3):
            yield ad.grad(lambda x, k=k: k * x * x)(2.0)

    assert [float(slope) for slope in slopes()] == [0, 4, 8]
    assert not recording.open_blocks


def test_a_suspended_generator_is_passed_over_while_a_function_is_compiled():
    def numbers():
        with ad.no_grad():
            while True:
                yield

    some = numbers()
    next(some)
    fast = ad.compile(ad.grad(lambda x: (x * x).sum()))
    assert fast(Tensor([1.0, 2.0])).tolist() == [2, 4]
    assert ad.vmap(ad.grad(lambda x: x * x))(np.array([1.0, 2.0])).tolist() == [2, 4]
    w = Tensor(3.0)
    fast(Tensor([1.0]))
    (w * w).backward()
    assert w.grad == 6
    some.close()


def test_the_threads_of_a_loader_work_in_the_context_of_the_loop(switch):
    block, holds = switch

    class Looking(ad.data.Dataset):
        def __len__(self):
            return 6

        def __getitem__(self, index):
            return float(holds())

    loader = ad.data.DataLoader(Looking(), 2, num_workers=2)
    with block():
        assert [batch.tolist() for batch in loader] == [[1, 1]] * 3
    assert [batch.tolist() for batch in loader] == [[0, 0]] * 3


def test_what_is_set_in_one_cell_of_a_notebook_holds_in_the_next():
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    cells = [
        "import asyncio, autodiff as ad; from autodiff import static; graph = static.Graph('cells')",
        "ad.set_grad_enabled(False); graph.as_default().__enter__()",
        "print(ad.is_grad_enabled(), static.get_default_graph() is graph)",
        "await asyncio.sleep(0); print(ad.is_grad_enabled()); ad.set_grad_enabled(True)",
        "graph.__exit__(None, None, None); print(ad.is_grad_enabled(), static.get_default_graph() is graph)",
        "ad.set_grad_enabled(True)",
        "async def look():\n    await asyncio.sleep(0.01)\n    return ad.is_grad_enabled()",
        "from autodiff.engine import recording\ntask = asyncio.create_task(look())",
        "with ad.no_grad():\n    found = await task, ad.is_grad_enabled()",
        "print(*found, len(recording.open_blocks))",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    printed = ["".join(output.get("text", "") for output in cell.outputs) for cell in notebook.cells]
    assert printed == ["", "", "False True\n", "False\n", "False False\n", "", "", "", "", "True False 0\n"]
