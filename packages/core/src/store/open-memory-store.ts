/**
 * A store for Works that nobody resumes, such as rehearsals: Works and projects are in memory. Packages, which are mounted as
 * real folders, and everything else are in the `scratch` folder.
 */
import { join } from 'node:path';
import { createQueue } from '../base/queue.ts';
import { openDiskStore } from './disk/open-store.ts';
import { createMemoryWorks } from './memory/memory-works.ts';
import { createProjectStore } from './project-store.ts';
import type { Store } from './store.ts';
import type { StoredDocument } from './stored-document.ts';

export function openMemoryStore(scratch: string): Store {
  return {
    ...openDiskStore(join(scratch, 'store')),
    works: createMemoryWorks(join(scratch, 'works')),
    projects: createProjectStore(createMemoryDocument('the list of projects')),
  };
}

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
