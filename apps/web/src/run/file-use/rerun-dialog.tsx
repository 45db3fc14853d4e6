/** What a rerun of what is out of date would do, step by step, and the decision. Loaded when it is opened. */
import '../../i18n/file-use-texts.ts';
import type { RerunPlan } from '@crewagent/protocol/api/file-use';
import { useApi, useApiQuery } from '../../api/api-context.tsx';
import { useTranslation } from '../../i18n/use-translation.ts';
import { openInFront } from '../../navigation/open-in-front.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { useToasts } from '../../ui/overlays/toast-store.ts';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useAction } from '../../ui/use-action.ts';

interface RerunDialogProps {
  readonly workId: string;
  readonly titleOf: (nodeId: string) => string;
  readonly onClose: () => void;
}

export default function RerunDialog({ workId, titleOf, onClose }: RerunDialogProps) {
  const { t } = useTranslation();
  const client = useApi();
  const { data: plan, error } = useApiQuery(
    ['rerun-plan', workId],
    ({ works }, call) => works.planRerun({ workId }, call),
    { staleTime: 0, gcTime: 0, retry: false },
  );
  const starting = useAction(async (seen: string) => {
    const { projectId, workId: id, nodeId } = await client.works.rerun({ workId, body: { seen } });
    await client.works.resume({ workId: id, body: {} });
    const step = toShownLine(titleOf(nodeId));
    useToasts.getState().show(t('rerun.started', { id: id.slice(0, 8), step }));
    onClose();
    openInFront({ name: 'work', projectId, workId: id });
  });
  const first = plan?.first;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('rerun.title')}
      description={first ? t('rerun.text', { step: toShownLine(titleOf(first.nodeId)) }) : undefined}
      footer={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          {plan && first ? (
            <Button kind="primary" isBusy={starting.isBusy} onClick={() => starting.run(plan.id)}>
              {t('rerun.start')}
            </Button>
          ) : undefined}
        </>
      }
    >
      {plan && !first ? <p>{t('rerun.none')}</p> : undefined}
      {plan && first ? <Steps plan={plan} titleOf={titleOf} /> : undefined}
      {(plan ?? error) ? undefined : <Skeleton className="h-40" />}
      <ErrorNote issue={error ?? starting.issue} />
    </Dialog>
  );
}

const TONES = { again: 'warn', maybe: 'accent', carried: 'neutral' } as const;

function Steps({ plan, titleOf }: Pick<RerunDialogProps, 'titleOf'> & { readonly plan: RerunPlan }) {
  const { t } = useTranslation();
  const nameOf = (nodes: readonly string[]): string => toShownLine(nodes.map(titleOf).join(' › '));
  const sentenceOf = (reason: RerunPlan['steps'][number]['reasons'][number]): string => {
    if (reason.kind === 'step') return t('stale.step', { version: toShownLine(reason.version) });
    const path = toPath(reason.path);
    if (reason.kind !== 'depends') return t(`stale.${reason.kind}`, { path });
    return t('stale.depends', { path, step: nameOf(reason.from) });
  };
  return (
    <div className="flex flex-col gap-3 text-sm">
      <ol aria-label={t('rerun.title')} className="flex flex-col gap-2">
        {plan.steps.map(({ nodes, visit, does, reasons, results }) => (
          <li key={`${nodes.join('/')} ${visit}`} className="wrap-anywhere">
            <p className="flex flex-wrap items-center gap-2 font-medium">
              <bdi>{nameOf(nodes) + (visit > 1 ? ` (${visit})` : '')}</bdi>
              <Badge tone={TONES[does]}>{t(`rerun.${does}`)}</Badge>
            </p>
            {reasons.map((reason) => (
              <p key={JSON.stringify(reason)} className="text-ink-soft">
                {sentenceOf(reason)}
              </p>
            ))}
            {results.length > 0 ? (
              <p className="text-ink-faint">
                {t('stale.results', { paths: results.map(toPath).join(', ') })}
              </p>
            ) : undefined}
          </li>
        ))}
      </ol>
      {plan.version === undefined ? undefined : (
        <p>{t('rerun.version', { version: toShownLine(plan.version) })}</p>
      )}
      <p className="text-ink-soft">{t('rerun.rest')}</p>
    </div>
  );
}

function toPath(path: string): string {
  return toShownLine(path.replace(/^@project\//, ''));
}
