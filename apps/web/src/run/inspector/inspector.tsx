/** Details of a run in tabs. The open tab is stored per project. Loaded lazily. */
import { ListTree } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { formatWhen } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import type { ShownStory } from '../../state/conversation-store.ts';
import { changeLayout, useLayout } from '../../state/layout.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorBoundary } from '../../ui/errors/error-boundary.tsx';
import { Select } from '../../ui/forms/input.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { type TabItem, Tabs } from '../../ui/tabs.tsx';
import { ProgressPanel } from '../progress/progress-panel.tsx';
import type { ShownGraph } from '../progress/to-progress.ts';
import { ArtifactsPanel } from './artifacts/artifacts-panel.tsx';
import { LogPanel } from './log/log-panel.tsx';
import { ToolsPanel } from './tools/tools-panel.tsx';
import type { Inspected } from './use-inspected.ts';

interface InspectorProps {
  readonly projectId: string;
  readonly inspected: Inspected;
  /** A run will arrive, if none has. */
  readonly kind: 'run' | 'thread';
  readonly graph: ShownGraph | undefined;
}

export default function Inspector({ projectId, inspected, kind, graph }: InspectorProps) {
  const { t } = useTranslation();
  const { view, isEmpty } = inspected;
  const isRun = view.workflow !== undefined || (isEmpty && kind === 'run');
  // Remounted for each run or thread, so that no panel keeps the state of another.
  const key = view.runId;
  const panel = { projectId, view };
  const { inspectorTab } = useLayout(projectId);
  const tabs: readonly TabItem[] = [
    {
      id: 'progress',
      label: t('inspector.progress'),
      content: view.workflow ? (
        <ProgressPanel
          key={key}
          {...panel}
          graph={graph}
          runs={inspected.runs}
          onChooseRun={inspected.choose}
        />
      ) : (
        <EmptyState icon={<ListTree />} title={t('inspector.noRun')}>
          {t('inspector.noRunText')}
        </EmptyState>
      ),
    },
    {
      id: 'artifacts',
      label: t('inspector.artifacts'),
      content: <ArtifactsPanel {...panel} key={key} runs={inspected.runs} />,
    },
    ...(isRun
      ? [
          {
            id: 'evidence',
            label: t('inspector.evidence'),
            content: (
              <EvidenceView key={key} {...panel} runs={inspected.runs} onChooseRun={inspected.choose} />
            ),
          },
          { id: 'state', label: t('inspector.state'), content: <StateView {...panel} key={key} /> },
        ]
      : []),
    { id: 'tools', label: t('inspector.tools'), content: <ToolsPanel {...panel} key={key} /> },
    { id: 'log', label: t('inspector.log'), content: <LogPanel {...panel} key={key} /> },
    { id: 'context', label: t('inspector.context'), content: <ContextView key={key} view={view} /> },
  ];
  const labelOf = ({ workflow, phase, createdAt, caller }: ShownStory): string =>
    [
      workflow ? `${'› '.repeat(caller?.depth ?? 0)}${toShownLine(workflow.title)}` : t('inspector.thread'),
      t(`phase.${phase}`),
      ...(createdAt === undefined ? [] : [formatWhen(createdAt)]),
    ].join(' · ');
  return (
    <div className="flex h-full min-h-0 flex-col">
      {inspected.choices.length > 1 ? (
        <div className="shrink-0 px-3 pt-2 in-data-sheet:pe-11">
          <Select
            aria-label={t('inspector.choose')}
            value={view.runId}
            onChoose={inspected.choose}
            options={inspected.choices.map((choice) => ({ value: choice.id, label: labelOf(choice.view) }))}
          />
        </div>
      ) : undefined}
      <div className="min-h-0 grow">
        <Tabs
          label={t('inspector.label')}
          active={tabs.find(({ id }) => id === inspectorTab)?.id ?? 'progress'}
          onChange={(id) => changeLayout(projectId, { inspectorTab: id })}
          tabs={tabs.map((tab) => ({
            ...tab,
            content: (
              <ErrorBoundary resetKey={key}>
                <Suspense fallback={LOADING}>{isEmpty ? LOADING : tab.content}</Suspense>
              </ErrorBoundary>
            ),
          }))}
        />
      </div>
    </div>
  );
}

const LOADING = <Skeleton className="m-3 h-40" />;

// Loaded with their tab.
const EvidenceView = lazy(() => import('./evidence/evidence-view.tsx'));
const StateView = lazy(() => import('./state/state-view.tsx'));
const ContextView = lazy(() => import('./context/context-view.tsx'));
