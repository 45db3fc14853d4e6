/** Screen of a Work, connected to the server. */
import { useMemo } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { createWorkApi } from '../../api/create-work-api.ts';
import { useWorkSummary } from '../../api/work-context.tsx';
import type { Route } from '../../navigation/router.ts';
import { useTitleOf } from '../../works/use-title-of.ts';
import { ConversationScreen } from './conversation-screen.tsx';
import { useLiveParts } from './use-live-parts.ts';

interface LiveWorkProps {
  readonly route: Extract<Route, { name: 'work' }>;
}

export function LiveWork({ route }: LiveWorkProps) {
  const { projectId, workId } = route;
  const client = useApi();
  const api = useMemo(() => createWorkApi(client, projectId), [client, projectId]);
  const summary = useWorkSummary(workId);
  const titleOf = useTitleOf();
  const parts = useLiveParts(projectId, workId);
  return (
    <ConversationScreen api={api} route={route} title={summary ? titleOf(summary) : undefined} {...parts} />
  );
}
