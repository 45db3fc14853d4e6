/**
 * The preview of an action as a dock shows it: its text, the lines made of it, which of them were on screen, and the proof for
 * the server of what was shown.
 */
import type { FollowingDecision } from '@crewagent/protocol/approvals';
import { isFileAction, isOnceOnly } from '@crewagent/protocol/described-actions';
import { toReadableJson } from '@crewagent/protocol/json-text';
import type { ItemOf } from '@crewagent/protocol/story/items';
import { useLayoutEffect, useRef, useState } from 'react';
import type { Viewing } from '../../ui/code/diff-view.tsx';
import { type Diff, parseDiff, toDiffRows, toPlainLines } from '../../ui/code/parse-diff.ts';
import { createSight } from '../../ui/code/sight.ts';

export interface Preview extends Viewing, Pick<ItemOf<'approval'>, 'callId' | 'action'> {
  readonly diff: Diff;
  /** The text does not contain everything: it can never be viewed in full. */
  readonly isCut: boolean;
  readonly isNew: boolean;
  /** It has more consequences than its text shows, or is not what was asked for first: a key is too easy. */
  readonly needsPress: boolean;
}

type Previewed = Pick<ItemOf<'approval'>, 'callId' | 'action' | 'runsLater'>;

function createPreview({ callId, action, runsLater }: Previewed): Preview {
  const { target, preview, effect, files = [], changed = [] } = action;
  const { text } = preview;
  const diff = isFileAction(action) ? parseDiff(text, target) : toPlainLines(toReadableJson(text));
  return {
    callId,
    action,
    diff,
    isCut: preview.isCut === true || diff.isCut === true,
    isNew: action.isNew ?? /^--- \/dev\/null$/m.test(text.split('\n@@ ', 1)[0] ?? ''),
    needsPress:
      isOnceOnly({ action, runsLater }) ||
      effect === 'external' ||
      changed.length > 0 ||
      files.some((file) => file.runsLater !== undefined),
    sight: createSight(toDiffRows(diff).length),
    goTo: { current: undefined },
  };
}

/**
 * The previews, the same objects until what would be done changes, and whether some part was not on screen when the dock
 * appeared. Renders again whenever another part was seen.
 */
export function usePreviews(asked: readonly Previewed[]) {
  const known = useRef<readonly Preview[]>([]);
  const next = asked.map(
    (one) => known.current.find((preview) => isSame(preview, one)) ?? createPreview(one),
  );
  if (next.length !== known.current.length || next.some((preview, index) => preview !== known.current[index]))
    known.current = next;
  const previews = known.current;
  const [state, setState] = useState({ of: NONE, unseen: -1, hasToBeViewed: true });
  // After the diffs have looked at the screen for the first time, and before anything is painted.
  useLayoutEffect(() => {
    const count = (): number => previews.reduce((sum, preview) => sum + unseenOf(preview), 0);
    const update = (): void => setState((before) => ({ ...before, unseen: count() }));
    setState({ of: previews, unseen: count(), hasToBeViewed: count() > 0 });
    const ends = previews.map(({ sight }) => sight.subscribe(update));
    return () => {
      for (const end of ends) end();
    };
  }, [previews]);
  // Until it was looked at, there is room for what says so: otherwise that would cover rows that count as seen.
  return { previews, hasToBeViewed: state.of !== previews || state.hasToBeViewed };
}

const NONE: readonly Preview[] = [];

function isSame({ callId, action: { target, preview } }: Preview, asked: Previewed): boolean {
  return (
    callId === asked.callId && target === asked.action.target && preview.text === asked.action.preview.text
  );
}

/** Lines that were not on screen. At least one if the text is cut. */
export function unseenOf({ sight, isCut }: Preview): number {
  return Math.max(sight.unseen(), isCut ? 1 : 0);
}

/** What the answer says about what was shown. */
export async function toSeen(preview: Preview): Promise<Pick<FollowingDecision, 'shown' | 'unseen'>> {
  const unseen = unseenOf(preview);
  const shown = await toSha256(preview.action.preview.text);
  return unseen === 0 ? { shown } : { shown, unseen };
}

/** SHA-256 of a text, as lower-case hex. Browsers have it on secure origins only; for others there is one of our own. */
export async function toSha256(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const { subtle } = globalThis.crypto as { readonly subtle?: SubtleCrypto };
  const hash = subtle
    ? new Uint8Array(await subtle.digest('SHA-256', bytes))
    : (await import('./sha256.ts')).sha256(bytes);
  return [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
