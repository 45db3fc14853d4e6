/** Parts of the conversation screen that need the server, besides its timeline. */
import { useState } from 'react';
import { useGraph, useProjects } from '../../api/queries.ts';
import { useSidePanels } from '../shell/use-side-panels.tsx';
import type { ShownRun } from './conversation-screen.tsx';
import { useNodeFinder } from './use-node-finder.tsx';

/** `openId`: the visible conversation or run. */
export function useLiveParts(projectId: string, openId: string) {
  const { data: projects } = useProjects();
  const sidePanels = useSidePanels(projectId, openId);
  const [run, onRun] = useState<ShownRun>();
  const { data } = useGraph(run?.packageHash, run?.workflow);
  const graph = run ? data : undefined;
  useNodeFinder(projectId, graph);
  return {
    sidePanels,
    onRun,
    graph,
    projectName: projects?.find((project) => project.projectId === projectId)?.name,
  };
}
