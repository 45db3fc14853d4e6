/** Says that the server does not answer, and what to do. Disappears when it answers. */
import { useSyncExternalStore } from 'react';
import type { ServerWatch } from '../api/server-watch.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Note } from '../ui/note.tsx';

export function SilentServer({ watch }: { readonly watch: ServerWatch }) {
  const { t } = useTranslation();
  const isSilent = useSyncExternalStore(watch.subscribe, watch.isSilent);
  return (
    <div role="status" className="pointer-events-none fixed inset-x-3 top-3 z-50 flex justify-center">
      {isSilent ? (
        <div className="pointer-events-auto w-full max-w-xl rounded-lg bg-raised shadow-raised">
          <Note level="warning" title={t('connection.silent')} advice={t('connection.silentAdvice')}>
            {t('connection.silentWhy')}
          </Note>
        </div>
      ) : undefined}
    </div>
  );
}
