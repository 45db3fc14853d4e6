/**
 * A GGUF file with a llama model of random weights: it loads like a real one, but only the grammar gives its output a
 * structure.
 */
const U32 = 4;
const F32 = 6;
const STRING = 8;
const ARRAY = 9;
const I32 = 5;
const ALIGNMENT = 32;

const SIZE = { embedding: 64, feedForward: 128, heads: 4, context: 16_384 } as const;

export function createTinyGguf(): Buffer {
  const tokens = toTokens();
  const weights = toTensors(tokens.length);
  const metadata: Buffer[] = [
    pair('general.architecture', STRING, text('llama')),
    pair('general.name', STRING, text('tiny')),
    pair('llama.context_length', U32, u32(SIZE.context)),
    pair('llama.embedding_length', U32, u32(SIZE.embedding)),
    pair('llama.block_count', U32, u32(1)),
    pair('llama.feed_forward_length', U32, u32(SIZE.feedForward)),
    pair('llama.attention.head_count', U32, u32(SIZE.heads)),
    pair('llama.attention.head_count_kv', U32, u32(SIZE.heads)),
    pair('llama.attention.layer_norm_rms_epsilon', F32, f32(1e-5)),
    pair('llama.rope.dimension_count', U32, u32(SIZE.embedding / SIZE.heads)),
    pair('tokenizer.ggml.model', STRING, text('llama')),
    list('tokenizer.ggml.tokens', STRING, tokens, ({ name }) => text(name)),
    list('tokenizer.ggml.scores', F32, tokens, (_, at) => f32(-at)),
    list('tokenizer.ggml.token_type', I32, tokens, ({ type }) => u32(type)),
    pair('tokenizer.ggml.bos_token_id', U32, u32(1)),
    pair('tokenizer.ggml.eos_token_id', U32, u32(2)),
    pair('tokenizer.ggml.unknown_token_id', U32, u32(0)),
  ];
  let offset = 0;
  const infos = weights.map(({ name, shape }) => {
    const info = Buffer.concat([text(name), u32(shape.length), ...shape.map(u64), u32(0), u64(offset)]);
    offset += aligned(4 * shape.reduce((product, size) => product * size, 1));
    return info;
  });
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    u32(3),
    u64(weights.length),
    u64(metadata.length),
    ...metadata,
    ...infos,
  ]);
  return Buffer.concat([padded(head), ...weights.map(({ data }) => padded(data))]);
}

/** Unknown, start, end, all bytes, and the characters of JSON. */
function toTokens(): { name: string; type: number }[] {
  const bytes = Array.from({ length: 256 }, (_, byte) => ({
    name: `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
    type: 6,
  }));
  const characters = ['▁', ...'abcdefghijklmnopqrstuvwxyz{}[]":,_'].map((name) => ({ name, type: 1 }));
  return [
    { name: '<unk>', type: 2 },
    { name: '<s>', type: 3 },
    { name: '</s>', type: 3 },
    ...bytes,
    ...characters,
  ];
}

function toTensors(vocabulary: number) {
  const { embedding, feedForward } = SIZE;
  const shapes: [string, number[]][] = [
    ['token_embd.weight', [embedding, vocabulary]],
    ['output_norm.weight', [embedding]],
    ['output.weight', [embedding, vocabulary]],
    ['blk.0.attn_norm.weight', [embedding]],
    ['blk.0.attn_q.weight', [embedding, embedding]],
    ['blk.0.attn_k.weight', [embedding, embedding]],
    ['blk.0.attn_v.weight', [embedding, embedding]],
    ['blk.0.attn_output.weight', [embedding, embedding]],
    ['blk.0.ffn_norm.weight', [embedding]],
    ['blk.0.ffn_gate.weight', [embedding, feedForward]],
    ['blk.0.ffn_up.weight', [embedding, feedForward]],
    ['blk.0.ffn_down.weight', [feedForward, embedding]],
  ];
  let seed = 42;
  const random = (): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return seed / 2 ** 32 - 0.5;
  };
  return shapes.map(([name, shape]) => {
    const values = new Float32Array(shape.reduce((product, size) => product * size, 1));
    for (const at of values.keys()) values[at] = shape.length === 1 ? 1 : random();
    return { name, shape, data: Buffer.from(values.buffer) };
  });
}

const u32 = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer);
const u64 = (value: number): Buffer => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
const f32 = (value: number): Buffer => Buffer.from(Float32Array.of(value).buffer);
const text = (value: string): Buffer => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);
const pair = (name: string, type: number, value: Buffer): Buffer =>
  Buffer.concat([text(name), u32(type), value]);
const list = <T>(name: string, type: number, items: readonly T[], toBytes: (item: T, at: number) => Buffer) =>
  pair(name, ARRAY, Buffer.concat([u32(type), u64(items.length), ...items.map(toBytes)]));
const aligned = (length: number): number => Math.ceil(length / ALIGNMENT) * ALIGNMENT;
const padded = (data: Buffer): Buffer =>
  Buffer.concat([data, Buffer.alloc(aligned(data.length) - data.length)]);
