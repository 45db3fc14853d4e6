/** The screen of a conversation with the server behind it. */
import { useMemo, useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { createConversationApi } from '../api/create-conversation-api.ts';
import { useGraph, useProjects } from '../api/queries.ts';
import { useConversationSummary } from '../api/work-context.tsx';
import { useTitleOf } from '../works/use-title-of.ts';
import type { ShownRun } from './conversation-screen.tsx';
import { ConversationScreen } from './conversation-screen.tsx';
import type { Route } from './router.ts';
import { useSidePanels } from './use-side-panels.tsx';

interface LiveConversationProps {
  readonly route: Extract<Route, { name: 'conversation' }>;
}

export function LiveConversation({ route }: LiveConversationProps) {
  const { projectId, conversationId } = route;
  const client = useApi();
  const api = useMemo(() => createConversationApi(client, projectId), [client, projectId]);
  const summary = useConversationSummary(conversationId);
  const titleOf = useTitleOf();
  const { data: projects } = useProjects();
  const sidePanels = useSidePanels(projectId, conversationId);
  const [run, setRun] = useState<ShownRun>();
  const { data: graph } = useGraph(run?.packageHash, run?.workflow);
  return (
    <ConversationScreen
      api={api}
      route={route}
      graph={run ? graph : undefined}
      onRun={setRun}
      title={summary ? titleOf(summary) : undefined}
      projectName={projects?.find((project) => project.projectId === projectId)?.name}
      sidePanels={sidePanels}
    />
  );
}
