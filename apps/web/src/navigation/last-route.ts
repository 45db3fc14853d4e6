/**
 * Where one was in a project last, in this window: from elsewhere its panels lead back there. A panel that is wanted there
 * is handed over to the screen that is about to be shown.
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
  /** To be shown on the next screen of a project. */
  readonly wantedPanel: SidePanel | undefined;
}

const persistedSchema = z.object({ path: z.string().optional() }).transform(({ path }) => ({ path }));

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
  return useMemo(() => toPlace(path), [path]);
}

function toPlace(path: string | undefined): ProjectRoute | undefined {
  const route = path === undefined ? undefined : parsePath(path);
  return route && 'projectId' in route ? route : undefined;
}

/** Whatever panel was wanted there is there now. */
export function keepPosition(route: ProjectRoute): void {
  useStore.setState({ path: toPath(route), wantedPanel: undefined });
}

/** There is no such project any more. */
export function forgetRouteIn(projectId: string): void {
  const place = toPlace(useStore.getState().path);
  if (place?.projectId === projectId) useStore.setState({ path: undefined });
}

export function wantPanel(panel: SidePanel): void {
  useStore.setState({ wantedPanel: panel });
}

export function wantedPanel(): SidePanel | undefined {
  return useStore.getState().wantedPanel;
}
