/** That steps of a run are out of date: how many, and on request which, with the reasons and their results. */
import type { StaleReason, StaleVisit } from '@crewagent/protocol/stale';
import { History } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useStale } from '../../api/inspector-queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import '../../i18n/file-use-texts.ts';
import { useOffers } from '../../state/team-server.ts';
import { Button } from '../../ui/button.tsx';
import { Fold } from '../../ui/fold.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';

const RerunDialog = lazy(() => import('./rerun-dialog.tsx'));

interface StaleLineProps {
  readonly workId: string;
  /** Changes when the run may have read or written other files. */
  readonly mark: string;
  readonly titleOf: (nodeId: string) => string;
}

export default function StaleLine({ workId, mark, titleOf }: StaleLineProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const isOffered = useOffers('works.rerun');
  const [isAsking, setAsking] = useState(false);
  const { data: steps = [] } = useStale(workId, mark);
  if (steps.length === 0) return undefined;
  return (
    <Fold
      isOpen={isOpen}
      onToggle={() => setOpen(!isOpen)}
      summary={
        <span className="flex min-w-0 items-center gap-2 font-medium text-warn">
          <History aria-hidden="true" className="size-4 shrink-0" />
          {t('stale.count', { count: steps.length })}
        </span>
      }
    >
      {() => (
        <div className="flex flex-col items-start gap-3">
          <StaleList steps={steps} titleOf={titleOf} />
          {isOffered ? (
            <Button size="sm" onClick={() => setAsking(true)}>
              {t('rerun.action')}
            </Button>
          ) : undefined}
          {isAsking ? (
            <Suspense>
              <RerunDialog workId={workId} titleOf={titleOf} onClose={() => setAsking(false)} />
            </Suspense>
          ) : undefined}
        </div>
      )}
    </Fold>
  );
}

export function StaleList({
  steps,
  titleOf,
}: Pick<StaleLineProps, 'titleOf'> & { readonly steps: readonly StaleVisit[] }) {
  const { t } = useTranslation();
  const nameOf = ({ nodes, visit }: StaleVisit): string =>
    toShownLine(nodes.map(titleOf).join(' › ') + (visit > 1 ? ` (${visit})` : ''));
  const sentenceOf = (reason: StaleReason): string => {
    if (reason.kind === 'step') return t('stale.step', { version: toShownLine(reason.version) });
    const path = toPath(reason.path);
    if (reason.kind !== 'depends') return t(`stale.${reason.kind}`, { path });
    const from = steps[reason.from];
    return t('stale.depends', { path, step: from ? nameOf(from) : '?' });
  };
  return (
    <ol aria-label={t('stale.badge')} className="flex flex-col gap-2 text-sm">
      {steps.map((step) => (
        <li key={`${step.runId} ${step.seq}`} className="wrap-anywhere">
          <p className="font-medium text-ink">
            <bdi>{nameOf(step)}</bdi>
          </p>
          {withoutRepeats(step.reasons).map((reason) => (
            <p key={JSON.stringify(reason)} className="text-ink-soft">
              {sentenceOf(reason)}
            </p>
          ))}
          {step.results.length > 0 ? (
            <p className="text-ink-faint">
              {t('stale.results', { paths: step.results.map(toPath).join(', ') })}
            </p>
          ) : undefined}
        </li>
      ))}
    </ol>
  );
}

/** That another step wrote the file says nothing new about a file that is different now. */
function withoutRepeats(reasons: readonly StaleReason[]): readonly StaleReason[] {
  const different = new Set(reasons.map((reason) => (reason.kind === 'changed' ? reason.path : '')));
  return reasons.filter((reason) => reason.kind !== 'depends' || !different.has(reason.path));
}

function toPath(path: string): string {
  return toShownLine(path.replace(/^@project\//, ''));
}
