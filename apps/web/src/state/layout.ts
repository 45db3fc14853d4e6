/**
 * The layout of each project: open panels, their sizes, the inspector's tab. Stored in this browser for the most recent projects.
 * A window writes the layouts of the projects it shows and keeps what other windows wrote for the others.
 */
import * as z from '@crewagent/protocol/zod';
import { useEffect, useMemo } from 'react';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { persistedRecord } from './persisted.ts';

export const SIDE_PANELS = ['files', 'works'] as const;
export type SidePanel = (typeof SIDE_PANELS)[number];

export interface ProjectLayout {
  readonly sidePanel: SidePanel | undefined;
  /** Next to a run. */
  readonly hasInspector: boolean;
  /** Next to a thread, which has less to inspect. */
  readonly hasThreadInspector: boolean;
  readonly inspectorTab: string;
  /** Mount paths of the files open in tabs, in order. */
  readonly openFiles: readonly string[];
  /** The visible tab; undefined: the conversation. */
  readonly activeFile: string | undefined;
  /** Pane sizes, by the combination of open panes. */
  readonly panes: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

const DEFAULT_LAYOUT: ProjectLayout = {
  sidePanel: 'works',
  hasInspector: true,
  hasThreadInspector: false,
  inspectorTab: 'progress',
  openFiles: [],
  activeFile: undefined,
  panes: {},
};

interface Layouts {
  readonly layouts: Readonly<Record<string, ProjectLayout>>;
}

const MAX_PROJECTS = 30;

const persistedSchema = z.catch(
  z.object({
    layouts: persistedRecord(
      z.pipe(
        z.object({
          sidePanel: z.catch(z.optional(z.enum(SIDE_PANELS)), DEFAULT_LAYOUT.sidePanel),
          hasInspector: z.catch(z.boolean(), DEFAULT_LAYOUT.hasInspector),
          hasThreadInspector: z.catch(z.optional(z.boolean()), undefined),
          /** The name of `hasThreadInspector` in layouts of earlier versions. */
          hasTalkInspector: z.catch(z.optional(z.boolean()), undefined),
          inspectorTab: z.catch(z.string(), DEFAULT_LAYOUT.inspectorTab),
          openFiles: z.catch(z.array(z.string()), []),
          activeFile: z.catch(z.optional(z.string()), DEFAULT_LAYOUT.activeFile),
          panes: persistedRecord(z.record(z.string(), z.number())),
        }),
        // Closed panels are not stored.
        z.transform(
          ({ sidePanel, hasTalkInspector, hasThreadInspector, ...rest }): ProjectLayout => ({
            activeFile: undefined,
            ...rest,
            hasThreadInspector: hasThreadInspector ?? hasTalkInspector ?? DEFAULT_LAYOUT.hasThreadInspector,
            sidePanel,
          }),
        ),
      ),
    ),
  }),
  { layouts: {} },
);

const STORAGE_KEY = 'crewagent.layouts';

/** Projects shown in this window, with the number of components that use their layout. */
const inSight = new Map<string, number>();

export const useLayouts = create<Layouts>()(
  persist((): Layouts => ({ layouts: {} }), {
    name: STORAGE_KEY,
    merge: (stored, { layouts }) => ({
      layouts: {
        ...persistedSchema.parse(stored).layouts,
        ...Object.fromEntries(Object.entries(layouts).filter(([projectId]) => inSight.has(projectId))),
      },
    }),
  }),
);

if (typeof window !== 'undefined') {
  addEventListener('storage', ({ key }) => {
    if (key === STORAGE_KEY) void useLayouts.persist.rehydrate();
  });
}

export function useLayout(projectId: string): ProjectLayout {
  const stored = useLayouts(({ layouts }) => layouts[projectId]);
  useEffect(() => {
    inSight.set(projectId, (inSight.get(projectId) ?? 0) + 1);
    return () => {
      const others = (inSight.get(projectId) ?? 1) - 1;
      if (others > 0) inSight.set(projectId, others);
      else inSight.delete(projectId);
    };
  }, [projectId]);
  // Values stored by an earlier version may lack newer fields.
  return useMemo(() => ({ ...DEFAULT_LAYOUT, ...stored }), [stored]);
}

export function layoutOf(projectId: string): ProjectLayout {
  return { ...DEFAULT_LAYOUT, ...useLayouts.getState().layouts[projectId] };
}

/** The project whose layout changed last, in any window. */
export function lastProjectId(): string | undefined {
  return Object.keys(useLayouts.getState().layouts).findLast((projectId) => projectId !== '');
}

export function changeLayout(projectId: string, change: Partial<ProjectLayout>): void {
  useLayouts.setState(({ layouts }) => {
    const { [projectId]: before, ...others } = layouts;
    const recent = Object.entries(others).slice(1 - MAX_PROJECTS);
    return {
      layouts: { ...Object.fromEntries(recent), [projectId]: { ...DEFAULT_LAYOUT, ...before, ...change } },
    };
  });
}

/** Sizes of panes side by side, remembered. `shape`: which panes are open. */
export function usePaneSizes(projectId: string, shape: string) {
  return {
    layout: useLayout(projectId).panes[shape],
    onLayout: (sizes: Readonly<Record<string, number>>): void =>
      changeLayout(projectId, { panes: { ...layoutOf(projectId).panes, [shape]: sizes } }),
  };
}
