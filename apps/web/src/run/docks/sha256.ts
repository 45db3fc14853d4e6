/** SHA-256 (FIPS 180-4), for origins where the browser does not offer it. */
export function sha256(message: Uint8Array): Uint8Array {
  const hash = Uint32Array.from(PRIMES.slice(0, 8), (prime) => fractionOf(Math.sqrt(prime)));
  const words = new Uint32Array(64);
  const blocks = toBlocks(message);
  for (let at = 0; at < blocks.byteLength; at += 64) {
    for (let index = 0; index < 16; index++) words[index] = blocks.getUint32(at + index * 4);
    addBlock(hash, words);
  }
  const bytes = new DataView(new ArrayBuffer(32));
  hash.forEach((word, index) => {
    bytes.setUint32(index * 4, word);
  });
  return new Uint8Array(bytes.buffer);
}

/** The message, a one bit, zeros, and the number of bits. */
function toBlocks(message: Uint8Array): DataView {
  const padded = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(message.length) * 8n);
  return view;
}

function addBlock(hash: Uint32Array, words: Uint32Array): void {
  const word = (index: number): number => words[index] ?? 0;
  for (let index = 16; index < 64; index++) {
    const [early, late] = [word(index - 15), word(index - 2)];
    const first = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
    const second = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
    words[index] = word(index - 16) + first + word(index - 7) + second;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let index = 0; index < 64; index++) {
    const mixed = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const one = h + mixed + ((e & f) ^ (~e & g)) + (ROUNDS[index] ?? 0) + word(index);
    const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  for (const [index, added] of [a, b, c, d, e, f, g, h].entries()) hash[index] = (hash[index] ?? 0) + added;
}

function turn(value: number, bits: number): number {
  return (value >>> bits) | (value << (32 - bits));
}

/** The first 32 bits of the fractional part. */
function fractionOf(value: number): number {
  return Math.floor((value % 1) * 2 ** 32);
}

const PRIMES = Array.from({ length: 310 }, (_, index) => index + 2).filter((number, _, all) =>
  all.every((other) => other >= number || number % other !== 0),
);
const ROUNDS = Uint32Array.from(PRIMES.slice(0, 64), (prime) => fractionOf(Math.cbrt(prime)));
