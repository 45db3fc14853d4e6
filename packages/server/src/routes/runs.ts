/**
 * Runs: starting and steering them, and what they left behind.
 */

import {
  CrewError,
  type ExportFormat,
  exportRun,
  type OpenChanges,
  type OpenRun,
  readProject,
  readStateDocument,
  resolveRun,
} from '@crewagent/core';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import type { RunStatus } from '@crewagent/protocol/api/runs';
import type { RunEvent } from '@crewagent/protocol/events';
import type { RunRecord } from '@crewagent/protocol/run';
import type { RunView } from '@crewagent/protocol/run-view';
import { mount, mountRaw, type Router } from '../mount.ts';
import { toSummary } from '../run-list.ts';
import { FILE_SECURITY_POLICY } from '../security-headers.ts';
import type { ServerParts } from '../server-parts.ts';

export function mountRuns(router: Router, parts: ServerParts): void {
  mountLooking(router, parts);
  mountCommands(router, parts);
  mountChanges(router, parts);
}

const MAX_PAGE = 1_000;

function mountLooking(router: Router, { runtime, hub, runLists }: ServerParts): void {
  const { runs } = ENDPOINTS;
  mount(router, runs.list, ({ query }) => runLists.list(query));
  mount(router, runs.show, async ({ params: { runId } }) => {
    const { record, view: stored, log, isOpen } = await runtime.showRun(runId);
    // One that is followed knows words that are in no log yet.
    const view = hub.viewOf(runId) ?? stored;
    return {
      run: toSummary(asTold(record, view)),
      tools: record.tools,
      limits: record.limits,
      view,
      log,
      isOpen,
    };
  });
  mount(router, runs.log, async ({ params: { runId }, query: { after = 0, limit = MAX_PAGE } }) => {
    const events: RunEvent[] = [];
    const most = Math.min(limit, MAX_PAGE);
    const { lastSeq } = await runtime.readLog(runId, (event) => {
      if (event.seq > after && events.length < most) events.push(event);
    });
    return { events, lastSeq };
  });
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

/** The log is written a moment before the record. */
function asTold(record: RunRecord, { phase, reason }: RunView): RunRecord {
  if (phase === record.phase) return record;
  const { reason: _, ...rest } = record;
  return { ...rest, phase, ...(reason ? { reason } : {}) };
}

const FILE_TYPES: Readonly<Record<ExportFormat, string>> = {
  md: 'text/markdown',
  json: 'application/json',
  html: 'text/html',
};

function mountCommands(router: Router, { runtime, openRuns, hub }: ServerParts): void {
  const { runs } = ENDPOINTS;
  mount(router, runs.create, async ({ body }) => {
    const { projectId, packageHash, workflow, agent, model, approval, input, isHeldBack } = body;
    const { path } = await readProject(runtime.store, projectId);
    const { maxTurns, ...limits } = body.limits ?? {};
    const request = {
      package: packageHash,
      projectPath: path,
      workflow,
      agent,
      model: { model },
      approval,
      limits: { ...limits, ...(maxTurns === undefined ? {} : { maxTurns }) },
    };
    return openRuns.create(request, isHeldBack ? undefined : (run) => startWith(run, input));
  });
  mount(router, runs.resume, ({ params, body }) =>
    openRuns.command(params.runId, ({ engine }) => engine.resume(), { model: { model: body.model } }),
  );
  mount(router, runs.say, ({ params, body }) =>
    openRuns.command(params.runId, ({ engine }) => engine.say(body.text)),
  );
  mount(router, runs.answer, ({ params, body }) =>
    openRuns.command(params.runId, (run) => {
      requireCall(run, body.callId);
      return run.engine.answer(body.answers);
    }),
  );
  mount(router, runs.approve, ({ params, body }) =>
    openRuns.command(params.runId, (run) => {
      requireCall(run, body.callId);
      return run.engine.approve(body.decision, body.note);
    }),
  );
  mount(router, runs.stop, async ({ params: { runId } }) => {
    const here = openRuns.stop(runId);
    if (here) return here;
    // Another process may work on it; if none does, there is nothing to stop.
    await runtime.stopRun(runId);
    const { record } = await runtime.showRun(runId);
    return toStatus(record);
  });
  mount(router, runs.remove, async ({ params: { runId } }) => {
    await openRuns.useClosed(runId, () => runtime.deleteRun(runId));
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

function mountChanges(router: Router, { runtime, openRuns }: ServerParts): void {
  const { runs } = ENDPOINTS;
  const withChanges = <T>(runId: string, work: (changes: OpenChanges) => Promise<T>): Promise<T> =>
    openRuns.useClosed(runId, async () => {
      const changes = await runtime.openChanges(runId);
      try {
        return await work(changes);
      } finally {
        await changes.close();
      }
    });
  mount(router, runs.changes, async ({ params: { runId } }) => {
    // A run that rests needs neither its package nor its model to be looked at.
    const here = openRuns.heldRun(runId);
    if (here) return { changes: here.journal.list() };
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
  mount(router, runs.editState, ({ params: { runId }, body: { text, ifMatchSha256 } }) =>
    openRuns.use(runId, async ({ engine }) => {
      const { notes, ...written } = await engine.editState(text, ifMatchSha256);
      return { ...written, notes: [...notes] };
    }),
  );
}
