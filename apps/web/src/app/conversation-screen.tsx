/** The screen of a conversation: the story in the workspace, how far the run is in the inspector. */
import type { RunModel } from '@crewagent/protocol/model';
import type { RunView } from '@crewagent/protocol/run-view';
import { ListTree, MessageSquareText } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConversationApi } from '../api/conversation-api.ts';
import { ConversationPane } from '../conversation/conversation-pane.tsx';
import { useConversation } from '../conversation/use-conversation.ts';
import { ProgressPanel } from '../run/progress/progress-panel.tsx';
import type { ShownGraph } from '../run/progress/to-progress.ts';
import { changeLayout } from '../state/layout.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { ConversationControls } from './conversation-controls.tsx';
import { InspectorToggle } from './inspector-toggle.tsx';
import { navigate, type Route } from './router.ts';
import { Shell, type ShellProps } from './shell.tsx';
import { StatusBar } from './status-bar.tsx';
import { WorkspaceTabs } from './workspace-tabs.tsx';

interface ConversationScreenProps {
  readonly api: ConversationApi;
  readonly route: Extract<Route, { name: 'conversation' }>;
  readonly graph: ShownGraph | undefined;
  /** Told which workflow is on the screen. */
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
  const { api, route, graph, onRun, title, projectName, sidePanels } = props;
  const { t } = useTranslation();
  const { projectId, conversationId } = route;
  const followed = useConversation(api, conversationId);
  const { active } = followed.picture;
  useShownRun(onRun, active);
  const [tab, setTab] = useState('conversation');
  const isRun = active.nodes.length > 0;
  const pkg = active.package;
  return (
    <Shell
      route={route}
      title={title ?? t('conversation.label')}
      {...(sidePanels ? { sidePanels } : {})}
      main={
        <WorkspaceTabs
          active={tab}
          onChange={setTab}
          onClose={() => setTab('conversation')}
          tabs={[
            {
              id: 'conversation',
              title: title ?? t('conversation.label'),
              icon: <MessageSquareText aria-hidden="true" />,
              canClose: false,
              content: <ConversationPane api={api} conversationId={conversationId} followed={followed} />,
            },
          ]}
          aside={
            <>
              {followed.picture.isEmpty ? undefined : (
                <ConversationControls
                  phase={active.phase}
                  reason={active.reason}
                  onStop={() => api.stop(conversationId)}
                  onResume={() => api.resume(conversationId)}
                />
              )}
              <InspectorToggle />
            </>
          }
        />
      }
      inspector={
        <Tabs
          label={t('inspector.label')}
          active="progress"
          onChange={(inspectorTab) => changeLayout(projectId, { inspectorTab })}
          tabs={[
            {
              id: 'progress',
              label: t('inspector.progress'),
              content: isRun ? (
                <ProgressPanel view={active} graph={graph} onOpenNode={() => undefined} />
              ) : (
                <EmptyState icon={<ListTree />} title={t('inspector.noRun')}>
                  {t('inspector.noRunText')}
                </EmptyState>
              ),
            },
          ]}
        />
      }
      statusBar={
        <StatusBar
          project={projectName}
          packageName={pkg ? `${pkg.name}@${pkg.version}` : undefined}
          model={active.model ? modelName(active.model, t('status.rehearsal')) : undefined}
          phase={active.lastSeq > 0 ? active.phase : undefined}
          costUsd={active.usage.costUsd || undefined}
          actions={{ project: () => navigate({ name: 'project', projectId }) }}
        />
      }
    />
  );
}

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

function modelName(model: RunModel, rehearsal: string): string {
  switch (model.kind) {
    case 'rehearsal':
      return rehearsal;
    case 'replay':
      return model.file;
    case 'provider':
      return model.profile ?? model.settings.model;
  }
}
