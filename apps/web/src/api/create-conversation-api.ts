/** The page of a conversation over HTTP. What was not taken is an error with the server's sentence. */
import type { ApiClient } from '@crewagent/protocol/api/client';
import type { ConversationStatus } from '@crewagent/protocol/api/conversations';
import { type ConversationApi, type NewPartner, NotTaken, type PartnerApi } from './conversation-api.ts';
import { findFiles } from './find-files.ts';
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
    findFiles: (conversationId, query, signal) =>
      findFiles(client, {
        projectId,
        query,
        signal,
        inMount: (wanted, options) => conversations.findFiles({ conversationId, query: wanted }, options),
      }),
    partner: createPartnerApi(client),
  };
}

function createPartnerApi({ conversations }: ApiClient): PartnerApi {
  const turnTo = (conversationId: string, partner: NewPartner): Promise<ConversationStatus> => {
    switch (partner.kind) {
      case 'agent': {
        const { packageHash, agent } = partner;
        return conversations.enterAgent({ conversationId, body: { packageHash, agent } });
      }
      case 'workflow': {
        const { packageHash, workflow } = partner;
        return conversations.startWorkflow({ conversationId, body: { packageHash, workflow } });
      }
      case 'chat':
        return conversations.dismissAgent({ conversationId });
    }
  };
  return {
    menu: async (conversationId, signal) => (await conversations.show({ conversationId }, { signal })).menu,
    setModel: async (conversationId, model) =>
      mustBeTaken(await conversations.setModel({ conversationId, body: { model } })),
    turnTo: async (conversationId, partner) => mustBeTaken(await turnTo(conversationId, partner)),
  };
}

export function mustBeTaken({ refusal }: ConversationStatus): void {
  if (refusal) throw new NotTaken(refusal);
}
