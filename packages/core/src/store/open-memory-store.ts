/**
 * A store for Works that nobody resumes, such as rehearsals: Works and projects are in memory. Packages, which are mounted as
 * real folders, and everything else are in the `scratch` folder.
 */
import { join } from 'node:path';
import { openDiskStore } from './disk/open-store.ts';
import { createMemoryDocument } from './memory/memory-document.ts';
import { createMemoryWorks } from './memory/memory-works.ts';
import { createProjectStore } from './project-store.ts';
import type { Store } from './store.ts';

export function openMemoryStore(scratch: string): Store {
  return {
    ...openDiskStore(join(scratch, 'store')),
    works: createMemoryWorks(join(scratch, 'works')),
    projects: createProjectStore(createMemoryDocument('the list of projects')),
  };
}
