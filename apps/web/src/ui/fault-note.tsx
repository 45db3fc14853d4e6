/** What did not work, where it was tried. The sentence is the server's. */
import { useTranslation } from '../i18n/use-translation.ts';
import { toShownText } from './foreign-text.ts';
import { Note } from './note.tsx';

export function FaultNote({ fault }: { readonly fault: string | undefined }) {
  const { t } = useTranslation();
  if (fault === undefined) return undefined;
  return (
    <Note level="error" title={t('fault.title')}>
      {toShownText(fault)}
    </Note>
  );
}
