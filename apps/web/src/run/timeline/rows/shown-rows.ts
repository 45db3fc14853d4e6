/**
 * The rows of the timeline as they are listed: replies in parts, and the one in progress behind all others. Its parts have the keys
 * that they keep when it is complete, so that nothing is mounted again.
 */
import type { ItemOf } from '@crewagent/protocol/story/items';
import { type RowOf, type StoryRow, toPendingNodeRow } from '@crewagent/protocol/story/rows';
import type { Story } from '@crewagent/protocol/story/story';
import { useMemo, useState, useSyncExternalStore } from 'react';
import type { Observable, Words } from '../../../state/conversation-store.ts';
import { createReplySplitter, type SplitReply, splitReply } from './split-reply.ts';

type Reply = Pick<ItemOf<'reply'>, 'text' | 'reasoning' | 'thoughtMs' | 'isPartial'>;

/** A part of a reply. The last part of one in progress has no text here: it changes with every word. */
export interface PartRow {
  readonly kind: 'part';
  readonly key: string;
  readonly source: string;
  /** Key of the whole reply. */
  readonly replyKey: string;
  /** Key of the story's row; undefined while the reply is in progress. */
  readonly storyKey: string | undefined;
  readonly at: number;
  readonly item: Reply;
  readonly isLast: boolean;
  /** Too far from the end of the reply to be in view when the reply ends the timeline. */
  readonly isFar: boolean;
  readonly isStreaming: boolean;
}

/** As many parts as fill a screen. */
const NEAR_PARTS = 6;

export type ShownRow = StoryRow | PartRow;

/** The reply in progress, as far as it has been written. */
export interface LiveReply extends SplitReply {
  readonly reasoning: string | undefined;
  /** The model has sent nothing yet. */
  readonly isSilent: boolean;
}

export type LiveReplySource = Observable<LiveReply>;

/** `story`: the run or thread that a reply is expected from; undefined if none is. */
export function useShownRows(
  rows: readonly StoryRow[],
  words: Observable<Words | undefined>,
  story: Readonly<Story> | undefined,
): { readonly shown: readonly ShownRow[]; readonly live: LiveReplySource } {
  const live = useMemo(() => createLiveReply(words), [words]);
  const completed = useSyncExternalStore(live.subscribe, () => live.read().completed);
  const definitions = useSyncExternalStore(live.subscribe, () => live.read().definitions);
  const [partsOf] = useState(createPartCache);
  const finished = useMemo(() => toFinishedRows(rows, partsOf), [rows, partsOf]);
  const shown = useMemo(() => {
    if (!story) return finished;
    const pending = toPendingNodeRow(rows, story);
    const parts = toLiveParts(finished, story, { ...live.read(), completed, definitions });
    return [...finished, ...(pending ? [pending] : []), ...parts];
  }, [rows, finished, story, live, completed, definitions]);
  return { shown, live };
}

function createLiveReply({ read, subscribe }: Observable<Words | undefined>): LiveReplySource {
  const split = createReplySplitter();
  const toLive = (said: Words | undefined): LiveReply => ({
    ...split(said?.text ?? ''),
    reasoning: said?.reasoning,
    isSilent: said === undefined,
  });
  let seen = read();
  let live = toLive(seen);
  return {
    subscribe,
    read: () => {
      const said = read();
      if (said !== seen) [seen, live] = [said, toLive(said)];
      return live;
    },
  };
}

/** Items are replaced, never mutated. */
function createPartCache(): (item: ItemOf<'reply'>) => readonly string[] {
  const known = new WeakMap<ItemOf<'reply'>, readonly string[]>();
  return (item) => {
    const parts = known.get(item) ?? toTexts(splitReply(item.text));
    known.set(item, parts);
    return parts;
  };
}

/** Each part is parsed by itself, with the definitions of all. */
function toTexts({ completed, last, definitions }: SplitReply): readonly string[] {
  if (completed.length === 0) return [last];
  return [...completed, last].map((part) => withDefinitions(part, definitions));
}

function withDefinitions(part: string, definitions: string): string {
  return definitions === '' ? part : `${definitions}\n${part}`;
}

export function textAt({ completed, last, definitions }: SplitReply, at: number): string {
  return at === 0 && completed.length === 0 ? last : withDefinitions(completed[at] ?? last, definitions);
}

function toFinishedRows(rows: readonly StoryRow[], partsOf: ReturnType<typeof createPartCache>): ShownRow[] {
  const used = new Set<string>();
  return rows.flatMap((row): readonly ShownRow[] => {
    const item = row.kind === 'item' && row.item.kind === 'reply' ? row.item : undefined;
    if (!item) return [row];
    const byTurn = toReplyKey(row.source, item.turn);
    const replyKey = item.turn === 0 || used.has(byTurn) ? row.key : byTurn;
    used.add(replyKey);
    return toParts(row, item, replyKey, partsOf(item));
  });
}

/** A turn has one reply; the log of a damaged run may have several. */
function toReplyKey(source: string, turn: number): string {
  return `${source}:turn:${turn}`;
}

function toParts(
  { source, key: storyKey }: Pick<RowOf<'item'>, 'source' | 'key'>,
  { reasoning, thoughtMs, isPartial }: Reply,
  replyKey: string,
  texts: readonly string[],
): readonly PartRow[] {
  return texts.map((text, at) => {
    const isLast = at === texts.length - 1;
    const isFar = at < texts.length - NEAR_PARTS;
    return {
      kind: 'part',
      ...{ source, replyKey, storyKey, at, isLast, isFar, key: toPartKey(replyKey, at), isStreaming: false },
      item: {
        text,
        ...(at === 0 ? { reasoning, thoughtMs } : {}),
        ...(isLast && isPartial ? { isPartial } : {}),
      },
    };
  });
}

function toPartKey(replyKey: string, at: number): string {
  return `${replyKey}:part:${at}`;
}

function toLiveParts(
  finished: readonly ShownRow[],
  { runId: source, turns }: Readonly<Story>,
  live: LiveReply,
): readonly PartRow[] {
  const { completed, reasoning } = live;
  const turn = Math.max(1, turns);
  const hasReply = finished.some((row) => row.kind === 'part' && row.replyKey === toReplyKey(source, turn));
  const replyKey = toReplyKey(source, hasReply ? turn + 1 : turn);
  return Array.from({ length: completed.length + 1 }, (_, at) => {
    const isLast = at === completed.length;
    const isFar = at <= completed.length - NEAR_PARTS;
    return {
      kind: 'part',
      ...{ source, replyKey, storyKey: undefined, at, isLast, isFar, isStreaming: isLast },
      key: toPartKey(replyKey, at),
      item: { text: isLast ? '' : textAt(live, at), ...(at === 0 ? { reasoning } : {}) },
    };
  });
}
