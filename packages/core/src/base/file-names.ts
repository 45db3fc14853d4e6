/**
 * File names across file systems: reserved names, and names that are considered equal.
 */
const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i;

/** Why some file system does not support a name, to complete "the name …"; undefined if all do. */
export function segmentDanger(segment: string): string | undefined {
  if (RESERVED.test(segment.replace(/[. ]+$/, ''))) return `contains the reserved device name "${segment}"`;
  if (/[. ]$/.test(segment)) return 'has a part that ends in a dot or a space';
  if (Buffer.byteLength(segment) > 255) return 'has a part longer than 255 bytes';
  return undefined;
}

/**
 * Equal for names that some file system considers equal: other case, other Unicode form. Upper then lower case, so that
 * letters that fold only one way (ß, ſ, K) match.
 */
export function foldName(name: string): string {
  // Most names; all others take three times as long.
  if (ASCII.test(name)) return name.toLowerCase();
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

const ASCII = /^[\0-\x7f]*$/;
