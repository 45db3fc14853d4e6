/** Which of two copies of a Work went on. The chain of a log decides: the events of one begin with those of the other. Pure. */
import type { RunEvent } from '@crewagent/protocol/events';
import { sealLine } from '../store/log-chain.ts';

/** What the first log is, compared with the second one. */
export type Relation = 'same' | 'older' | 'newer' | 'diverged';

export function compareLogs(one: readonly RunEvent[], other: readonly RunEvent[]): Relation {
  const [ofOne, ofOther] = [toHashes(one), toHashes(other)];
  const shared = Math.min(ofOne.length, ofOther.length);
  if (shared > 0 && ofOne[shared - 1] !== ofOther[shared - 1]) return 'diverged';
  if (ofOne.length === ofOther.length) return 'same';
  return ofOne.length < ofOther.length ? 'older' : 'newer';
}

/** Of all Works of a tree. A Work that only one side has is newer there. */
export function combineRelations(relations: readonly Relation[]): Relation {
  const found = new Set(relations.filter((relation) => relation !== 'same'));
  if (found.size > 1) return 'diverged';
  const [only = 'same'] = found;
  return only;
}

/** Without the note at the end that the Work was moved: nothing has happened since. */
function toHashes(events: readonly RunEvent[]): string[] {
  const last = events.findLastIndex(({ type }) => type !== 'work.moved');
  const hashes: string[] = [];
  for (const event of events.slice(0, last + 1)) hashes.push(sealLine(event, hashes.at(-1) ?? '').hash);
  return hashes;
}
