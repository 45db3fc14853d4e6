/** The screen of a conversation with the server behind it. */
import { useMemo } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { createConversationApi } from '../../api/create-conversation-api.ts';
import { useConversationSummary } from '../../api/work-context.tsx';
import type { Route } from '../../navigation/router.ts';
import { useTitleOf } from '../../works/use-title-of.ts';
import { ConversationScreen } from './conversation-screen.tsx';
import { useLiveParts } from './use-live-parts.ts';

interface LiveConversationProps {
  readonly route: Extract<Route, { name: 'conversation' }>;
}

export function LiveConversation({ route }: LiveConversationProps) {
  const { projectId, conversationId } = route;
  const client = useApi();
  const api = useMemo(() => createConversationApi(client, projectId), [client, projectId]);
  const summary = useConversationSummary(conversationId);
  const titleOf = useTitleOf();
  const parts = useLiveParts(projectId, conversationId);
  return (
    <ConversationScreen api={api} route={route} title={summary ? titleOf(summary) : undefined} {...parts} />
  );
}
