/** The screen of a conversation, or of a run that belongs to none: the story in the workspace, the rest in the inspector. */
import type { RunView } from '@crewagent/protocol/run-view';
import { MessageSquareText } from 'lucide-react';
import { lazy, Suspense, useEffect, useMemo } from 'react';
import type { ConversationApi } from '../api/conversation-api.ts';
import { ConversationPane } from '../conversation/conversation-pane.tsx';
import { useConversation } from '../conversation/use-conversation.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { subjectOf, useInspected } from '../run/inspector/use-inspected.ts';
import type { ShownGraph } from '../run/progress/to-progress.ts';
import { ErrorBoundary } from '../ui/error-boundary.tsx';
import { toShownLine } from '../ui/foreign-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { AfterCompletion } from './after-completion.tsx';
import { ConversationControls } from './conversation-controls.tsx';
import { InspectorToggle } from './inspector-toggle.tsx';
import type { Route } from './router.ts';
import { RunStatus } from './run-status.tsx';
import { Shell, type ShellProps } from './shell.tsx';
import { useAttention } from './use-attention.ts';
import { Workspace } from './workspace.tsx';

interface ConversationScreenProps {
  readonly api: ConversationApi;
  readonly route: Extract<Route, { name: 'conversation' | 'run' }>;
  readonly graph: ShownGraph | undefined;
  /** Told which workflow is looked into. */
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
  const { projectId } = route;
  const title = props.title ?? t('conversation.label');
  const id = route.name === 'run' ? route.runId : route.conversationId;
  const followed = useConversation(api, id);
  const { picture } = followed;
  const { active } = picture;
  const inspected = useInspected(id, picture);
  useShownRun(onRun, inspected.view);
  useAttention({ title, phase: picture.isEmpty ? undefined : active.phase });
  // Words that are being written change neither: they are drawn anew with events, not with each frame of a reply.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a view changes each frame, what is told of it with its events
  const inspector = useMemo(
    () => <Inspector projectId={projectId} graph={graph} inspected={inspected} />,
    [
      projectId,
      graph,
      inspected.view.runId,
      inspected.view.lastSeq,
      inspected.choices.length,
      picture.timeline,
    ],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: likewise
  const statusBar = useMemo(
    () => (
      <RunStatus
        projectId={projectId}
        projectName={projectName}
        active={active}
        subject={subjectOf(active, id)}
      />
    ),
    [projectId, projectName, id, active.runId, active.lastSeq],
  );
  return (
    <Shell
      route={route}
      title={title}
      {...(sidePanels ? { sidePanels } : {})}
      main={
        <Workspace
          projectId={projectId}
          title={title}
          icon={<MessageSquareText aria-hidden="true" />}
          aside={
            <>
              {picture.isEmpty ? undefined : (
                <ConversationControls
                  projectId={projectId}
                  active={active}
                  subject={inspected.subject}
                  onStop={() => api.stop(id)}
                  onResume={() => api.resume(id)}
                />
              )}
              <InspectorToggle />
            </>
          }
        >
          <Headings title={title} active={active} />
          <ConversationPane
            api={api}
            conversationId={id}
            followed={followed}
            afterCompletion={<AfterCompletion projectId={projectId} active={inspected.view} />}
          />
        </Workspace>
      }
      inspector={
        <ErrorBoundary>
          <Suspense fallback={<Skeleton className="m-3 h-40" />}>{inspector}</Suspense>
        </ErrorBoundary>
      }
      statusBar={statusBar}
    />
  );
}

/** Of a long story only a part is on the page: these are there wherever it begins. */
function Headings({ title, active }: { readonly title: string; readonly active: Readonly<RunView> }) {
  const { t } = useTranslation();
  const { nodes, state } = active;
  const place = nodes.find(({ id }) => id === state.currentNodeId)?.title ?? title;
  return (
    <div className="sr-only">
      <h1>{toShownLine(title)}</h1>
      <h2>{t('timeline.label')}</h2>
      <h3>{toShownLine(place)}</h3>
    </div>
  );
}

const Inspector = lazy(() => import('../run/inspector/inspector.tsx'));

function useShownRun(
  onRun: ConversationScreenProps['onRun'],
  { package: pkg, workflow, nodes }: Readonly<RunView>,
): void {
  const packageHash = nodes.length > 0 ? pkg?.hash : undefined;
  const ref = workflow?.ref;
  useEffect(() => {
    onRun?.(packageHash === undefined || ref === undefined ? undefined : { packageHash, workflow: ref });
  }, [onRun, packageHash, ref]);
}
