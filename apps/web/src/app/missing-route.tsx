/** What is shown for an unknown, deleted or mistyped URL, with a way to continue. */
import { MapPinOff } from 'lucide-react';
import { useTranslation } from '../i18n/use-translation.ts';
import { navigate, type Route } from '../navigation/router.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
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
