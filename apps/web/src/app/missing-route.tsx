/** What is shown for an unknown, deleted or mistyped URL, with a way to continue, and while the server does not answer. */
import { MapPinOff } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import type { ServerWatch } from '../api/server-watch.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { navigate, type Route } from '../navigation/router.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Note } from '../ui/note.tsx';
import { Shell, type ShellProps } from './shell/shell.tsx';

interface MissingRouteProps {
  readonly route: Route;
  readonly what: 'project' | 'work' | 'address';
  readonly sidePanels?: ShellProps['sidePanels'];
}

export function MissingRoute({ route, what, sidePanels }: MissingRouteProps) {
  const { t } = useTranslation();
  const title = t(`missing.${what}`);
  return (
    <Shell
      route={route}
      title={title}
      sidePanels={sidePanels}
      main={
        <EmptyState
          icon={<MapPinOff />}
          title={title}
          isScreen
          action={
            <Button kind="primary" onClick={() => navigate({ name: 'start' })}>
              {t('missing.toStart')}
            </Button>
          }
        >
          {t(`missing.${what}Text`)}
        </EmptyState>
      }
    />
  );
}

/** Says that the server does not answer, and what to do. Disappears when it answers. */
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
