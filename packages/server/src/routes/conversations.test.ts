import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRuntime } from '@crewagent/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hangBeforeHeaders, textReply, toolCallReply } from '../../../core/src/testing/provider-replies.ts';
import { finishArguments } from '../../../core/src/testing/scripted-model.ts';
import { addScriptedModel, createServerRig, prepare, type ServerRig } from '../testing/server-rig.ts';
import {
  isCompleted,
  prepareTalking,
  reloaded,
  restsWith,
  timelineOf,
  watchConversation,
} from '../testing/talking-rig.ts';

const UNKNOWN = '01a1de7a-846b-7205-b1df-136fc8f565ee';
const NOT_READY = { code: 'RUN_NOT_READY', status: 409 };

const ask = () =>
  toolCallReply([
    { name: 'ui_ask_user', arguments: { questions: [{ id: 'key', prompt: 'Which?', type: 'text' }] } },
  ]);
const write = (name: string) =>
  toolCallReply([{ name: 'fs_write', arguments: { path: `@project/${name}`, content: 'new\n' } }]);
const finish = (nodeId: string, next?: string) =>
  toolCallReply([{ name: 'fs_apply_patch', arguments: finishArguments(nodeId, next) }]);
const wholeRun = () => [finish('step-01', 'end-99'), finish('end-99'), textReply('All done.')];

type Script = Parameters<typeof addScriptedModel>[1];

/** A conversation with an agent whose model answers by a script. */
async function begin(rig: ServerRig, script: Script, more: { approval?: 'ask' | 'autopilot' } = {}) {
  const provider = await addScriptedModel(rig.client, script);
  const ready = await prepareTalking(rig);
  const body = { ...ready, kind: 'agent', model: 'scripted', ...more } as const;
  const { conversationId } = await rig.client.conversations.create({ body });
  return { ...ready, provider, conversationId, watcher: watchConversation(rig.client, conversationId) };
}

