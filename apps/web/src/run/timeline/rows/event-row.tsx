/** Minor events of a conversation, each as one quiet line. */
import { GLOBAL_COMMANDS } from '@crewagent/protocol/commands';
import type { UndoneFile } from '@crewagent/protocol/journal';
import type { ItemOf, TimelineItem } from '@crewagent/protocol/timeline';
import {
  CornerLeftUp,
  FileInput,
  FilePlus2,
  LogOut,
  Play,
  ScrollText,
  ShieldCheck,
  SquareSlash,
  Undo2,
  Workflow,
} from 'lucide-react';
import type { ReactNode } from 'react';
import type { en } from '../../../i18n/texts/en/en.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Button } from '../../../ui/button.tsx';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { InfoRow } from './info-row.tsx';
import { QuietRow } from './quiet-row.tsx';

type EventItem = ItemOf<
  | 'artifact'
  | 'errand'
  | 'consent'
  | 'dismissed'
  | 'command'
  | 'info'
  | 'script'
  | 'undone'
  | 'run'
  | 'call'
  | 'call-ended'
>;

export function EventRow({ item }: { readonly item: EventItem }): ReactNode {
  const { t } = useTranslation();
  switch (item.kind) {
    case 'artifact':
      return (
        <QuietRow icon={<FilePlus2 aria-hidden="true" />}>
          {t('event.artifact', { path: pathOf(item.path) })}
        </QuietRow>
      );
    case 'errand':
      return (
        <QuietRow icon={<FileInput aria-hidden="true" />}>
          {t(`event.errand.${item.purpose}`, { label: pathOf(item.label) })}
        </QuietRow>
      );
    case 'consent':
      return <QuietRow icon={<ShieldCheck aria-hidden="true" />}>{t('event.consent')}</QuietRow>;
    case 'dismissed':
      return (
        <QuietRow icon={<LogOut aria-hidden="true" />}>
          {t('event.dismissed', { agent: toShownLine(item.name ?? item.agentId) })}
        </QuietRow>
      );
    case 'command':
      return <CommandLine item={item} />;
    case 'info':
      return <InfoRow item={item} />;
    case 'run':
      return <RunBegin title={item.title} isAgain={item.afterSeq > 0} />;
    case 'call':
      return (
        <QuietRow icon={<Workflow aria-hidden="true" />}>
          {t('event.call', { title: toShownLine(item.title) })}
        </QuietRow>
      );
    case 'call-ended':
      return (
        <QuietRow icon={<CornerLeftUp aria-hidden="true" />}>
          {t(`event.callEnded.${item.outcome}`, { title: toShownLine(item.title) })}
        </QuietRow>
      );
    case 'script':
      return (
        <QuietRow icon={<ScrollText aria-hidden="true" />}>
          {t(item.isOver ? 'event.scriptLeft' : 'event.scriptEntered', { path: pathOf(item.path) })}
        </QuietRow>
      );
    case 'undone':
      return <Undone item={item} />;
  }
}

/** A run was left here; the last such row offers to resume it. */
export function RunLeftRow({ onResume }: { readonly onResume: (() => void) | undefined }) {
  const { t } = useTranslation();
  return (
    <div className="flex flex-wrap items-center gap-x-3">
      <QuietRow icon={<LogOut aria-hidden="true" />}>{t('event.runLeft')}</QuietRow>
      {onResume ? (
        <Button size="sm" icon={<Play aria-hidden="true" className="size-3.5" />} onClick={onResume}>
          {t('event.resumeRun')}
        </Button>
      ) : undefined}
    </div>
  );
}

/** A command of the runtime by its name, a menu choice by its label; the result follows in the timeline. */
function CommandLine({ item: { input, command, reason, label } }: { readonly item: ItemOf<'command'> }) {
  const { t } = useTranslation();
  const [, name = ''] = /^[*/](\w+)$/.exec(input.trim().toLowerCase()) ?? [];
  const shown = toShownLine(label ?? input);
  return (
    <QuietRow icon={<SquareSlash aria-hidden="true" />}>
      {isCommandName(name) ? (
        <>
          <bdi className="font-mono text-ink-soft">{toShownLine(input)}</bdi> · {t(`command.${name}`)}
        </>
      ) : (
        <span title={toShownLine(reason)}>
          {t(command === 'ClarifyChoice' && label === undefined ? 'event.wrote' : 'event.chose', {
            input: shown.length > 200 ? `${shown.slice(0, 200)}…` : shown,
          })}
        </span>
      )}
    </QuietRow>
  );
}

function isCommandName(name: string): name is keyof typeof en.command {
  return GLOBAL_COMMANDS.has(name);
}

function RunBegin({ title, isAgain }: { readonly title: string; readonly isAgain: boolean }) {
  const { t } = useTranslation();
  return (
    <h2 className="mt-6 mb-1 flex items-center gap-2.5 text-lg font-semibold">
      <span
        aria-hidden="true"
        className="flex size-6 items-center justify-center rounded-md bg-accent-soft text-accent-text"
      >
        <Play className="size-3.5" />
      </span>
      <span className="min-w-0 wrap-anywhere">{toShownLine(title)}</span>
      {isAgain ? (
        <span className="text-sm font-normal text-ink-faint">{t('event.runAgain')}</span>
      ) : undefined}
    </h2>
  );
}

/** Only failures have details beyond their outcome. */
function Undone({ item }: { readonly item: ItemOf<'undone'> }) {
  const { t } = useTranslation();
  const done = item.files.filter(({ outcome }) => DONE.has(outcome));
  return (
    <div className="py-1">
      <QuietRow icon={<Undo2 aria-hidden="true" />}>
        {done.length > 0 ? t(`event.${item.direction}`, { count: done.length }) : t('event.notUndone')}
      </QuietRow>
      <ul className="ps-5.5 text-sm text-ink-faint">
        {item.files.map(({ path, outcome, reason, cause }) => (
          <li key={path} className="wrap-anywhere">
            <bdi className="font-mono">{pathOf(path)}</bdi> ·{' '}
            {cause === undefined ? t(`event.outcome.${outcome}`) : t(`changes.conflict.${cause}`)}
            {reason && outcome === 'failed' ? <span lang="en"> · {toShownLine(reason)}</span> : undefined}
          </li>
        ))}
      </ul>
    </div>
  );
}

const DONE: ReadonlySet<UndoneFile['outcome']> = new Set(['restored', 'deleted', 'recreated'] as const);

function pathOf(path: string): string {
  return toShownLine(path).replace(/^@project\//, '');
}

export function isEventItem(item: TimelineItem): item is EventItem {
  return EVENT_KINDS.has(item.kind);
}

const EVENT_KINDS: ReadonlySet<TimelineItem['kind']> = new Set<EventItem['kind']>([
  'artifact',
  'errand',
  'consent',
  'dismissed',
  'command',
  'info',
  'script',
  'undone',
  'run',
  'call',
  'call-ended',
]);
