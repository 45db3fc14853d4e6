/** The name of an API key for display: the key that has no name of its own is called by the language of the page. */
import { DEFAULT_KEY } from '@crewagent/protocol/model';
import type { Translation } from '../i18n/use-translation.ts';
import { toShownLine } from '../ui/sanitize-text.ts';

export function toShownKeyName(name: string, t: Translation['t']): string {
  return name === DEFAULT_KEY ? t('modelForm.firstKey') : toShownLine(name);
}
