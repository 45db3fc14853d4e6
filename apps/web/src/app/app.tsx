/**
 * The page: maps routes to screens. Screens that need the server are shown if there is one; without it the page says how to start
 * it.
 */
import { type ApiClient, ApiError } from '@crewagent/protocol/api/client';
import { PlugZap } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { ApiProvider } from '../api/api-context.tsx';
import { FileLinks } from '../api/file-links.tsx';
import { useProjects } from '../api/queries.ts';
import type { ServerWatch } from '../api/server-watch.ts';
import { useWork, WorkProvider } from '../api/work-context.tsx';
import { type Translation, useTranslation } from '../i18n/use-translation.ts';
import { useExportedBundle } from '../navigation/opened-bundle.ts';
import { type Route, useRoute } from '../navigation/router.ts';
import { usePrinting } from '../state/printing.ts';
import { useTeamServer } from '../state/team-server.ts';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/code/code-block.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorBoundary } from '../ui/errors/error-boundary.tsx';
import { keepFocus } from '../ui/keep-focus.ts';
import { Toasts } from '../ui/overlays/toasts.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { TooltipProvider } from '../ui/tooltip.tsx';
import { AttentionWatch } from './attention-watch.tsx';
import { LoadedWork } from './loaded-work.tsx';
import { MissingRoute } from './missing-route.tsx';
import { ProjectScreen } from './project-screen.tsx';
import { ServerNote } from './server-note.tsx';
import { Shell } from './shell/shell.tsx';
import { TextFinder } from './shell/text-finder.tsx';
import { useDesktop } from './use-desktop.ts';
import { useGuardedPage } from './use-guarded-page.ts';

export interface AppProps {
  /** Undefined without a server. */
  readonly client: ApiClient | undefined;
  readonly watch?: ServerWatch;
}

export function App({ client, watch }: AppProps) {
  const route = useRoute();
  useGuardedPage();
  useDesktop();
  useEffect(keepFocus, []);
  return (
    <TooltipProvider>
      {client ? (
        <ApiProvider client={client}>
          <WorkProvider>
            <ErrorBoundary resetKey={route} isScreen>
              <Screen route={route} />
            </ErrorBoundary>
            <TextFinder />
            <AttentionWatch route={route} />
            <Printing />
            <Exporting />
            {watch ? <ServerNote watch={watch} route={route} /> : undefined}
          </WorkProvider>
        </ApiProvider>
      ) : (
        <ErrorBoundary resetKey={route} isScreen>
          <WithoutServer route={route} />
        </ErrorBoundary>
      )}
      <Toasts />
    </TooltipProvider>
  );
}

/** Nothing, unless a document is being printed. */
function Printing() {
  const printed = usePrinting((state) => state.printed);
  if (!printed) return undefined;
  return (
    <Suspense>
      <PrintSheet printed={printed} />
    </Suspense>
  );
}

/** Nothing, unless a run is being exported as one file. */
function Exporting() {
  const workId = useExportedBundle((exported) => exported.workId);
  if (workId === undefined) return undefined;
  return (
    <Suspense>
      <ExportBundleDialog workId={workId} onClose={() => useExportedBundle.setState({ workId: undefined })} />
    </Suspense>
  );
}

const ExportBundleDialog = lazy(() => import('../bundles/export-bundle-dialog.tsx'));
const PrintSheet = lazy(() => import('../files/document/print-sheet.tsx'));

