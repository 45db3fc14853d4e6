/**
 * Decoding and encoding of text files: encoding, byte-order mark and line endings are preserved. Bytes that are invalid
 * in their encoding are not; edits work on `text-units.ts`. Pure.
 */
import { isUtf8 } from 'node:buffer';
import mimeTypes from './mime-types.json' with { type: 'json' };

export type TextEncoding = 'utf8' | 'utf8-bom' | 'utf16le' | 'utf16be' | 'latin1';

export interface DecodedText {
  /** Without the byte-order mark. */
  readonly text: string;
  readonly encoding: TextEncoding;
}

const SNIFFED_BYTES = 8_192;

/** Undefined if the file is not text. */
export function decodeText(bytes: Buffer): DecodedText | undefined {
  const encoding = detectEncoding(bytes);
  return encoding && { text: decodeAs(encoding, bytes), encoding };
}

/** Undefined if the file is not text. */
export function detectEncoding(bytes: Buffer): TextEncoding | undefined {
  const marked = markedEncoding(bytes);
  if (marked) return marked;
  if (isBinary(bytes)) return undefined;
  // A legacy 8-bit encoding is read as Latin-1, which maps each byte to one character.
  return isUtf8(bytes) ? 'utf8' : 'latin1';
}

/**
 * Drops a character that was cut in half at the end of a truncated file; otherwise the text would look like Latin-1.
 */
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

/** Undefined if the encoding cannot represent the text. */
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

/** Whether bytes contain NUL or more control characters than text has. */
export function isBinary(bytes: Buffer): boolean {
  const head = bytes.subarray(0, SNIFFED_BYTES);
  if (head.includes(0)) return true;
  let controlCount = 0;
  for (let at = 0; at < head.length; at++) {
    const byte = head[at] ?? 0;
    if (byte < 7 || (byte > 13 && byte < 27) || byte === 127) controlCount++;
  }
  return controlCount > head.length / 50 + 1;
}

/** The line ending of a text; undefined if there is none or it is mixed. */
export function newlineOf(text: string): '\n' | '\r\n' | undefined {
  const all = text.match(/\r?\n/g);
  if (!all) return undefined;
  const windows = all.filter((ending) => ending === '\r\n').length;
  return windows === all.length ? '\r\n' : windows === 0 ? '\n' : undefined;
}

/** Decodes text that begins with a byte-order mark. */
export function decodeWithBom(bytes: Buffer): DecodedText | undefined {
  const encoding = markedEncoding(bytes);
  return encoding && { text: decodeAs(encoding, bytes), encoding };
}

/** The encoding that a byte-order mark states. */
function markedEncoding(bytes: Buffer): TextEncoding | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf8-bom';
  if (bytes.length % 2 !== 0) return undefined;
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf16be' : undefined;
}

/** Bytes of the byte-order mark. */
export const BOM_BYTES: Readonly<Record<TextEncoding, number>> = {
  utf8: 0,
  'utf8-bom': 3,
  utf16le: 2,
  utf16be: 2,
  latin1: 0,
};

function decodeAs(encoding: TextEncoding, bytes: Buffer): string {
  const body = bytes.subarray(BOM_BYTES[encoding]);
  if (encoding === 'utf16be') return Buffer.from(body).swap16().toString('utf16le');
  return body.toString(encoding === 'utf8-bom' ? 'utf8' : encoding);
}

/** Guessed from the name; tells the model what kind of binary file it is. */
export function mimeOf(name: string): string {
  const types: Readonly<Record<string, string>> = mimeTypes.binary;
  return types[name.toLowerCase().split('.').at(-1) ?? ''] ?? 'application/octet-stream';
}
