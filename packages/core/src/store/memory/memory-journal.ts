/** Records and images of a journal in memory: of a Work whose changes nobody can undo after the process. */
import type { JournalImage, JournalRecord } from '@crewagent/protocol/journal';
import { sha256Of } from '../../base/sha256.ts';
import type { JournalStorage } from '../work-files/journal-log.ts';
import type { JournalCopy } from '../work-store.ts';

export interface MemoryJournal extends JournalStorage {
  copy(): JournalCopy;
}

/** Above it, contents are not kept. */
const CAP_BYTES = 64 * 1_048_576;

export function createMemoryJournal(
  first: readonly JournalRecord[] = [],
  contents: readonly Buffer[] = [],
): MemoryJournal {
  const records = [...first];
  const images = new Map(contents.map((content) => [sha256Of(content), content]));
  const read = async ({ sha256 }: Pick<JournalImage, 'sha256'>): Promise<Buffer | undefined> =>
    images.get(sha256);
  return {
    get log() {
      const add = async (...added: readonly JournalRecord[]): Promise<void> => void records.push(...added);
      return { records: [...records], unreadable: 0, append: add, note: add };
    },
    async openImages(_, { capBytes = CAP_BYTES }) {
      let usedBytes = [...images.values()].reduce((sum, { length }) => sum + length, 0);
      return {
        read,
        async keep(content) {
          const image = { sha256: sha256Of(content), bytes: content.length };
          if (images.has(image.sha256)) return { ...image, kept: true };
          if (usedBytes + content.length > capBytes) return { ...image, kept: false };
          usedBytes += content.length;
          images.set(image.sha256, Buffer.from(content));
          return { ...image, kept: true };
        },
      };
    },
    copy: () => ({ records: [...records], read: (sha256) => read({ sha256 }) }),
  };
}