describe('beginning a conversation', () => {
  it('[H60] with an agent shows whom one talks to, and the menu of a browser', async () => {
    const rig = await createServerRig();
    const ready = await prepareTalking(rig);
    const status = await rig.client.conversations.create({
      body: { ...ready, kind: 'agent', model: 'rehearsal', approval: 'ask', limits: { maxTurns: 7 } },
    });
    expect(status).toMatchObject({ mode: 'agent', phase: 'WaitingUser' });
    const { conversationId } = status;
    const shown = await rig.client.conversations.show({ conversationId });
    expect(shown).toMatchObject({
      conversation: { conversationId, kind: 'agent', title: '', agent: { name: 'Ann' } },
      state: { agent: { agentId: 'analyst' } },
      tools: { approval: 'ask' },
      limits: { maxTurns: 7 },
      model: { kind: 'rehearsal' },
      runs: {},
    });
    expect(shown.menu.map(({ label }) => label)).toContain('hidden');
    expect(rig.bugs).toEqual([]);
  });

  it('[H60] asks before it changes files, unless the call or the settings say otherwise', async () => {
    const rig = await createServerRig();
    const { projectId } = await prepare(rig);
    const { conversations, settings } = rig.client;
    const approvalOf = async (approval?: 'read-only'): Promise<string> => {
      const body = {
        projectId,
        kind: 'chat',
        model: 'rehearsal',
        ...(approval ? { approval } : {}),
      } as const;
      const { conversationId } = await conversations.create({ body });
      return (await conversations.show({ conversationId })).tools.approval;
    };
    expect(await approvalOf()).toBe('ask');
    expect(await approvalOf('read-only')).toBe('read-only');
    await settings.update({ body: { tools: { approval: 'autopilot' } } });
    expect(await approvalOf()).toBe('autopilot');
  });

  it('[H60] with the first words of a chat sets it going', async () => {
    const rig = await createServerRig();
    const provider = await addScriptedModel(rig.client, [textReply('Hello.')]);
    const { projectId } = await prepare(rig);
    const status = await rig.client.conversations.create({
      body: { projectId, kind: 'chat', model: 'scripted', input: 'Good morning' },
    });
    expect(status).toMatchObject({ mode: 'chat', phase: 'Running' });
    const { conversationId } = status;
    await watchConversation(rig.client, conversationId).until(restsWith('reply'));
    expect(JSON.stringify(provider.requests[0]?.body.messages)).toContain('Good morning');
    // The log is written a moment before the record.
    await expect
      .poll(async () => (await rig.client.conversations.list()).conversations)
      .toMatchObject([{ conversationId, title: 'Good morning', phase: 'WaitingUser' }]);
  });

  it('[H60] with a workflow begins it, with what was said', async () => {
    const rig = await createServerRig();
    const provider = await addScriptedModel(rig.client, wholeRun());
    const ready = await prepareTalking(rig);
    const status = await rig.client.conversations.create({
      body: { ...ready, kind: 'workflow', model: 'scripted', input: 'Mind the gap.' },
    });
    expect(status).toMatchObject({ mode: 'run', phase: 'Running' });
    await watchConversation(rig.client, status.conversationId).until(isCompleted);
    expect(JSON.stringify(provider.requests[0]?.body.messages)).toContain('Mind the gap.');
    // A list follows the records, which are written a moment after the log.
    await expect
      .poll(async () => (await rig.client.runs.list()).runs)
      .toMatchObject([{ conversationId: status.conversationId, phase: 'Completed' }]);
  });

  it('[H76] with documents of the project, which the run names in its state', async () => {
    const rig = await createServerRig();
    await addScriptedModel(rig.client, wholeRun());
    const ready = await prepareTalking(rig);
    await writeFile(join(rig.project, 'epics.md'), '# Epics\n');
    const { conversationId } = await rig.client.conversations.create({
      body: { ...ready, kind: 'workflow', model: 'scripted', documents: ['@project/epics.md'] },
    });
    const view = await watchConversation(rig.client, conversationId).until(isCompleted);
    const [runId = ''] = view.state.runIds;
    const { text } = await rig.client.runs.state({ runId });
    expect(text).toMatch(/inputDocuments:\s*(?:\[\s*|\n\s*- )"?@project\/epics.md/);
  });

  it('[H76] finds files of the package and the state for what is spoken to', async () => {
    const rig = await createServerRig();
    const { conversationId, watcher } = await begin(rig, wholeRun());
    const { conversations, runs } = rig.client;
    const inTalk = (mount: 'pkg' | 'state', text: string) =>
      conversations.findFiles({ conversationId, query: { mount, text } });
    expect(await inTalk('pkg', 'stor')).toEqual({ paths: ['@pkg/data/stories.csv'], isCut: false });
    expect(await inTalk('state', '')).toEqual({ paths: [], isCut: false });
    await conversations.input({ conversationId, body: { text: 'go' } });
    const view = await watcher.until(isCompleted);
    const [runId = ''] = view.state.runIds;
    const found = await runs.findFiles({ runId, query: { mount: 'state', text: 'work', limit: '1' } });
    expect(found).toEqual({ paths: ['@state/workflow.md'], isCut: false });
    await expect(
      // @ts-expect-error: what is no mount gets no further than the door.
      conversations.findFiles({ conversationId, query: { mount: 'project', text: '' } }),
    ).rejects.toMatchObject({ status: 400 });
  });

  it.each([
    ['a project', { projectId: UNKNOWN }, 'PROJECT_NOT_FOUND'],
    ['a package', { packageHash: 'a'.repeat(64) }, 'PACKAGE_NOT_FOUND'],
    ['an agent', { agent: 'nobody' }, 'AGENT_NOT_FOUND'],
    ['a workflow', { kind: 'workflow', workflow: 'none' }, 'WORKFLOW_NOT_FOUND'],
    ['a chat with an agent', { kind: 'chat' }, 'USAGE'],
    ['an agent with a workflow', { workflow: 'sample' }, 'USAGE'],
  ] as const)('[H60] leaves nothing behind where it cannot be: %s', async (_, more, code) => {
    const rig = await createServerRig();
    const ready = await prepareTalking(rig);
    const body = { ...ready, kind: 'agent', model: 'rehearsal', ...more } as const;
    await expect(rig.client.conversations.create({ body })).rejects.toMatchObject({ code });
    expect(await rig.client.conversations.list()).toEqual({ conversations: [], damaged: [] });
    expect((await rig.client.runs.list()).runs).toEqual([]);
    expect(rig.bugs).toEqual([]);
  });

  it('[H76] no documents at all can be handed to anybody', async () => {
    const rig = await createServerRig();
    const { projectId } = await prepareTalking(rig);
    const body = { projectId, model: 'rehearsal', documents: [] };
    expect(await rig.client.conversations.create({ body: { ...body, kind: 'chat' } })).toMatchObject({
      mode: 'chat',
    });
  });

  it.each([
    ['an agent takes none', 'agent', '@project/README.md', 'USAGE'],
    ['one that is missing', 'workflow', '@project/none.md', 'FILE_NOT_FOUND'],
    ['a path out', 'workflow', '@project/../../etc/passwd', 'PermissionDenied'],
  ] as const)(
    '[H76] documents that cannot be handed over leave nothing behind: %s',
    async (_, kind, path, code) => {
      const rig = await createServerRig();
      const body = { ...(await prepareTalking(rig)), kind, model: 'rehearsal', documents: [path] };
      await expect(rig.client.conversations.create({ body })).rejects.toMatchObject({ code });
      expect(await rig.client.conversations.list()).toEqual({ conversations: [], damaged: [] });
      expect((await rig.client.runs.list()).runs).toEqual([]);
    },
  );
});

describe('what is typed', () => {
  it('[H61] is answered before the turn is over, and can be stopped and gone on with', async () => {
    const rig = await createServerRig();
    const { conversationId, watcher, provider } = await begin(rig, (_, index) =>
      index === 0 ? hangBeforeHeaders() : textReply('Here I am.'),
    );
    const { conversations } = rig.client;
    const status = await conversations.input({ conversationId, body: { text: 'are you there, Ann?' } });
    expect(status).toEqual({ conversationId, mode: 'agent', phase: 'Running' });
    expect(await conversations.input({ conversationId, body: { text: '/model' } })).toMatchObject({
      phase: 'Running',
    });
    await expect(conversations.resume({ conversationId, body: {} })).rejects.toMatchObject(NOT_READY);
    await expect.poll(() => provider.requests.length).toBe(1);
    expect(await conversations.stop({ conversationId })).toMatchObject({ reason: { code: 'stopped' } });
    await watcher.until(restsWith('stopped'));
    expect(await conversations.resume({ conversationId, body: {} })).toMatchObject({ phase: 'Running' });
    await watcher.until(restsWith('reply'));
    expect(rig.bugs).toEqual([]);
  });

  it('[H61] says whom the next line is for, and why it was refused', async () => {
    const rig = await createServerRig();
    const { conversationId, watcher } = await begin(rig, [textReply('Which one?')]);
    const { conversations } = rig.client;
    expect(await conversations.input({ conversationId, body: { text: 'classic' } })).toMatchObject({
      mode: 'agent',
      refusal: { code: 'NotSupportedClassicWorkflow' },
    });
    expect(await conversations.input({ conversationId, body: { text: '' } })).toMatchObject({
      mode: 'agent',
    });
    expect(await conversations.input({ conversationId, body: { text: '1' } })).toMatchObject({
      mode: 'run',
      phase: 'Running',
    });
    await watcher.until(restsWith('reply'));
    expect(await conversations.input({ conversationId, body: { text: '/stop' } })).toMatchObject({
      mode: 'agent',
    });
  });

  it('[H61] is told in order, whoever typed it and however fast', async () => {
    const rig = await createServerRig();
    const { conversationId, watcher, provider } = await begin(rig, (_, index) =>
      textReply(`Reply ${index}.`),
    );
    const lines = ['one, please do', 'two, please do', 'three, please do'];
    await Promise.all(
      lines.map((text) => rig.client.conversations.input({ conversationId, body: { text } })),
    );
    const said = () =>
      watcher.view.talk.timeline.flatMap((item) => (item.kind === 'person' ? item.text : []));
    await watcher.until((view) => restsWith('reply')(view) && view.talk.queued.length === 0);
    expect(said()).toEqual(lines);
    expect(JSON.stringify(provider.requests.at(-1)?.body.messages)).toContain('three, please do');
    expect(timelineOf(watcher.view)).toEqual(timelineOf(await reloaded(rig.client, conversationId)));
  });
});

describe('an answer in a conversation', () => {
  it('[H62] is taken once, from whoever comes first, in the talk and in a run', async () => {
    const rig = await createServerRig();
    const { conversationId, watcher } = await begin(rig, [
      ask(),
      textReply('Thank you.'),
      ask(),
      ...wholeRun(),
    ]);
    const { conversations } = rig.client;
    for (const text of ['ask me something, will you', 'go']) {
      await conversations.input({ conversationId, body: { text } });
      const view = await watcher.until(restsWith('question'));
      const { pending } = text === 'go' ? ([...view.runs.values()][0] ?? view.talk) : view.talk;
      const body = { callId: pending?.callId ?? '', answers: { key: 'this one' } };
      await expect(
        conversations.answer({ conversationId, body: { ...body, callId: 'other' } }),
      ).rejects.toMatchObject(NOT_READY);
      const both = await Promise.allSettled([
        conversations.answer({ conversationId, body }),
        conversations.answer({ conversationId, body }),
      ]);
      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      await watcher.until(text === 'go' ? isCompleted : restsWith('reply'));
    }
  });

  it('[H62] may be a word on a change, which is made or not', async () => {
    const rig = await createServerRig();
    const script = [write('a.md'), write('b.md'), textReply('One of two.')];
    const { conversationId, watcher } = await begin(rig, script, { approval: 'ask' });
    const { conversations } = rig.client;
    await conversations.input({ conversationId, body: { text: 'write both of them, please' } });
    for (const decision of ['once', 'no'] as const) {
      const path = decision === 'once' ? '@project/a.md' : '@project/b.md';
      const { talk } = await watcher.until(
        ({ talk: { pending } }) => pending?.kind === 'approval' && pending.path === path,
      );
      await watcher.until(restsWith('approval'));
      const callId = talk.pending?.callId ?? '';
      await conversations.approve({ conversationId, body: { callId, decision, note: 'so be it' } });
    }
    await watcher.until(restsWith('reply'));
    expect(await readFile(join(rig.project, 'a.md'), 'utf8')).toBe('new\n');
    await expect(readFile(join(rig.project, 'b.md'))).rejects.toThrow('ENOENT');
  });
});

describe('a run that a conversation is in', () => {
  it('[H63] takes commands sent to it, through the conversation', async () => {
    const rig = await createServerRig();
    const { conversationId, watcher, provider } = await begin(rig, [
      ask(),
      hangBeforeHeaders(),
      textReply('Well?'),
      ...wholeRun(),
    ]);
    const { runs, conversations } = rig.client;
    await conversations.input({ conversationId, body: { text: 'go' } });
    const asked = await watcher.until(restsWith('question'));
    const [runId = ''] = asked.state.runIds;
    const callId = asked.runs.get(runId)?.pending?.callId ?? '';
    expect(await runs.answer({ runId, body: { callId, answers: { key: 'x' } } })).toEqual({
      runId,
      phase: 'Running',
    });
    await expect(runs.answer({ runId, body: { callId, answers: {} } })).rejects.toMatchObject(NOT_READY);
    await expect(runs.undo({ runId, body: { all: true } })).rejects.toMatchObject(NOT_READY);
    await expect(runs.remove({ runId })).rejects.toMatchObject(NOT_READY);
    expect(await runs.changes({ runId })).toEqual({ changes: [] });
    await expect.poll(() => provider.requests.length).toBe(2);
    expect(await runs.stop({ runId })).toMatchObject({ runId, reason: { code: 'stopped' } });
    await watcher.until(restsWith('stopped'));
    expect(await runs.resume({ runId, body: {} })).toMatchObject({ phase: 'Running' });
    await watcher.until(restsWith('reply'));
    const { text, sha256 } = await runs.state({ runId });
    await runs.editState({ runId, body: { text, ifMatchSha256: sha256 } });
    expect(await runs.say({ runId, body: { text: 'go on, then' } })).toMatchObject({ phase: 'Running' });
    await watcher.until(isCompleted);
    expect(watcher.view.state.activeRunId).toBe(runId);
    expect(timelineOf(watcher.view)).toEqual(timelineOf(await reloaded(rig.client, conversationId)));
    expect(rig.bugs).toEqual([]);
  });

  it('[H63] can be steered by itself after it was left, and entered again', async () => {
    const rig = await createServerRig();
    const { conversationId, watcher } = await begin(rig, [ask(), textReply('Well?'), ...wholeRun()]);
    const { runs, conversations } = rig.client;
    await conversations.input({ conversationId, body: { text: 'go' } });
    const asked = await watcher.until(restsWith('question'));
    const [runId = ''] = asked.state.runIds;
    await conversations.input({ conversationId, body: { text: '/stop' } });
    const callId = asked.runs.get(runId)?.pending?.callId ?? '';
    await runs.answer({ runId, body: { callId, answers: { key: 'x' } } });
    await watcher.until(({ runs: all }) => all.get(runId)?.reason?.code === 'reply');
    expect(await conversations.input({ conversationId, body: { text: '/resume' } })).toMatchObject({
      mode: 'run',
      phase: 'Running',
    });
    await watcher.until(isCompleted);
    expect(timelineOf(watcher.view)).toEqual(timelineOf(await reloaded(rig.client, conversationId)));
  });

  it('[H63] is deleted by itself, and the conversation goes on', async () => {
    const rig = await createServerRig();
    const { conversationId, watcher } = await begin(rig, [...wholeRun(), textReply('Still here.')]);
    const { runs, conversations } = rig.client;
    await conversations.input({ conversationId, body: { text: 'go' } });
    const [runId = ''] = (await watcher.until(isCompleted)).state.runIds;
    await runs.remove({ runId });
    await conversations.input({ conversationId, body: { text: '/stop' } });
    await conversations.input({ conversationId, body: { text: 'are you still there?' } });
    await expect
      .poll(async () => (await conversations.show({ conversationId })).talk.timeline.at(-2))
      .toMatchObject({ kind: 'reply', text: 'Still here.' });
    await expect
      .poll(async () => (await conversations.list()).conversations)
      .toMatchObject([{ phase: 'WaitingUser' }]);
  });
});

describe('the life of a conversation', () => {
  it('[H64] has a title of its own, is put away, brought back, and listed as such', async () => {
    const rig = await createServerRig();
    const { conversationId, projectId, watcher } = await begin(rig, [textReply('Hello.')]);
    const { conversations } = rig.client;
    expect(
      await conversations.change({ conversationId, body: { title: ' Plans ', isArchived: true } }),
    ).toMatchObject({ title: 'Plans', archivedAt: expect.any(String) as string });
    expect((await conversations.list()).conversations).toEqual([]);
    const away = await conversations.list({ query: { project: projectId, archived: 'true' } });
    expect(away.conversations).toMatchObject([{ conversationId }]);
    await conversations.change({ conversationId, body: { isArchived: false } });
    expect((await conversations.list({ query: { project: projectId } })).conversations).toHaveLength(1);
    expect((await conversations.list({ query: { project: UNKNOWN } })).conversations).toEqual([]);
    await expect(conversations.change({ conversationId, body: { title: '\u200b' } })).rejects.toMatchObject({
      code: 'USAGE',
    });
    await conversations.input({ conversationId, body: { text: 'something else altogether' } });
    await watcher.until(restsWith('reply'));
    expect((await conversations.list()).conversations).toMatchObject([{ title: 'Plans' }]);
  });

  it('[H64] ends with its runs, when nothing goes on in it', async () => {
    const rig = await createServerRig();
    const { conversationId } = await begin(rig, [hangBeforeHeaders()]);
    const { conversations, runs } = rig.client;
    await conversations.input({ conversationId, body: { text: 'go' } });
    await expect(conversations.remove({ conversationId })).rejects.toMatchObject(NOT_READY);
    await conversations.stop({ conversationId });
    await conversations.remove({ conversationId });
    expect((await runs.list()).runs).toEqual([]);
    expect(await conversations.list()).toEqual({ conversations: [], damaged: [] });
    await expect(conversations.show({ conversationId })).rejects.toMatchObject({
      code: 'CONVERSATION_NOT_FOUND',
      status: 404,
    });
  });

  it('[H64] is listed with the phase of the run it is in, and damaged ones as such', async () => {
    const rig = await createServerRig();
    const { conversationId, projectId } = await begin(rig, [hangBeforeHeaders()]);
    const { conversations } = rig.client;
    await conversations.input({ conversationId, body: { text: 'go' } });
    const [runId] = (await conversations.show({ conversationId })).state.runIds;
    await expect
      .poll(async () => (await conversations.list()).conversations)
      .toMatchObject([{ phase: 'Running', activeRunId: runId }]);
    await conversations.stop({ conversationId });
    // Nobody writes its record any more.
    await expect
      .poll(async () => (await conversations.show({ conversationId })).isOpen, { timeout: 20_000 })
      .toBe(false);
    await writeFile(rig.runtime.store.conversation({ projectId, conversationId }).record, '{');
    const { damaged, ...list } = await conversations.list();
    expect(list.conversations).toEqual([]);
    expect(damaged).toMatchObject([{ conversationId, problem: expect.any(String) as string }]);
    expect(JSON.stringify(damaged)).not.toContain(rig.root);
  });

  it('[H64] has a log that is read in pages, long answers of tools included', async () => {
    const rig = await createServerRig();
    await writeFile(join(rig.project, 'long.txt'), 'A line of this text.\n'.repeat(1_500));
    const read = toolCallReply([{ name: 'fs_read', arguments: { path: '@project/long.txt' } }]);
    const { conversationId, watcher } = await begin(rig, [read, textReply('Long.')]);
    const { conversations } = rig.client;
    await conversations.input({ conversationId, body: { text: 'read the long one for me' } });
    await watcher.until(restsWith('reply'));
    const { events, lastSeq } = await conversations.log({ conversationId });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)?.seq).toBe(lastSeq);
    const page = await conversations.log({ conversationId, query: { after: '2', limit: '3' } });
    expect(page.events).toEqual(events.slice(2, 5));
    const ended = events.find((event) => event.type === 'tool.ended');
    expect(ended?.content.length).toBeGreaterThan(20_000);
    expect(timelineOf(watcher.view)).toEqual(timelineOf(await reloaded(rig.client, conversationId)));
  });

  it('[H64] has changes of its talk, which are undone and redone, and those who watch are told', async () => {
    const rig = await createServerRig();
    const { conversationId, watcher } = await begin(
      rig,
      (_, index) => (index === 0 ? write('a.md') : index === 1 ? textReply('Written.') : hangBeforeHeaders()),
      { approval: 'autopilot' },
    );
    const { conversations } = rig.client;
    await conversations.input({ conversationId, body: { text: 'write it down, please do' } });
    await watcher.until(restsWith('reply'));
    expect((await conversations.changes({ conversationId })).changes).toMatchObject([
      { path: '@project/a.md' },
    ]);
    const { files } = await conversations.undo({ conversationId, body: { all: true } });
    expect(files).toMatchObject([{ path: '@project/a.md' }]);
    await expect(readFile(join(rig.project, 'a.md'))).rejects.toThrow('ENOENT');
    expect((await conversations.changes({ conversationId })).changes).toMatchObject([{ undone: true }]);
    await conversations.redo({ conversationId, body: { all: true } });
    expect(await readFile(join(rig.project, 'a.md'), 'utf8')).toBe('new\n');
    await watcher.until(({ talk }) => talk.timeline.filter(({ kind }) => kind === 'undone').length === 2);
    await conversations.input({ conversationId, body: { text: 'and now for something else' } });
    expect((await conversations.changes({ conversationId })).changes).toHaveLength(1);
    await expect(conversations.undo({ conversationId, body: { all: true } })).rejects.toMatchObject(
      NOT_READY,
    );
  });
});

