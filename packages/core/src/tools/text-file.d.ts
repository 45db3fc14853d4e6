/**
 * Bytes as text and back without losing anything: encoding, byte-order mark and line endings are kept. Pure.
 */
export type TextEncoding = 'utf8' | 'utf8-bom' | 'utf16le' | 'utf16be' | 'latin1';
export interface DecodedText {
  /** Without the byte-order mark. */
  readonly text: string;
  readonly encoding: TextEncoding;
}
/** The text of a file, or undefined for what is not text. */
export declare function decodeText(bytes: Buffer): DecodedText | undefined;
/** The bytes of a text; undefined when the encoding cannot express it. */
export declare function encodeText(text: string, encoding: TextEncoding): Buffer | undefined;
/** Whether bytes are something other than text: a NUL, or control characters that no text has. */
export declare function isBinary(bytes: Buffer): boolean;
/** The line ending of a text that uses one throughout. */
export declare function newlineOf(text: string): '\n' | '\r\n' | undefined;
/** A guess by name, for telling the model what kind of file it cannot read as text. */
export declare function mimeOf(name: string): string;
