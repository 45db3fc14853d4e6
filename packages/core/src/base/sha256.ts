/** SHA-256 as hexadecimal digits. */
import { createHash } from 'node:crypto';

/** Of a text: of its bytes in UTF-8. */
export function sha256Of(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}
