/**
 * A tool call on one line: what, to what, what a person said to it, how long, how it ended. It opens to what was asked and
 * answered.
 */

import { targetOf } from '@crewagent/protocol/tool-effects';
import {
  CircleAlert,
  CircleCheck,
  CircleSlash,
  FileCheck2,
  FilePen,
  FilePlus2,
  FileText,
  Replace,
  ShieldQuestion,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { formatNoticeable } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { classNames } from '../../../ui/class-names.ts';
import { DiffStat, LineStat } from '../../../ui/code/diff-stat.tsx';
import { Fold } from '../../../ui/fold.tsx';
import { toShownLine, toShownProse } from '../../../ui/sanitize-text.ts';
import { Spinner } from '../../../ui/spinner.tsx';
import { toSaid } from '../../approval-reach.ts';
import { useOpenRows } from '../../open-rows.ts';
import {
  blockOf,
  type ChangeVerb,
  changeOf,
  isAsking,
  toKnownTool,
  toToolWord,
  verbOf,
} from '../describe-tool.ts';
import type { ToolItem } from '../to-rows.ts';
import { ToolDetails } from './tool-details.tsx';

interface ToolRowProps {
  readonly rowKey: string;
  readonly item: ToolItem;
  readonly isArtifact?: boolean;
  readonly source?: string;
}

export function ToolRow({ rowKey, item, isArtifact = false, source }: ToolRowProps) {
  const { isOpen, toggle } = useOpenRows();
  const note = item.approval?.note;
  return (
    <div className="-ms-1.5">
      <Fold
        isOpen={isOpen(rowKey)}
        onToggle={() => toggle(rowKey)}
        summary={<ToolSummary item={item} isArtifact={isArtifact} />}
      >
        {() => <ToolDetails item={item} source={source} />}
      </Fold>
      {note ? <p className="ps-6.5 pb-1 text-ink-soft wrap-anywhere">{toShownProse(note)}</p> : undefined}
    </div>
  );
}

function ToolSummary({ item, isArtifact }: { readonly item: ToolItem; readonly isArtifact: boolean }) {
  const { t } = useTranslation();
  const words = useToolWords(item);
  const target = isForState(item) ? undefined : targetOf(item);
  return (
    <>
      <StatusIcon item={item} />
      <span className={classNames('shrink-0', isBad(item) && 'text-bad')}>{words}</span>
      {target === undefined ? undefined : (
        <bdi className="min-w-0 truncate font-mono text-sm text-ink-soft" title={toShownLine(target)}>
          {shorten(toShownLine(target))}
        </bdi>
      )}
      <ApprovalWord item={item} />
      {isArtifact ? (
        <SmallWord>
          <FileText aria-hidden="true" className="size-3" />
          {t('timeline.artifact')}
        </SmallWord>
      ) : undefined}
      <span className="ms-auto flex shrink-0 items-center gap-2.5 ps-2 text-xs text-ink-faint tabular-nums">
        <ChangedLines item={item} />
        {formatNoticeable(item.durationMs)}
      </span>
    </>
  );
}

/** As the log counted them, else as the difference shows them. */
function ChangedLines({ item }: { readonly item: ToolItem }) {
  const { lines, isUnchanged } = item.effect;
  if (isUnchanged || (item.status !== 'ok' && !isAsking(item))) return undefined;
  if (lines) return <LineStat {...lines} />;
  const change = changeOf(item);
  return change ? <DiffStat diff={change} /> : undefined;
}

/** What a person said to it, or that they are asked. */
function ApprovalWord({ item }: { readonly item: ToolItem }) {
  const { t } = useTranslation();
  const { approval } = item;
  if (!approval) return undefined;
  if (approval.decision !== undefined)
    return <SmallWord>{toSaid(t, approval.action.target, approval)}</SmallWord>;
  return isAsking(item) ? <SmallWord>{t('approval.isOpen')}</SmallWord> : undefined;
}

function SmallWord({ children }: { readonly children: ReactNode }) {
  return <span className="flex shrink-0 items-center gap-1 text-xs text-ink-faint">{children}</span>;
}

/** The words for what was done, as far as it got. */
export function useToolWords(item: ToolItem): string {
  const { t } = useTranslation();
  const { name, status } = item;
  const block = blockOf(item);
  if (block !== undefined) return t(`changes.blocked.${block}`);
  const verb = verbOf(item);
  if (verb !== undefined) return t(`changes.verb.${verb}`);
  const known = isForState(item) ? 'runtime.update_state' : toKnownTool(name);
  const stage = status === 'ok' ? 'done' : status === 'failed' || status === 'refused' ? 'failed' : 'doing';
  if (!known) return t(`tool.other.${stage}`, { name: toShownLine(name) });
  return t(`tool.${toToolWord(known)}.${stage}`);
}

/** People know what it is, not where it lies. */
function isForState({ effect }: ToolItem): boolean {
  return effect.kind === 'state' && effect.path !== undefined;
}

function StatusIcon({ item }: { readonly item: ToolItem }) {
  const { t } = useTranslation();
  if (isAsking(item)) return <ShieldQuestion aria-hidden="true" className="size-3.5 shrink-0 text-warn" />;
  const verb = verbOf(item);
  if (verb !== undefined) {
    const { Icon, ink } = VERBS[verb];
    return <Icon aria-label={t('tool.status.ok')} className={`size-3.5 shrink-0 ${ink}`} />;
  }
  switch (item.status) {
    case 'ok':
      return <CircleCheck aria-label={t('tool.status.ok')} className="size-3.5 shrink-0 text-ok" />;
    case 'failed':
      return <CircleAlert aria-label={t('tool.status.failed')} className="size-3.5 shrink-0 text-bad" />;
    case 'refused':
      return <CircleSlash aria-label={t('tool.status.refused')} className="size-3.5 shrink-0 text-bad" />;
    case 'asked':
    case 'running':
      return (
        <span role="img" aria-label={t('tool.status.running')} className="shrink-0 text-accent-text">
          <Spinner />
        </span>
      );
  }
}

/** A file of one's own that was changed is not to be taken for a new one. */
const VERBS: Readonly<Record<ChangeVerb, { readonly Icon: typeof FilePen; readonly ink: string }>> = {
  created: { Icon: FilePlus2, ink: 'text-ok' },
  changed: { Icon: FilePen, ink: 'text-accent-text' },
  replaced: { Icon: Replace, ink: 'text-warn' },
  unchanged: { Icon: FileCheck2, ink: 'text-ink-faint' },
};

function isBad({ status }: ToolItem): boolean {
  return status === 'failed' || status === 'refused';
}

/** People know their folder; the mount only where it is another one. */
function shorten(path: string): string {
  const shown = path.replace(/^@project\//, '');
  return shown.length > 300 ? `${shown.slice(0, 300)}…` : shown;
}
