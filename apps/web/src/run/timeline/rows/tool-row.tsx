/**
 * A tool call on one line: action, target, approval, duration, outcome. It expands to arguments and result.
 */

import {
  type ChangeVerb,
  describeCall,
  describeReads,
  isAbsent,
  isForState,
  verbOf,
} from '@crewagent/protocol/story/describe-call';
import { toShortPath } from '@crewagent/protocol/story/describe-item';
import type { ToolItem } from '@crewagent/protocol/story/items';
import type { RowOf } from '@crewagent/protocol/story/rows';
import { targetOf } from '@crewagent/protocol/tool-effects';
import {
  BookOpen,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleSlash,
  FileCheck2,
  FilePen,
  FilePlus2,
  FileText,
  Replace,
  ShieldQuestion,
} from 'lucide-react';
import type { MouseEvent, ReactNode } from 'react';
import { formatNoticeable } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { openFile } from '../../../state/open-files.ts';
import { Spinner } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { DiffStat, LineStat } from '../../../ui/code/diff-stat.tsx';
import { Fold } from '../../../ui/fold.tsx';
import { toShownLine, toShownProse } from '../../../ui/sanitize-text.ts';
import { toDecisionLabel } from '../../approval-reach.ts';
import { useOpenRows } from '../../open-rows.ts';
import { useChangeLocation } from '../change-scope.ts';
import { changeOf, diskIssueOf, isAsking } from '../describe-tool.ts';
import { ToolDetails } from './tool-details.tsx';

interface ToolRowProps {
  readonly rowKey: string;
  readonly item: ToolItem;
  readonly source?: string;
  /** The title of a node. */
  readonly titleOf?: (nodeId: string) => string;
}

export function ToolRow({ rowKey, item, source, titleOf }: ToolRowProps) {
  const { t } = useTranslation();
  const { isOpen, toggle } = useOpenRows();
  const projectId = useChangeLocation(source)?.projectId;
  const path = projectId === undefined ? undefined : openablePath(item);
  // The path is part of the line, which is one button: with the keyboard the file is opened from the details.
  const press = ({ target }: MouseEvent): void => {
    if (
      path !== undefined &&
      projectId !== undefined &&
      target instanceof Element &&
      target.closest('[data-opens]')
    )
      openFile(projectId, path);
    else toggle(rowKey);
  };
  const note = item.approval?.note;
  return (
    <div className="-ms-1.5">
      <Fold
        isOpen={isOpen(rowKey)}
        onToggle={press}
        summary={<ToolSummary item={item} opens={path !== undefined} titleOf={titleOf} />}
      >
        {() => <ToolDetails item={item} source={source} />}
      </Fold>
      {note ? (
        <p className="ps-6.5 pb-1 text-ink-soft wrap-anywhere">
          {t('approval.noted', { note: toShownProse(note) })}
        </p>
      ) : undefined}
    </div>
  );
}

interface ToolSummaryProps {
  readonly item: ToolItem;
  /** A press on its path opens the file. */
  readonly opens: boolean;
  readonly titleOf: ToolRowProps['titleOf'];
}

function ToolSummary({ item, opens, titleOf }: ToolSummaryProps) {
  const { t } = useTranslation();
  const { key, params } = describeCall(item);
  const isNode = item.name === 'runtime.complete_node';
  const target = isForState(item) ? undefined : targetOf(item);
  return (
    <>
      <StatusIcon item={item} />
      <span className={classNames('shrink-0', isBad(item) && 'text-bad')}>{toShownLine(t(key, params))}</span>
      {target === undefined ? undefined : (
        <bdi
          data-opens={opens || undefined}
          className={classNames(
            'min-w-0 truncate text-sm text-ink-soft',
            // Where there is little room, a path is cut at its beginning: the name says which file it is.
            item.name.startsWith('fs.') && '[direction:rtl]',
            !isNode && target !== '@project' && 'font-mono',
            opens && 'decoration-dotted underline-offset-3 hover:text-accent-text hover:underline',
          )}
          title={opens ? t('text.openFile') : toShownLine(target)}
        >
          <bdi dir="ltr">
            {target === '@project'
              ? t('tools.projectFolder')
              : isNode && titleOf
                ? toShownLine(titleOf(target))
                : shorten(toShownLine(target))}
          </bdi>
        </bdi>
      )}
      <DiskLabel item={item} />
      <ApprovalLabel item={item} />
      <Progress item={item} />
      {item.isArtifact ? (
        <SmallText>
          <FileText aria-hidden="true" className="size-3" />
          {t('timeline.artifact')}
        </SmallText>
      ) : undefined}
      <span className="ms-auto flex shrink-0 items-center gap-2.5 ps-2 text-xs text-ink-faint tabular-nums">
        <ChangedLines item={item} />
        {formatNoticeable(item.durationMs)}
      </span>
    </>
  );
}

/** A file of the project that the call read or wrote. */
function openablePath({ status, effect: { kind, path } }: ToolItem): string | undefined {
  const isFile = kind === 'read' || kind === 'written' || kind === 'patched';
  return status === 'ok' && isFile && path?.startsWith('@project/') ? path : undefined;
}

