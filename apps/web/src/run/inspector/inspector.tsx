/** Everything that is known of a run, one view at a time. Which one was open is remembered for the project. Loaded lazily. */
import { ListTree } from 'lucide-react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { changeLayout, useLayout } from '../../state/layout.ts';
import { keyOf } from '../../state/subject.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorBoundary } from '../../ui/errors/error-boundary.tsx';
import { type TabItem, Tabs } from '../../ui/tabs.tsx';
import { ProgressPanel } from '../progress/progress-panel.tsx';
import type { ShownGraph } from '../progress/to-progress.ts';
import { ArtifactsPanel } from './artifacts/artifacts-panel.tsx';
import { ContextPanel } from './context/context-panel.tsx';
import { LogPanel } from './log/log-panel.tsx';
import { StatePanel } from './state/state-panel.tsx';
import { SubjectPicker } from './subject-picker.tsx';
import { ToolsPanel } from './tools/tools-panel.tsx';
import type { Inspected } from './use-inspected.ts';

interface InspectorProps {
  readonly projectId: string;
  readonly inspected: Inspected;
  readonly graph: ShownGraph | undefined;
}

export default function Inspector({ projectId, inspected, graph }: InspectorProps) {
  const { t } = useTranslation();
  const { subject, view } = inspected;
  // What one subject's panel holds is never shown for another.
  const key = keyOf(subject).join();
  const panel = { projectId, subject, view };
  const { inspectorTab } = useLayout(projectId);
  const isRun = subject.kind === 'run';
  const tabs: readonly TabItem[] = [
    {
      id: 'progress',
      label: t('inspector.progress'),
      content: isRun ? (
        <ProgressPanel key={key} projectId={projectId} view={view} graph={graph} />
      ) : (
        <EmptyState icon={<ListTree />} title={t('inspector.noRun')}>
          {t('inspector.noRunText')}
        </EmptyState>
      ),
    },
    { id: 'artifacts', label: t('inspector.artifacts'), content: <ArtifactsPanel {...panel} key={key} /> },
    ...(isRun
      ? [{ id: 'state', label: t('inspector.state'), content: <StatePanel {...panel} key={key} /> }]
      : []),
    { id: 'tools', label: t('inspector.tools'), content: <ToolsPanel {...panel} key={key} /> },
    { id: 'log', label: t('inspector.log'), content: <LogPanel {...panel} key={key} /> },
    { id: 'context', label: t('inspector.context'), content: <ContextPanel {...panel} key={key} /> },
  ];
  return (
    <div className="flex h-full min-h-0 flex-col">
      <SubjectPicker inspected={inspected} />
      <div className="min-h-0 grow">
        <Tabs
          label={t('inspector.label')}
          active={tabs.find(({ id }) => id === inspectorTab)?.id ?? 'progress'}
          onChange={(id) => changeLayout(projectId, { inspectorTab: id })}
          tabs={tabs.map((tab) => ({
            ...tab,
            content: <ErrorBoundary place={key}>{tab.content}</ErrorBoundary>,
          }))}
        />
      </div>
    </div>
  );
}
