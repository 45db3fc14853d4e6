/** The moment of a replay in the address of the page: `?at=` names an event of the log, or `start`. */
import { useSyncExternalStore } from 'react';

/** From the first event, playing. */
export const FROM_START = 'start';

export function readMoment(): string | undefined {
  return new URLSearchParams(location.search).get('at') ?? undefined;
}

/** Adds an entry to the history, so that Back leaves the replay. */
export function openReplay(): void {
  history.pushState(history.state, '', `${location.pathname}?at=${FROM_START}`);
  dispatchEvent(new PopStateEvent('popstate'));
}

/** Without a moment the replay ends. */
export function setMoment(moment: string | undefined): void {
  const query = moment === undefined ? '' : `?at=${encodeURIComponent(moment)}`;
  history.replaceState(history.state, '', `${location.pathname}${query}`);
  if (moment === undefined) dispatchEvent(new PopStateEvent('popstate'));
}

export function useIsReplaying(): boolean {
  return useSyncExternalStore(subscribe, () => readMoment() !== undefined);
}

function subscribe(listener: () => void): () => void {
  addEventListener('popstate', listener);
  return () => removeEventListener('popstate', listener);
}
