/** The sessions that an editor has open: each is a conversation whose lease this process holds. */
import { basename, isAbsolute } from 'node:path';
import type {
  AgentContext,
  ClientCapabilities,
  ListSessionsRequest,
  ListSessionsResponse,
  LoadSessionRequest,
  NewSessionRequest,
  ResumeSessionRequest,
} from '@agentclientprotocol/sdk';
import {
  CrewError,
  type ModelChoice,
  type Runtime,
  type Session,
  toAddress,
  type ValidationContext,
} from '@crewagent/core';
import type { Language } from '@crewagent/protocol/languages';
import type { ApprovalPreset } from '@crewagent/protocol/tools';
import { createRecipients, type Recipient } from './choices.ts';
import { createEditorSession, type EditorSession } from './editor-session.ts';
import { createSay, type Say } from './texts.ts';

export interface OpenSessionsOptions {
  readonly runtime: Runtime;
  readonly context: ValidationContext;
  readonly language: Language;
  /** Whose agent or workflow new sessions have; undefined for plain chat. */
  readonly package: string | undefined;
  /** By default the first agent with a menu. */
  readonly agent: string | undefined;
  /** The workflow that the first message starts; `true`: the package's entry. */
  readonly workflow: string | true | undefined;
  readonly model: ModelChoice;
  readonly approval: ApprovalPreset | undefined;
  onBug(error: unknown): void;
}

const MAX_SESSIONS = 32;
const PAGE = 50;

export function createOpenSessions(options: OpenSessionsOptions) {
  const { runtime, context, language, model, approval, onBug } = options;
  const say = createSay(language);
  const recipients = createRecipients(runtime.store, context, say);
  const open = new Map<string, EditorSession>();
  let opening = 0;
  let isClosed = false;
  let has: ClientCapabilities = {};

  /** Opens a session and keeps it; a session that comes too late is closed. */
  const keep = async (
    client: AgentContext,
    isReplay: boolean,
    openSession: () => Promise<{ session: Session; next?: Recipient }>,
  ) => {
    if (open.size + opening >= MAX_SESSIONS) throw new CrewError('RUN_NOT_READY', say('tooMany'));
    opening++;
    try {
      const { session, next } = await openSession();
      const isUnset = session.record.model.kind === 'rehearsal' && model.model !== 'rehearsal';
      const notes = isUnset && !isReplay ? [say('rehearsal')] : [];
      const created = createEditorSession(
        { session, isReplay, next, notes },
        {
          runtime,
          client,
          language,
          say,
          recipients,
          hasNotices: Boolean(has.session?.notices),
          hasForms: Boolean(has.elicitation?.form),
        },
      );
      open.set(created.sessionId, created);
      if (isClosed) await created.close();
      return { sessionId: created.sessionId, begin: created.begin, ...(await created.choices()) };
    } finally {
      opening--;
    }
  };

  return {
    onBug,
    setCapabilities(capabilities: ClientCapabilities): void {
      has = capabilities;
    },
    async create({ cwd }: NewSessionRequest, client: AgentContext) {
      requireAbsolute(cwd, say);
      return keep(client, false, async () => {
        const recipient = toRecipient(options);
        const session = await runtime.createWork({
          projectPath: cwd,
          ...recipient,
          model,
          approval,
          usualApproval: 'ask',
          surface: 'electron',
        });
        return { session, ...(recipient.kind === 'workflow' ? { next: recipient } : {}) };
      });
    },
    async load(
      { sessionId, cwd }: LoadSessionRequest | ResumeSessionRequest,
      client: AgentContext,
      isReplay: boolean,
    ) {
      requireAbsolute(cwd, say);
      // It is open here: the editor starts again with it.
      await closeOne(sessionId);
      await runtime.sweepInterrupted();
      return keep(client, isReplay, async () => ({
        session: await runtime.openConversation(sessionId, { projectPath: cwd, model }),
      }));
    },
    list: (request: ListSessionsRequest) => listSessions(request, runtime),
    find(sessionId: string): EditorSession {
      const found = open.get(sessionId);
      if (!found) throw new CrewError('CONVERSATION_NOT_FOUND', say('noSession'));
      return found;
    },
    cancel: (sessionId: string): void => open.get(sessionId)?.cancel(),
    closeOne,
    async remove(sessionId: string): Promise<void> {
      await closeOne(sessionId);
      const { works } = runtime.store;
      await runtime.deleteWork(toAddress(await works.read(await works.find(sessionId))));
    },
    async close(): Promise<void> {
      isClosed = true;
      await Promise.allSettled([...open.values()].map((session) => session.close()));
      open.clear();
    },
  };

  async function closeOne(sessionId: string): Promise<void> {
    const found = open.get(sessionId);
    open.delete(sessionId);
    await found?.close();
  }
}

/** The latest first, of all folders if none is given. */
async function listSessions(
  { cwd, cursor }: ListSessionsRequest,
  runtime: Runtime,
): Promise<ListSessionsResponse> {
  const found = await runtime.listConversations(cwd ? { projectPath: cwd } : {});
  const start = Math.max(0, Number.parseInt(cursor ?? '0', 10) || 0);
  const projects = new Map(
    (await runtime.store.projects.list()).map(({ projectId, path }) => [projectId, path]),
  );
  const sessions = found.slice(start, start + PAGE).flatMap(({ record }) => {
    const path = record && projects.get(record.projectId);
    if (!record || path === undefined) return [];
    const { workId, title, updatedAt } = record;
    return [{ sessionId: workId, cwd: path, title: title || null, updatedAt }];
  });
  const end = start + PAGE;
  return { sessions, ...(end < found.length ? { nextCursor: `${end}` } : {}) };
}

function requireAbsolute(cwd: string, say: Say): void {
  if (!isAbsolute(cwd)) throw new CrewError('USAGE', say('relative'));
}

function toRecipient({ package: ref, agent, workflow }: OpenSessionsOptions): Recipient {
  if (ref === undefined) return { kind: 'chat' };
  if (workflow === undefined) return { kind: 'agent', package: ref, agent };
  const id = workflow === true ? undefined : workflow;
  return { kind: 'workflow', package: ref, agent, workflow: id, title: id ?? basename(ref) };
}
