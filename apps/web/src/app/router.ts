/**
 * Which screen an address means. Addresses are paths; what they do not mean leads to the start.
 */
import { useMemo, useSyncExternalStore } from 'react';

export type Route =
  | { readonly name: 'start' }
  | { readonly name: 'packages' }
  | { readonly name: 'settings' }
  | { readonly name: 'project'; readonly projectId: string }
  | { readonly name: 'conversation'; readonly projectId: string; readonly conversationId: string };

export function parsePath(path: string): Route {
  const [first, projectId, second, conversationId] = path.split('/').filter(Boolean).map(decodePart);
  if (first === 'packages' || first === 'settings') return { name: first };
  if (first !== 'p' || !projectId) return { name: 'start' };
  if (second === 'c' && conversationId) return { name: 'conversation', projectId, conversationId };
  return { name: 'project', projectId };
}

export function toPath(route: Route): string {
  switch (route.name) {
    case 'project':
      return `/p/${encodeURIComponent(route.projectId)}`;
    case 'conversation':
      return `/p/${encodeURIComponent(route.projectId)}/c/${encodeURIComponent(route.conversationId)}`;
    default:
      return `/${route.name}`;
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

function subscribe(listener: () => void): () => void {
  addEventListener('popstate', listener);
  return () => removeEventListener('popstate', listener);
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
