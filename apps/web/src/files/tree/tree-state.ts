/** Expanded folders of each project's tree, and whether hidden files are shown; stored in this browser. */
import * as z from '@crewagent/protocol/zod';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { mergePersisted, persistedRecord } from '../../state/persisted.ts';
import { foldersAbove, toMovedPath } from '../paths.ts';

const treeSchema = z.object({
  openFolders: z.catch(z.readonly(z.array(z.string())), []),
  hasHidden: z.catch(z.boolean(), false),
});
type TreeState = Readonly<z.infer<typeof treeSchema>>;

const DEFAULTS: TreeState = { openFolders: [], hasHidden: false };
const MAX_PROJECTS = 30;

interface TreeStates {
  readonly trees: Readonly<Record<string, TreeState>>;
  /** The row that gets the keyboard focus as soon as it is mounted. */
  readonly wanted: { readonly projectId: string; readonly path: string } | undefined;
}

export const useTreeStates = create<TreeStates>()(
  persist((): TreeStates => ({ trees: {}, wanted: undefined }), {
    name: 'crewagent.file-trees',
    partialize: ({ trees }) => ({ trees }),
    merge: mergePersisted(z.object({ trees: persistedRecord(treeSchema) })),
  }),
);

export function useTreeState(projectId: string): TreeState {
  return useTreeStates(({ trees }) => trees[projectId]) ?? DEFAULTS;
}

export function toggleFolder(projectId: string, path: string, isOpen: boolean): void {
  change(projectId, ({ openFolders: open }) => {
    const others = open.filter((other) => other !== path);
    return { openFolders: isOpen ? [...others, path] : others };
  });
}

export function closeAllFolders(projectId: string): void {
  change(projectId, () => ({ openFolders: [] }));
}

export function showHidden(projectId: string, hasHidden: boolean): void {
  change(projectId, () => ({ hasHidden }));
}

/** Expands all folders above. */
export function openFolders(projectId: string, path: string): void {
  change(projectId, ({ openFolders: open }) => ({
    openFolders: [...new Set([...open, ...foldersAbove(path)])],
  }));
}

/** Expands all folders above, and focuses the row. */
export function showInTree(projectId: string, path: string): void {
  openFolders(projectId, path);
  useTreeStates.setState({ wanted: { projectId, path } });
}

export function moveOpenFolders(projectId: string, from: string, to: string): void {
  change(projectId, ({ openFolders: open }) => ({
    openFolders: open.map((path) => toMovedPath(path, from, to)),
  }));
}

function change(projectId: string, toChange: (before: TreeState) => Partial<TreeState>): void {
  useTreeStates.setState(({ trees }) => {
    const { [projectId]: before = DEFAULTS, ...others } = trees;
    const recent = Object.entries(others).slice(1 - MAX_PROJECTS);
    return { trees: { ...Object.fromEntries(recent), [projectId]: { ...before, ...toChange(before) } } };
  });
}
