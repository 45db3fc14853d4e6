/**
 * The last route within a project, in this window: the side panels of other screens lead back to it. The panel that was
 * requested is passed on to the next screen.
 */
import * as z from '@crewagent/protocol/zod';
import { useMemo } from 'react';
import { create } from 'zustand';
import { createJSONStorage, persist } from 'zustand/middleware';
import type { SidePanel } from '../state/layout.ts';
import { mergePersisted } from '../state/persisted.ts';
import { parsePath, type Route, toPath } from './router.ts';

export type ProjectRoute = Extract<Route, { readonly projectId: string }>;

interface LastRoute {
  readonly path: string | undefined;
  /** Opened by the next screen of a project. */
  readonly wantedPanel: SidePanel | undefined;
}

const persistedSchema = z.pipe(
  z.object({ path: z.optional(z.string()) }),
  z.transform(({ path }) => ({ path })),
);

const useStore = create<LastRoute>()(
  persist((): LastRoute => ({ path: undefined, wantedPanel: undefined }), {
    name: 'crewagent.place',
    ...(typeof window === 'undefined' ? {} : { storage: createJSONStorage(() => sessionStorage) }),
    partialize: ({ path }) => ({ path }),
    merge: mergePersisted(persistedSchema),
  }),
);

export function useLastRoute(): ProjectRoute | undefined {
  const path = useStore((state) => state.path);
  return useMemo(() => toProjectRoute(path), [path]);
}

function toProjectRoute(path: string | undefined): ProjectRoute | undefined {
  const route = path === undefined ? undefined : parsePath(path);
  return route && 'projectId' in route ? route : undefined;
}

/** Stores the current route; the requested panel is open by now. */
export function storeRoute(route: ProjectRoute): void {
  useStore.setState({ path: toPath(route), wantedPanel: undefined });
}

/** Clears the stored route of a deleted project. */
export function forgetRouteIn(projectId: string): void {
  const route = toProjectRoute(useStore.getState().path);
  if (route?.projectId === projectId) useStore.setState({ path: undefined });
}

export function wantPanel(panel: SidePanel): void {
  useStore.setState({ wantedPanel: panel });
}

export function wantedPanel(): SidePanel | undefined {
  return useStore.getState().wantedPanel;
}