/** As the log counted them, else as the difference shows them. */
function ChangedLines({ item }: { readonly item: ToolItem }) {
  const { lines, isUnchanged } = item.effect;
  if (isUnchanged || (item.status !== 'ok' && !isAsking(item))) return undefined;
  if (lines) return <LineStat {...lines} />;
  const change = changeOf(item);
  return change ? <DiffStat diff={change} /> : undefined;
}

/** The reason is on the line: the model cannot fix it, but a person can. */
function DiskLabel({ item }: { readonly item: ToolItem }) {
  const { t } = useTranslation();
  const issue = diskIssueOf(item);
  return issue === undefined ? undefined : (
    <span className="shrink-0 text-sm text-bad">{t(`changes.disk.${issue}`)}</span>
  );
}

/** Progress that a running call reports. */
function Progress({ item: { progress: report } }: { readonly item: ToolItem }) {
  if (!report) return undefined;
  const { progress, total, message } = report;
  const done = total !== undefined && total > 0 ? `${Math.round((100 * progress) / total)} %` : `${progress}`;
  return (
    <span className="min-w-0 truncate text-xs text-ink-faint tabular-nums">
      {message === undefined ? done : `${done} · ${toShownLine(message)}`}
    </span>
  );
}

/** The decision, or that approval is pending. */
function ApprovalLabel({ item }: { readonly item: ToolItem }) {
  const { t } = useTranslation();
  const { approval } = item;
  if (!approval) return undefined;
  if (approval.decision !== undefined)
    return <SmallText>{toDecisionLabel(t, approval.action.target, approval)}</SmallText>;
  return isAsking(item) ? <SmallText>{t('approval.isOpen')}</SmallText> : undefined;
}

function SmallText({ children }: { readonly children: ReactNode }) {
  return <span className="flex shrink-0 items-center gap-1 text-xs text-ink-faint">{children}</span>;
}

function StatusIcon({ item }: { readonly item: ToolItem }) {
  const { t } = useTranslation();
  if (isAsking(item)) return <ShieldQuestion aria-hidden="true" className="size-3.5 shrink-0 text-warn" />;
  const { status } = item;
  const label = t(`tool.status.${status}`);
  if (status === 'running')
    return (
      <span role="img" aria-label={label} className="shrink-0 text-accent-text">
        <Spinner />
      </span>
    );
  const verb = verbOf(item);
  const { Icon, ink } = isAbsent(item) ? ABSENT : verb === undefined ? STATUSES[status] : VERBS[verb];
  // The words beside it say all of it.
  const spoken = isAbsent(item) ? undefined : label;
  return <Icon aria-label={spoken} className={`size-3.5 shrink-0 ${ink}`} />;
}

type Look = Readonly<{ Icon: typeof FilePen; ink: string }>;

const STATUSES: Readonly<Record<Exclude<ToolItem['status'], 'running'>, Look>> = {
  ok: { Icon: CircleCheck, ink: 'text-ok' },
  failed: { Icon: CircleAlert, ink: 'text-bad' },
  refused: { Icon: CircleSlash, ink: 'text-bad' },
  // Nothing happens to it before the calls in front of it are done, and they may wait for a person.
  asked: { Icon: CircleDashed, ink: 'text-ink-faint' },
};

/** Changing an existing file must look different from creating one. */
const VERBS: Readonly<Record<ChangeVerb, Look>> = {
  created: { Icon: FilePlus2, ink: 'text-ok' },
  changed: { Icon: FilePen, ink: 'text-accent-text' },
  replaced: { Icon: Replace, ink: 'text-warn' },
  unchanged: { Icon: FileCheck2, ink: 'text-ink-faint' },
};

const ABSENT: Look = { Icon: CircleDashed, ink: 'text-ink-faint' };

function isBad(item: ToolItem): boolean {
  return (item.status === 'failed' || item.status === 'refused') && !isAbsent(item);
}

/** Paths of the project are shown without the mount. */
function shorten(path: string): string {
  const shown = toShortPath(path);
  return shown.length > 300 ? `${shown.slice(0, 300)}…` : shown;
}

/** Consecutive reads as a count that expands to each. */
export function ReadsRow({ row }: { readonly row: RowOf<'reads'> }) {
  const { t } = useTranslation();
  const { isOpen, toggle } = useOpenRows();
  const rowKey = `${row.key}:reads`;
  const parts = describeReads(row.items).map(({ key, params }) => t(key, params));
  return (
    <Fold
      isOpen={isOpen(rowKey)}
      onToggle={() => toggle(rowKey)}
      className="-ms-1.5"
      summary={
        <>
          <BookOpen aria-hidden="true" className="size-3.5 shrink-0 text-ink-faint" />
          {parts.join(t('reads.separator'))}
        </>
      }
    >
      {() =>
        row.items.map((item) => (
          <ToolRow key={item.callId} rowKey={`${row.key}:${item.callId}`} item={item} />
        ))
      }
    </Fold>
  );
}
