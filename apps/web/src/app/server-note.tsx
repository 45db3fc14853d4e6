/** Says that the server is gone or does not answer, and what to do, on any screen. Disappears when it answers. */
import { useSyncExternalStore } from 'react';
import type { ServerWatch } from '../api/server-watch.ts';
import { useWork } from '../api/work-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import type { Route } from '../navigation/router.ts';
import { ReconnectingNote } from '../ui/errors/reconnecting-note.tsx';
import { Note } from '../ui/note.tsx';

interface ServerNoteProps {
  readonly watch: ServerWatch;
  readonly route: Route;
}

export function ServerNote({ watch, route }: ServerNoteProps) {
  const { t } = useTranslation();
  const isSilent = useSyncExternalStore(watch.subscribe, watch.isSilent);
  const { isCutOff } = useWork();
  // A conversation says it itself, above its composer.
  const isGone = isCutOff && route.name !== 'work';
  return (
    <div role="status" className="pointer-events-none fixed inset-x-3 top-3 z-50 flex justify-center">
      {isSilent || isGone ? (
        <div className="pointer-events-auto w-full max-w-xl rounded-lg bg-raised shadow-raised">
          {isSilent ? (
            <Note level="warning" title={t('connection.silent')} advice={t('connection.silentAdvice')}>
              {t('connection.silentWhy')}
            </Note>
          ) : (
            <ReconnectingNote />
          )}
        </div>
      ) : undefined}
    </div>
  );
}
