/**
 * Conversations: beginning one, what is said in it, and what becomes of it.
 */

import {
  type ConversationReport,
  CrewError,
  findTalkFiles,
  readConversationRecord,
  readMenu,
  readProject,
  resolveConversation,
  showTalkContext,
  showTalkFileDiff,
  type TalkChanges,
} from '@crewagent/core';
import type { ConversationSummary } from '@crewagent/protocol/api/conversation-messages';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import { modeOf } from '@crewagent/protocol/conversation-state';
import { activeView, type ConversationView } from '@crewagent/protocol/conversation-view';
import { PAGE_APPROVAL } from '@crewagent/protocol/tools';
import { mount, type Router } from '../mount.ts';
import type { SessionCommand } from '../open-sessions.ts';
import type { ServerParts } from '../server-parts.ts';
import { toConversationSummary, withoutPath } from '../summaries.ts';
import { createLogPager } from './log-page.ts';
import { toNewer } from './newer-view.ts';
import { toLimits } from './run-limits.ts';

export function mountConversations(router: Router, parts: ServerParts): void {
  mountLooking(router, parts);
  mountLife(router, parts);
  mountTalking(router, parts);
  mountTurning(router, parts);
  mountChanges(router, parts);
}

function mountLooking(router: Router, parts: ServerParts): void {
  const { runtime, runLists, context } = parts;
  const { conversations } = ENDPOINTS;
  mount(router, conversations.list, ({ query: { project, archived = false } }) =>
    runLists.listConversations({ project, isArchived: archived }),
  );
  mount(router, conversations.show, async ({ params: { conversationId } }) => {
    const report = await runtime.showConversation(conversationId);
    const view = toFollowed(report.view, parts);
    const { agent } = view.state;
    const menu = agent ? await readMenu(agent, 'web', { store: runtime.store, context }) : [];
    const { model, tools, limits } = report.record;
    return {
      conversation: toShownSummary(report, view),
      state: view.state,
      talk: view.talk,
      runs: Object.fromEntries(view.runs),
      menu: menu.map(({ handlers, ...entry }) => ({ ...entry, handlers: [...handlers] })),
      model: withoutPath(model),
      tools,
      limits,
      isOpen: report.isOpen,
    };
  });
  const { store } = runtime;
  const readPage = createLogPager(async (id) => store.conversation(await resolveConversation(store, id)));
  mount(router, conversations.log, ({ params: { conversationId }, query }) =>
    readPage(conversationId, query),
  );
}

/** With words that are in no log yet. */
function toFollowed(stored: ConversationView, { hub, talkHub }: ServerParts): ConversationView {
  const followed = talkHub.viewOf(stored.conversationId);
  const talk = toNewer(followed?.talk, stored.talk);
  const state = followed && talk === followed.talk ? followed.state : stored.state;
  const runs = [...stored.runs].map(([runId, run]) => [runId, toNewer(hub.viewOf(runId), run)] as const);
  return { ...stored, state, talk, runs: new Map(runs) };
}

/** The log is written a moment before the record. */
function toShownSummary({ record }: ConversationReport, view: ConversationView): ConversationSummary {
  const { kind, agent, activeRunId } = view.state;
  const { agent: _, activeRunId: __, ...rest } = record;
  return toConversationSummary(
    {
      ...rest,
      kind,
      ...(agent ? { agent } : {}),
      ...(activeRunId === undefined ? {} : { activeRunId }),
    },
    activeView(view),
  );
}

function mountLife(
  router: Router,
  { runtime, openRuns, openSessions, hub, talkHub, runLists }: ServerParts,
): void {
  const { store } = runtime;
  const { conversations } = ENDPOINTS;
  mount(router, conversations.create, async ({ body }) => {
    const { projectId, kind, packageHash, agent, workflow, model, approval, input, documents } = body;
    if (kind === 'chat' && (packageHash ?? agent) !== undefined)
      throw new CrewError(
        'USAGE',
        'A chat is with nobody in particular; choose the kind "agent" for an agent.',
      );
    if (kind !== 'workflow' && (workflow !== undefined || (documents?.length ?? 0) > 0))
      throw new CrewError(
        'USAGE',
        'A workflow is begun, and handed documents, in a conversation of the kind "workflow".',
      );
    const { path: projectPath } = await readProject(store, projectId);
    const choice = { package: packageHash, agent };
    const limits = toLimits(body.limits);
    const request = {
      projectPath,
      kind,
      ...choice,
      model: { model },
      approval,
      limits,
      usualApproval: PAGE_APPROVAL,
    };
    if (kind === 'workflow')
      return openSessions.create(request, (session, taking) =>
        session.startWorkflow({ ...choice, workflow, input, documents }, taking),
      );
    return openSessions.create(
      request,
      input === undefined ? undefined : (session, taking) => session.input(input, taking),
    );
  });
  mount(router, conversations.change, async ({ params: { conversationId }, body: { title, isArchived } }) => {
    if (title !== undefined) await runtime.renameConversation(conversationId, title);
    if (isArchived !== undefined) await runtime.archiveConversation(conversationId, isArchived);
    const address = await resolveConversation(store, conversationId);
    runLists.poke();
    return runLists.summaryOf(await readConversationRecord(store, address));
  });
  mount(router, conversations.remove, async ({ params: { conversationId } }) => {
    const isOurs = (record: { readonly conversationId?: string | undefined }): boolean =>
      record.conversationId === conversationId;
    const runs = await openSessions.useClosed(conversationId, async () => {
      await openRuns.closeResting(isOurs);
      const all = await runtime.listRuns();
      await runtime.deleteConversation(conversationId);
      return all.filter(({ record }) => record && isOurs(record));
    });
    talkHub.drop(conversationId);
    for (const { runId } of runs) hub.drop(runId);
    return undefined;
  });
}

