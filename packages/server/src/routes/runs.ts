/**
 * Runs: starting and steering them, and what they left behind.
 */

import {
  CrewError,
  checkState,
  type ExportFormat,
  exportRun,
  findRunFiles,
  type OpenChanges,
  type OpenRun,
  readProject,
  readStateDocument,
  resolveRun,
  type Session,
  showRunContext,
  showRunFileDiff,
  type TakeOptions,
} from '@crewagent/core';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import type { RunStatus } from '@crewagent/protocol/api/runs';
import { PAGE_APPROVAL } from '@crewagent/protocol/tools';
import { mount, mountRaw, type Router } from '../mount.ts';
import { FILE_SECURITY_POLICY } from '../security-headers.ts';
import type { ServerParts } from '../server-parts.ts';
import { createRunSteering, type RunSteering } from '../steer-run.ts';
import { toRunSummary } from '../summaries.ts';
import { createLogPager } from './log-page.ts';
import { toNewer } from './newer-view.ts';
import { toLimits } from './run-limits.ts';

export function mountRuns(router: Router, parts: ServerParts): void {
  const steering = createRunSteering(parts);
  mountLooking(router, parts);
  mountCommands(router, parts, steering);
  mountChanges(router, parts, steering);
}

function mountLooking(router: Router, { runtime, hub, runLists }: ServerParts): void {
  const { runs } = ENDPOINTS;
  mount(router, runs.list, ({ query }) => runLists.list(query));
  mount(router, runs.show, async ({ params: { runId } }) => {
    const { record, view: stored, log, isOpen } = await runtime.showRun(runId);
    const view = toNewer(hub.viewOf(runId), stored);
    return {
      run: toRunSummary(record, view),
      tools: record.tools,
      limits: record.limits,
      view,
      log,
      isOpen,
    };
  });
  const { store } = runtime;
  const readPage = createLogPager(async (runId) => ({ log: store.run(await resolveRun(store, runId)).log }));
  mount(router, runs.log, ({ params: { runId }, query }) => readPage(runId, query));
  mountRaw(router, runs.exportFile, async ({ params: { runId }, query: { format } }) => {
    const text = await exportRun(await runtime.showRun(runId), { store: runtime.store, format });
    return new Response(text, {
      headers: {
        'content-type': `${FILE_TYPES[format]}; charset=utf-8`,
        'content-disposition': `attachment; filename="run-${runId}.${format}"`,
        'content-security-policy': FILE_SECURITY_POLICY,
      },
    });
  });
}

const FILE_TYPES: Readonly<Record<ExportFormat, string>> = {
  md: 'text/markdown',
  json: 'application/json',
  html: 'text/html',
};

function mountCommands(router: Router, { runtime, openRuns, hub }: ServerParts, steering: RunSteering): void {
  const { runs } = ENDPOINTS;
  mount(router, runs.create, async ({ body }) => {
    const { projectId, packageHash, workflow, agent, model, approval, input, documents, isHeldBack } = body;
    const { path } = await readProject(runtime.store, projectId);
    const request = {
      package: packageHash,
      projectPath: path,
      workflow,
      agent,
      model: { model },
      approval,
      usualApproval: PAGE_APPROVAL,
      limits: toLimits(body.limits),
      documents,
    };
    return openRuns.create(request, isHeldBack ? undefined : (run) => startWith(run, input));
  });
  mount(router, runs.resume, ({ params, body: { model } }) => {
    const give = {
      alone: ({ engine }: OpenRun) => engine.resume(),
      inSession: (session: Session, taking: TakeOptions) => session.resume(taking),
    };
    return steering.command(params.runId, give, { model: { model } });
  });
  mount(router, runs.say, ({ params, body: { text } }) =>
    steering.command(params.runId, {
      alone: ({ engine }) => engine.say(text),
      inSession: (session, taking) => session.input(text, taking),
    }),
  );
  mount(router, runs.answer, ({ params, body: { callId, answers } }) =>
    steering.command(params.runId, {
      alone(run) {
        requireCall(run, callId);
        return run.engine.answer(answers);
      },
      inSession: (session, taking) => session.answer(answers, { callId, ...taking }),
    }),
  );
  mount(router, runs.approve, ({ params, body: { callId, ...word } }) =>
    steering.command(params.runId, {
      alone(run) {
        requireCall(run, callId);
        return run.engine.approve(word);
      },
      inSession: (session, taking) => session.approve(word, { callId, ...taking }),
    }),
  );
  mount(router, runs.stop, async ({ params: { runId } }) => {
    const here = await steering.stop(runId);
    if (here) return here;
    // Another process may work on it; if none does, there is nothing to stop.
    await runtime.stopRun(runId);
    const { record } = await runtime.showRun(runId);
    return toStatus(record);
  });
  mount(router, runs.rewind, ({ params: { runId }, body }) =>
    steering.use(runId, async (run) => {
      const { stop, files } = await run.rewind(body);
      return { status: toStatus({ runId, ...stop }), files: [...files] };
    }),
  );
  mount(router, runs.allowChange, ({ params }) =>
    steering.use(params.runId, async ({ engine }) => {
      await engine.allowStateChange();
      return undefined;
    }),
  );
  mount(router, runs.remove, async ({ params: { runId } }) => {
    await steering.useClosed(runId, () => runtime.deleteRun(runId));
    hub.drop(runId);
    return undefined;
  });
}

