/** The moment of a replay in the address of the page: `?at=` names an event of the log, or `start`. */
import { useSyncExternalStore } from 'react';

/** From the first event, playing. */
export const FROM_START = 'start';

export function readMoment(): string | undefined {
  return new URLSearchParams(location.search).get('at') ?? undefined;
}

/** The event in an address: its number, and its log unless that is the Work's own. */
export function toMoment(
  { runId, seq }: { readonly runId: string; readonly seq: number },
  workId: string,
): string {
  return runId === workId ? String(seq) : `${runId}:${seq}`;
}

export function openReplay(): void {
  openMoment(FROM_START);
}

/** Of the Work that is shown. Adds an entry to the history, so that Back leaves the replay. */
export function openMoment(moment: string): void {
  history.pushState(
    { replay: crypto.randomUUID() },
    '',
    `${location.pathname}?at=${encodeURIComponent(moment)}`,
  );
  dispatchEvent(new PopStateEvent('popstate'));
}

/** Without a moment the replay ends. */
export function setMoment(moment: string | undefined): void {
  const query = moment === undefined ? '' : `?at=${encodeURIComponent(moment)}`;
  history.replaceState(history.state, '', `${location.pathname}${query}`);
  if (moment === undefined) dispatchEvent(new PopStateEvent('popstate'));
}

export function useIsReplaying(): boolean {
  return useReplayKey() !== undefined;
}

/** Differs for each replay that is opened; the moment of one changes without it. */
export function useReplayKey(): string | undefined {
  return useSyncExternalStore(subscribe, () =>
    readMoment() === undefined
      ? undefined
      : String((history.state as { replay?: string } | null)?.replay ?? ''),
  );
}

function subscribe(listener: () => void): () => void {
  addEventListener('popstate', listener);
  return () => removeEventListener('popstate', listener);
}
