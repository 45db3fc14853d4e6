/**
 * The text of a file as a string of units that stand for its bytes one to one: a byte each, or in UTF-16 two bytes each.
 * What an edit does not touch is never decoded, so invalid bytes and lone surrogates survive it. Pure.
 */
import { BOM_BYTES, detectEncoding, type TextEncoding } from './text-file.ts';

export interface TextUnits {
  /** Without the byte-order mark. */
  readonly units: string;
  readonly encoding: TextEncoding;
  readonly bom: Buffer;
}

type EncodedUnits =
  | { readonly ok: true; readonly units: string }
  /** The first character that the encoding does not have. */
  | { readonly ok: false; readonly character: string };

/** Undefined if the file is not text. */
export function toTextUnits(bytes: Buffer): TextUnits | undefined {
  const encoding = detectEncoding(bytes);
  if (!encoding) return undefined;
  const bom = bytes.subarray(0, BOM_BYTES[encoding]);
  const body = bytes.subarray(bom.length);
  if (!isWide(encoding)) return { units: body.toString('latin1'), encoding, bom };
  const swapped = encoding === 'utf16be' ? Buffer.from(body).swap16() : body;
  return { units: swapped.toString('utf16le'), encoding, bom };
}

export function toBytes({ units, encoding, bom }: TextUnits): Buffer {
  const body = Buffer.from(units, isWide(encoding) ? 'utf16le' : 'latin1');
  return Buffer.concat([bom, encoding === 'utf16be' ? body.swap16() : body]);
}

/** Units of a text in the encoding of the file. */
export function encodeUnits(text: string, encoding: TextEncoding): EncodedUnits {
  if (isAscii(text)) return { ok: true, units: text };
  if (encoding === 'latin1') {
    const character = /[^\0-\xff]/u.exec(text)?.[0];
    return character === undefined ? { ok: true, units: text } : { ok: false, character };
  }
  const lone = LONE_SURROGATE.exec(text)?.[0];
  if (lone !== undefined) return { ok: false, character: lone };
  return { ok: true, units: isWide(encoding) ? text : Buffer.from(text, 'utf8').toString('latin1') };
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Text of some units; invalid bytes become replacement characters. */
export function decodeUnits(units: string, encoding: TextEncoding): string {
  if (isWide(encoding) || encoding === 'latin1' || isAscii(units)) return units;
  return Buffer.from(units, 'latin1').toString('utf8');
}

/** ASCII characters are the same units in every encoding. */
function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

function isWide(encoding: TextEncoding): boolean {
  return encoding === 'utf16le' || encoding === 'utf16be';
}
