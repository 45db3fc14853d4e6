/** A decision on actions: what would be done, a note to the model, the buttons that deny and allow, and how far an approval reaches. */
import {
  type ApprovalDecision,
  type ApprovalReach,
  type ApprovalResponse,
  covers,
} from '@crewagent/protocol/approvals';
import { isFileAction } from '@crewagent/protocol/described-actions';
import type { ItemOf } from '@crewagent/protocol/story/items';
import { isRead } from '@crewagent/protocol/tool-effects';
import type { TFunction } from 'i18next';
import { ArrowDown, Check, ChevronDown } from 'lucide-react';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { formatNumber } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { Input } from '../../ui/forms/input.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { Menu, type MenuList } from '../../ui/overlays/menu.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { reachesOf, toReachName } from '../approval-reach.ts';
import { ALLOW_KEYS, DENY_KEYS, Dock, type DockProps, toAriaKeys, useSentOnce } from './dock.tsx';
import { type Preview, unseenOf } from './preview.ts';

interface DecisionDockProps extends Pick<DockProps, 'icon' | 'title' | 'aside' | 'asked' | 'children'> {
  readonly decision: ReturnType<typeof useDecision>;
  readonly denyLabel: string;
  readonly allowLabel: string;
  /** The same for what was not viewed. */
  readonly unseenLabel?: string;
  /** The previews that the button allows. */
  readonly allowed?: readonly Preview[];
  /** The most lines that the button had to name: it keeps the width. Undefined if everything was on screen at once. */
  readonly linesToView?: number | undefined;
  /** What cannot be viewed here at all. */
  readonly cut?: ReactNode;
  readonly longer?: MenuList;
  readonly onDeny: () => void;
  readonly onAllow: () => void;
  /** Shows the next lines that were not on screen. */
  readonly onNext?: () => void;
}

/**
 * What was not all viewed is allowed by a button that says so, which is never the primary one, has no key, and cannot be for
 * longer.
 */
export function DecisionDock(props: DecisionDockProps) {
  const { decision, allowLabel, allowed = [], linesToView, longer = [], onDeny, onAllow, ...dock } = props;
  const { note, setNote, isSending, issue } = decision;
  const { t } = useTranslation();
  const unseen = sum(allowed.map(unseenOf));
  const isViewed = unseen === 0;
  const hasKey = isViewed && !allowed.some(({ needsPress }) => needsPress);
  const kind = isViewed ? 'primary' : 'plain';
  const toUnseenLabel = (count: number): string => {
    const label = dock.unseenLabel ?? allowLabel;
    return allowed.some(({ isCut }) => isCut)
      ? t('approval.withoutAll', { label })
      : t('approval.without', { label, count, lines: formatNumber(count) });
  };
  return (
    <Dock
      {...dock}
      issue={issue}
      keys={{ [ALLOW_KEYS]: hasKey ? onAllow : undefined, [DENY_KEYS]: onDeny }}
      progress={linesToView === undefined ? undefined : <ViewProgress {...dock} previews={allowed} />}
      footer={
        <>
          <Input
            aria-label={t('approval.note')}
            placeholder={t('approval.note')}
            value={note}
            disabled={isSending}
            onChange={(event) => setNote(event.target.value)}
            className="min-w-40 flex-1 basis-full sm:basis-0"
          />
          <Button disabled={isSending} aria-keyshortcuts={toAriaKeys(DENY_KEYS)} onClick={onDeny}>
            {dock.denyLabel}
            <Kbd keys={DENY_KEYS} isOnButton />
          </Button>
          <span className="inline-flex">
            <Button
              kind={kind}
              isBusy={isSending}
              aria-keyshortcuts={hasKey ? toAriaKeys(ALLOW_KEYS) : undefined}
              onClick={onAllow}
              className={longer.length > 0 ? 'rounded-e-none' : undefined}
            >
              <span className="grid justify-items-center *:[grid-area:1/1]">
                {linesToView === undefined ? undefined : (
                  <span aria-hidden="true" className="invisible">
                    {toUnseenLabel(linesToView)}
                  </span>
                )}
                <span className="inline-flex items-center gap-1.5 tabular-nums">
                  {isViewed ? allowLabel : toUnseenLabel(unseen)}
                  {hasKey ? <Kbd keys={ALLOW_KEYS} isOnButton /> : undefined}
                </span>
              </span>
            </Button>
            {longer.length > 0 ? (
              <Menu
                label={t('approval.more')}
                trigger={
                  <Button
                    kind={kind}
                    disabled={isSending || !isViewed}
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
        </>
      }
    />
  );
}

/** The answer to an approval, with the note that the person wrote. Sent once. */
export function useDecision(
  callId: string,
  onApprove: (callId: string, response: ApprovalResponse) => Promise<void>,
) {
  const [note, setNote] = useState('');
  const { send, ...state } = useSentOnce();
  return {
    ...state,
    note,
    setNote,
    send: (toResponse: () => Promise<ApprovalResponse>): void =>
      send(async () => onApprove(callId, { ...(await toResponse()), note: note.trim() || undefined })),
  };
}

interface ViewProgressProps extends Pick<DecisionDockProps, 'onNext' | 'cut'> {
  readonly previews: readonly Preview[];
}

/** How much of the previews was not on screen yet, with a button that leads there. Keeps its height when everything was. */
function ViewProgress({ previews, onNext, cut }: ViewProgressProps) {
  const { t } = useTranslation();
  const unseen = sum(previews.map(({ sight }) => sight.unseen()));
  const count = sum(previews.map(({ sight }) => sight.rows));
  const lines = formatNumber(count);
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
            ? t('approval.allViewed', { count, lines })
            : t('approval.notViewed', { count, unseen: formatNumber(unseen), lines })}
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

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

interface LongerApprovals {
  readonly item: ItemOf<'approval'>;
  /** Outside a workflow: there is no step and no run to approve for. */
  readonly isThread: boolean;
  readonly onChoose: (decision: ApprovalDecision, reach: ApprovalReach) => void;
}

/**
 * The longer approvals as items of a menu: for how long, and for which files or tool. Each item names its files, so that nobody
 * allows more than intended. With several changes, each item covers all of them.
 */
export function toLongerApprovals(t: TFunction, { item, isThread, onChoose }: LongerApprovals): MenuList {
  const { tool, action, following = [] } = item;
  const { target } = action;
  const isFile = isFileAction(action) || isRead({ kind: action.effect });
  const reaches = (isFile ? reachesOf(target) : (['file'] as const)).filter((reach) =>
    following.every((change) => covers({ tool, path: target, reach }, change.tool, change.action.target)),
  );
  return reaches.flatMap(
    (reach, index): MenuList => [
      ...(index === 0 ? [] : (['separator'] as const)),
      ...(isThread ? IN_A_THREAD : IN_A_RUN).map(([decision, key]) => ({
        id: `${reach}-${decision}`,
        label: t(`approval.longer.${key}`, {
          files: isFile ? toReachName(t, target, reach) : toShownLine(tool),
        }),
        onChoose: () => onChoose(decision, reach),
      })),
    ],
  );
}

const ALWAYS = ['always', 'always'] as const;
const IN_A_RUN = [['node', 'node'], ['run', 'run'], ALWAYS] as const;
const IN_A_THREAD = [['run', 'thread'], ALWAYS] as const;
