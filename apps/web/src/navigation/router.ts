/**
 * Maps URL paths to screens and back.
 */
import { toFolderPart } from '@crewagent/protocol/editor-path';
import { useMemo, useSyncExternalStore } from 'react';
import { create } from 'zustand';

export type Route =
  | { readonly name: 'start' }
  /** A run in one file is looked at. */
  | { readonly name: 'open' }
  /** People, workers and rights of a team server. */
  | { readonly name: 'team' }
  /** The guide for authors. */
  | { readonly name: 'help'; readonly page?: string }
  /** `folder`: path of a package folder that is edited. */
  | { readonly name: 'packages'; readonly hash?: string; readonly folder?: string }
  /** `isNew`: the form for a new entry is open. */
  | { readonly name: 'settings'; readonly section?: string; readonly isNew?: true }
  /** Starts a Work in a project, optionally with a package. */
  | { readonly name: 'project'; readonly projectId: string; readonly packageHash?: string }
  /** A conversation, or a run without one. */
  | { readonly name: 'work'; readonly projectId: string; readonly workId: string }
  /** Runs side by side, by id. */
  | { readonly name: 'compare'; readonly works: readonly string[] }
  /** An unknown path. */
  | { readonly name: 'nowhere'; readonly path: string };

export function parsePath(path: string): Route {
  const [first, second, third, fourth] = path.split('/').filter(Boolean).map(decodePart);
  if (first === undefined || (first === 'start' && second === undefined)) return { name: 'start' };
  if (first === 'open' && second === undefined) return { name: first };
  if (first === 'team' && second === undefined) return { name: 'team' };
  if (first === 'help' && third === undefined)
    return second === undefined ? { name: first } : { name: first, page: second };
  if (first === 'packages' && second === 'edit' && third)
    return { name: first, folder: decodePart(third.replaceAll('~', '%')) };
  if (first === 'packages') return second ? { name: first, hash: second } : { name: first };
  if (first === 'settings' && second && third === 'new') return { name: first, section: second, isNew: true };
  if (first === 'settings') return second ? { name: first, section: second } : { name: first };
  if (first === 'compare' && second && third === undefined) return { name: first, works: second.split(',') };
  if (first !== 'p' || !second) return { name: 'nowhere', path };
  const projectId = second;
  if (third === undefined) return { name: 'project', projectId };
  if (third !== undefined && WORK_PARTS.has(third) && fourth)
    return { name: 'work', projectId, workId: fourth };
  if (third === 'new' && fourth) return { name: 'project', projectId, packageHash: fourth };
  return { name: 'nowhere', path };
}

/** Older bookmarks distinguish conversations (`c`) from runs (`r`). */
const WORK_PARTS: ReadonlySet<string> = new Set(['w', 'c', 'r']);

export function toPath(route: Route): string {
  if (route.name === 'nowhere') return route.path;
  return `/${partsOf(route).map(encodeURIComponent).join('/')}`;
}

function partsOf(route: Exclude<Route, { name: 'nowhere' }>): readonly string[] {
  switch (route.name) {
    case 'start':
    case 'open':
    case 'team':
      return [route.name];
    case 'help':
      return [route.name, ...(route.page === undefined ? [] : [route.page])];
    case 'packages':
      if (route.folder !== undefined) return [route.name, 'edit', toFolderPart(route.folder)];
      return [route.name, ...(route.hash === undefined ? [] : [route.hash])];
    case 'settings':
      return [
        route.name,
        ...(route.section === undefined ? [] : [route.section]),
        ...(route.isNew ? ['new'] : []),
      ];
    case 'compare':
      return [route.name, route.works.join(',')];
    case 'project':
      return ['p', route.projectId, ...(route.packageHash === undefined ? [] : ['new', route.packageHash])];
    case 'work':
      return ['p', route.projectId, 'w', route.workId];
  }
}

export function navigate(route: Route): void {
  const path = toPath(route);
  if (path === location.pathname) return;
  history.pushState(undefined, '', path);
  dispatchEvent(new PopStateEvent('popstate'));
}

export function useRoute(): Route {
  const path = useSyncExternalStore(subscribe, () => location.pathname);
  return useMemo(() => parsePath(path), [path]);
}

/** Whether the current URL differs from the one the page was loaded with. */
export function hasGoneSomewhere(): boolean {
  return useHistory.getState().hasGone;
}

const useHistory = create(() => ({ hasGone: false }));

function subscribe(listener: () => void): () => void {
  const go = (): void => {
    useHistory.setState({ hasGone: true });
    listener();
  };
  addEventListener('popstate', go);
  return () => removeEventListener('popstate', go);
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
