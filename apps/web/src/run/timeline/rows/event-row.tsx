/** Minor events of a conversation, each as one quiet line: the sentence of the entry, and what only a screen can add to it. */
import { toPackageTitle } from '@crewagent/protocol/package-title';
import {
  describeItem,
  type ItemIcon,
  type ItemSentence,
  toShortPath,
} from '@crewagent/protocol/story/describe-item';
import type { ItemOf, StoryItem } from '@crewagent/protocol/story/items';
import {
  ArrowRight,
  CircleCheck,
  CornerLeftUp,
  FileInput,
  FilePlus2,
  Info,
  LogOut,
  type LucideIcon,
  Play,
  ScrollText,
  ShieldCheck,
  SquareSlash,
  Undo2,
  UserRound,
  Workflow,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { usePackageTitle } from '../../../api/queries.ts';
import { en } from '../../../i18n/texts/en/en.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Button } from '../../../ui/button.tsx';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { toSign } from '../../agent-name.tsx';

const ICONS: Readonly<Record<ItemIcon, LucideIcon>> = {
  agent: UserRound,
  call: Workflow,
  command: SquareSlash,
  completed: CircleCheck,
  consent: ShieldCheck,
  file: FilePlus2,
  info: Info,
  input: FileInput,
  leave: LogOut,
  move: ArrowRight,
  return: CornerLeftUp,
  run: Play,
  script: ScrollText,
  undo: Undo2,
};

interface EventRowProps {
  readonly item: StoryItem;
  readonly titleOf: (nodeId: string) => string;
  /** Only where a run was left last. */
  readonly onResume?: (() => void) | undefined;
}

export function EventRow({ item, titleOf, onResume }: EventRowProps): ReactNode {
  if (item.kind === 'notice' && item.code === 'info.help') return <Help />;
  const sentence = describeItem(item, titleOf);
  if (!sentence) return undefined;
  switch (item.kind) {
    case 'command':
      return <CommandRow item={item} sentence={sentence} />;
    case 'run':
      return <RunHeading item={item} />;
    case 'undone':
      return (
        <div className="py-1">
          <SentenceRow sentence={sentence} />
          <UndoneFiles item={item} />
        </div>
      );
    default:
      return <SentenceRow sentence={sentence} onResume={onResume} />;
  }
}

interface SentenceRowProps extends Pick<EventRowProps, 'onResume'> {
  readonly sentence: ItemSentence;
}

function SentenceRow({ sentence: { key, params, icon }, onResume }: SentenceRowProps) {
  const { t } = useTranslation();
  const Icon = ICONS[icon];
  const line = <QuietRow icon={<Icon aria-hidden="true" />}>{toShownLine(t(key, params ?? {}))}</QuietRow>;
  if (!onResume) return line;
  return (
    <div className="flex flex-wrap items-center gap-x-3">
      {line}
      <Button size="sm" icon={<Play aria-hidden="true" className="size-3.5" />} onClick={onResume}>
        {t('action.resume')}
      </Button>
    </div>
  );
}

interface CommandRowProps {
  readonly item: ItemOf<'command'>;
  readonly sentence: ItemSentence;
}

/** A command of the runtime by its name; the result follows in the timeline. */
function CommandRow({ item: { input, reason }, sentence }: CommandRowProps) {
  const { t } = useTranslation();
  const [, name = ''] = /^[*/](\w+)$/.exec(input.trim().toLowerCase()) ?? [];
  if (!isCommandName(name))
    return (
      <div title={toShownLine(reason)}>
        <SentenceRow sentence={sentence} />
      </div>
    );
  return (
    <QuietRow icon={<SquareSlash aria-hidden="true" />}>
      <bdi className="font-mono text-ink-soft">{toShownLine(input)}</bdi> · {t(`command.${name}`)}
    </QuietRow>
  );
}

function isCommandName(name: string): name is keyof typeof en.command {
  return Object.hasOwn(en.command, name);
}

function RunHeading({ item: { title, afterSeq } }: { readonly item: ItemOf<'run'> }) {
  const { t } = useTranslation();
  return (
    <h2 className="mt-6 mb-1 flex items-center gap-2.5 text-lg font-semibold">
      <span
        aria-hidden="true"
        className="flex size-6 items-center justify-center rounded-md bg-accent-soft text-accent-text"
      >
        <Play className="size-3.5" />
      </span>
      <span className="min-w-0 wrap-anywhere">
        {toShownLine(afterSeq > 0 ? t('event.runAgain', { title }) : title)}
      </span>
    </h2>
  );
}

/** Only failures have details beyond their outcome. */
function UndoneFiles({ item }: { readonly item: ItemOf<'undone'> }) {
  const { t } = useTranslation();
  return (
    <ul className="ps-5.5 text-sm text-ink-faint">
      {item.files.map(({ path, outcome, reason, cause }) => (
        <li key={path} className="wrap-anywhere">
          <bdi className="font-mono">{toShownLine(toShortPath(path))}</bdi> ·{' '}
          {t(`event.outcome.${cause ?? outcome}`)}
          {reason && outcome === 'failed' ? <span lang="en"> · {toShownLine(reason)}</span> : undefined}
        </li>
      ))}
    </ul>
  );
}

function Help() {
  const { t } = useTranslation();
  return (
    <dl className="my-2 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 rounded-lg border px-3.5 py-3">
      {Object.keys(en.command)
        .filter(isCommandName)
        .filter((name) => name !== 'exit')
        .map((name) => (
          <div key={name} className="contents">
            <dt className="font-mono text-sm">/{name}</dt>
            <dd className="text-ink-soft">{t(`command.${name}`)}</dd>
          </div>
        ))}
    </dl>
  );
}

/** The agent of the conversation from here on. */
export function AgentCard({ item: { agent } }: { readonly item: ItemOf<'agent'> }) {
  const { name, version, hash } = agent.package;
  const from = usePackageTitle(hash) ?? toPackageTitle({ name });
  const role = agent.title === agent.name ? [] : [agent.title];
  return (
    <div className="my-3 flex items-center gap-3 rounded-lg border bg-surface px-3.5 py-3">
      <span
        aria-hidden="true"
        className="flex size-9 shrink-0 items-center justify-center rounded-full bg-accent-soft text-lg"
      >
        {agent.icon ? toSign(agent.icon) : <UserRound className="size-4 text-accent-text" />}
      </span>
      <div className="min-w-0">
        <p className="font-semibold wrap-anywhere">{toShownLine(agent.name)}</p>
        <p className="text-ink-faint wrap-anywhere">
          {[...role, `${from} ${version}`].map(toShownLine).join(' · ')}
        </p>
      </div>
    </div>
  );
}

/** A minor event on one line. */
export function QuietRow({ icon, children }: { readonly icon?: ReactNode; readonly children: ReactNode }) {
  return (
    <p className="flex items-center gap-2 py-1.5 text-sm text-ink-faint wrap-anywhere [&_svg]:size-3.5 [&_svg]:shrink-0">
      {icon}
      <span className="min-w-0">{children}</span>
    </p>
  );
}
