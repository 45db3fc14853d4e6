/**
 * The button that allows, and beside it the menu of longer approvals. What was not all viewed is allowed by a button that says
 * so, which is never the primary one, has no key, and cannot be for longer.
 */

import { type ApprovalDecision, type ApprovalReach, covers } from '@crewagent/protocol/approvals';
import { isFileAction, isOutsideProject } from '@crewagent/protocol/described-actions';
import type { ItemOf } from '@crewagent/protocol/timeline';
import { isRead } from '@crewagent/protocol/tool-effects';
import type { FileFact, Undeclared } from '@crewagent/protocol/tools';
import type { TFunction } from 'i18next';
import { ArrowDown, Check, ChevronDown, TriangleAlert } from 'lucide-react';
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { formatNumber } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { Note } from '../../ui/note.tsx';
import { Menu, type MenuItem } from '../../ui/overlays/menu.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { reachesOf, toReachName, toShownName } from '../approval-reach.ts';
import { ALLOW_KEYS, toAriaKeys } from './dock.tsx';

interface AllowButtonProps {
  readonly label: string;
  /** The same for what was not viewed. */
  readonly unseenLabel: string;
  /** With what was not viewed: its number of lines, or that it cannot be viewed in full. */
  readonly unseen: number;
  readonly isCut?: boolean;
  /** The most lines it had to name: it keeps the width. */
  readonly lines: number;
  readonly hasToBeViewed: boolean;
  readonly isBusy: boolean;
  readonly hasKey: boolean;
  readonly onAllow: () => void;
  readonly longer: readonly MenuItem[];
}

export function AllowButton(props: AllowButtonProps) {
  const {
    label,
    unseenLabel,
    unseen,
    isCut = false,
    lines,
    hasToBeViewed,
    isBusy,
    hasKey,
    onAllow,
    longer,
  } = props;
  const { t } = useTranslation();
  const hasMenu = longer.length > 0;
  const isViewed = unseen === 0;
  const toLabel = (count: number): string =>
    isCut
      ? t('approval.withoutAll', { label: unseenLabel })
      : t('approval.without', { label: unseenLabel, count, lines: formatNumber(count) });
  const kind = isViewed ? 'primary' : 'plain';
  return (
    <span className="inline-flex">
      <Button
        kind={kind}
        isBusy={isBusy}
        aria-keyshortcuts={hasKey ? toAriaKeys(ALLOW_KEYS) : undefined}
        onClick={onAllow}
        {...(hasMenu ? { className: 'rounded-e-none' } : {})}
      >
        <span className="grid justify-items-center *:[grid-area:1/1]">
          {hasToBeViewed ? (
            <span aria-hidden="true" className="invisible">
              {toLabel(lines)}
            </span>
          ) : undefined}
          <span className="inline-flex items-center gap-1.5 tabular-nums">
            {isViewed ? label : toLabel(unseen)}
            {hasKey ? <Kbd keys={ALLOW_KEYS} isOnButton /> : undefined}
          </span>
        </span>
      </Button>
      {hasMenu ? (
        <Menu
          label={t('approval.more')}
          trigger={
            <Button
              kind={kind}
              disabled={isBusy || !isViewed}
              aria-label={t('approval.more')}
              className="ms-px rounded-s-none px-1.5"
            >
              <ChevronDown className="size-4" />
            </Button>
          }
          items={longer}
        />
      ) : undefined}
    </span>
  );
}

interface LongerApprovals {
  readonly item: ItemOf<'approval'>;
  /** Outside a workflow: there is no step and no run to approve for. */
  readonly isThread: boolean;
  readonly onChoose: (decision: ApprovalDecision, reach: ApprovalReach) => void;
}

/** Each item names its files, so that nobody allows more than intended. With several changes, each item covers all of them. */
export function toLongerApprovals(t: TFunction, { item, isThread, onChoose }: LongerApprovals): MenuItem[] {
  const { tool, action, following = [] } = item;
  const { target } = action;
  const isFile = isFileAction(action) || isRead({ kind: action.effect });
  const reaches = (isFile ? reachesOf(target) : (['file'] as const)).filter((reach) =>
    following.every((change) => covers({ tool, path: target, reach }, change.tool, change.action.target)),
  );
  return reaches.flatMap((reach, index): MenuItem[] => [
    ...(index === 0 ? [] : (['separator'] as const)),
    ...(isThread ? IN_A_THREAD : IN_A_RUN).map(([decision, key]) => ({
      id: `${reach}-${decision}`,
      label: t(`approval.longer.${key}`, {
        files: isFile ? toReachName(t, target, reach) : toShownLine(tool),
      }),
      onChoose: () => onChoose(decision, reach),
    })),
  ]);
}

const IN_A_RUN = [
  ['node', 'node'],
  ['run', 'run'],
  ['always', 'always'],
] as const;

const IN_A_THREAD = [
  ['run', 'thread'],
  ['always', 'always'],
] as const;

