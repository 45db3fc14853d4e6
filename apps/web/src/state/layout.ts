/**
 * How a project's window was left: which panels are open, how wide, what the inspector shows. Kept in this browser, for the
 * projects that were used last.
 */
import { create } from 'zustand';
import { persist } from 'zustand/middleware';

export const SIDE_PANELS = ['files', 'works'] as const;
export type SidePanel = (typeof SIDE_PANELS)[number];

export interface ProjectLayout {
  readonly sidePanel: SidePanel | undefined;
  readonly hasInspector: boolean;
  readonly inspectorTab: string;
  /** Shares of the panes, by which of them are open. */
  readonly panes: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

const FIRST_LAYOUT: ProjectLayout = {
  sidePanel: 'works',
  hasInspector: true,
  inspectorTab: 'progress',
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
  return useLayouts(({ layouts }) => layouts[projectId] ?? FIRST_LAYOUT);
}

export function changeLayout(projectId: string, change: Partial<ProjectLayout>): void {
  useLayouts.setState(({ layouts }) => {
    const { [projectId]: before = FIRST_LAYOUT, ...others } = layouts;
    const kept = Object.entries(others).slice(1 - MOST_PROJECTS);
    return { layouts: { ...Object.fromEntries(kept), [projectId]: { ...before, ...change } } };
  });
}
