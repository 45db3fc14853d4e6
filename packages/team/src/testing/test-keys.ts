/** Encrypt the secrets of tests. */
import { parseKeys } from '../secrets/key-ring.ts';

export const TEST_KEYS = parseKeys(Buffer.alloc(32, 7).toString('base64'));
