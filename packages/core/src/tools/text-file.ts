/**
 * Bytes as text and back without losing anything: encoding, byte-order mark and line endings are kept. Pure.
 */
export type TextEncoding = 'utf8' | 'utf8-bom' | 'utf16le' | 'utf16be' | 'latin1';

export interface DecodedText {
  /** Without the byte-order mark. */
  readonly text: string;
  readonly encoding: TextEncoding;
}

const SNIFFED_BYTES = 8_192;

/** The text of a file, or undefined for what is not text. */
export function decodeText(bytes: Buffer): DecodedText | undefined {
  const marked = decodeMarked(bytes);
  if (marked) return marked;
  if (isBinary(bytes)) return undefined;
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'utf8' };
  } catch {
    // Some older eight-bit encoding. Each byte becomes one character, so that every byte survives an edit.
    return { text: bytes.toString('latin1'), encoding: 'latin1' };
  }
}

/** The beginning of a text, cut at any byte: without the character that was cut, which would make it look like Latin-1. */
export function withoutPartialCharacter(content: Buffer): Buffer {
  const [first, second] = content;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    return content.subarray(0, content.length - (content.length % 2));
  for (let back = 1; back <= 3 && back <= content.length; back++) {
    const byte = content[content.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return needed > back ? content.subarray(0, content.length - back) : content;
  }
  return content;
}

/** The bytes of a text; undefined when the encoding cannot express it. */
export function encodeText(text: string, encoding: TextEncoding): Buffer | undefined {
  switch (encoding) {
    case 'utf8':
      return Buffer.from(text, 'utf8');
    case 'utf8-bom':
      return Buffer.from(`\uFEFF${text}`, 'utf8');
    case 'utf16le':
      return Buffer.from(`\uFEFF${text}`, 'utf16le');
    case 'utf16be':
      return Buffer.from(`\uFEFF${text}`, 'utf16le').swap16();
    case 'latin1':
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of one byte
      return /^[\u0000-\u00ff]*$/.test(text) ? Buffer.from(text, 'latin1') : undefined;
  }
}

/** Whether bytes are something other than text: a NUL, or control characters that no text has. */
export function isBinary(bytes: Buffer): boolean {
  const head = bytes.subarray(0, SNIFFED_BYTES);
  if (head.includes(0)) return true;
  let odd = 0;
  for (let at = 0; at < head.length; at++) {
    const byte = head[at] ?? 0;
    if (byte < 7 || (byte > 13 && byte < 27) || byte === 127) odd++;
  }
  return odd > head.length / 50 + 1;
}

/** The line ending of a text that uses one throughout. */
export function newlineOf(text: string): '\n' | '\r\n' | undefined {
  const all = text.match(/\r?\n/g);
  if (!all) return undefined;
  const windows = all.filter((ending) => ending === '\r\n').length;
  return windows === all.length ? '\r\n' : windows === 0 ? '\n' : undefined;
}

/** Text with a byte-order mark. */
export function decodeMarked(bytes: Buffer): DecodedText | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return { text: bytes.toString('utf8', 3), encoding: 'utf8-bom' };
  }
  if (bytes.length % 2 !== 0) return undefined;
  if (bytes[0] === 0xff && bytes[1] === 0xfe)
    return { text: bytes.toString('utf16le', 2), encoding: 'utf16le' };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) {
    return { text: Buffer.from(bytes.subarray(2)).swap16().toString('utf16le'), encoding: 'utf16be' };
  }
  return undefined;
}

const MIME_BY_EXTENSION: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  ico: 'image/x-icon',
  zip: 'application/zip',
  bmad: 'application/zip',
  gz: 'application/gzip',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  wasm: 'application/wasm',
};

/** A guess by name, for telling the model what kind of file it cannot read as text. */
export function mimeOf(name: string): string {
  return MIME_BY_EXTENSION[name.toLowerCase().split('.').at(-1) ?? ''] ?? 'application/octet-stream';
}
