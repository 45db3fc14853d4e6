/**
 * A fault of a call in words a person can use. What the server says is said as it is; where there is no server to say
 * anything, the browser has a sentence that helps nobody.
 */
import { i18n } from '../i18n/i18n.ts';

export function toFaultWords(fault: unknown): string {
  if (isNotReached(fault)) return i18n.t('fault.notReached');
  return fault instanceof Error ? fault.message : String(fault);
}

/** Browsers throw a TypeError for it, as for mistakes in a program; only its sentence tells them apart. */
function isNotReached(fault: unknown): boolean {
  return fault instanceof TypeError && NOT_REACHED.test(fault.message);
}

/** Chromium, Safari, Firefox, a body that breaks off, and our own word for a stream that does. */
const NOT_REACHED =
  /^(?:failed to fetch|load failed|networkerror when attempting|network ?error$|the connection has ended)/i;