function Screen({ route }: { readonly route: Route }): ReactNode {
  const { t } = useTranslation();
  const { issue } = useWork();
  const isTeam = useTeamServer(({ me }) => me !== undefined);
  const isSignedOut = issue instanceof ApiError && issue.status === 401;
  useEffect(() => {
    if (isTeam && isSignedOut) location.assign('/sign-in');
  }, [isTeam, isSignedOut]);
  // The server has a new token.
  if (isSignedOut && !isTeam) return <WithoutServer route={route} isSignedOut />;
  switch (route.name) {
    case 'settings':
      return toScreen(t, route, <SettingsScreen section={route.section} />);
    case 'start':
      return toScreen(t, route, <StartScreen />);
    case 'open':
      return toScreen(t, route, <OpenBundleScreen />);
    case 'team':
      return isTeam ? toScreen(t, route, <TeamScreen />) : <MissingRoute route={route} what="address" />;
    case 'help':
      return toScreen(t, route, <HelpScreen page={route.page} />);
    case 'packages':
      return toScreen(
        t,
        route,
        route.folder === undefined ? (
          <PackagesScreen hash={route.hash} />
        ) : (
          <AuthorScreen key={route.folder} folder={route.folder} />
        ),
      );
    case 'compare':
      return toScreen(t, route, <CompareScreen key={route.works.join()} works={route.works} />);
    case 'project':
    case 'work':
      return <InProject key={route.projectId} route={route} />;
    case 'nowhere':
      return <MissingRoute route={route} what="address" />;
  }
}

function InProject({ route }: { readonly route: Extract<Route, { projectId: string }> }): ReactNode {
  const { data: projects, isFetching, isFetchedAfterMount } = useProjects();
  const isKnown = projects?.some(({ projectId }) => projectId === route.projectId);
  // A cached list may lack the project that was just opened.
  if (isKnown === false && (isFetchedAfterMount || !isFetching))
    return <MissingRoute route={route} what="project" />;
  return (
    <FileLinks projectId={route.projectId}>
      {route.name === 'project' ? (
        <ProjectScreen route={route} />
      ) : (
        <LoadedWork key={route.workId} route={route} />
      )}
    </FileLinks>
  );
}

const StartScreen = lazy(() => import('../start/start-screen.tsx'));
const OpenBundleScreen = lazy(() => import('../bundles/open-bundle-screen.tsx'));
const PackagesScreen = lazy(() => import('../packages/packages-screen.tsx'));
const AuthorScreen = lazy(() => import('../author/author-screen.tsx'));
const CompareScreen = lazy(() => import('../compare/compare-screen.tsx'));
const HelpScreen = lazy(() => import('../help/help-screen.tsx'));
const TeamScreen = lazy(() => import('../team/team-screen.tsx'));
const SettingsScreen = lazy(() => import('../settings/settings-screen.tsx'));

type LazyRoute = Extract<
  Route,
  { name: 'settings' | 'start' | 'open' | 'team' | 'packages' | 'compare' | 'help' }
>;

/**
 * Screens that are not needed to follow a conversation are loaded on demand. Not a component: the shell stays mounted from screen to
 * screen, and moves the focus.
 */
function toScreen(t: Translation['t'], route: LazyRoute, screen: ReactNode): ReactNode {
  const loading = (
    <div className="page-column h-full">
      <Skeleton className="h-40" />
    </div>
  );
  return (
    <Shell
      route={route}
      title={t(`rail.${route.name}`)}
      main={
        <ErrorBoundary resetKey={route} isScreen>
          <Suspense fallback={loading}>{screen}</Suspense>
        </ErrorBoundary>
      }
    />
  );
}

interface WithoutServerProps {
  readonly route: Route;
  /** A server responds, but the page's token is not valid. */
  readonly isSignedOut?: boolean;
}

function WithoutServer({ route, isSignedOut = false }: WithoutServerProps) {
  const { t } = useTranslation();
  if (route.name === 'settings')
    return toScreen(t, route, <SettingsScreen section={route.section} hasServer={false} />);
  const title = t(isSignedOut ? 'connection.signedOut' : 'connection.none');
  return (
    <Shell
      route={route}
      title={title}
      main={
        <EmptyState
          icon={<PlugZap />}
          title={title}
          isScreen
          action={
            <div className="flex w-full max-w-80 flex-col items-center gap-3">
              <div className="w-full text-left">
                <CodeBlock text="crewagent serve" label={t('connection.command')} />
              </div>
              {isSignedOut ? (
                <Button kind="primary" onClick={() => location.reload()}>
                  {t('connection.reconnect')}
                </Button>
              ) : undefined}
            </div>
          }
        >
          {t(isSignedOut ? 'connection.signedOutHow' : 'connection.how')}
        </EmptyState>
      }
    />
  );
}
