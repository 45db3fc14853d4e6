/** Evidence tab of the inspector: each visit of each step, and what proves it. Loaded with its tab. */
import { type EvidenceVisit, toEvidence } from '@crewagent/protocol/evidence';
import { isUnmet } from '@crewagent/protocol/proof';
import { Ban, Check, CornerDownRight, FileText, MessageSquare, Send, ShieldAlert, X } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { useEvidence } from '../../../api/inspector-queries.ts';
import {
  formatBytes,
  formatCompact,
  formatCost,
  formatDuration,
  formatNumber,
} from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import type { ConversationPicture } from '../../../state/conversation-store.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { ErrorNote } from '../../../ui/errors/error-note.tsx';
import { toShownLine, toShownText } from '../../../ui/sanitize-text.ts';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { EvidenceLine, OUTCOME_TONES } from '../../evidence-line.tsx';
import { usePast } from '../../past.ts';
import { nodeTitle } from '../../shown-names.ts';
import type { PanelProps } from '../use-inspected.ts';

interface EvidenceViewProps extends PanelProps {
  readonly runs: ConversationPicture['runs'];
  readonly onChooseRun: (runId: string) => void;
}

export default function EvidenceView(props: EvidenceViewProps) {
  const { view } = props;
  const { t } = useTranslation();
  // While it runs, after each turn and move; then with every event, so that it is what a reload would show.
  const isRunning = view.status.kind === 'running';
  const mark = isRunning ? `${view.turns} ${view.state.currentNodeId}` : `at ${view.lastSeq}`;
  const past = usePast();
  const { data: latest, error } = useEvidence(past ? undefined : view.runId, mark);
  const then = useMemo(() => past && toEvidence(view.runId, past.eventsOf(view.runId)), [past, view.runId]);
  const data = then ?? latest;
  if (!data)
    return <div className="p-3">{error ? <ErrorNote issue={error} /> : <Skeleton className="h-40" />}</div>;
  return (
    <div className="flex flex-col gap-3 p-3">
      <EvidenceLine sheet={data} />
      <ol aria-label={t('evidence.visits')} className="flex flex-col gap-2">
        {data.visits.map((visit) => (
          <li key={`${visit.nodeId} ${visit.visit}`}>
            <Visit {...props} visit={visit} />
          </li>
        ))}
      </ol>
    </div>
  );
}

interface VisitProps extends EvidenceViewProps {
  readonly visit: EvidenceVisit;
}

/** What needs a look is open. */
function Visit({ visit, view, runs, onChooseRun }: VisitProps) {
  const { t } = useTranslation();
  const { outcome, title, turns, usage, calledRunId } = visit;
  // The called workflow has a sheet of its own.
  const called = calledRunId === undefined ? undefined : runs.get(calledRunId);
  const tokens = usage.promptTokens + usage.completionTokens;
  const numbers = [
    t('inspector.node.turnCount', { count: turns }),
    ...(tokens > 0 ? [t('usage.tokens', { tokens: formatCompact(tokens) })] : []),
    formatDuration(visit.durationMs),
    ...(usage.costUsd ? [formatCost(usage.costUsd)] : []),
  ];
  return (
    <details
      open={outcome === 'claimed' || outcome === 'waived' || outcome === 'missing'}
      className="rounded-lg border bg-surface"
    >
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
        <Badge tone={OUTCOME_TONES[outcome]}>{t(`evidence.outcome.${outcome}`)}</Badge>
        <span className="w-full text-xs text-ink-faint tabular-nums">{numbers.join(' · ')}</span>
      </summary>
      <div className="flex flex-col gap-2 border-t px-3 py-2">
        <VisitFacts visit={visit} view={view} />
        {called ? (
          <Button size="sm" className="self-start" onClick={() => onChooseRun(called.runId)}>
            {t('call.open', { title: toShownLine(called.workflow?.title ?? '') })}
          </Button>
        ) : undefined}
      </div>
    </details>
  );
}

/** A log may have any word. */
const toOutcome = (text: string): EvidenceVisit['outcome'] =>
  Object.keys(OUTCOME_TONES).find((outcome): outcome is EvidenceVisit['outcome'] => outcome === text) ??
  'open';

