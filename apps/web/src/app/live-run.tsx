/** The screen of a run that belongs to no conversation, with the server behind it. */
import { useMemo, useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { createRunApi } from '../api/create-run-api.ts';
import { useGraph, useProjects } from '../api/queries.ts';
import { useRunSummary } from '../api/work-context.tsx';
import { toShownLine } from '../ui/foreign-text.ts';
import { ConversationScreen, type ShownRun } from './conversation-screen.tsx';
import type { Route } from './router.ts';
import { useSidePanels } from './use-side-panels.tsx';

interface LiveRunProps {
  readonly route: Extract<Route, { name: 'run' }>;
}

export function LiveRun({ route }: LiveRunProps) {
  const { projectId, runId } = route;
  const client = useApi();
  const api = useMemo(() => createRunApi(client, projectId), [client, projectId]);
  const summary = useRunSummary(runId);
  const { data: projects } = useProjects();
  const sidePanels = useSidePanels(projectId, runId);
  const [run, setRun] = useState<ShownRun>();
  const { data: graph } = useGraph(run?.packageHash, run?.workflow);
  return (
    <ConversationScreen
      api={api}
      route={route}
      graph={run ? graph : undefined}
      onRun={setRun}
      title={summary ? toShownLine(summary.workflow.title) : undefined}
      projectName={projects?.find((project) => project.projectId === projectId)?.name}
      sidePanels={sidePanels}
    />
  );
}
