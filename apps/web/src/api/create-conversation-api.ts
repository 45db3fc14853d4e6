/** The page of a conversation over HTTP. What was not taken is an error with the server's sentence. */
import type { ApiClient } from '@crewagent/protocol/api/client';
import type { ConversationStatus } from '@crewagent/protocol/api/conversations';
import type { ConversationApi } from './conversation-api.ts';
import { followConversation } from './follow-conversation.ts';

export function createConversationApi(client: ApiClient, projectId: string): ConversationApi {
  const { conversations } = client;
  return {
    follow: (conversationId, options) => followConversation(client, conversationId, options),
    input: async (conversationId, text) =>
      mustBeTaken(await conversations.input({ conversationId, body: { text } })),
    stop: async (conversationId) => mustBeTaken(await conversations.stop({ conversationId })),
    resume: async (conversationId) => mustBeTaken(await conversations.resume({ conversationId, body: {} })),
    answer: async (conversationId, callId, answers) =>
      mustBeTaken(await conversations.answer({ conversationId, body: { callId, answers: { ...answers } } })),
    approve: async (conversationId, callId, word) =>
      mustBeTaken(await conversations.approve({ conversationId, body: { callId, ...word } })),
    findFiles: (_, query, signal) => findFiles(client, { projectId, query, signal }),
  };
}

export function mustBeTaken({ refusal }: ConversationStatus): void {
  if (refusal) throw new Error(refusal.message);
}

interface FileQuery {
  readonly projectId: string;
  readonly query: string;
  readonly signal: AbortSignal;
}

/** What is in the folder that was typed so far and begins, or else goes on, with the rest. */
async function findFiles(
  client: ApiClient,
  { projectId, query, signal }: FileQuery,
): Promise<readonly string[]> {
  const folder = query.slice(0, query.lastIndexOf('/') + 1);
  const wanted = query.slice(folder.length).toLowerCase();
  const path = `@project/${folder}`.replace(/\/$/, '');
  const { entries } = await client.files.list({ projectId, query: { path } }, { signal });
  const named = entries.filter(({ isOutOfReach, kind }) => !isOutOfReach && kind !== 'other');
  const fits = (name: string): number => name.toLowerCase().indexOf(wanted);
  return named
    .filter(({ name }) => fits(name) >= 0)
    .sort((one, other) => Math.sign(fits(one.name)) - Math.sign(fits(other.name)))
    .map(({ name, kind }) => `${folder}${name}${kind === 'folder' ? '/' : ''}`);
}
