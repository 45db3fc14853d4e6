/** Evidence tab of the inspector: each visit of each step, and what proves it. Loaded with its tab. */
import type { EvidenceVisit } from '@crewagent/protocol/evidence';
import type { ReactNode } from 'react';
import { useEvidence } from '../../../api/inspector-queries.ts';
import { formatCompact, formatCost, formatDuration, formatNumber } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import type { ConversationPicture } from '../../../state/conversation-store.ts';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { ErrorNote } from '../../../ui/errors/error-note.tsx';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { EvidenceLine } from '../../evidence-line.tsx';
import type { PanelProps } from '../use-inspected.ts';
import { VisitFacts } from './visit-facts.tsx';

interface EvidenceViewProps extends PanelProps {
  readonly runs: ConversationPicture['runs'];
  readonly onChooseRun: (runId: string) => void;
}

export default function EvidenceView({ view, runs, onChooseRun }: EvidenceViewProps) {
  const { t } = useTranslation();
  // While it runs, after each turn and move; then with every event, so that it is what a reload would show.
  const isRunning = view.status.kind === 'running';
  const mark = isRunning ? `${view.turns} ${view.state.currentNodeId}` : `at ${view.lastSeq}`;
  const { data, error } = useEvidence(view.runId, mark);
  if (!data)
    return <div className="p-3">{error ? <ErrorNote issue={error} /> : <Skeleton className="h-40" />}</div>;
  const titleOf = (nodeId: string): string =>
    toShownLine(view.nodes.find(({ id }) => id === nodeId)?.title ?? nodeId);
  return (
    <div className="flex flex-col gap-3 p-3">
      <EvidenceLine sheet={data} />
      <ol aria-label={t('evidence.visits')} className="flex flex-col gap-2">
        {data.visits.map((visit) => (
          <li key={`${visit.nodeId} ${visit.visit}`}>
            <Visit visit={visit} titleOf={titleOf}>
              <CalledRun runId={visit.calledRunId} {...{ runs, onChooseRun }} />
            </Visit>
          </li>
        ))}
      </ol>
    </div>
  );
}

interface VisitProps {
  readonly visit: EvidenceVisit;
  readonly titleOf: (nodeId: string) => string;
  readonly children: ReactNode;
}

/** What needs a look is open. */
function Visit({ visit, titleOf, children }: VisitProps) {
  const { t } = useTranslation();
  const { outcome, title, turns, usage } = visit;
  const tokens = usage.promptTokens + usage.completionTokens;
  const numbers = [
    t('inspector.node.turnCount', { count: turns }),
    ...(tokens > 0
      ? [t('evidence.tokens', { count: tokens, replace: { count: formatCompact(tokens) } })]
      : []),
    formatDuration(Date.parse(visit.endedAt) - Date.parse(visit.startedAt)),
    ...(usage.costUsd === undefined ? [] : [formatCost(usage.costUsd)]),
  ];
  return (
    <details open={outcome === 'waived' || outcome === 'missing'} className="rounded-lg border bg-surface">
      <summary className="flex flex-wrap items-center gap-x-2 gap-y-0.5 rounded-lg px-3 py-2 hover:bg-hover">
        <span className="min-w-0 grow font-medium">
          {toShownLine(title)}
          {visit.visit > 1 ? (
            <span className="font-normal text-ink-faint">
              {' '}
              · {t('evidence.visit', { count: visit.visit, replace: { count: formatNumber(visit.visit) } })}
            </span>
          ) : undefined}
        </span>
        <Badge tone={TONES[outcome]}>{t(`evidence.outcome.${outcome}`)}</Badge>
        <span className="w-full text-xs text-ink-faint tabular-nums">{numbers.join(' · ')}</span>
      </summary>
      <div className="flex flex-col gap-2 border-t px-3 py-2">
        <VisitFacts visit={visit} titleOf={titleOf} />
        {children}
      </div>
    </details>
  );
}

const TONES: Readonly<Record<EvidenceVisit['outcome'], Tone>> = {
  proved: 'ok',
  waived: 'warn',
  missing: 'bad',
  nothing: 'neutral',
  open: 'accent',
};

interface CalledRunProps {
  readonly runId: string | undefined;
  readonly runs: ConversationPicture['runs'];
  readonly onChooseRun: (runId: string) => void;
}

/** The called workflow has a sheet of its own. */
function CalledRun({ runId, runs, onChooseRun }: CalledRunProps) {
  const { t } = useTranslation();
  const run = runId === undefined ? undefined : runs.get(runId);
  if (!run) return undefined;
  return (
    <Button size="sm" className="self-start" onClick={() => onChooseRun(run.runId)}>
      {t('call.open', { title: toShownLine(run.workflow?.title ?? '') })}
    </Button>
  );
}
