/**
 * What is said in a conversation or to a run, and turning to somebody or something else.
 */
import { showWork, stopWork } from '@crewagent/core';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import { surfaceOf } from '@crewagent/protocol/api/page-address';
import { modeOf } from '@crewagent/protocol/conversation-state';
import { activeView } from '@crewagent/protocol/work-view';
import { mount, type Router } from '../mount.ts';
import type { ServerParts } from '../server-parts.ts';

export function mountWorksCommands(router: Router, parts: ServerParts): void {
  mountCommands(router, parts);
  mountTurning(router, parts);
}

function mountCommands(router: Router, { runtime: { store }, openWorks }: ServerParts): void {
  const { works } = ENDPOINTS;
  mount(router, works.input, ({ params, body: { text }, headers }) =>
    openWorks.command(params.workId, (work, taking) =>
      work.input(text, { ...taking, surface: surfaceOf(headers) }),
    ),
  );
  mount(router, works.answer, ({ params, body: { callId, answers } }) =>
    openWorks.command(params.workId, (work, taking) => work.answer(answers, { callId, ...taking })),
  );
  mount(router, works.approve, ({ params, body: { callId, ...word } }) =>
    openWorks.command(params.workId, (work, taking) => work.approve(word, { callId, ...taking })),
  );
  mount(router, works.resume, ({ params, body: { model, runId } }) =>
    openWorks.command(params.workId, (work, taking) => work.resume({ ...taking, runId }), { model }),
  );
  mount(router, works.stop, async ({ params: { workId } }) => {
    const here = await openWorks.stop(workId);
    if (here) return here;
    // Another process may work on it; if none does, there is nothing to stop.
    const address = await store.works.find(workId);
    await stopWork(store, address);
    const { view } = await showWork(store, address);
    const { phase, reason } = activeView(view);
    const mode = address.isRun ? 'run' : modeOf(view.state);
    return { workId, mode, phase, ...(reason ? { reason } : {}) };
  });
}

/** Turning to somebody or something else. */
function mountTurning(router: Router, { openWorks }: ServerParts): void {
  const { works } = ENDPOINTS;
  mount(router, works.enterAgent, ({ params, body: { packageHash, agent } }) =>
    openWorks.talk(params.workId, (session) => session.enterAgent({ package: packageHash, agent })),
  );
  mount(router, works.dismissAgent, ({ params }) =>
    openWorks.talk(params.workId, (session) => session.dismissAgent()),
  );
  mount(router, works.startWorkflow, ({ params, body: { packageHash, ...choice } }) =>
    openWorks.talk(params.workId, (session, taking) =>
      session.startWorkflow({ package: packageHash, ...choice }, taking),
    ),
  );
  mount(router, works.setModel, ({ params, body: { model } }) =>
    openWorks.talk(params.workId, (session) => Promise.resolve(session.rest()), { model }),
  );
}
