/** The page of a Work over HTTP. What was not taken is an error with the server's sentence. */
import type { ApiClient } from '@crewagent/protocol/api/client';
import type { WorkStatus } from '@crewagent/protocol/api/works';
import { findFiles } from './find-files.ts';
import { followWork } from './follow-work.ts';
import { type NewPartner, NotTaken, type PartnerApi, type WorkApi } from './work-api.ts';

export function createWorkApi(client: ApiClient, projectId: string): WorkApi {
  const { works } = client;
  return {
    follow: (workId, options) => followWork(client, workId, options),
    input: async (workId, text) => mustBeTaken(await works.input({ workId, body: { text } })),
    stop: async (workId) => mustBeTaken(await works.stop({ workId })),
    resume: async (workId) => mustBeTaken(await works.resume({ workId, body: {} })),
    answer: async (workId, callId, answers) =>
      mustBeTaken(await works.answer({ workId, body: { callId, answers: { ...answers } } })),
    approve: async (workId, callId, word) =>
      mustBeTaken(await works.approve({ workId, body: { callId, ...word } })),
    findFiles: (workId, query, signal) =>
      findFiles(client, {
        projectId,
        query,
        signal,
        inMount: (wanted, options) => works.findFiles({ workId, query: wanted }, options),
      }),
    partner: createPartnerApi(client),
  };
}

function createPartnerApi({ works }: ApiClient): PartnerApi {
  const turnTo = (workId: string, partner: NewPartner): Promise<WorkStatus> => {
    switch (partner.kind) {
      case 'agent': {
        const { packageHash, agent } = partner;
        return works.enterAgent({ workId, body: { packageHash, agent } });
      }
      case 'workflow': {
        const { packageHash, workflow } = partner;
        return works.startWorkflow({ workId, body: { packageHash, workflow } });
      }
      case 'chat':
        return works.dismissAgent({ workId });
    }
  };
  return {
    menu: async (workId, signal) => (await works.show({ workId }, { signal })).menu,
    setModel: async (workId, model) => mustBeTaken(await works.setModel({ workId, body: { model } })),
    turnTo: async (workId, partner) => mustBeTaken(await turnTo(workId, partner)),
  };
}

export function mustBeTaken({ refusal }: WorkStatus): void {
  if (refusal) throw new NotTaken(refusal);
}
