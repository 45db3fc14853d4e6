/** Text of bytes. */

/** Undefined if the bytes are not UTF-8. */
export function parseUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
