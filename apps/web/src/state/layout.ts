/**
 * How a project's window was left: which panels are open, how wide, what the inspector shows. Kept in this browser, for the
 * projects that were used last.
 */
import { useMemo } from 'react';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';

export const SIDE_PANELS = ['files', 'works'] as const;
export type SidePanel = (typeof SIDE_PANELS)[number];

export interface ProjectLayout {
  readonly sidePanel: SidePanel | undefined;
  readonly hasInspector: boolean;
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
  inspectorTab: 'progress',
  openFiles: [],
  activeFile: undefined,
  panes: {},
};

interface Layouts {
  readonly layouts: Readonly<Record<string, ProjectLayout>>;
}

const MOST_PROJECTS = 30;

export const useLayouts = create<Layouts>()(
  persist((): Layouts => ({ layouts: {} }), { name: 'crewagent.layouts' }),
);

export function useLayout(projectId: string): ProjectLayout {
  const kept = useLayouts(({ layouts }) => layouts[projectId]);
  // What an earlier version of the page kept may lack what this one added.
  return useMemo(() => ({ ...FIRST_LAYOUT, ...kept }), [kept]);
}

export function layoutOf(projectId: string): ProjectLayout {
  return { ...FIRST_LAYOUT, ...useLayouts.getState().layouts[projectId] };
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
