/**
 * Which screen an address means. Addresses are paths.
 */
import { useMemo, useSyncExternalStore } from 'react';

export type Route =
  | { readonly name: 'start' }
  | { readonly name: 'packages'; readonly hash?: string }
  | { readonly name: 'settings'; readonly section?: string }
  /** To begin something in a project, with a package if one came with it. */
  | { readonly name: 'project'; readonly projectId: string; readonly packageHash?: string }
  | { readonly name: 'conversation'; readonly projectId: string; readonly conversationId: string }
  /** A run that belongs to no conversation. */
  | { readonly name: 'run'; readonly projectId: string; readonly runId: string }
  /** An address that means nothing. */
  | { readonly name: 'nowhere'; readonly path: string };

export function parsePath(path: string): Route {
  const [first, second, third, fourth] = path.split('/').filter(Boolean).map(decodePart);
  if (first === undefined || (first === 'start' && second === undefined)) return { name: 'start' };
  if (first === 'packages') return second ? { name: first, hash: second } : { name: first };
  if (first === 'settings') return second ? { name: first, section: second } : { name: first };
  if (first !== 'p' || !second) return { name: 'nowhere', path };
  const projectId = second;
  if (third === undefined) return { name: 'project', projectId };
  if (third === 'c' && fourth) return { name: 'conversation', projectId, conversationId: fourth };
  if (third === 'r' && fourth) return { name: 'run', projectId, runId: fourth };
  if (third === 'new' && fourth) return { name: 'project', projectId, packageHash: fourth };
  return { name: 'nowhere', path };
}

export function toPath(route: Route): string {
  if (route.name === 'nowhere') return route.path;
  return `/${partsOf(route).map(encodeURIComponent).join('/')}`;
}

function partsOf(route: Exclude<Route, { name: 'nowhere' }>): readonly string[] {
  switch (route.name) {
    case 'start':
      return [route.name];
    case 'packages':
      return [route.name, ...(route.hash === undefined ? [] : [route.hash])];
    case 'settings':
      return [route.name, ...(route.section === undefined ? [] : [route.section])];
    case 'project':
      return ['p', route.projectId, ...(route.packageHash === undefined ? [] : ['new', route.packageHash])];
    case 'conversation':
      return ['p', route.projectId, 'c', route.conversationId];
    case 'run':
      return ['p', route.projectId, 'r', route.runId];
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

/** The place one is at is not the one the page was loaded at. */
export function hasGoneSomewhere(): boolean {
  return hasGone;
}

let hasGone = false;

function subscribe(listener: () => void): () => void {
  const go = (): void => {
    hasGone = true;
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
