/** What runs and talks have in common on the server, under one name each. */
import type { ApiClient, CallOptions } from '@crewagent/protocol/api/client';
import type { FileDiff } from '@crewagent/protocol/api/file-diff';
import type { RunEvent } from '@crewagent/protocol/events';
import type { JournalEntry, UndoneFile, UndoSelection } from '@crewagent/protocol/journal';
import type { Subject } from './subject.ts';

export interface SubjectCalls {
  readonly changes: (options?: CallOptions) => Promise<readonly JournalEntry[]>;
  readonly undo: (selection: UndoSelection) => Promise<readonly UndoneFile[]>;
  readonly redo: (selection: UndoSelection) => Promise<readonly UndoneFile[]>;
  /** By one change; by all of them, up to now, if none is named. */
  readonly fileDiff: (path: string, change: number | undefined, options?: CallOptions) => Promise<FileDiff>;
  readonly log: (after: number, limit: number, options?: CallOptions) => Promise<readonly RunEvent[]>;
  /** How much the model can take. */
  readonly contextSize: (options?: CallOptions) => Promise<number>;
}

export function callsFor(client: ApiClient, subject: Subject): SubjectCalls {
  return subject.kind === 'run'
    ? callsOfRun(client, subject.runId)
    : callsOfTalk(client, subject.conversationId);
}

function callsOfRun({ runs }: ApiClient, runId: string): SubjectCalls {
  return {
    changes: async (options) => (await runs.changes({ runId }, options)).changes,
    undo: async (body) => (await runs.undo({ runId, body })).files,
    redo: async (body) => (await runs.redo({ runId, body })).files,
    fileDiff: (path, change, options) => runs.fileDiff({ runId, query: toDiffQuery(path, change) }, options),
    log: async (after, limit, options) =>
      (await runs.log({ runId, query: { after: String(after), limit: String(limit) } }, options)).events,
    contextSize: async (options) => (await runs.context({ runId }, options)).contextTokens,
  };
}

function callsOfTalk({ conversations }: ApiClient, conversationId: string): SubjectCalls {
  const id = { conversationId };
  return {
    changes: async (options) => (await conversations.changes(id, options)).changes,
    undo: async (body) => (await conversations.undo({ ...id, body })).files,
    redo: async (body) => (await conversations.redo({ ...id, body })).files,
    fileDiff: (path, change, options) =>
      conversations.fileDiff({ ...id, query: toDiffQuery(path, change) }, options),
    log: async (after, limit, options) => {
      const query = { after: String(after), limit: String(limit) };
      return (await conversations.log({ ...id, query }, options)).events;
    },
    contextSize: async (options) => (await conversations.context(id, options)).contextTokens,
  };
}

function toDiffQuery(path: string, change: number | undefined) {
  return { path, ...(change === undefined ? {} : { change: String(change) }) };
}
