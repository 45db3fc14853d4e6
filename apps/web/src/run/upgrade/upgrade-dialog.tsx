/** What changes if a run moves to a newer version of its package, where it continues, and the decision. Loaded when it is opened. */
import type { ShownUpgrade } from '@crewagent/protocol/api/run-upgrade';
import type { Story } from '@crewagent/protocol/story/story';
import { type ReactNode, useState } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { Select } from '../../ui/forms/input.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { useToasts } from '../../ui/overlays/toast-store.ts';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { useAction } from '../../ui/use-action.ts';
import { nodeTitle, toShownPath } from '../shown-names.ts';

interface UpgradeDialogProps {
  readonly view: Readonly<Story>;
  readonly plan: ShownUpgrade;
  readonly onClose: () => void;
}

export default function UpgradeDialog({ view, plan, onClose }: UpgradeDialogProps) {
  const { t } = useTranslation();
  const client = useApi();
  const show = useToasts((toasts) => toasts.show);
  const { from, to, target, nearest, stale } = plan;
  const [chosen, setChosen] = useState(nearest);
  const version = toShownLine(to.version);
  const moving = useAction(async () => {
    const nodeId = target === undefined ? chosen : undefined;
    await client.works.upgrade({ workId: view.runId, body: { to: to.hash, nodeId } });
    show(t('upgrade.moved', { version }));
    onClose();
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('upgrade.title', { version })}
      description={t('upgrade.text', { from: toShownLine(from) })}
      footer={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button kind="primary" isBusy={moving.isBusy} onClick={() => moving.run()}>
            {t('upgrade.move')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4 pt-1">
        <Part title={t('upgrade.changes')}>
          <Changes view={view} plan={plan} />
        </Part>
        <Part title={t('upgrade.position')}>
          <p>{t(`upgrade.${positionOf(plan)}`, titlesOf(view, plan))}</p>
          {target === undefined ? (
            <Select
              aria-label={t('upgrade.choose')}
              value={chosen}
              onChoose={setChosen}
              options={plan.nodes.map(({ id, title }) => ({ value: id, label: toShownLine(title) }))}
            />
          ) : undefined}
        </Part>
        {stale.length === 0 ? undefined : (
          <Part title={t('upgrade.stale')}>
            <ul className="font-mono text-sm text-ink-soft">
              {stale.map((path) => (
                <li key={path} className="wrap-anywhere">
                  <bdi>{toShownPath(path)}</bdi>
                </li>
              ))}
            </ul>
          </Part>
        )}
        <ErrorNote issue={moving.issue} />
      </div>
    </Dialog>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="flex flex-col gap-1.5">
      <h3 className="text-sm font-medium">{title}</h3>
      {children}
    </section>
  );
}

type Texts = Pick<UpgradeDialogProps, 'view' | 'plan'>;

function Changes({ view, plan }: Texts) {
  const { t } = useTranslation();
  const { nodes, edges, inputs } = plan.changes;
  const join = (names: readonly string[], toTitle = (name: string) => name): string =>
    names.map((name) => `“${toShownLine(toTitle(name))}”`).join(t('upgrade.comma'));
  const [before, after] = [(id: string) => nodeTitle(view, id), (id: string) => nodeTitle(plan, id)];
  const changedEdges = edges.added.length + edges.removed.length;
  const sentences = [
    ...(nodes.added.length > 0 ? [t('upgrade.added', { names: join(nodes.added, after) })] : []),
    ...(nodes.changed.length > 0 ? [t('upgrade.changed', { names: join(nodes.changed, after) })] : []),
    ...(nodes.removed.length > 0 ? [t('upgrade.removed', { names: join(nodes.removed, before) })] : []),
    ...nodes.renamed.map((one) =>
      t('upgrade.renamed', { from: join([one.from], before), to: join([one.to], after) }),
    ),
    ...(changedEdges > 0 ? [t('upgrade.paths', { count: changedEdges })] : []),
    ...(inputs.added.length > 0 ? [t('upgrade.inputs', { names: join(inputs.added) })] : []),
  ];
  if (sentences.length === 0) return <p>{t('upgrade.same')}</p>;
  return (
    <ul className="flex list-disc flex-col gap-1 ps-5 wrap-anywhere">
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}

function positionOf({ nodeId, target, changes }: ShownUpgrade) {
  if (target === undefined) return 'gone';
  if (target !== nodeId) return 'moves';
  return changes.nodes.changed.includes(target) ? 'again' : 'stays';
}

function titlesOf(view: Readonly<Story>, plan: ShownUpgrade) {
  const { nodeId, target = nodeId } = plan;
  return { title: toShownLine(nodeTitle(view, nodeId)), next: toShownLine(nodeTitle(plan, target)) };
}
