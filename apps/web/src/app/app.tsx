/**
 * The page: which screen is shown for which address. Screens that need the server are shown when there is one; without it the
 * page says how to get one.
 */
import { Boxes, FolderTree, PlugZap } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConversationApi } from '../api/conversation-api.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { Toasts } from '../ui/toasts.tsx';
import { TooltipProvider } from '../ui/tooltip.tsx';
import { ConversationScreen } from './conversation-screen.tsx';
import { type Route, useRoute } from './router.ts';
import { SettingsScreen } from './settings-screen.tsx';
import { Shell } from './shell.tsx';

export interface AppProps {
  /** Undefined while there is no server behind the page. */
  readonly conversations: ConversationApi | undefined;
}

export function App({ conversations }: AppProps) {
  const route = useRoute();
  return (
    <TooltipProvider>
      <Screen route={route} conversations={conversations} />
      <Toasts />
    </TooltipProvider>
  );
}

function Screen({ route, conversations }: AppProps & { readonly route: Route }): ReactNode {
  const { t } = useTranslation();
  if (route.name === 'settings')
    return <Shell route={route} title={t('rail.settings')} main={<SettingsScreen />} />;
  if (route.name === 'conversation' && conversations) {
    return <ConversationScreen api={conversations} route={route} graph={undefined} />;
  }
  return (
    <Shell
      route={route}
      title={t(TITLES[route.name])}
      main={<NothingYet route={route} isConnected={conversations !== undefined} />}
    />
  );
}

const TITLES = {
  start: 'rail.start',
  packages: 'rail.packages',
  settings: 'rail.settings',
  project: 'rail.works',
  conversation: 'conversation.label',
} as const;

function NothingYet({ route, isConnected }: { readonly route: Route; readonly isConnected: boolean }) {
  const { t } = useTranslation();
  if (!isConnected) {
    return (
      <EmptyState icon={<PlugZap />} title={t('connection.none')}>
        {t('connection.how')} <code className="font-mono text-sm text-ink">crewagent serve</code>
      </EmptyState>
    );
  }
  return route.name === 'packages' ? (
    <EmptyState icon={<Boxes />} title={t('packages.emptyTitle')}>
      {t('packages.emptyText')}
    </EmptyState>
  ) : (
    <EmptyState icon={<FolderTree />} title={t('project.emptyTitle')}>
      {t('project.emptyText')}
    </EmptyState>
  );
}