/** The facts of one visit: who spoke, files, checks, what was accepted, refusals, and where it went. */
function VisitFacts({ visit, view }: Pick<VisitProps, 'visit' | 'view'>) {
  const { t, i18n } = useTranslation();
  const { firstTurn, requestSha256, spoken, files, waivers, outputsMissing, refusals, decision } = visit;
  const refused = Object.values(refusals).reduce((sum, count) => sum + count, 0);
  return (
    <ul className="flex flex-col gap-1.5">
      {spoken.map(({ kind, text, by, seq }) => (
        <Fact key={seq} icon={<MessageSquare className="text-ink-faint" />}>
          <b className="font-medium">{t(`evidence.said.${by ?? 'person'}`)}</b>
          {': '}
          <span className="whitespace-pre-wrap">
            {kind === 'approval' ? t('evidence.approved') : toShownText(text)}
          </span>
        </Fact>
      ))}
      <CarriedFacts visit={visit} />
      {firstTurn === undefined ? undefined : (
        <Fact icon={<Send className="text-ink-faint" />}>
          {t('evidence.request', { number: formatNumber(firstTurn) })}
          {requestSha256 === undefined ? undefined : (
            <>
              {' · '}
              <code title={`SHA-256 ${requestSha256}`}>{requestSha256.slice(0, 12)}</code>
            </>
          )}
        </Fact>
      )}
      {files.map(({ path, bytes, before, isOutsideEdit }) => (
        <Fact key={path} icon={<FileText className="text-ink-faint" />}>
          <bdi>{toName(path)}</bdi>
          <span className="text-ink-faint">
            {[
              '',
              formatBytes(bytes),
              ...(before === undefined ? [t('evidence.created')] : []),
              ...(isOutsideEdit ? [t('evidence.outside')] : []),
            ].join(' · ')}
          </span>
        </Fact>
      ))}
      {visit.checks.map((check) => {
        const { id, kind, path, ok, message } = check;
        const isClaimed = kind === 'wait' && visit.outcome === 'claimed';
        const unmet = isUnmet(check) ? <X className="text-bad" /> : <ShieldAlert className="text-warn" />;
        return (
          <Fact key={`${id} ${kind} ${path}`} icon={ok && !isClaimed ? <Check className="text-ok" /> : unmet}>
            {kind === 'wait' ? undefined : (
              <>
                <bdi>{toName(path ?? id)}</bdi>
                {' · '}
              </>
            )}
            {t(ok ? `proof.met.${kind}` : `proof.unmet.${kind}`)}
            {isClaimed ? ` · ${t('evidence.outcome.claimed')}` : undefined}
            {/* What it says about waiting is meant for the model. */}
            {ok || kind === 'wait' ? undefined : (
              <span
                lang={i18n.language === 'en' ? undefined : 'en'}
                className="block text-sm whitespace-pre-wrap text-ink-soft"
              >
                {toShownText(message)}
              </span>
            )}
          </Fact>
        );
      })}
      {outputsMissing.map((path) => (
        <Fact key={path} icon={<X className="text-bad" />}>
          <bdi>{toName(path)}</bdi> · {t('evidence.notWritten')}
        </Fact>
      ))}
      {waivers.map(({ check, reason }) => (
        <Fact key={check} icon={<ShieldAlert className="text-warn" />}>
          {t('evidence.accepted', { name: check === 'wait' ? t('proof.yourAnswer') : toName(check) })}
          {': '}
          <q className="whitespace-pre-wrap">{toShownText(reason)}</q>
        </Fact>
      ))}
      {refused > 0 ? (
        <Fact icon={<Ban className="text-ink-faint" />}>{t('evidence.refused', { count: refused })}</Fact>
      ) : undefined}
      {decision ? (
        <Fact icon={<CornerDownRight className="text-ink-faint" />}>
          {t(`evidence.decided.${decision.by ?? 'model'}`)}
          {': '}
          <b className="font-medium">{toShownLine(nodeTitle(view, decision.to))}</b>
          {decision.reason ? (
            <span className="block whitespace-pre-wrap text-ink-soft">{toShownText(decision.reason)}</span>
          ) : undefined}
        </Fact>
      ) : undefined}
    </ul>
  );
}

/** Where a visit was taken over from, and its files with the hashes of then. */
function CarriedFacts({ visit: { carriedFrom, carriedFiles = [] } }: Pick<VisitProps, 'visit'>) {
  const { t } = useTranslation();
  return (
    <>
      {carriedFrom ? (
        <Fact icon={<CornerDownRight className="text-ink-faint" />}>
          {t('evidence.carriedFrom', {
            id: carriedFrom.runId.slice(0, 8),
            outcome: t(`evidence.outcome.${toOutcome(carriedFrom.outcome)}`),
          })}
        </Fact>
      ) : undefined}
      {carriedFiles.map(({ kind, path, sha256 = '?' }) => (
        <Fact key={`${kind} ${path}`} icon={<FileText className="text-ink-faint" />}>
          <bdi>{toName(path)}</bdi> · <code title={`SHA-256 ${sha256}`}>{sha256.slice(0, 12)}</code>
        </Fact>
      ))}
    </>
  );
}

function Fact({ icon, children }: { readonly icon: ReactNode; readonly children: ReactNode }) {
  return (
    <li className="flex min-w-0 items-start gap-2">
      <span aria-hidden="true" className="mt-0.5 shrink-0 [&_svg]:size-4">
        {icon}
      </span>
      <div className="min-w-0 wrap-anywhere">{children}</div>
    </li>
  );
}

/** A file of the project without its mount, a command without its prefix. */
function toName(id: string): string {
  return toShownLine(id.replace(/^@project\/|^verify: /, ''));
}
