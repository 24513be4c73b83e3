"""Two transformers that read and write letter by letter.

- **gpt** is of the size of Karpathy's microgpt, which computes with single numbers: one layer, 16 wide, 4
  heads, 16 letters of context, no biases, 1,000 steps of Adam with a rate that falls to 0, one name a step.
- **shakespeare** has two layers and about 200,000 parameters, 64 letters of context, 3,000 steps of AdamW,
  and the last tenth of the text to be judged on.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import autodiff as ad
from autodiff import data, nn, optim
from autodiff.nn import functional as F  # noqa: N812  what everybody calls it

from ..measure import Row, by_seed, clock

# -- a GPT of microgpt's size, on names -------------------------------------------------------------------

NAMES = ["anna", "bob", "carla", "dan", "eva", "hanna", "ian", "lena", "nora", "otto", "paula", "tim"]


class TinyGPT(nn.Module):
    """One block, with norms that have no weights, as microgpt has them."""

    def __init__(self, letters: int, width: int = 16, heads: int = 4, context: int = 16) -> None:
        self.context = context
        self.tokens = nn.Embedding(letters, width)
        self.positions = nn.LearnedPositions(context, width)
        self.norm = nn.RMSNorm(width, eps=1e-5, elementwise_affine=False)
        self.attention = nn.MultiheadAttention(width, heads, bias=False)
        self.up = nn.Linear(width, 4 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)
        self.head = nn.Linear(width, letters, bias=False)
        for parameter in self.parameters():
            nn.init.normal_(parameter, 0.0, 0.08)

    def forward(self, ids: np.ndarray) -> ad.Tensor:
        """Logits of shape (L, letters) for the letter after each of L letters."""
        x = self.norm(self.positions(self.tokens(ids)))
        h = self.norm(x)
        x = x + self.attention(h, h, h, need_weights=False, is_causal=True)[0]
        x = x + self.down(F.relu(self.up(self.norm(x))))
        return self.head(x)


def gpt(steps: int, seed: int, quick: bool) -> list[float]:
    """Train on one name at a step; the losses. Prints them and some names that the network makes up."""
    ad.seed(seed)
    rng = np.random.default_rng(seed)
    names = NAMES if quick else data.names()
    names = [names[place] for place in rng.permutation(len(names))]
    letters = sorted(set("".join(names)))
    end = len(letters)  # the sign before and after each name
    net = TinyGPT(end + 1)
    print(f"{len(names):,} names, {end + 1} signs, {sum(p.size for p in net.parameters()):,} parameters")
    optimizer = optim.Adam(net.parameters(), lr=0.01, betas=(0.85, 0.99), eps=1e-8)
    scheduler = optim.LinearLR(optimizer, 1.0, 0.0, total_iters=steps)
    losses = []
    start = clock()
    for step in range(steps):
        name = names[step % len(names)]
        ids = np.array([end, *map(letters.index, name), end])[: net.context + 1]
        loss = F.cross_entropy(net(ids[:-1]), ids[1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
        if (step + 1) % max(steps // 10, 1) == 0:
            recent = np.mean(losses[-max(steps // 10, 1) :])
            seconds = clock() - start
            print(f"step {step + 1:5}: mean loss {recent:.3f}, {seconds:.1f} s", flush=True)
    print(f"the last step's loss is {losses[-1]:.3f}")
    print(", ".join(made_up(net, letters, rng) for _ in range(20)))
    return losses


def made_up(net: TinyGPT, letters: list[str], rng: np.random.Generator, temperature: float = 0.5) -> str:
    """A name, drawn letter by letter."""
    ids = [len(letters)]
    with ad.no_grad():
        while len(ids) <= net.context:
            ids.append(drawn(net(np.array(ids)).data[-1], temperature, rng))
            if ids[-1] == len(letters):
                break
    return "".join(letters[i] for i in ids[1:] if i < len(letters))


def drawn(logits: np.ndarray, temperature: float, rng: np.random.Generator) -> int:
    """A letter by chance, likelier where its logit is higher."""
    shares = np.exp((logits - logits.max()).astype(float) / temperature)
    return int(rng.choice(len(shares), p=shares / shares.sum()))


# -- a transformer of 200,000 parameters, on Shakespeare --------------------------------------------------

BATCH, RATE = 32, 4e-3


class Writer(nn.Module):
    """Blocks that do not look ahead, between a table of letters and one logit for each letter."""

    def __init__(
        self, letters: int, width: int = 88, heads: int = 4, layers: int = 2, context: int = 64
    ) -> None:
        self.context = context
        self.tokens = nn.Embedding(letters, width)
        self.positions = nn.LearnedPositions(context, width, batch_first=True)
        blocks = (
            nn.TransformerEncoderLayer(
                width, heads, 4 * width, dropout=0.0, batch_first=True, norm_first=True
            )
            for _ in range(layers)
        )
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, letters)
        nn.init.normal_(self.tokens.weight, 0.0, 0.02)

    def forward(self, ids: np.ndarray) -> ad.Tensor:
        """Logits of shape (N, L, letters) for the letter after each of (N, L) letters."""
        x = self.positions(self.tokens(ids))
        for block in self.blocks:
            x = block(x, is_causal=True)
        return self.head(self.norm(x))


def loss_of(net: Writer, text: np.ndarray, starts: np.ndarray) -> ad.Tensor:
    """The mean loss per letter on the stretches of text that begin at these places."""
    places = starts[:, None] + np.arange(net.context + 1)
    logits = net(text[places[:, :-1]])
    return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), text[places[:, 1:]].ravel())


def judged(net: Writer, text: np.ndarray, most: int | None = None) -> float:
    """The loss per letter over a text in stretches beside each other."""
    starts = np.arange(0, len(text) - net.context, net.context)[:most]
    parts = np.array_split(starts, max(len(starts) // 128, 1))
    net.eval()
    with ad.no_grad():
        total = sum(float(loss_of(net, text, part)) * len(part) for part in parts)
    net.train()
    return total / len(starts)


def batches(text: np.ndarray, context: int, size: int, seed: int) -> Iterator[np.ndarray]:
    rng = np.random.default_rng(seed)
    while True:
        yield rng.integers(0, len(text) - context, size)


def shakespeare(steps: int, seed: int, quick: bool) -> list[tuple[int, float, float]]:
    """Train on the first nine tenths; the curve: step, loss on the last tenth, seconds. Prints a sample."""
    ad.seed(seed)
    text = "the quick brown fox jumps over the lazy dog. " * 60 if quick else data.shakespeare()
    letters = sorted(set(text))
    table = {letter: code for code, letter in enumerate(letters)}
    codes = np.array([table[letter] for letter in text])
    cut = len(codes) * 9 // 10
    train, test = codes[:cut], codes[cut:]
    net = Writer(len(letters), 16, 2, 1, 16) if quick else Writer(len(letters))
    print(
        f"{len(text):,} letters of {len(letters)} kinds, {sum(p.size for p in net.parameters()):,} parameters"
    )
    optimizer = optim.AdamW(net.parameters(), lr=RATE, betas=(0.9, 0.99), weight_decay=0.01)
    scheduler = optim.OneCycleLR(optimizer, RATE, total_steps=steps + 1, pct_start=0.1, cycle_momentum=False)
    curve = []
    start = clock()
    for step, starts in zip(range(1, steps + 1), batches(train, net.context, BATCH, seed)):
        loss = loss_of(net, train, starts)
        optimizer.zero_grad()
        loss.backward(release=True)
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        if step % max(steps // 10, 1) == 0:
            curve.append((step, judged(net, test), clock() - start))
            print(f"step {step:5}: validation loss {curve[-1][1]:.3f}, {curve[-1][2]:.0f} s", flush=True)
    print(written(net, letters, np.random.default_rng(seed), 300))
    return curve


def written(net: Writer, letters: list[str], rng: np.random.Generator, length: int) -> str:
    """A text that the network makes up, letter by letter, from a line break on."""
    ids = [letters.index("\n") if "\n" in letters else 0]
    with ad.no_grad():
        for _ in range(length):
            logits = net(np.array([ids[-net.context :]])).data[0, -1]
            ids.append(drawn(logits, 0.8, rng))
    return "".join(letters[i] for i in ids[1:])


# -- the trainings ----------------------------------------------------------------------------------------


def train_gpt(quick: bool, seeds: int) -> list[Row]:
    means, seconds = [], []
    for seed in range(42, 42 + seeds):
        start = clock()
        means.append(float(np.mean(gpt(10 if quick else 1_000, seed, quick)[-100:])))
        seconds.append(clock() - start)
    what, beside = "GPT writes names, 1,000 steps", "microgpt's last name has 2.65"
    return [
        Row(f"{what}: mean loss of the last hundred", "", means, "nats", f"{by_seed(means)}; {beside}"),
        Row(f"{what}: time", "", seconds, "s"),
    ]


def train_shakespeare(quick: bool, seeds: int) -> list[Row]:
    curves = [shakespeare(10 if quick else 3_000, seed, quick) for seed in range(seeds)]
    losses = [curve[-1][1] for curve in curves]
    what = "transformer writes Shakespeare, 3,000 steps"
    return [
        Row(f"{what}: validation loss per letter", "", losses, "nats", by_seed(losses)),
        Row(f"{what}: time", "", [curve[-1][2] for curve in curves], "s"),
    ]


TRAININGS = {"gpt": train_gpt, "shakespeare": train_shakespeare}