describe('turning to somebody else', () => {
  it('[H65] is an agent, nobody, or a workflow, and keeps what was said', async () => {
    const rig = await createServerRig();
    const { conversationId, packageHash, watcher } = await begin(rig, [textReply('Hello.'), ...wholeRun()]);
    const { conversations } = rig.client;
    await conversations.input({ conversationId, body: { text: 'good morning to you' } });
    await watcher.until(restsWith('reply'));
    expect(await conversations.enterAgent({ conversationId, body: { agent: 'bob' } })).toMatchObject({
      mode: 'agent',
    });
    expect((await conversations.show({ conversationId })).conversation.agent).toMatchObject({ name: 'Bob' });
    await expect(
      conversations.enterAgent({ conversationId, body: { agent: 'nobody' } }),
    ).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
    expect(await conversations.dismissAgent({ conversationId })).toMatchObject({ mode: 'chat' });
    expect((await conversations.show({ conversationId })).menu).toEqual([]);
    await expect(
      conversations.startWorkflow({ conversationId, body: { packageHash, workflow: 'none' } }),
    ).rejects.toMatchObject({ code: 'WORKFLOW_NOT_FOUND' });
    expect(await conversations.startWorkflow({ conversationId, body: { packageHash } })).toMatchObject({
      mode: 'run',
      phase: 'Running',
    });
    await watcher.until(isCompleted);
    expect(timelineOf(watcher.view)).toEqual(timelineOf(await reloaded(rig.client, conversationId)));
    expect(JSON.stringify(timelineOf(watcher.view))).toContain('good morning to you');
  });

  it('[H65] is another model, also where the old one cannot be had any more', async () => {
    const rig = await createServerRig({ timing: { keepMs: 1 } });
    const { conversationId, projectId, watcher } = await begin(rig, [hangBeforeHeaders()]);
    const { conversations, models } = rig.client;
    await conversations.input({ conversationId, body: { text: 'good morning to you' } });
    await expect(
      conversations.setModel({ conversationId, body: { model: 'rehearsal' } }),
    ).rejects.toMatchObject(NOT_READY);
    await conversations.stop({ conversationId });
    await models.put({
      name: 'keyless',
      body: { settings: { model: 'm', baseUrl: 'http://127.0.0.1:9/v1', apiKeyEnv: 'NO_SUCH_KEY' } },
    });
    await expect(
      conversations.setModel({ conversationId, body: { model: 'keyless' } }),
    ).rejects.toMatchObject({ code: 'USAGE' });
    expect((await conversations.show({ conversationId })).model).toMatchObject({ kind: 'provider' });
    // As if the key had been there when it was chosen.
    await rig.client.projects.close({ projectId });
    const { record: file } = rig.runtime.store.conversation({ projectId, conversationId });
    const record = JSON.parse(await readFile(file, 'utf8')) as { model: { settings: object } };
    const settings = { ...record.model.settings, apiKeyEnv: 'NO_SUCH_KEY' };
    await writeFile(file, JSON.stringify({ ...record, model: { ...record.model, settings } }));
    await expect(
      conversations.input({ conversationId, body: { text: 'hello again, Ann' } }),
    ).rejects.toMatchObject({ code: 'USAGE' });
    await conversations.resume({ conversationId, body: { model: 'rehearsal' } });
    await watcher.until(restsWith('reply'));
    expect(watcher.view.talk.model).toEqual({ kind: 'rehearsal' });
  });
});

