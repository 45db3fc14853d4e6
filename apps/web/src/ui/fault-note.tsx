/** What did not work, where it was tried. The sentence is the server's, where it could say one. */

import { useTranslation } from '../i18n/use-translation.ts';
import { toFaultWords } from './fault-words.ts';
import { toShownText } from './foreign-text.ts';
import { Note } from './note.tsx';

export function FaultNote({ fault }: { readonly fault: Error | string | null | undefined }) {
  const { t } = useTranslation();
  if (fault === undefined || fault === null) return undefined;
  return (
    <Note level="error" title={t('fault.title')}>
      {toShownText(toFaultWords(fault))}
    </Note>
  );
}
