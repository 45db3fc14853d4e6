/**
 * Commands to conversations and runs: input, answers, approvals, and switching agent, workflow or model.
 */
import { showWork, stopWork } from '@crewagent/core';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import { surfaceOf } from '@crewagent/protocol/api/page-address';
import { modeOf } from '@crewagent/protocol/conversation-state';
import { activeStory } from '@crewagent/protocol/story/work-story';
import { mount, type Router } from '../mount.ts';
import { withStoredHashes } from '../security/redact.ts';
import type { ServerParts } from '../server-parts.ts';

export function mountWorksCommands(router: Router, parts: ServerParts): void {
  mountCommands(router, parts);
  mountSwitching(router, parts);
}

function mountCommands(router: Router, { runtime: { store }, openWorks, redact }: ServerParts): void {
  const { works } = ENDPOINTS;
  mount(router, works.input, ({ params, body: { text }, headers }) =>
    openWorks.command(params.workId, (work, options) =>
      work.input(text, { ...options, surface: surfaceOf(headers) }),
    ),
  );
  mount(router, works.withdraw, ({ params, body: { inputSeq } }) =>
    openWorks.command(params.workId, (work, options) => work.withdraw(inputSeq, options)),
  );
  mount(router, works.answer, ({ params, body: { callId, answers } }) =>
    openWorks.command(params.workId, (work, options) => work.answer(answers, { callId, ...options })),
  );
  mount(router, works.approve, ({ params, body: { callId, ...approval } }) =>
    openWorks.command(params.workId, async (work, options) =>
      work.approve(withStoredHashes(approval, await work.pending(), redact), { callId, ...options }),
    ),
  );
  mount(router, works.stopQuestion, ({ params, body: { callId } }) =>
    openWorks.command(params.workId, (work, options) => work.stopQuestion(callId, options)),
  );
  mount(router, works.resume, ({ params, body: { model, runId } }) =>
    openWorks.command(params.workId, (work, options) => work.resume({ ...options, runId }), { model }),
  );
  mount(router, works.waive, ({ params, body }) =>
    openWorks.command(params.workId, (work, options) => work.waive(body, options)),
  );
  mount(router, works.skip, ({ params, body }) =>
    openWorks.command(params.workId, (work, options) => work.skipCall(body, options)),
  );
  mount(router, works.stop, async ({ params: { workId } }) => {
    const status = await openWorks.stop(workId);
    if (status) return status;
    // Another process may work on it; if none does, there is nothing to stop.
    const address = await store.works.find(workId);
    await stopWork(store, address);
    const { view } = await showWork(store, address);
    const { phase, reason } = activeStory(view);
    const mode = view.own.workflow ? 'run' : modeOf(view.state);
    return { workId, mode, phase, reason };
  });
}

/** Switches the agent, workflow or model of a conversation. */
function mountSwitching(router: Router, { openWorks }: ServerParts): void {
  const { works } = ENDPOINTS;
  mount(router, works.enterAgent, ({ params, body: { packageHash, agent } }) =>
    openWorks.commandSession(params.workId, (session) => session.enterAgent({ package: packageHash, agent })),
  );
  mount(router, works.dismissAgent, ({ params }) =>
    openWorks.commandSession(params.workId, (session) => session.dismissAgent()),
  );
  mount(router, works.startWorkflow, ({ params, body: { packageHash, ...choice } }) =>
    openWorks.commandSession(params.workId, (session, options) =>
      session.startWorkflow({ package: packageHash, ...choice }, options),
    ),
  );
  mount(router, works.setModel, ({ params, body: { model } }) =>
    openWorks.commandSession(params.workId, (session) => Promise.resolve(session.state()), { model }),
  );
}
