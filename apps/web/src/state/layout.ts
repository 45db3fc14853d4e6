/**
 * How a project's window was left: which panels are open, how wide, what the inspector shows. Kept in this browser, for the
 * projects that were used last. Each window decides for the projects it shows; of the others it keeps what other windows wrote.
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
  /** Beside a run. */
  readonly hasInspector: boolean;
  /** Beside a talk, of which there is less to tell. */
  readonly hasTalkInspector: boolean;
  readonly inspectorTab: string;
  /** Mount paths of the files that are open in tabs, in their order. */
  readonly openFiles: readonly string[];
  /** The one in sight; the conversation if there is none. */
  readonly activeFile: string | undefined;
  /** Shares of the panes, by which of them are open. */
  readonly panes: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

const FIRST_LAYOUT: ProjectLayout = {
  sidePanel: 'works',
  hasInspector: true,
  hasTalkInspector: false,
  inspectorTab: 'progress',
  openFiles: [],
  activeFile: undefined,
  panes: {},
};

interface Layouts {
  readonly layouts: Readonly<Record<string, ProjectLayout>>;
}

const MOST_PROJECTS = 30;

const persistedSchema = z
  .object({
    layouts: persistedRecord(
      z
        .object({
          sidePanel: z.enum(SIDE_PANELS).optional().catch(FIRST_LAYOUT.sidePanel),
          hasInspector: z.boolean().catch(FIRST_LAYOUT.hasInspector),
          hasTalkInspector: z.boolean().catch(FIRST_LAYOUT.hasTalkInspector),
          inspectorTab: z.string().catch(FIRST_LAYOUT.inspectorTab),
          openFiles: z.array(z.string()).catch([]),
          activeFile: z.string().optional().catch(FIRST_LAYOUT.activeFile),
          panes: persistedRecord(z.record(z.string(), z.number())),
        })
        // What is closed is not written down at all.
        .transform(
          ({ sidePanel, ...rest }): ProjectLayout => ({ activeFile: undefined, ...rest, sidePanel }),
        ),
    ),
  })
  .catch({ layouts: {} });

const STORAGE_KEY = 'crewagent.layouts';

/** Projects this window shows, each with how many look at its layout. */
const inSight = new Map<string, number>();

export const useLayouts = create<Layouts>()(
  persist((): Layouts => ({ layouts: {} }), {
    name: STORAGE_KEY,
    merge: (kept, { layouts }) => ({
      layouts: {
        ...persistedSchema.parse(kept).layouts,
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
  const kept = useLayouts(({ layouts }) => layouts[projectId]);
  useEffect(() => {
    inSight.set(projectId, (inSight.get(projectId) ?? 0) + 1);
    return () => {
      const others = (inSight.get(projectId) ?? 1) - 1;
      if (others > 0) inSight.set(projectId, others);
      else inSight.delete(projectId);
    };
  }, [projectId]);
  // What an earlier version of the page kept may lack what this one added.
  return useMemo(() => ({ ...FIRST_LAYOUT, ...kept }), [kept]);
}

export function layoutOf(projectId: string): ProjectLayout {
  return { ...FIRST_LAYOUT, ...useLayouts.getState().layouts[projectId] };
}

/** The project whose layout was changed last, in any window. */
export function lastProjectId(): string | undefined {
  return Object.keys(useLayouts.getState().layouts).findLast((projectId) => projectId !== '');
}

export function changeLayout(projectId: string, change: Partial<ProjectLayout>): void {
  useLayouts.setState(({ layouts }) => {
    const { [projectId]: before, ...others } = layouts;
    const kept = Object.entries(others).slice(1 - MOST_PROJECTS);
    return {
      layouts: { ...Object.fromEntries(kept), [projectId]: { ...FIRST_LAYOUT, ...before, ...change } },
    };
  });
}
