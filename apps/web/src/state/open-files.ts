/**
 * Open tabs of each project: the files, the active one and those with unsaved changes. Open tabs are stored with the layout.
 * Unsaved changes are never discarded silently: the user is asked.
 */
import { create } from 'zustand';
import { draftKey, moveFileDrafts, setFileDraft, useFileDrafts } from './file-drafts.ts';
import { changeLayout, layoutOf } from './layout.ts';

/** The file that gets the keyboard focus as soon as it is mounted. */
const useWanted = create<{ readonly key: string | undefined }>(() => ({ key: undefined }));

/** The tab of the run's overview, among the tabs of files: no mount path starts like this. */
export const OVERVIEW_TAB = '@view/graph';

/** Opens a file in a tab, or activates its tab. */
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

/** Activates an open tab; undefined activates the conversation. */
export function showFile(projectId: string, path: string | undefined): void {
  changeLayout(projectId, { activeFile: path });
}

/** Whether the visible conversation has a run, and so an overview. */
export const useHasOverview = create<{ readonly hasOverview: boolean }>(() => ({ hasOverview: false }));

/** The conversation is the first tab, the overview of its run the second; wraps around. */
export function goToTab(projectId: string, step: 1 | -1): void {
  const { openFiles, activeFile } = layoutOf(projectId);
  const { hasOverview } = useHasOverview.getState();
  // An earlier version listed the overview among the files.
  const files = openFiles.filter((path) => path !== OVERVIEW_TAB);
  const tabs = [undefined, ...(hasOverview ? [OVERVIEW_TAB] : []), ...files];
  const next = (tabs.indexOf(activeFile) + step + tabs.length) % tabs.length;
  showFile(projectId, tabs[next]);
}

/** Discards unsaved changes: ask the user first. */
export function closeFile(projectId: string, path: string): void {
  const { openFiles, activeFile } = layoutOf(projectId);
  const index = openFiles.indexOf(path);
  const rest = openFiles.filter((other) => other !== path);
  const neighbour = rest[Math.min(index, rest.length - 1)];
  setFileDraft(projectId, path, undefined);
  changeLayout(projectId, { openFiles: rest, activeFile: activeFile === path ? neighbour : activeFile });
}

/** Updates tabs and drafts after files were moved. `toPath` returns the new path of a file. */
export function moveOpenFiles(projectId: string, toPath: (path: string) => string): void {
  const { openFiles, activeFile } = layoutOf(projectId);
  moveFileDrafts(projectId, toPath);
  changeLayout(projectId, {
    openFiles: [...new Set(openFiles.map(toPath))],
    activeFile: activeFile === undefined ? undefined : toPath(activeFile),
  });
}

/** Whether this file should take the keyboard focus, and a callback for when it has. */
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
