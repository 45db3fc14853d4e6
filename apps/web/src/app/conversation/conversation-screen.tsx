/** Screen of a conversation, or of a run without one: the timeline in the workspace, details in the inspector. */
import { ApiError } from '@crewagent/protocol/api/client';
import { MessageSquareText } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useContext, useDeferredValue, useEffect, useMemo } from 'react';
import type { WorkApi } from '../../api/work-api.ts';
import { ConversationPane } from '../../conversation/conversation-pane.tsx';
import { type FollowedConversation, useConversation } from '../../conversation/use-conversation.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import type { Route } from '../../navigation/router.ts';
import { type Inspected, useInspected, useInspectedKind } from '../../run/inspector/use-inspected.ts';
import type { ShownGraph } from '../../run/progress/to-progress.ts';
import { useReplay } from '../../run/replay/use-replay.ts';
import { ChangeScopeContext } from '../../run/timeline/change-scope.ts';
import { changeMarkOf } from '../../run/to-artifacts.ts';
import type { ShownStory } from '../../state/conversation-store.ts';
import { changeLayout } from '../../state/layout.ts';
import { ModelFixContext } from '../../state/model-fix.ts';
import { useShownRun } from '../../state/shown-run.ts';
import { useMay } from '../../state/team-server.ts';
import { ErrorBoundary } from '../../ui/errors/error-boundary.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { MissingRoute } from '../missing-route.tsx';
import { ProjectConflicts, WaitingForWorker } from '../project-conflicts.tsx';
import { InspectorContext, InspectorToggle } from '../shell/inspector-toggle.tsx';
import { Shell, type ShellProps } from '../shell/shell.tsx';
import { Workspace } from '../shell/workspace.tsx';
import { ConversationControls } from './conversation-controls.tsx';
import { BelowReplayBar, ReplayedConversation, ReplayFrame } from './replay-frame.tsx';
import { RunStatus } from './run-status.tsx';
import { useAttention } from './use-attention.ts';
import { useModelFixes } from './use-model-fixes.tsx';

interface ConversationScreenProps {
  readonly api: WorkApi;
  readonly route: Extract<Route, { name: 'work' }>;
  readonly graph: ShownGraph | undefined;
  /** Called with the inspected run. */
  readonly onRun?: (run: ShownRun | undefined) => void;
  readonly title?: string | undefined;
  readonly projectName?: string | undefined;
  readonly sidePanels?: ShellProps['sidePanels'];
}

export interface ShownRun {
  readonly packageHash: string;
  readonly workflow: string;
}

export function ConversationScreen(props: ConversationScreenProps) {
  const { api, route, graph, onRun, projectName, sidePanels } = props;
  const { t } = useTranslation();
  const { projectId, workId } = route;
  const title = props.title ?? t('conversation.label');
  const followed = useConversation(api, workId);
  const replaying = useReplay(api, workId);
  const picture = replaying?.picture ?? followed.picture;
  const { active } = picture;
  const isConnected = followed.connection !== 'broken';
  const changeScope = useMemo(() => ({ projectId, picture }), [projectId, picture]);
  const mayRun = useMay(projectId, 'run');
  const inspected = useInspected(picture);
  const inspectedKind = useInspectedKind(workId, picture, inspected);
  const inspector = useInspector(projectId, graph, inspected, inspectedKind);
  useInspectedRun(onRun, inspected.view);
  useRunFiles(projectId, inspected);
  const live = followed.picture;
  useAttention(title, live.isEmpty ? undefined : live.active);
  const fixes = useModelFixes(live.called, route.projectId, () => api.resume(workId));
  if (isMissing(followed)) return <MissingRoute {...{ route, sidePanels }} what="work" />;
  return (
    <ReplayFrame replaying={replaying} loadEarlier={followed.loadEarlier} isViewOnly={!mayRun}>
      <Shell
        route={route}
        title={title}
        sidePanels={sidePanels}
        main={
          <BelowReplayBar replaying={replaying}>
            <Workspace
              projectId={projectId}
              title={title}
              icon={<MessageSquareText />}
              isWaiting={!replaying && active.pending !== undefined}
              overview={
                inspected.view.workflow ? (
                  <Overview
                    {...{ projectId, graph }}
                    view={inspected.view}
                    runs={inspected.runs}
                    onChooseRun={inspected.choose}
                  />
                ) : replaying && [...live.runs.values()].some(({ workflow }) => workflow) ? (
                  // The tab stays, so that the run begins in it.
                  <ReplayBeginning />
                ) : undefined
              }
              aside={
                <>
                  {picture.isEmpty || replaying ? undefined : (
                    <ConversationControls
                      projectId={projectId}
                      active={active}
                      inspected={inspected.view}
                      isConnected={isConnected}
                      onStop={() => api.stop(workId)}
                      onResume={() => api.resume(workId)}
                    />
                  )}
                  <InspectorToggle />
                </>
              }
            >
              <Headings title={title} active={active} />
              <ProjectConflicts projectId={projectId} workId={workId} />
              {replaying ? undefined : <WaitingForWorker workId={workId} />}
              {replaying ? (
                <ReplayedConversation replaying={replaying} />
              ) : (
                <ChangeScopeContext value={mayRun ? changeScope : undefined}>
                  <ModelFixContext value={fixes.value}>
                    <ConversationPane
                      {...{ api, workId, followed }}
                      isViewOnly={!mayRun}
                      afterCompletion={(isAgain) => (
                        <Ending projectId={projectId} inspected={inspected} isAgain={isAgain} />
                      )}
                    />
                  </ModelFixContext>
                </ChangeScopeContext>
              )}
              {fixes.dialog}
            </Workspace>
          </BelowReplayBar>
        }
        inspected={inspectedKind}
        inspector={inspector}
        statusBar={
          <RunStatus
            projectId={projectId}
            projectName={projectName}
            active={active}
            called={picture.callPath.flatMap(({ runId }) => picture.runs.get(runId) ?? [])}
            isConnected={isConnected}
          />
        }
      />
    </ReplayFrame>
  );
}