interface ViewProgressProps {
  readonly unseen: number;
  readonly lines: number;
  readonly onNext: () => void;
  /** What cannot be viewed here at all. */
  readonly cut?: ReactNode;
}

/** How much of a preview was not on screen yet, with a button that leads there. Keeps its height when everything was. */
export function ViewProgress({ unseen, lines, onNext, cut }: ViewProgressProps) {
  const { t } = useTranslation();
  const isDone = unseen === 0;
  const text = useRef<HTMLParagraphElement>(null);
  const isOnButton = useRef(false);
  useLayoutEffect(() => {
    // The button is gone; the next thing in the order of the Tab key is near.
    if (isDone && isOnButton.current) text.current?.focus();
  }, [isDone]);
  return (
    <div className="flex min-h-9.5 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-t px-4 py-1.5 text-sm">
      {isDone && cut ? undefined : (
        <p
          ref={text}
          tabIndex={-1}
          className={`flex items-center gap-1.5 tabular-nums outline-none ${isDone ? 'text-ok' : 'text-warn'}`}
        >
          {isDone ? <Check className="size-4" /> : undefined}
          {isDone
            ? t('approval.allViewed', { count: lines, lines: formatNumber(lines) })
            : t('approval.notViewed', {
                count: lines,
                unseen: formatNumber(unseen),
                lines: formatNumber(lines),
              })}
        </p>
      )}
      {isDone ? undefined : (
        <Button
          size="sm"
          icon={<ArrowDown className="size-3.5" />}
          onFocus={() => {
            isOnButton.current = true;
          }}
          onBlur={() => {
            isOnButton.current = false;
          }}
          onClick={onNext}
        >
          {t('approval.nextUnseen')}
        </Button>
      )}
      {cut}
      <span role="status" className="sr-only">
        {isDone && !cut ? t('approval.canAllow') : ''}
      </span>
    </div>
  );
}

/** What is to know about an action besides its preview: what changed since it was asked for, what its files are, what runs them. */
export function ActionFacts({
  item: { action, runsLater },
}: {
  readonly item: Pick<ItemOf<'approval'>, 'action' | 'runsLater'>;
}) {
  const { t } = useTranslation();
  const { changed = [], files = [], undeclared } = action;
  const facts = files.flatMap((file) =>
    factsOf(file).map((fact) => ({ fact, path: toShownName(file.path) })),
  );
  const runners = new Set(
    [runsLater, ...files.map((file) => file.runsLater)].filter((one) => one !== undefined),
  );
  return (
    <>
      {changed.length > 0 ? (
        <div className="mb-2">
          <Note level="warning" title={t('approval.changed.title')} isAlert>
            <ul className="list-disc ps-4">
              {changed.map((code) => (
                <li key={code}>
                  {t(`approval.changed.${toKnown(code)}`, {
                    path: toShownName(files[0]?.path ?? action.target),
                  })}
                </li>
              ))}
            </ul>
          </Note>
        </div>
      ) : undefined}
      {undeclared ? (
        <Warning
          text={t(`approval.undeclared.${toKey(undeclared)}`, { globs: undeclared.globs?.join(', ') ?? '' })}
        />
      ) : undefined}
      {isOutsideProject(action) ? <Warning text={t('approval.external')} /> : undefined}
      {[...runners].map((runner) => (
        <Warning key={runner} text={t(`approval.runsLater.${runner}`)} />
      ))}
      {facts.map(({ fact, path }) => (
        <Warning key={`${fact} ${path}`} text={t(`approval.fact.${fact}`, { path })} />
      ))}
    </>
  );
}

function toKey({ by, access }: Undeclared): 'writes' | Undeclared['access'] {
  return by === 'writes' ? 'writes' : access;
}

const CHANGES = ['target', 'kind', 'mode', 'runner', 'content', 'identity', 'preview'] as const;

function toKnown(code: string): (typeof CHANGES)[number] {
  return CHANGES.find((known) => known === code) ?? 'preview';
}

type Fact = 'executable' | 'isLink' | 'becomesLink' | 'removed' | 'replacesFolder';

/** What a diff does not show. */
function factsOf({ before, after }: FileFact): readonly Fact[] {
  const facts: (Fact | false)[] = [
    isExecutable(after.mode) && !isExecutable(before.mode) && 'executable',
    before.kind === 'link' && after.kind !== 'link' && 'isLink',
    after.kind === 'link' && 'becomesLink',
    before.kind !== 'absent' && after.kind === 'absent' && 'removed',
    before.kind === 'folder' && after.kind !== 'folder' && after.kind !== 'absent' && 'replacesFolder',
  ];
  return facts.filter((fact) => fact !== false);
}

function isExecutable(mode = 0): boolean {
  return (mode & 0o111) !== 0;
}

function Warning({ text }: { readonly text: string }) {
  return (
    <p className="mb-2 flex items-start gap-2 font-medium wrap-anywhere text-bad">
      <TriangleAlert className="mt-0.5 size-4 shrink-0" />
      {text}
    </p>
  );
}