function mountTalking(router: Router, { runtime, openSessions }: ServerParts): void {
  const { conversations } = ENDPOINTS;
  mount(router, conversations.input, ({ params, body: { text } }) =>
    openSessions.command(params.conversationId, (session, taking) => session.input(text, taking)),
  );
  mount(router, conversations.answer, ({ params, body: { callId, answers } }) =>
    openSessions.command(params.conversationId, (session, taking) =>
      session.answer(answers, { callId, ...taking }),
    ),
  );
  mount(router, conversations.approve, ({ params, body: { callId, ...word } }) =>
    openSessions.command(params.conversationId, (session, taking) =>
      session.approve(word, { callId, ...taking }),
    ),
  );
  mount(router, conversations.stop, async ({ params: { conversationId } }) => {
    const here = await openSessions.stop(conversationId);
    if (here) return here;
    // Another process may work on it; if none does, there is nothing to stop.
    await runtime.stopConversation(conversationId);
    const { view } = await runtime.showConversation(conversationId);
    return toStatus(view);
  });
  mount(router, conversations.resume, ({ params, body: { model } }) => {
    const resume: SessionCommand = async (session, taking) => {
      if (model !== undefined) await session.setModel({ model });
      return session.resume(taking);
    };
    return openSessions.command(params.conversationId, resume, { model });
  });
}

function toStatus(view: ConversationView) {
  const { phase, reason } = activeView(view);
  return {
    conversationId: view.conversationId,
    mode: modeOf(view.state),
    phase,
    ...(reason ? { reason } : {}),
  };
}

/** Turning to somebody or something else. */
function mountTurning(router: Router, { openSessions }: ServerParts): void {
  const { conversations } = ENDPOINTS;
  mount(router, conversations.enterAgent, ({ params, body: { packageHash, agent } }) =>
    openSessions.command(params.conversationId, (session) =>
      session.enterAgent({ package: packageHash, agent }),
    ),
  );
  mount(router, conversations.dismissAgent, ({ params }) =>
    openSessions.command(params.conversationId, (session) => session.dismissAgent()),
  );
  mount(router, conversations.startWorkflow, ({ params, body: { packageHash, ...choice } }) =>
    openSessions.command(params.conversationId, (session, taking) =>
      session.startWorkflow({ package: packageHash, ...choice }, taking),
    ),
  );
  mount(router, conversations.setModel, ({ params, body: { model } }) =>
    openSessions.command(
      params.conversationId,
      async (session) => {
        await session.setModel({ model });
        return toStatus(session.view);
      },
      { model },
    ),
  );
}

function mountChanges(router: Router, { runtime, openSessions, context }: ServerParts): void {
  const { store } = runtime;
  const { conversations } = ENDPOINTS;
  mount(router, conversations.fileDiff, async ({ params: { conversationId }, query }) =>
    showTalkFileDiff(await resolveConversation(store, conversationId), query, store),
  );
  mount(router, conversations.findFiles, async ({ params: { conversationId }, query, signal }) =>
    findTalkFiles(await resolveConversation(store, conversationId), { ...query, signal }, store),
  );
  mount(router, conversations.context, async ({ params: { conversationId } }) =>
    showTalkContext(await resolveConversation(store, conversationId), {
      store,
      context,
      now: () => new Date(),
    }),
  );
  const withChanges = <T>(id: string, work: (changes: TalkChanges) => Promise<T>): Promise<T> =>
    openSessions.useClosed(id, async () => {
      const changes = await runtime.openTalkChanges(id);
      try {
        return await work(changes);
      } finally {
        await changes.close();
      }
    });
  mount(router, conversations.changes, async ({ params: { conversationId } }) => {
    const here = openSessions.changesOf(conversationId);
    if (here) return { changes: [...here] };
    return withChanges(conversationId, ({ journal }) => Promise.resolve({ changes: journal.list() }));
  });
  for (const direction of ['undo', 'redo'] as const) {
    mount(router, conversations[direction], ({ params: { conversationId }, body }) =>
      withChanges(conversationId, async (changes) => ({ files: await changes[direction](body) })),
    );
  }
}
