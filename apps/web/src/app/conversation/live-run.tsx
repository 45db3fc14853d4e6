/** The screen of a run that belongs to no conversation, with the server behind it. */
import { useMemo } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { createRunApi } from '../../api/create-run-api.ts';
import { useRunSummary } from '../../api/work-context.tsx';
import type { Route } from '../../navigation/router.ts';
import { toShownLine } from '../../ui/foreign-text.ts';
import { ConversationScreen } from './conversation-screen.tsx';
import { useLiveParts } from './use-live-parts.ts';

interface LiveRunProps {
  readonly route: Extract<Route, { name: 'run' }>;
}

export function LiveRun({ route }: LiveRunProps) {
  const { projectId, runId } = route;
  const client = useApi();
  const api = useMemo(() => createRunApi(client, projectId), [client, projectId]);
  const summary = useRunSummary(runId);
  const parts = useLiveParts(projectId, runId);
  return (
    <ConversationScreen
      api={api}
      route={route}
      title={summary ? toShownLine(summary.workflow.title) : undefined}
      {...parts}
    />
  );
}
