/**
 * One that is followed knows words that are in no log yet; one that nobody follows any more may know less than the log.
 */
import type { RunView } from '@crewagent/protocol/run-view';

export function toNewer(followed: RunView | undefined, stored: RunView): RunView {
  return followed && followed.lastSeq >= stored.lastSeq ? followed : stored;
}