/** Rendered after the timeline, in small steps: a run changes often, and what the model writes comes first. */
function useInspector(
  projectId: string,
  graph: ShownGraph | undefined,
  latest: Inspected,
  kind: 'run' | 'thread',
): ReactNode {
  const inspected = useDeferredValue(latest);
  return useMemo(
    () => (
      <ErrorBoundary>
        <Suspense fallback={<Skeleton className="m-3 h-40" />}>
          <Inspector {...{ projectId, graph, inspected, kind }} />
        </Suspense>
      </ErrorBoundary>
    ),
    [projectId, graph, inspected, kind],
  );
}

/** The server knows no Work with this id, or rejects the id. */
function isMissing({ picture, issue }: FollowedConversation): boolean {
  return picture.isEmpty && issue instanceof ApiError && (issue.status === 404 || issue.status === 400);
}

interface EndingProps {
  readonly projectId: string;
  readonly inspected: Inspected;
  readonly isAgain: boolean;
}

/** Loaded with the first run that is complete. */
function Ending({ projectId, inspected: { view, runs }, isAgain }: EndingProps) {
  const { show } = useContext(InspectorContext);
  const onInspect = (inspectorTab: string): void => {
    changeLayout(projectId, { inspectorTab });
    show();
  };
  // About as high as what comes: the lines above it stay where they are.
  const height = isAgain ? 'h-8' : view.state.artifacts.length > 0 ? 'h-152' : 'h-64';
  const room = <Skeleton className={`my-3 rounded-xl ${height}`} />;
  return (
    <Suspense fallback={room}>
      <ClosingCard {...{ projectId, view, runs, isAgain, onInspect, room }} />
    </Suspense>
  );
}

const ClosingCard = lazy(() => import('../../results/closing-card.tsx'));

/** A virtualized timeline has only some headings: these are always present. */
function Headings({ title, active }: { readonly title: string; readonly active: ShownStory }) {
  const { t } = useTranslation();
  const { nodes, state } = active;
  const step = nodes.find(({ id }) => id === state.currentNodeId)?.title ?? title;
  return (
    <div className="sr-only">
      <h1>{toShownLine(title)}</h1>
      <h2>{t('timeline.label')}</h2>
      <h3>{toShownLine(step)}</h3>
    </div>
  );
}

const ReplayBeginning = lazy(() => import('../../run/replay/replay-beginning.tsx'));

const Overview = lazy(() => import('../../run/overview/overview.tsx'));

const Inspector = lazy(() => import('../../run/inspector/inspector.tsx'));

function useInspectedRun(
  onRun: ConversationScreenProps['onRun'],
  { package: pkg, workflow }: ShownStory,
): void {
  const packageHash = pkg?.hash;
  const ref = workflow?.ref;
  useEffect(() => {
    onRun?.(packageHash === undefined || ref === undefined ? undefined : { packageHash, workflow: ref });
  }, [onRun, packageHash, ref]);
}

/** Tabs of files show the versions that this run made. */
function useRunFiles(projectId: string, { view, runs }: Inspected): void {
  const { runId, nodes } = view;
  const mark = changeMarkOf(view, runs);
  useEffect(() => {
    const titles = new Map(nodes.map(({ id, title }) => [id, title]));
    useShownRun.setState({ run: { projectId, runId, mark, titles } });
    return () => useShownRun.setState({ run: undefined });
  }, [projectId, runId, mark, nodes]);
}
