/** The SHA-256 of some bytes, in hexadecimal digits. */
import { createHash } from 'node:crypto';

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
