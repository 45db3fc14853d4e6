/** A JSON document in the memory of this process. */
import { createQueue } from '../../base/queue.ts';
import type { StoredDocument } from '../stored-document.ts';

export function createMemoryDocument(label: string, first?: unknown): StoredDocument {
  const inOrder = createQueue();
  // As text, so that nobody shares an object with the document.
  let text = first === undefined ? undefined : JSON.stringify(first);
  return {
    label,
    read: async () => (text === undefined ? undefined : (JSON.parse(text) as unknown)),
    change: (work) =>
      inOrder(() =>
        work(async (value) => {
          text = JSON.stringify(value);
        }),
      ),
    hold: inOrder,
  };
}
