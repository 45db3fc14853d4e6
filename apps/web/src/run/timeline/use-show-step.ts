/** Scrolls the timeline to a step that the overview asked for, and focuses its header. Loads earlier items until it is there. */
import { type RefObject, useContext, useEffect } from 'react';
import type { VirtualizerHandle } from 'virtua';
import type { ShownStory } from '../../state/conversation-store.ts';
import { consumeStepFocus, useStepFocus } from '../../state/step-focus.ts';
import { LoadEarlierContext } from '../load-earlier.ts';
import type { ShownRow } from './rows/shown-rows.ts';

interface ShowStepOptions {
  readonly rows: readonly ShownRow[];
  readonly runs: ReadonlyMap<string, ShownStory>;
  readonly list: RefObject<VirtualizerHandle | null>;
  readonly scroller: RefObject<HTMLElement | null>;
  /** The timeline stops following its end. */
  readonly leaveEnd: () => void;
}

export function useShowStep({ rows, runs, list, scroller, leaveEnd }: ShowStepOptions): void {
  const { wanted } = useStepFocus();
  const loadEarlier = useContext(LoadEarlierContext);
  useEffect(() => {
    if (!wanted) return undefined;
    const { runId, nodeId, seq } = wanted;
    const isMissing = (runs.get(runId)?.earlier?.before ?? 0) > seq;
    if (isMissing) {
      // The connection notes say why nothing arrives.
      void loadEarlier(runId).catch(() => undefined);
      return undefined;
    }
    const isOfNode = (row: ShownRow): boolean =>
      row.kind === 'node' && row.source === runId && row.nodeId === nodeId;
    const exact = rows.findIndex(
      (row) => isOfNode(row) && row.kind === 'node' && row.visit?.firstSeq === seq,
    );
    const index = exact >= 0 ? exact : rows.findLastIndex(isOfNode);
    const row = rows[index];
    consumeStepFocus();
    if (!row) return undefined;
    leaveEnd();
    // A timeline that was hidden restores its position in the frame in which it appears.
    requestAnimationFrame(() => {
      requestAnimationFrame(() => {
        list.current?.scrollToIndex(index, { align: 'start' });
        focusHeader(scroller, row.key);
      });
    });
    return undefined;
  }, [wanted, rows, runs, list, scroller, leaveEnd, loadEarlier]);
}

/** The list mounts a row some frames after it was scrolled there. */
function focusHeader(scroller: RefObject<HTMLElement | null>, key: string, frames = MOST_FRAMES): void {
  const header = scroller.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"] h3`);
  if (header) {
    header.tabIndex = -1;
    header.focus({ preventScroll: true });
  } else if (frames > 0) requestAnimationFrame(() => focusHeader(scroller, key, frames - 1));
}

const MOST_FRAMES = 30;
