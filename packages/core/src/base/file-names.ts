/**
 * What file names mean on the disks of the world: which are reserved, which are one and the same.
 */
const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i;

/** Why some system cannot keep a name as it is, as the end of "the name …"; undefined when all can. */
export function segmentDanger(segment: string): string | undefined {
  if (RESERVED.test(segment.replace(/[. ]+$/, ''))) return `contains the reserved device name "${segment}"`;
  if (/[. ]$/.test(segment)) return 'has a part that ends in a dot or a space';
  if (Buffer.byteLength(segment) > 255) return 'has a part longer than 255 bytes';
  return undefined;
}

/**
 * Equal for names that some disk takes for one: other case, other Unicode form.
 * Upper then lower case, so that letters that only fold one way (ß, ſ, K) meet.
 */
export function foldName(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}
