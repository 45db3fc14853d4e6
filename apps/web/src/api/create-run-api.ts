/** A run that belongs to no conversation, as one: all there is of it is its talk. What is typed are words for the run. */
import type { ApiClient } from '@crewagent/protocol/api/client';
import { EMPTY_CONVERSATION_STATE } from '@crewagent/protocol/conversation-state';
import type { ConversationMessage } from '../state/conversation-message.ts';
import type { ConversationApi } from './conversation-api.ts';
import { findFiles } from './find-files.ts';
import type { FollowOptions } from './follow-conversation.ts';

export function createRunApi(client: ApiClient, projectId: string): ConversationApi {
  const { runs } = client;
  return {
    follow: (runId, options) => followRun(client, runId, options),
    input: async (runId, text) => void (await runs.say({ runId, body: { text } })),
    stop: async (runId) => void (await runs.stop({ runId })),
    resume: async (runId) => void (await runs.resume({ runId, body: {} })),
    answer: async (runId, callId, answers) =>
      void (await runs.answer({ runId, body: { callId, answers: { ...answers } } })),
    approve: async (runId, callId, word) => void (await runs.approve({ runId, body: { callId, ...word } })),
    findFiles: (runId, query, signal) =>
      findFiles(client, {
        projectId,
        query,
        signal,
        inMount: (wanted, options) => runs.findFiles({ runId, query: wanted }, options),
      }),
  };
}

async function* followRun(
  client: ApiClient,
  runId: string,
  options: FollowOptions,
): AsyncGenerator<ConversationMessage, void> {
  for await (const message of client.runs.events({ runId, query: {} }, options)) {
    switch (message.type) {
      case 'snapshot': {
        const { view: talk } = message.data;
        yield {
          type: 'snapshot',
          data: { state: { ...EMPTY_CONVERSATION_STATE, kind: 'workflow' }, talk, runs: {} },
        };
        break;
      }
      case 'event':
        yield message;
        break;
      case 'streaming':
        yield { type: 'streaming', data: { runId, ...message.data } };
    }
  }
}
