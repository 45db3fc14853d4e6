import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRuntime, createStoreLayout } from '@crewagent/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  hangBeforeHeaders,
  textReply,
  toolCallReply,
} from '../../../core/src/testing/models/provider-replies.ts';
import { finishArguments } from '../../../core/src/testing/models/scripted-model.ts';
import {
  addScriptedModel,
  createServerRig,
  listConversations,
  listRuns,
  prepare,
  type ServerRig,
  shownOf,
} from '../testing/server-rig.ts';
import {
  isCompleted,
  isIdleWith,
  prepareThreads,
  reloaded,
  timelineOf,
  watchWork,
} from '../testing/thread-rig.ts';

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
  const ready = await prepareThreads(rig);
  const body = { ...ready, kind: 'agent', model: 'scripted', ...more } as const;
  const { workId } = await rig.client.works.create({ body });
  return { ...ready, provider, workId, watcher: watchWork(rig.client, workId) };
}

describe('creating a conversation', () => {
  it('with an agent shows the agent, and its menu for browsers', async () => {
    const rig = await createServerRig();
    const ready = await prepareThreads(rig);
    const status = await rig.client.works.create({
      body: { ...ready, kind: 'agent', model: 'rehearsal', approval: 'ask', limits: { maxTurns: 7 } },
    });
    expect(status).toMatchObject({ mode: 'agent', phase: 'WaitingUser' });
    const { workId } = status;
    const shown = await rig.client.works.show({ workId });
    expect(shown).toMatchObject({
      work: { workId, kind: 'agent', title: '', agent: { name: 'Ann' } },
      state: { agent: { agentId: 'analyst' } },
      tools: { approval: 'ask' },
      limits: { maxTurns: 7 },
      model: { kind: 'rehearsal' },
      runs: {},
    });
    const { entries } = await rig.client.works.menu({ workId });
    expect(entries.map(({ label }) => label)).toContain('hidden');
    expect(rig.bugs).toEqual([]);
  });

  it('asks before it changes files, unless the request or the settings say otherwise', async () => {
    const rig = await createServerRig();
    const { projectId } = await prepare(rig);
    const { works, settings } = rig.client;
    const approvalOf = async (approval?: 'read-only'): Promise<string> => {
      const body = {
        projectId,
        kind: 'chat',
        model: 'rehearsal',
        ...(approval ? { approval } : {}),
      } as const;
      const { workId } = await works.create({ body });
      return (await works.show({ workId })).tools.approval;
    };
    expect(await approvalOf()).toBe('ask');
    expect(await approvalOf('read-only')).toBe('read-only');
    await settings.update({ body: { tools: { approval: 'autopilot' } } });
    expect(await approvalOf()).toBe('autopilot');
  });

  it('with the first input of a chat starts a turn', async () => {
    const rig = await createServerRig();
    const provider = await addScriptedModel(rig.client, [textReply('Hello.')]);
    const { projectId } = await prepare(rig);
    const status = await rig.client.works.create({
      body: { projectId, kind: 'chat', model: 'scripted', input: 'Good morning' },
    });
    expect(status).toMatchObject({ mode: 'chat', phase: 'Running' });
    const { workId } = status;
    await watchWork(rig.client, workId).until(isIdleWith('reply'));
    expect(JSON.stringify(provider.requests[0]?.body.messages)).toContain('Good morning');
    // The log is written a moment before the record.
    await expect
      .poll(async () => (await rig.client.works.list()).works)
      .toMatchObject([{ workId, title: 'Good morning', phase: 'WaitingUser' }]);
  });

  it('with a workflow starts it with the input', async () => {
    const rig = await createServerRig();
    const provider = await addScriptedModel(rig.client, wholeRun());
    const ready = await prepareThreads(rig);
    const status = await rig.client.works.create({
      body: { ...ready, kind: 'workflow', model: 'scripted', input: 'Mind the gap.' },
    });
    expect(status).toMatchObject({ mode: 'run', phase: 'Running' });
    await watchWork(rig.client, status.workId).until(isCompleted);
    expect(JSON.stringify(provider.requests[0]?.body.messages)).toContain('Mind the gap.');
    // A list follows the records, which are written a moment after the log.
    await expect
      .poll(() => listRuns(rig.client))
      .toMatchObject([{ parentId: status.workId, phase: 'Completed' }]);
  });

  it('[H28] with documents of the project names them in the state of the run', async () => {
    const rig = await createServerRig();
    await addScriptedModel(rig.client, wholeRun());
    const ready = await prepareThreads(rig);
    await writeFile(join(rig.project, 'epics.md'), '# Epics\n');
    const { workId } = await rig.client.works.create({
      body: { ...ready, kind: 'workflow', model: 'scripted', documents: ['@project/epics.md'] },
    });
    const view = await watchWork(rig.client, workId).until(isCompleted);
    const [runId = ''] = view.state.runIds;
    const { text } = await rig.client.works.state({ workId: runId });
    expect(text).toMatch(/inputDocuments:\s*(?:\[\s*|\n\s*- )"?@project\/epics.md/);
  });

  it('[H28] finds files of the package and the state of the active run', async () => {
    const rig = await createServerRig();
    const { workId, watcher } = await begin(rig, wholeRun());
    const { works } = rig.client;
    const inThread = (mount: 'pkg' | 'state', text: string) =>
      works.findFiles({ workId, query: { mount, text } });
    expect(await inThread('pkg', 'stor')).toEqual({ paths: ['@pkg/data/stories.csv'], isCut: false });
    expect(await inThread('state', '')).toEqual({ paths: [], isCut: false });
    await works.input({ workId, body: { text: 'go' } });
    const view = await watcher.until(isCompleted);
    const [runId = ''] = view.state.runIds;
    const found = await works.findFiles({
      workId: runId,
      query: { mount: 'state', text: 'work', limit: '1' },
    });
    expect(found).toEqual({ paths: ['@state/workflow.md'], isCut: false });
    await expect(
      // @ts-expect-error: the schema rejects an unknown mount.
      works.findFiles({ workId, query: { mount: 'project', text: '' } }),
    ).rejects.toMatchObject({ status: 400 });
  });

  it.each([
    ...(['agent', 'run'] as const).flatMap((kind) => [
      [kind, 'a project that is not there', { projectId: UNKNOWN }, 'PROJECT_NOT_FOUND'] as const,
      [kind, 'a package that is not there', { packageHash: 'a'.repeat(64) }, 'PACKAGE_NOT_FOUND'] as const,
      [kind, 'an agent that is not there', { agent: 'nobody' }, 'AGENT_NOT_FOUND'] as const,
    ]),
    ['workflow', 'a workflow that is not there', { workflow: 'none' }, 'WORKFLOW_NOT_FOUND'],
    ['run', 'a workflow that is not there', { workflow: 'none' }, 'WORKFLOW_NOT_FOUND'],
    ['chat', 'an agent', {}, 'USAGE'],
    ['agent', 'a workflow', { workflow: 'sample' }, 'USAGE'],
    ['run', 'no package', { packageHash: undefined }, 'USAGE'],
    ['agent', 'a start that is held back', { isHeldBack: true }, 'USAGE'],
  ] as const)('[H25] leaves nothing behind if it fails: %s with %s', async (kind, _, more, code) => {
    const rig = await createServerRig();
    const ready = await prepareThreads(rig);
    const body = { ...ready, kind, model: 'rehearsal', ...more };
    await expect(rig.client.works.create({ body })).rejects.toMatchObject({ code });
    expect(await rig.client.works.list()).toMatchObject({ works: [], damaged: [] });
    expect(rig.bugs).toEqual([]);
  });

  it('[H28] accepts an empty list of documents for any kind', async () => {
    const rig = await createServerRig();
    const { projectId } = await prepareThreads(rig);
    const body = { projectId, model: 'rehearsal', documents: [] };
    expect(await rig.client.works.create({ body: { ...body, kind: 'chat' } })).toMatchObject({
      mode: 'chat',
    });
  });

  it.each([
    ['an agent accepts none', 'agent', '@project/README.md', 'USAGE'],
    ['a missing file', 'workflow', '@project/none.md', 'FILE_NOT_FOUND'],
    ['a path out', 'workflow', '@project/../../etc/passwd', 'PermissionDenied'],
  ] as const)('[H28] leaves nothing behind if a document is rejected: %s', async (_, kind, path, code) => {
    const rig = await createServerRig();
    const body = { ...(await prepareThreads(rig)), kind, model: 'rehearsal', documents: [path] };
    await expect(rig.client.works.create({ body })).rejects.toMatchObject({ code });
    expect(await rig.client.works.list()).toMatchObject({ works: [], damaged: [] });
  });
});

describe('input', () => {
  it('[H25] is answered before the turn ends, which can be stopped and resumed', async () => {
    const rig = await createServerRig();
    const { workId, watcher, provider } = await begin(rig, (_, index) =>
      index === 0 ? hangBeforeHeaders() : textReply('Here I am.'),
    );
    const { works } = rig.client;
    const status = await works.input({ workId, body: { text: 'are you there, Ann?' } });
    expect(status).toEqual({ workId, mode: 'agent', phase: 'Running' });
    expect(await works.input({ workId, body: { text: '/model' } })).toMatchObject({
      phase: 'Running',
    });
    await expect(works.resume({ workId, body: {} })).rejects.toMatchObject(NOT_READY);
    await expect.poll(() => provider.requests.length).toBe(1);
    expect(await works.stop({ workId })).toMatchObject({ reason: { code: 'stopped' } });
    await watcher.until(isIdleWith('stopped'));
    expect(await works.resume({ workId, body: {} })).toMatchObject({ phase: 'Running' });
    await watcher.until(isIdleWith('reply'));
    expect(rig.bugs).toEqual([]);
  });

  it('[H25] returns the mode for the next input, and the reason of a rejection', async () => {
    const rig = await createServerRig();
    const { workId, watcher } = await begin(rig, [textReply('Which one?')]);
    const { works } = rig.client;
    expect(await works.input({ workId, body: { text: 'classic' } })).toMatchObject({
      mode: 'agent',
      refusal: { code: 'NotSupportedClassicWorkflow' },
    });
    expect(await works.input({ workId, body: { text: '' } })).toMatchObject({
      mode: 'agent',
    });
    expect(await works.input({ workId, body: { text: '1' } })).toMatchObject({
      mode: 'run',
      phase: 'Running',
    });
    await watcher.until(isIdleWith('reply'));
    expect(await works.input({ workId, body: { text: '/stop' } })).toMatchObject({
      mode: 'agent',
    });
  });

  it('[H25] is processed in order, whichever client sent it and however fast', async () => {
    const rig = await createServerRig();
    const { workId, watcher, provider } = await begin(rig, (_, index) => textReply(`Reply ${index}.`));
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}, please`);
    await Promise.all(lines.map((text) => rig.client.works.input({ workId, body: { text } })));
    const inputs = () =>
      watcher.view.own.timeline.flatMap((item) => (item.kind === 'person' ? item.text : []));
    await watcher.until((view) => isIdleWith('reply')(view) && view.own.queued.length === 0);
    expect(inputs()).toEqual(lines);
    expect(JSON.stringify(provider.requests.at(-1)?.body.messages)).toContain('line 30, please');
    expect(timelineOf(watcher.view)).toEqual(timelineOf(await reloaded(rig.client, workId)));
  });
});

describe('an answer in a conversation', () => {
  it('[H25] is accepted once, from the first client, in the thread and in a run', async () => {
    const rig = await createServerRig();
    const { workId, watcher } = await begin(rig, [ask(), textReply('Thank you.'), ask(), ...wholeRun()]);
    const { works } = rig.client;
    for (const text of ['ask me something, will you', 'go']) {
      await works.input({ workId, body: { text } });
      const view = await watcher.until(isIdleWith('question'));
      const { pending } = text === 'go' ? ([...view.runs.values()][0] ?? view.own) : view.own;
      const body = { callId: pending?.callId ?? '', answers: { key: 'this one' } };
      await expect(works.answer({ workId, body: { ...body, callId: 'other' } })).rejects.toMatchObject(
        NOT_READY,
      );
      const both = await Promise.allSettled([works.answer({ workId, body }), works.answer({ workId, body })]);
      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      await watcher.until(text === 'go' ? isCompleted : isIdleWith('reply'));
    }
  });

  it('[H25] may approve or deny a change', async () => {
    const rig = await createServerRig();
    const script = [write('a.md'), write('b.md'), textReply('One of two.')];
    const { workId, watcher } = await begin(rig, script, { approval: 'ask' });
    const { works } = rig.client;
    await works.input({ workId, body: { text: 'write both of them, please' } });
    for (const decision of ['once', 'no'] as const) {
      const path = decision === 'once' ? '@project/a.md' : '@project/b.md';
      const { own } = await watcher.until(
        ({ own: { pending } }) => pending?.kind === 'approval' && pending.action.target === path,
      );
      await watcher.until(isIdleWith('approval'));
      const callId = own.pending?.callId ?? '';
      const shown = shownOf(own.pending);
      await works.approve({ workId, body: { callId, decision, shown, note: 'so be it' } });
    }
    await watcher.until(isIdleWith('reply'));
    expect(await readFile(join(rig.project, 'a.md'), 'utf8')).toBe('new\n');
    await expect(readFile(join(rig.project, 'b.md'))).rejects.toThrow('ENOENT');
  });
});

describe('the active run of a conversation', () => {
  it('[H25] accepts commands through the conversation', async () => {
    const rig = await createServerRig();
    const { workId, watcher, provider } = await begin(rig, [
      ask(),
      hangBeforeHeaders(),
      textReply('Well?'),
      ...wholeRun(),
    ]);
    const { works } = rig.client;
    await works.input({ workId, body: { text: 'go' } });
    const atQuestion = await watcher.until(isIdleWith('question'));
    const [runId = ''] = atQuestion.state.runIds;
    const callId = atQuestion.runs.get(runId)?.pending?.callId ?? '';
    expect(await works.answer({ workId: runId, body: { callId, answers: { key: 'x' } } })).toEqual({
      workId: runId,
      mode: 'run',
      phase: 'Running',
    });
    await expect(works.answer({ workId: runId, body: { callId, answers: {} } })).rejects.toMatchObject(
      NOT_READY,
    );
    await expect(works.undo({ workId: runId, body: { all: true } })).rejects.toMatchObject(NOT_READY);
    await expect(works.remove({ workId: runId })).rejects.toMatchObject(NOT_READY);
    expect(await works.changes({ workId: runId })).toEqual({ changes: [] });
    await expect.poll(() => provider.requests.length).toBe(2);
    expect(await works.stop({ workId: runId })).toMatchObject({ workId: runId, reason: { code: 'stopped' } });
    await watcher.until(isIdleWith('stopped'));
    expect(await works.resume({ workId: runId, body: {} })).toMatchObject({ phase: 'Running' });
    await watcher.until(isIdleWith('reply'));
    const { text, sha256 } = await works.state({ workId: runId });
    await works.editState({ workId: runId, body: { text, ifMatchSha256: sha256 } });
    // The status carries the rejection, as it does for the conversation.
    await works.input({ workId: runId, body: { text: '/menu' } });
    expect(await works.input({ workId: runId, body: { text: 'classic' } })).toMatchObject({
      workId: runId,
      mode: 'run',
      refusal: { code: 'NotSupportedClassicWorkflow' },
    });
    expect(await works.input({ workId: runId, body: { text: 'go on, then' } })).toMatchObject({
      phase: 'Running',
    });
    await watcher.until(isCompleted);
    expect(watcher.view.state.activeRunId).toBe(runId);
    expect(timelineOf(watcher.view)).toEqual(timelineOf(await reloaded(rig.client, workId)));
    expect(rig.bugs).toEqual([]);
  });

  it('[H25] can be driven on its own after it was left, and entered again', async () => {
    const rig = await createServerRig();
    const { workId, watcher } = await begin(rig, [ask(), textReply('Well?'), ...wholeRun()]);
    const { works } = rig.client;
    await works.input({ workId, body: { text: 'go' } });
    const atQuestion = await watcher.until(isIdleWith('question'));
    const [runId = ''] = atQuestion.state.runIds;
    await works.input({ workId, body: { text: '/stop' } });
    const callId = atQuestion.runs.get(runId)?.pending?.callId ?? '';
    await works.answer({ workId: runId, body: { callId, answers: { key: 'x' } } });
    await watcher.until(({ runs: all }) => all.get(runId)?.reason?.code === 'reply');
    expect(await works.input({ workId, body: { text: '/resume' } })).toMatchObject({
      mode: 'run',
      phase: 'Running',
    });
    await watcher.until(isCompleted);
    expect(timelineOf(watcher.view)).toEqual(timelineOf(await reloaded(rig.client, workId)));
  });

  it('[H25] can be deleted on its own, and the conversation continues', async () => {
    const rig = await createServerRig();
    const { workId, watcher } = await begin(rig, [...wholeRun(), textReply('Still here.')]);
    const { works } = rig.client;
    await works.input({ workId, body: { text: 'go' } });
    const [runId = ''] = (await watcher.until(isCompleted)).state.runIds;
    await works.remove({ workId: runId });
    await works.input({ workId, body: { text: '/stop' } });
    await works.input({ workId, body: { text: 'are you still there?' } });
    await expect
      .poll(async () => (await works.show({ workId })).view.timeline.at(-2))
      .toMatchObject({ kind: 'reply', text: 'Still here.' });
    await expect
      .poll(async () => (await works.list()).works)
      .toMatchObject([{ workId, phase: 'WaitingUser' }]);
  });
});

describe('a conversation that was shown', () => {
  it('[H40] is shown with what other processes appended to its runs or deleted since then', async () => {
    const rig = await createServerRig({ timing: { keepMs: 1 } });
    const { workId, watcher } = await begin(rig, wholeRun());
    const { works } = rig.client;
    await works.input({ workId, body: { text: 'go' } });
    const [runId = ''] = (await watcher.until(isCompleted)).state.runIds;
    await works.input({ workId, body: { text: '/stop' } });
    const before = await works.show({ workId });
    await expect.poll(async () => (await works.show({ workId })).isOpen).toBe(false);

    const other = createRuntime({ storeRoot: join(rig.root, 'store') });
    const address = await other.store.works.find(runId);
    const log = await other.store.works.openLog(address, { now: () => new Date() });
    log.append({ type: 'warning', message: 'appended elsewhere' });
    await log.close();
    const { lastSeq = 0 } = before.runs[runId] ?? {};
    expect((await works.show({ workId })).runs[runId]?.lastSeq).toBe(lastSeq + 1);

    await other.deleteWork(address);
    expect((await works.show({ workId })).runs).toEqual({});
  });

  it('[H40] is announced to its readers when another process undoes changes of a run that is over', async () => {
    const rig = await createServerRig({ timing: { keepMs: 1 } });
    const write = { name: 'fs_write', arguments: { path: '@project/artifacts/a.md', content: 'A' } };
    const script = [toolCallReply([write]), ...wholeRun()];
    const { workId, watcher } = await begin(rig, script, { approval: 'autopilot' });
    const { works } = rig.client;
    await works.input({ workId, body: { text: 'go' } });
    const [runId = ''] = (await watcher.until(isCompleted)).state.runIds;
    await works.input({ workId, body: { text: '/stop' } });
    await expect.poll(async () => (await works.show({ workId: runId })).isOpen).toBe(false);
    const list = rig.client.system.events();
    onTestFinished(() => void list.return());
    await list.next();
    const stream = works.events({ workId });
    onTestFinished(() => void stream.return());
    expect(await stream.next()).toMatchObject({ value: { type: 'snapshot' } });

    const other = createRuntime({ storeRoot: join(rig.root, 'store') });
    const changes = await other.openChanges(await other.store.works.find(runId));
    expect(await changes.undo({ all: true })).toMatchObject([{ outcome: 'deleted' }]);
    await changes.close();
    expect(await stream.next()).toMatchObject({ value: { type: 'snapshot' } });
    const { runs } = await works.show({ workId });
    expect(runs[runId]?.timeline.at(-1)).toMatchObject({ kind: 'undone', direction: 'undo' });
  });
});

describe('the lifecycle of a conversation', () => {
  it('[H28] renames, archives, restores and lists it', async () => {
    const rig = await createServerRig();
    const { workId, projectId, watcher } = await begin(rig, [textReply('Hello.')]);
    const { works } = rig.client;
    expect(await works.change({ workId, body: { title: ' Plans ', isArchived: true } })).toMatchObject({
      title: 'Plans',
      archivedAt: expect.any(String) as string,
    });
    expect((await works.list()).works).toEqual([]);
    const away = await works.list({ query: { project: projectId, archived: 'true' } });
    expect(away.works).toMatchObject([{ workId }]);
    await works.change({ workId, body: { isArchived: false } });
    expect((await works.list({ query: { project: projectId } })).works).toHaveLength(1);
    expect((await works.list({ query: { project: UNKNOWN } })).works).toEqual([]);
    await expect(works.change({ workId, body: { title: '\u200b' } })).rejects.toMatchObject({
      code: 'USAGE',
    });
    await works.input({ workId, body: { text: 'something else altogether' } });
    await watcher.until(isIdleWith('reply'));
    expect((await works.list()).works).toMatchObject([{ title: 'Plans' }]);
  });

  it('[H28] deletes it with its runs, if it is idle', async () => {
    const rig = await createServerRig();
    const { workId } = await begin(rig, [hangBeforeHeaders()]);
    const { works } = rig.client;
    await works.input({ workId, body: { text: 'go' } });
    await expect(works.remove({ workId })).rejects.toMatchObject(NOT_READY);
    await works.stop({ workId });
    await works.remove({ workId });
    expect(await works.list()).toMatchObject({ works: [], damaged: [] });
    await expect(works.show({ workId })).rejects.toMatchObject({
      code: 'WORK_NOT_FOUND',
      status: 404,
    });
  });

  it('[H28] lists it with the phase of its active run, and damaged ones as damaged', async () => {
    const rig = await createServerRig();
    const { workId, projectId } = await begin(rig, [hangBeforeHeaders()]);
    const { works } = rig.client;
    await works.input({ workId, body: { text: 'go' } });
    const [runId] = (await works.show({ workId })).state.runIds;
    await expect
      .poll(() => listConversations(rig.client))
      .toMatchObject([{ phase: 'Running', activeRunId: runId }]);
    await works.stop({ workId });
    // No process writes its record any more.
    await expect.poll(async () => (await works.show({ workId })).isOpen, { timeout: 20_000 }).toBe(false);
    await writeFile(
      createStoreLayout(rig.runtime.store.root).work({ projectId, workId, isRun: false }).record,
      '{',
    );
    const { damaged, works: left } = await works.list();
    expect(left).toMatchObject([{ workId: runId, run: {} }]);
    expect(damaged).toMatchObject([{ workId, isRun: false, problem: expect.any(String) as string }]);
    expect(JSON.stringify(damaged)).not.toContain(rig.root);
  });

  it('[H28] reads its log in pages, including long tool results', async () => {
    const rig = await createServerRig();
    await writeFile(join(rig.project, 'long.txt'), 'A line of this text.\n'.repeat(1_500));
    const read = toolCallReply([{ name: 'fs_read', arguments: { path: '@project/long.txt' } }]);
    const { workId, watcher } = await begin(rig, [read, textReply('Long.')]);
    const { works } = rig.client;
    await works.input({ workId, body: { text: 'read the long one for me' } });
    await watcher.until(isIdleWith('reply'));
    const { events, lastSeq } = await works.log({ workId });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)?.seq).toBe(lastSeq);
    const page = await works.log({ workId, query: { after: '2', limit: '3' } });
    expect(page.events).toEqual(events.slice(2, 5));
    const ended = events.find((event) => event.type === 'tool.ended');
    expect(ended?.content.length).toBeGreaterThan(20_000);
    expect(timelineOf(watcher.view)).toEqual(timelineOf(await reloaded(rig.client, workId)));
  });

  it('[H28] undoes and redoes the changes of its thread, and notifies watchers', async () => {
    const rig = await createServerRig();
    const { workId, watcher } = await begin(
      rig,
      (_, index) => (index === 0 ? write('a.md') : index === 1 ? textReply('Written.') : hangBeforeHeaders()),
      { approval: 'autopilot' },
    );
    const { works } = rig.client;
    await works.input({ workId, body: { text: 'write it down, please do' } });
    await watcher.until(isIdleWith('reply'));
    expect((await works.changes({ workId })).changes).toMatchObject([{ path: '@project/a.md' }]);
    const { files } = await works.undo({ workId, body: { all: true } });
    expect(files).toMatchObject([{ path: '@project/a.md' }]);
    await expect(readFile(join(rig.project, 'a.md'))).rejects.toThrow('ENOENT');
    expect((await works.changes({ workId })).changes).toMatchObject([{ undone: true }]);
    await works.redo({ workId, body: { all: true } });
    expect(await readFile(join(rig.project, 'a.md'), 'utf8')).toBe('new\n');
    await watcher.until(({ own }) => own.timeline.filter(({ kind }) => kind === 'undone').length === 2);
    await works.input({ workId, body: { text: 'and now for something else' } });
    expect((await works.changes({ workId })).changes).toHaveLength(1);
    await expect(works.undo({ workId, body: { all: true } })).rejects.toMatchObject(NOT_READY);
  });
});

describe('switching', () => {
  it('[H28] to an agent, to no agent or to a workflow keeps the history', async () => {
    const rig = await createServerRig();
    const { workId, packageHash, watcher } = await begin(rig, [textReply('Hello.'), ...wholeRun()]);
    const { works } = rig.client;
    await works.input({ workId, body: { text: 'good morning to you' } });
    await watcher.until(isIdleWith('reply'));
    expect(await works.enterAgent({ workId, body: { agent: 'bob' } })).toMatchObject({
      mode: 'agent',
    });
    expect((await works.show({ workId })).work.agent).toMatchObject({ name: 'Bob' });
    await expect(works.enterAgent({ workId, body: { agent: 'nobody' } })).rejects.toMatchObject({
      code: 'AGENT_NOT_FOUND',
    });
    expect(await works.dismissAgent({ workId })).toMatchObject({ mode: 'chat' });
    expect(await works.menu({ workId })).toEqual({ entries: [] });
    await expect(
      works.startWorkflow({ workId, body: { packageHash, workflow: 'none' } }),
    ).rejects.toMatchObject({ code: 'WORKFLOW_NOT_FOUND' });
    expect(await works.startWorkflow({ workId, body: { packageHash } })).toMatchObject({
      mode: 'run',
      phase: 'Running',
    });
    await watcher.until(isCompleted);
    expect(timelineOf(watcher.view)).toEqual(timelineOf(await reloaded(rig.client, workId)));
    expect(JSON.stringify(timelineOf(watcher.view))).toContain('good morning to you');
  });

  it('[H28] to another model works also if the old one is not available any more', async () => {
    const rig = await createServerRig({ timing: { keepMs: 1 } });
    const { workId, projectId, watcher } = await begin(rig, [hangBeforeHeaders()]);
    const { works, models } = rig.client;
    await works.input({ workId, body: { text: 'good morning to you' } });
    await expect(works.setModel({ workId, body: { model: 'rehearsal' } })).rejects.toMatchObject(NOT_READY);
    await works.stop({ workId });
    await models.put({
      name: 'keyless',
      body: { settings: { model: 'm', baseUrl: 'http://127.0.0.1:9/v1', apiKeyEnv: 'NO_SUCH_KEY' } },
    });
    await expect(works.setModel({ workId, body: { model: 'keyless' } })).rejects.toMatchObject({
      code: 'USAGE',
    });
    expect((await works.show({ workId })).model).toMatchObject({ kind: 'provider' });
    // As if the key had existed when it was chosen.
    await rig.client.projects.close({ projectId });
    const { record: file } = createStoreLayout(rig.runtime.store.root).work({
      projectId,
      workId,
      isRun: false,
    });
    const record = JSON.parse(await readFile(file, 'utf8')) as { model: { settings: object } };
    const settings = { ...record.model.settings, apiKeyEnv: 'NO_SUCH_KEY' };
    await writeFile(file, JSON.stringify({ ...record, model: { ...record.model, settings } }));
    await expect(works.input({ workId, body: { text: 'hello again, Ann' } })).rejects.toMatchObject({
      code: 'USAGE',
    });
    await works.resume({ workId, body: { model: 'rehearsal' } });
    await watcher.until(isIdleWith('reply'));
    expect(watcher.view.own.model).toEqual({ kind: 'rehearsal' });
  });
});

describe('a conversation that another process holds', () => {
  it('[H52] is reported as such, can be followed and stopped, and opened again afterwards', async () => {
    const rig = await createServerRig({ timing: { pollEveryMs: 5, keepMs: 1 } });
    const { workId, watcher, provider } = await begin(rig, (_, index) =>
      index === 0 ? hangBeforeHeaders() : textReply('Here I am.'),
    );
    const { works } = rig.client;
    await expect.poll(async () => (await works.show({ workId })).isOpen).toBe(false);
    const other = createRuntime({ storeRoot: join(rig.root, 'store') });
    const session = await other.openConversation(workId);
    onTestFinished(() => session.close());
    const pendingInput = session.input('are you there, Ann?');
    await watcher.until(({ own }) => own.phase === 'Running');
    const locked = { code: 'RUN_LOCKED', message: expect.stringContaining('this conversation') as string };
    for (const rejected of [
      () => works.input({ workId, body: { text: 'hello' } }),
      () => works.enterAgent({ workId, body: {} }),
      () => works.undo({ workId, body: { all: true } }),
      () => works.remove({ workId }),
    ])
      await expect(rejected()).rejects.toMatchObject(locked);
    expect((await works.show({ workId })).isOpen).toBe(true);
    await expect.poll(() => provider.requests.length).toBe(1);
    await works.stop({ workId });
    expect(await pendingInput).toMatchObject({ reason: { code: 'stopped' } });
    await watcher.until(isIdleWith('stopped'));
    await session.input('and now, are you there?');
    await watcher.until(isIdleWith('reply'));
    await session.close();
    expect(await works.input({ workId, body: { text: 'hello again, Ann' } })).toMatchObject({
      phase: 'Running',
    });
  });
});

describe('the two kinds of a Work', () => {
  const choice = { nodeId: 'step-01', undoesFiles: false };

  it('[H28] reject calls that only the other kind supports, and change nothing', async () => {
    const rig = await createServerRig();
    const { works } = rig.client;
    const ready = await prepareThreads(rig);
    const provider = await addScriptedModel(rig.client, [textReply('Hello.')]);
    const made = { ...ready, model: 'rehearsal' } as const;
    const { workId: runId } = await works.create({ body: { ...made, kind: 'run', isHeldBack: true } });
    const { workId } = await works.create({ body: { ...made, kind: 'agent' } });
    const before = [await works.log({ workId }), await works.log({ workId: runId })];
    for (const rejected of [
      () => works.state({ workId }),
      () => works.checkState({ workId, body: { text: '' } }),
      () => works.editState({ workId, body: { text: '', ifMatchSha256: 'a'.repeat(64) } }),
      () => works.rewind({ workId, body: choice }),
      () => works.allowChange({ workId }),
      () => works.exportFile({ workId, query: {} }),
      () => works.change({ workId: runId, body: { title: 'Mine' } }),
      () => works.enterAgent({ workId: runId, body: {} }),
      () => works.dismissAgent({ workId: runId }),
      () => works.startWorkflow({ workId: runId, body: {} }),
      () => works.setModel({ workId: runId, body: { model: 'scripted' } }),
    ])
      await expect(rejected()).rejects.toMatchObject({ code: 'USAGE', status: 400 });
    expect([await works.log({ workId }), await works.log({ workId: runId })]).toEqual(before);
    const watcher = watchWork(rig.client, runId);
    await works.resume({ workId: runId, body: {} });
    await watcher.until(({ own }) => own.phase === 'Running');
    await watcher.until(({ own }) => own.phase !== 'Running');
    expect(provider.requests).toEqual([]);
    expect(rig.bugs).toEqual([]);
  });

  it('[H28] are both rejected for an unknown id', async () => {
    const { works } = (await createServerRig()).client;
    const workId = UNKNOWN;
    for (const rejected of [
      () => works.show({ workId }),
      () => works.log({ workId }),
      () => works.input({ workId, body: { text: 'hello' } }),
      () => works.stop({ workId }),
      () => works.enterAgent({ workId, body: {} }),
      () => works.changes({ workId }),
      () => works.change({ workId, body: { title: 'Mine' } }),
      () => works.state({ workId }),
      () => works.rewind({ workId, body: choice }),
      () => works.exportFile({ workId, query: {} }),
      () => works.remove({ workId }),
    ])
      await expect(rejected()).rejects.toMatchObject({ code: 'WORK_NOT_FOUND', status: 404 });
  });
});

describe('runs that were left', () => {
  it('[V28] are resumed by their id, through the conversation', async () => {
    const rig = await createServerRig();
    const { workId, watcher } = await begin(rig, () => textReply('Which one?'));
    const type = (text: string): Promise<unknown> => rig.client.works.input({ workId, body: { text } });
    await type('go');
    await watcher.until(isIdleWith('reply'));
    await type('/stop');
    await watcher.until(({ state }) => state.activeRunId === undefined);
    await type('go');
    await watcher.until((view) => view.state.runIds.length === 2 && isIdleWith('reply')(view));
    const [first = '', second] = (await rig.client.works.show({ workId })).state.runIds;
    expect((await rig.client.works.show({ workId })).state.activeRunId).toBe(second);
    await rig.client.works.resume({ workId, body: { runId: first } });
    expect((await rig.client.works.show({ workId })).state.activeRunId).toBe(first);
    await expect(rig.client.works.resume({ workId, body: { runId: UNKNOWN } })).rejects.toMatchObject({
      code: 'RUN_NOT_FOUND',
    });
    expect(rig.bugs).toEqual([]);
  });
});
