/**
 * The files that are open in tabs, for each project: which, which one is in sight, and which hold text that is not saved.
 * Which are open is remembered with the layout; what is not saved is never forgotten silently, so it is asked about.
 */
import { create } from 'zustand';
import { draftKey, moveFileDrafts, setFileDraft, useFileDrafts } from './file-drafts.ts';
import { changeLayout, layoutOf } from './layout.ts';

/** The file that is to get the keyboard as soon as it is there. */
const useWanted = create<{ readonly key: string | undefined }>(() => ({ key: undefined }));

/** The tab of the run's graph, among those of files: no path begins like this. */
export const GRAPH_TAB = '@view/graph';

/** Opens a file, or shows it where it is open. */
export function openFile(
  projectId: string,
  path: string,
  { takesFocus = false }: { readonly takesFocus?: boolean } = {},
): void {
  if (takesFocus) useWanted.setState({ key: draftKey(projectId, path) });
  const { openFiles } = layoutOf(projectId);
  changeLayout(projectId, {
    openFiles: openFiles.includes(path) ? openFiles : [...openFiles, path],
    activeFile: path,
  });
}

/** Shows one that is open; without one, the conversation. */
export function showFile(projectId: string, path: string | undefined): void {
  changeLayout(projectId, { activeFile: path });
}

/** The conversation is the first tab, open files follow; after the last comes the first. */
export function goToTab(projectId: string, step: 1 | -1): void {
  const { openFiles, activeFile } = layoutOf(projectId);
  const tabs = [undefined, ...openFiles];
  const next = (tabs.indexOf(activeFile) + step + tabs.length) % tabs.length;
  showFile(projectId, tabs[next]);
}

/** What is not saved is lost: ask before. */
export function closeFile(projectId: string, path: string): void {
  const { openFiles, activeFile } = layoutOf(projectId);
  const index = openFiles.indexOf(path);
  const rest = openFiles.filter((other) => other !== path);
  const neighbour = rest[Math.min(index, rest.length - 1)];
  setFileDraft(projectId, path, undefined);
  changeLayout(projectId, { openFiles: rest, activeFile: activeFile === path ? neighbour : activeFile });
}

/** Files were moved: their tabs, and what is not saved in them, go along. `toPath` says where a file is now. */
export function moveOpenFiles(projectId: string, toPath: (path: string) => string): void {
  const { openFiles, activeFile } = layoutOf(projectId);
  moveFileDrafts(projectId, toPath);
  changeLayout(projectId, {
    openFiles: [...new Set(openFiles.map(toPath))],
    activeFile: activeFile === undefined ? undefined : toPath(activeFile),
  });
}

/** Whether the keyboard is to go to this file, and what to call when it did. */
export function useWantsFocus(projectId: string, path: string): readonly [boolean, () => void] {
  const isWanted = useWanted(({ key }) => key === draftKey(projectId, path));
  return [isWanted, () => useWanted.setState({ key: undefined })];
}

export function useIsUnsaved(): (projectId: string, path: string) => boolean {
  const drafts = useFileDrafts(({ drafts: all }) => all);
  return (projectId, path) => drafts.has(draftKey(projectId, path));
}

export function hasUnsaved(): boolean {
  return useFileDrafts.getState().drafts.size > 0;
}
