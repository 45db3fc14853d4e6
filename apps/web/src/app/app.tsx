/**
 * The page: which screen is shown for which address. Screens that need the server are shown when there is one; without it the
 * page says how to get one.
 */
import { type ApiClient, ApiError } from '@crewagent/protocol/api/client';
import { PlugZap } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiProvider } from '../api/api-context.tsx';
import { useWork, WorkProvider } from '../api/work-context.tsx';
import { PackagesSection } from '../start/packages-section.tsx';
import { StartScreen } from '../start/start-screen.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Toasts } from '../ui/toasts.tsx';
import { TooltipProvider } from '../ui/tooltip.tsx';
import { LiveConversation } from './live-conversation.tsx';
import { ProjectScreen } from './project-screen.tsx';
import { type Route, useRoute } from './router.ts';
import { SettingsScreen } from './settings-screen.tsx';
import { Shell } from './shell.tsx';

export interface AppProps {
  /** Undefined while there is no server behind the page. */
  readonly client: ApiClient | undefined;
}

export function App({ client }: AppProps) {
  const route = useRoute();
  return (
    <TooltipProvider>
      {client ? (
        <ApiProvider client={client}>
          <WorkProvider>
            <Screen route={route} />
          </WorkProvider>
        </ApiProvider>
      ) : (
        <WithoutServer route={route} />
      )}
      <Toasts />
    </TooltipProvider>
  );
}

function Screen({ route }: { readonly route: Route }): ReactNode {
  const { t } = useTranslation();
  const { fault } = useWork();
  // The token is of a server that is gone.
  if (fault instanceof ApiError && fault.status === 401) return <WithoutServer route={route} />;
  switch (route.name) {
    case 'settings':
      return <Shell route={route} title={t('rail.settings')} main={<SettingsScreen />} />;
    case 'start':
      return <Shell route={route} title={t('rail.start')} main={<StartScreen />} />;
    case 'packages':
      return <Shell route={route} title={t('rail.packages')} main={<PackagesScreen />} />;
    case 'project':
      return <ProjectScreen route={route} />;
    case 'conversation':
      return <LiveConversation key={route.conversationId} route={route} />;
  }
}

function PackagesScreen() {
  return (
    <div className="h-full overflow-auto bg-surface">
      <div className="mx-auto max-w-3xl px-4 sm:px-6">
        <PackagesSection />
      </div>
    </div>
  );
}

function WithoutServer({ route }: { readonly route: Route }) {
  const { t } = useTranslation();
  if (route.name === 'settings')
    return <Shell route={route} title={t('rail.settings')} main={<SettingsScreen />} />;
  return (
    <Shell
      route={route}
      title={t('connection.none')}
      main={
        <EmptyState icon={<PlugZap />} title={t('connection.none')}>
          {t('connection.how')} <code className="font-mono text-sm text-ink">crewagent serve</code>
        </EmptyState>
      }
    />
  );
}
