/** The screen of a conversation: the story in the workspace, how far the run is in the inspector. */
import type { RunModel } from '@crewagent/protocol/model';
import type { WorkflowGraph } from '@crewagent/protocol/workflow';
import { ListTree, MessageSquareText } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConversationApi } from '../api/conversation-api.ts';
import { ConversationPane } from '../conversation/conversation-pane.tsx';
import { useConversation } from '../conversation/use-conversation.ts';
import { ProgressPanel } from '../run/progress/progress-panel.tsx';
import { changeLayout } from '../state/layout.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { InspectorToggle } from './inspector-toggle.tsx';
import type { Route } from './router.ts';
import { Shell, type ShellProps } from './shell.tsx';
import { StatusBar } from './status-bar.tsx';
import { WorkspaceTabs } from './workspace-tabs.tsx';

interface ConversationScreenProps {
  readonly api: ConversationApi;
  readonly route: Extract<Route, { name: 'conversation' }>;
  readonly graph: WorkflowGraph | undefined;
  readonly projectName?: string | undefined;
  readonly sidePanels?: ShellProps['sidePanels'];
}

export function ConversationScreen({ api, route, graph, projectName, sidePanels }: ConversationScreenProps) {
  const { t } = useTranslation();
  const { projectId, conversationId } = route;
  const followed = useConversation(api, conversationId);
  const { active } = followed.picture;
  const [tab, setTab] = useState('conversation');
  const isRun = active.nodes.length > 0;
  const pkg = active.package;
  return (
    <Shell
      route={route}
      title={t('conversation.label')}
      {...(sidePanels ? { sidePanels } : {})}
      main={
        <WorkspaceTabs
          active={tab}
          onChange={setTab}
          onClose={() => setTab('conversation')}
          tabs={[
            {
              id: 'conversation',
              title: t('conversation.label'),
              icon: <MessageSquareText aria-hidden="true" />,
              canClose: false,
              content: <ConversationPane api={api} conversationId={conversationId} followed={followed} />,
            },
          ]}
          aside={<InspectorToggle />}
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
          onOpen={() => undefined}
        />
      }
    />
  );
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