describe('a conversation in other hands', () => {
  it('[H66] says so, can be followed and stopped, and is had again afterwards', async () => {
    const rig = await createServerRig({ timing: { lookEveryMs: 5, keepMs: 1 } });
    const { conversationId, watcher, provider } = await begin(rig, (_, index) =>
      index === 0 ? hangBeforeHeaders() : textReply('Here I am.'),
    );
    const { conversations } = rig.client;
    await expect.poll(async () => (await conversations.show({ conversationId })).isOpen).toBe(false);
    const other = createRuntime({ storeRoot: join(rig.root, 'store') });
    const session = await other.openConversation(conversationId);
    onTestFinished(() => session.close());
    const resting = session.input('are you there, Ann?');
    await watcher.until(({ talk }) => talk.phase === 'Running');
    const locked = { code: 'RUN_LOCKED', message: expect.stringContaining('this conversation') as string };
    for (const refused of [
      () => conversations.input({ conversationId, body: { text: 'hello' } }),
      () => conversations.enterAgent({ conversationId, body: {} }),
      () => conversations.undo({ conversationId, body: { all: true } }),
      () => conversations.remove({ conversationId }),
    ])
      await expect(refused()).rejects.toMatchObject(locked);
    expect((await conversations.show({ conversationId })).isOpen).toBe(true);
    await expect.poll(() => provider.requests.length).toBe(1);
    await conversations.stop({ conversationId });
    expect(await resting).toMatchObject({ reason: { code: 'stopped' } });
    await watcher.until(restsWith('stopped'));
    await session.input('and now, are you there?');
    await watcher.until(restsWith('reply'));
    await session.close();
    expect(await conversations.input({ conversationId, body: { text: 'hello again, Ann' } })).toMatchObject({
      phase: 'Running',
    });
  });
});