/** Words that are there from the start are queued for the first turn. */
function startWith({ engine }: OpenRun, input: string | undefined) {
  const stop = engine.start();
  if (input !== undefined) void engine.say(input);
  return stop;
}

/** A second click, or one that came too late, answers nothing else than it was meant for. */
function requireCall({ engine }: OpenRun, callId: string): void {
  if (engine.memory.pending?.callId === callId) return;
  throw new CrewError('RUN_NOT_READY', 'The run cannot do that now: it waits for something else by now.');
}

function toStatus({ runId, phase, reason }: RunStatus): RunStatus {
  return { runId, phase, ...(reason ? { reason } : {}) };
}

function mountChanges(
  router: Router,
  { runtime, openRuns, openSessions, context }: ServerParts,
  steering: RunSteering,
): void {
  const { runs } = ENDPOINTS;
  const looking = { store: runtime.store, context, now: () => new Date() };
  const withChanges = <T>(runId: string, work: (changes: OpenChanges) => Promise<T>): Promise<T> =>
    steering.useClosed(runId, async () => {
      const changes = await runtime.openChanges(runId);
      try {
        return await work(changes);
      } finally {
        await changes.close();
      }
    });
  mount(router, runs.changes, async ({ params: { runId } }) => {
    // A run that rests needs neither its package nor its model to be looked at.
    const here = openRuns.heldRun(runId)?.journal.list() ?? openSessions.changesOf(runId);
    if (here) return { changes: [...here] };
    return withChanges(runId, ({ journal }) => Promise.resolve({ changes: journal.list() }));
  });
  for (const direction of ['undo', 'redo'] as const) {
    mount(router, runs[direction], ({ params: { runId }, body }) =>
      withChanges(runId, async (changes) => ({ files: await changes[direction](body) })),
    );
  }
  mount(router, runs.state, async ({ params: { runId } }) => {
    return readStateDocument(runtime.store, await resolveRun(runtime.store, runId));
  });
  mount(router, runs.checkState, async ({ params: { runId }, body: { text } }) =>
    checkState(await resolveRun(runtime.store, runId), text, looking),
  );
  mount(router, runs.fileDiff, async ({ params: { runId }, query }) =>
    showRunFileDiff(await resolveRun(runtime.store, runId), query, runtime.store),
  );
  mount(router, runs.context, async ({ params: { runId } }) =>
    showRunContext(await resolveRun(runtime.store, runId), looking),
  );
  mount(router, runs.findFiles, async ({ params: { runId }, query, signal }) =>
    findRunFiles(await resolveRun(runtime.store, runId), { ...query, signal }, runtime.store),
  );
  mount(router, runs.editState, ({ params: { runId }, body: { text, ifMatchSha256 } }) =>
    steering.use(runId, async ({ engine }) => {
      const { notes, ...written } = await engine.editState(text, ifMatchSha256);
      return { ...written, notes: [...notes] };
    }),
  );
}
