// A training: the arrays that compiled steps change in place, the numbers beside them, the order of the batches,
// and what it was at earlier steps. It knows nothing of a page, so the tests run it in node.
//
// The plan says of each program where its arguments come from and what its results are; plan.py writes it.

const ROOM = 2 ** 23; // numbers that the earlier states may take: 64 MB

class Training {
  constructor(plan, tensors, sets, programs) {
    Object.assign(this, {plan, programs, beginning: tensors, given: sets});
    this.sets = sets.map((set) => ({...set}));
    this.set = 0;
    this.optimizer = 0;
    this.size = plan.sizes[0]; // of a batch; 0 is all points
    this.rate = plan.optimizers[0].rate;
    this.reset(plan.seed);
  }

  // Begin again. The plan's seed belongs to the weights that were given; another one draws new weights first.
  reset(seed) {
    this.seed = seed;
    this.tensors = this.beginning.map(twin);
    this.numbers = this.plan.optimizers.map((each) => [...each.numbers]);
    this.generators = [seed, ...this.plan.generators].map((each) => nd.default_rng(each));
    if (seed !== this.plan.seed && this.plan.programs.begin) this.call("begin");
    this.order = []; // the points that are left in this epoch
    this.count = 0;
    this.losses = [];
    this.sizes = this.plan.layers.map(() => []); // of the gradients of each layer
    this.gradients = null; // of the latest step
    this.kept = [];
    this.every = 1; // how many steps lie between two kept states
    this.keep();
  }

  // Call a program with what the plan says; returns the list of its results.
  call(name, x, y) {
    const {arguments: wanted, values} = this.plan.programs[name], numbers = this.numbers[this.optimizer];
    const from = {
      x: () => x,
      y: () => y,
      rate: (part) => this.rate * part,
      number: (k) => numbers[k],
      tensor: (k) => this.tensors[k],
      draw: (source, method, given) => this.generators[source][method](...given),
    };
    const found = this.programs[name](...wanted.map(([kind, ...rest]) => from[kind](...rest)));
    for (const [k, place] of values) this.tensors[place] = found[k];
    return found;
  }

  // Call a program that looks and does not train: random numbers that it draws are drawn again by the next step.
  peek(name, x) {
    const {generators} = this;
    this.generators = generators.map(copied);
    const found = this.call(name, x);
    this.generators = generators;
    return found;
  }

  // The gradient of a parameter in the latest step, by its place among the tensors; null if there is none.
  gradientOf(place) {
    return this.gradients?.[this.plan.optimizers[this.optimizer].parameters.indexOf(place)] ?? null;
  }

  // How many steps are known, with those after the one that is shown.
  get length() {
    return this.losses.length;
  }

  // Whether the loss has become infinite or nan, from where no step leads back.
  get isLost() {
    return this.count > 0 && !Number.isFinite(this.losses[this.count - 1]);
  }

  get points() {
    return this.sets[this.set];
  }

  // How many points a step takes. There is a program for as many as were given, and not for more: once points were
  // added, a step that should take all takes a part of them.
  get width() {
    const {count} = this.given[this.set];
    return this.size && this.size < count ? this.size : count;
  }

  get stepName() {
    return this.plan.optimizers[this.optimizer].steps[this.width];
  }

  // The next batch. An epoch goes through all points in a new order, and leaves out what does not fill a batch.
  batch() {
    const {x, y, count} = this.points, size = this.width;
    if (size === count) return [x, y];
    if (this.order.length < size) this.order = [...nd.tolist(this.generators[0].permutation(count))];
    const chosen = nd.array(this.order.slice(0, size), "int64");
    this.order = this.order.slice(size);
    return [nd.getitem(x, chosen), nd.getitem(y, chosen)];
  }

  // One step of training; returns its loss.
  step() {
    this.forget();
    const name = this.stepName, {loss, numbers, gradients} = this.plan.programs[name], [x, y] = this.batch();
    const found = this.call(name, x, y), before = this.numbers[this.optimizer];
    this.numbers[this.optimizer] = numbers.map((k, i) => (k === null ? before[i] : nd.number(found[k])));
    this.gradients = gradients.map((k) => (k === null ? null : found[k]));
    this.plan.layers.forEach(({parameters}, k) => {
      this.sizes[k].push(norm(parameters.map((place) => this.gradientOf(place))));
    });
    this.losses.push(nd.number(found[loss]));
    this.count++;
    this.keep();
    return this.losses[this.count - 1];
  }

  // -- earlier states -------------------------------------------------------------------------------------------

  keep() {
    if (this.count % this.every) return;
    const {count, order, gradients} = this;
    this.kept.push({
      count,
      order,
      gradients,
      tensors: this.tensors.map(twin),
      numbers: this.numbers.map((each) => [...each]),
      generators: this.generators.map(copied),
    });
    const width = this.tensors.reduce((sum, x) => sum + (x.size ?? 1), 1);
    if (this.kept.length > Math.max(ROOM / width, 20)) this.thin();
  }

  // Keep every second state only.
  thin() {
    this.every *= 2;
    this.kept = this.kept.filter(({count}) => count % this.every === 0);
  }

  // Drop what lay ahead: this step is another future.
  forget() {
    for (const each of [this.losses, ...this.sizes]) each.length = this.count;
    while (this.kept.length && this.kept[this.kept.length - 1].count > this.count) this.kept.pop();
  }

  // Go to the latest kept state that is not after a step.
  goTo(count) {
    const state = this.kept.findLast((each) => each.count <= count) ?? this.kept[0];
    this.tensors = state.tensors.map(twin);
    this.numbers = state.numbers.map((each) => [...each]);
    this.generators = state.generators.map(copied);
    Object.assign(this, {count: state.count, order: state.order, gradients: state.gradients});
  }

  // -- points -----------------------------------------------------------------------------------------------------

  addPoint(x, y) {
    const now = this.points;
    const row = (values, like) => nd.reshape(nd.array(values, like.dtype), [1, ...like.shape.slice(1)]);
    now.x = nd.concatenate([now.x, row(x, now.x)]);
    now.y = nd.concatenate([now.y, row(y, now.y)]);
    now.count++;
    this.order = [];
  }

  get added() {
    return this.points.count - this.given[this.set].count;
  }

  removeAdded() {
    this.sets[this.set] = {...this.given[this.set]};
    this.order = [];
    for (const state of this.kept) state.order = []; // which may hold points that are gone
  }
}

// A copy of an array; a number as it is.
const twin = (x) => (typeof x === "number" ? x : nd.copy(x));

// A generator that goes on from the same place.
function copied(generator) {
  const other = Object.assign(Object.create(Object.getPrototypeOf(generator)), generator);
  other.state = generator.state.slice();
  return other;
}

// The root of the sum of all squares; null counts as 0.
function norm(arrays) {
  let sum = 0;
  for (const x of arrays) for (const value of x?.data ?? [x]) sum += value * value;
  return Math.sqrt(sum);
}
