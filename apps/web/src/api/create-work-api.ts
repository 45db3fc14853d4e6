/** `WorkApi` over HTTP. A rejected command throws a `RejectedError` with the server's message. */
import type { ApiClient } from '@crewagent/protocol/api/client';
import type { WorkStatus } from '@crewagent/protocol/api/work-messages';
import { findFiles } from './find-files.ts';
import { followWork } from './follow-work.ts';
import { type AgentBindingApi, type NewAgentBinding, RejectedError, type WorkApi } from './work-api.ts';

export function createWorkApi(client: ApiClient, projectId: string): WorkApi {
  const { works } = client;
  return {
    follow: (workId, options) => followWork(client, workId, options),
    log: (workId, after) => works.log({ workId, query: { after: String(after) } }),
    earlier: (workId, before, limit) =>
      works.items({ workId, query: { before: String(before), limit: limit?.toString() } }),
    input: async (workId, text) => mustBeAccepted(await works.input({ workId, body: { text } })),
    withdraw: async (workId, inputSeq) =>
      mustBeAccepted(await works.withdraw({ workId, body: { inputSeq } })),
    stop: async (workId) => mustBeAccepted(await works.stop({ workId })),
    stopQuestion: async (workId, callId) =>
      mustBeAccepted(await works.stopQuestion({ workId, body: { callId } })),
    resume: async (workId) => mustBeAccepted(await works.resume({ workId, body: {} })),
    skip: async (workId) => mustBeAccepted(await works.skip({ workId, body: {} })),
    waive: async (workId, waiver) => mustBeAccepted(await works.waive({ workId, body: waiver })),
    answer: async (workId, callId, answers) =>
      mustBeAccepted(await works.answer({ workId, body: { callId, answers: { ...answers } } })),
    approve: async (workId, callId, response) =>
      mustBeAccepted(await works.approve({ workId, body: { callId, ...response } })),
    findFiles: (workId, query, signal) =>
      findFiles(client, {
        projectId,
        query,
        signal,
        inMount: (wanted, options) => works.findFiles({ workId, query: wanted }, options),
      }),
    attach: async (file) =>
      (await client.files.attach({ projectId, query: { name: file.name || 'file' }, body: file })).path,
    detach: async (path) => {
      await client.files.remove({ projectId, body: { path } });
    },
    setApproval: async (workId, approval) => {
      await works.change({ workId, body: { approval } });
    },
    binding: createAgentBindingApi(client),
  };
}

function createAgentBindingApi({ works }: ApiClient): AgentBindingApi {
  const turnTo = (workId: string, binding: NewAgentBinding): Promise<WorkStatus> => {
    switch (binding.kind) {
      case 'agent': {
        const { packageHash, agent } = binding;
        return works.enterAgent({ workId, body: { packageHash, agent } });
      }
      case 'workflow': {
        const { packageHash, workflow } = binding;
        return works.startWorkflow({ workId, body: { packageHash, workflow } });
      }
      case 'chat':
        return works.dismissAgent({ workId });
    }
  };
  return {
    menu: async (workId, call) => (await works.menu({ workId }, call)).entries,
    setModel: async (workId, model) => mustBeAccepted(await works.setModel({ workId, body: { model } })),
    turnTo: async (workId, binding) => mustBeAccepted(await turnTo(workId, binding)),
  };
}

export function mustBeAccepted({ refusal }: WorkStatus): void {
  if (refusal) throw new RejectedError(refusal);
}
