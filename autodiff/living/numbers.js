// Numbers as texts: as the pictures of the package write them, with more digits where there is room.

// A number in some significant digits; whole numbers of up to five digits in full.
function brief(x, digits = 3) {
  if (!Number.isFinite(x)) return String(x).replace("Infinity", "inf").replace("NaN", "nan");
  const size = Math.abs(x);
  if (size < 1e5 && Number.isInteger(x)) return String(x || 0); // -0 has no sign here
  if (size < 1e5 && size >= 10 ** digits) return x.toFixed(0);
  const [mantissa, exponent] = x.toExponential(digits - 1).split("e").map(Number);
  return exponent < -4 || exponent >= digits ? `${mantissa}e${exponent}` : String(Number(x.toPrecision(digits)));
}

// The same in as many digits as fit a number of letters.
function fitting(x, letters, digits = 5) {
  for (let n = digits; n > 1; n--) {
    const text = brief(x, n);
    if (text.length <= letters) return text;
  }
  return brief(x, 1);
}

const inBox = (x) => fitting(x, 8);

const inCell = (x) => fitting(x, 6, 3);

// A number inside a product: a negative one has brackets.
const inProduct = (x) => (x < 0 ? `(${inBox(x)})` : inBox(x));

// The number that a text means, NaN if it means none. A comma and a typeset minus are understood.
function parsed(text) {
  const plain = text.trim().replaceAll("\u2212", "-").replace(",", ".");
  return plain === "" ? NaN : Number(plain);
}
