import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ShownRequest } from '@crewagent/protocol/api/shown-context';
import type { WorkMessage } from '@crewagent/protocol/api/work-messages';
import { describe, expect, it } from 'vitest';
import { writeTree } from '../../../core/src/testing/file-tree.ts';
import type { FakeProvider } from '../../../core/src/testing/models/fake-provider.ts';
import {
  hangBeforeHeaders,
  textReply,
  toolCallReply,
} from '../../../core/src/testing/models/provider-replies.ts';
import { finishArguments } from '../../../core/src/testing/models/scripted-model.ts';
import { branchingPackage } from '../../../core/src/testing/packages/branching-package.ts';
import {
  addScriptedModel,
  createServerRig,
  listConversations,
  prepare,
  type ServerRig,
  until,
} from '../testing/server-rig.ts';
import { isCompleted, isIdleWith, prepareThreads, watchWork } from '../testing/thread-rig.ts';

const NOT_READY = { code: 'RUN_NOT_READY', status: 409 };
const UNKNOWN = '01a1de7a-846b-7205-b1df-136fc8f565ee';

type Script = Parameters<typeof addScriptedModel>[1];

const write = (path: string, content: string) =>
  toolCallReply([{ name: 'fs_write', arguments: { path: `@project/${path}`, content } }]);
const finish = (nodeId: string, next?: string) =>
  toolCallReply([{ name: 'fs_apply_patch', arguments: finishArguments(nodeId, next) }]);

const isIdleMessage = (message: WorkMessage): boolean =>
  message.type === 'event' && message.data.type === 'phase.changed' && message.data.phase !== 'Running';

async function begin(rig: ServerRig, script: Script) {
  const provider = await addScriptedModel(rig.client, script);
  await writeTree(join(rig.root, 'package'), branchingPackage());
  const ready = await prepare(rig, join(rig.root, 'package'));
  const { workId } = await rig.client.works.create({
    body: { ...ready, kind: 'run', model: 'scripted', approval: 'autopilot' },
  });
  return { ...ready, provider, workId };
}

async function run(rig: ServerRig, script: Script) {
  const begun = await begin(rig, script);
  await until(rig.client.works.events({ workId: begun.workId, query: { after: '1' } }), isIdleMessage);
  return begun;
}

async function resumed({ client }: ServerRig, workId: string) {
  const { lastSeq } = (await client.works.log({ workId })) as { lastSeq: number };
  await client.works.resume({ workId, body: {} });
  await until(client.works.events({ workId, query: { after: String(lastSeq) } }), isIdleMessage);
  return (await client.works.show({ workId })).view;
}

describe('checking a state document', () => {
  it('[H27] runs the state gate and changes nothing', async () => {
    const rig = await createServerRig();
    const { workId } = await run(rig, [textReply('Hello.')]);
    const { works } = rig.client;
    const { text, sha256 } = await works.state({ workId });
    const { lastSeq } = await works.log({ workId });
    const check = (proposal: string) => works.checkState({ workId, body: { text: proposal } });
    expect(await check(text)).toEqual({ ok: true, from: 'step-01', to: 'step-01', notes: [] });
    const moved = text
      .replace('currentNodeId: step-01', 'currentNodeId: decide-02')
      .replace('variables: {}', 'variables: {key: k}');
    expect(await check(moved)).toMatchObject({
      ok: true,
      to: 'decide-02',
      notes: [expect.stringContaining('stepsCompleted'), expect.stringContaining('artifacts/')],
    });
    expect(await check(text.replace('currentNodeId: step-01', 'currentNodeId: end-99'))).toMatchObject({
      ok: false,
      error: { code: 'E_INVALID_TRANSITION', details: { allowedNext: [{ to: 'decide-02' }] } },
    });
    expect(await check('---\na: [\n---\n')).toMatchObject({
      ok: false,
      error: { code: 'E_INVALID_FRONTMATTER', details: { line: expect.any(Number) as number } },
    });
    expect(await works.state({ workId })).toEqual({ text, sha256 });
    expect((await works.log({ workId })).lastSeq).toBe(lastSeq);
    await expect(works.checkState({ workId: UNKNOWN, body: { text } })).rejects.toMatchObject({
      status: 404,
    });
  });

  it('[H27] works while a turn is in progress, and after completion according to the consent', async () => {
    const rig = await createServerRig();
    const { works } = rig.client;
    const { workId, provider } = await begin(rig, [hangBeforeHeaders()]);
    await expect.poll(() => provider.requests.length).toBe(1);
    const { text } = await works.state({ workId });
    expect(await works.checkState({ workId, body: { text } })).toMatchObject({ ok: true });
    await works.stop({ workId });

    const other = await createServerRig();
    const { workId: done } = await run(other, TO_THE_END);
    const check = async () => {
      const { text: now } = await other.client.works.state({ workId: done });
      return other.client.works.checkState({ workId: done, body: { text: now } });
    };
    expect(await check()).toMatchObject({ error: { code: 'STATE_CHANGE_REQUIRES_CONFIRMATION' } });
    await other.client.works.allowChange({ workId: done });
    expect(await check()).toMatchObject({ ok: true });
  });
});

const TO_THE_END = [
  write('artifacts/k.md', 'x'),
  finish('step-01', 'decide-02'),
  finish('decide-02', 'step-03'),
  write('README.md', '# Changed\n'),
  finish('step-03', 'end-99'),
  finish('end-99'),
  textReply('All done.'),
];

describe('rewinding a run', () => {
  it('[H27] leads to an earlier node, undoes files on request, and can be resumed', async () => {
    const rig = await createServerRig();
    const { works } = rig.client;
    const { workId, provider } = await run(rig, [...TO_THE_END, textReply('Once more, then.')]);
    expect((await works.show({ workId })).work.phase).toBe('Completed');
    const { status, files } = await works.rewind({ workId, body: { nodeId: 'step-03', undoesFiles: true } });
    expect(status).toMatchObject({ workId, phase: 'WaitingUser', reason: { code: 'rewound' } });
    expect(files).toEqual([{ path: '@project/README.md', outcome: 'restored' }]);
    expect(await readFile(join(rig.project, 'README.md'), 'utf8')).toBe('# Project\n');
    const { view, work: summary } = await works.show({ workId });
    expect(summary).toMatchObject({ phase: 'WaitingUser', reason: { code: 'rewound' } });
    expect(view.state).toMatchObject({ currentNodeId: 'step-03' });
    expect(view.timeline).toContainEqual(
      expect.objectContaining({ kind: 'move', from: 'end-99', to: 'step-03', isRewind: true }),
    );
    expect(await resumed(rig, workId)).toMatchObject({ reason: { code: 'reply' } });
    expect(JSON.stringify(provider.requests.at(-1)?.body.messages)).toContain('The user rewound the run');
    expect(rig.bugs).toEqual([]);
  });

  it('[H27] is rejected for a node the run never visited, and while a turn is in progress', async () => {
    const rig = await createServerRig();
    const { works } = rig.client;
    const { workId, provider } = await begin(rig, [hangBeforeHeaders(), textReply('Hello.')]);
    await expect.poll(() => provider.requests.length).toBe(1);
    const body = { nodeId: 'step-01', undoesFiles: false };
    await expect(works.rewind({ workId, body })).rejects.toMatchObject(NOT_READY);
    await works.stop({ workId });
    await expect
      .poll(async () => (await works.show({ workId })).view.reason)
      .toMatchObject({ code: 'stopped' });
    await expect(works.rewind({ workId, body: { ...body, nodeId: 'step-03' } })).rejects.toMatchObject(
      NOT_READY,
    );
    for (const nodeId of ['', 'x'.repeat(201)])
      await expect(works.rewind({ workId, body: { ...body, nodeId } })).rejects.toMatchObject({
        status: 400,
      });
    expect((await works.rewind({ workId, body })).status.phase).toBe('WaitingUser');
    expect(await resumed(rig, workId)).toMatchObject({ reason: { code: 'reply' } });
  });

  it('[H27] in a conversation goes through the conversation, and watchers see it', async () => {
    const rig = await createServerRig();
    const { works } = rig.client;
    const wholeRun = [finish('step-01', 'end-99'), finish('end-99'), textReply('All done.')];
    await addScriptedModel(rig.client, [...wholeRun, ...wholeRun]);
    const { workId } = await works.create({
      body: { ...(await prepareThreads(rig)), kind: 'agent', model: 'scripted' },
    });
    const watcher = watchWork(rig.client, workId);
    await works.input({ workId, body: { text: 'go' } });
    const [runId = ''] = (await watcher.until(isCompleted)).state.runIds;
    await works.rewind({ workId: runId, body: { nodeId: 'step-01', undoesFiles: false } });
    await watcher.until(isIdleWith('rewound'));
    await expect.poll(() => listConversations(rig.client)).toMatchObject([{ phase: 'WaitingUser' }]);
    expect(await works.resume({ workId, body: {} })).toMatchObject({ phase: 'Running' });
    await watcher.until(isCompleted);
    expect(watcher.view.state.activeRunId).toBe(runId);
    expect(rig.bugs).toEqual([]);
  });
});

describe('the diff of a file', () => {
  it('[H28] covers the whole run, and each change', async () => {
    const rig = await createServerRig();
    const { works } = rig.client;
    const { workId } = await run(rig, [
      write('README.md', '# One\n'),
      write('README.md', '# Two\n'),
      write('new.md', 'new\n'),
      textReply('Well?'),
    ]);
    const diff = (path: string, change?: number) =>
      works.fileDiff({
        workId,
        query: { path, ...(change === undefined ? {} : { change: String(change) }) },
      });
    const { changes } = await works.changes({ workId });
    const [first, second] = changes.map(({ changeId }) => changeId);
    const readme = '@project/README.md';
    expect((await diff(readme)).diff).toMatch(/^-# Project\n\+# Two$/m);
    expect((await diff(readme, first)).diff).toMatch(/^-# Project\n\+# One$/m);
    expect((await diff(readme, second)).diff).toMatch(/^-# One\n\+# Two$/m);
    expect((await diff('@project/new.md')).diff).toMatch(/^--- \/dev\/null[\s\S]*^\+new$/m);
    await writeFile(join(rig.project, 'README.md'), '# Project\n');
    expect(await diff(readme)).toEqual({ path: readme, reason: 'same' });
    await writeFile(join(rig.project, 'README.md'), Buffer.from([0, 1, 2, 255]));
    expect(await diff(readme)).toEqual({ path: readme, reason: 'binary' });
    await writeFile(join(rig.project, 'README.md'), 'x'.repeat(1024 * 1024 + 1));
    expect(await diff(readme)).toEqual({ path: readme, reason: 'too-large' });
    for (const path of [
      '@project/none.md',
      '@project/../store',
      '/etc/passwd',
      '@state/workflow.md',
      '',
      '@pkg/bmad.json',
    ])
      await expect(diff(path)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND', status: 404 });
    await expect(diff(readme, 99)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });

  it('[H28] is available while a turn is in progress', async () => {
    const rig = await createServerRig();
    const { workId, provider } = await begin(rig, [write('README.md', '# One\n'), hangBeforeHeaders()]);
    await expect.poll(() => provider.requests.length).toBe(2);
    const { diff } = await rig.client.works.fileDiff({ workId, query: { path: '@project/README.md' } });
    expect(diff).toContain('+# One');
    await rig.client.works.stop({ workId });
  });
});

/** The texts of the messages as they were sent, without calls. */
const sentTexts = ({ requests }: FakeProvider): unknown[] =>
  (requests.at(-1)?.body.messages ?? []).map(({ content }) => content ?? '');

/** The same, assembled from the parts: parts of one message are separated by an empty line. */
function shownTexts({ parts }: ShownRequest): unknown[] {
  const texts: { role: string | undefined; text: string }[] = [];
  for (const { role, layer, text } of parts) {
    const last = texts.at(-1);
    if (layer === 'tools') continue;
    const content = role === 'assistant' ? text.replace(/\n?\{"tool_calls":.*\}$/s, '') : text;
    if (last && last.role === role && role !== 'tool' && role !== 'assistant') last.text += `\n\n${content}`;
    else texts.push({ role, text: content });
  }
  return texts.map(({ text }) => text);
}

describe('the context of a model', () => {
  it('[H28] of a run is shown as sent last and as sent next, by layers', async () => {
    const rig = await createServerRig();
    const { works } = rig.client;
    const { workId, provider } = await run(rig, [
      write('artifacts/k.md', 'x'),
      finish('step-01', 'decide-02'),
      textReply('Which way?'),
      textReply('I see. And now?'),
    ]);
    const before = await works.context({ workId });
    expect(await works.contextSize({ workId })).toEqual({ contextTokens: before.contextTokens });
    expect(before.last?.turn).toBe(3);
    expect(shownTexts(before.last ?? before.next)).toEqual(sentTexts(provider));
    expect(before.last?.isApproximate).toBeUndefined();
    expect(new Set(before.next.parts.map(({ layer }) => layer))).toEqual(
      new Set(['rules', 'policy', 'background', 'persona', 'tools', 'earlier', 'anchor', 'messages']),
    );
    const { parts } = before.last ?? before.next;
    expect(JSON.parse(parts.find(({ layer }) => layer === 'tools')?.text ?? '')).toEqual(
      provider.requests.at(-1)?.body.tools,
    );
    const sum = parts.reduce((total, { tokens }) => total + tokens, 0);
    expect(Math.abs(sum - (before.last?.tokens ?? 0))).toBeLessThan(60);

    // A resume sends what was shown as next.
    await resumed(rig, workId);
    expect(provider.requests).toHaveLength(4);
    expect(shownTexts(before.next)).toEqual(sentTexts(provider));
    expect(shownTexts((await works.context({ workId })).last ?? before.next)).toEqual(sentTexts(provider));
    expect(JSON.stringify(before)).not.toContain(rig.root);
    expect(JSON.stringify(before)).not.toContain('sk-of-the-environment');
  });

  it('[H28] is shown while a turn is in progress, without disturbing it', async () => {
    const rig = await createServerRig();
    const { works } = rig.client;
    const { workId, provider } = await begin(rig, [hangBeforeHeaders()]);
    await expect.poll(() => provider.requests.length).toBe(1);
    const { lastSeq } = await works.log({ workId });
    const { last } = await works.context({ workId });
    expect(last && shownTexts(last)).toEqual(sentTexts(provider));
    expect((await works.log({ workId })).lastSeq).toBe(lastSeq);
    expect((await works.show({ workId })).view.phase).toBe('Running');
    await works.stop({ workId });
  });

  it('[H28] before the first turn is the context of the first turn', async () => {
    const rig = await createServerRig();
    const provider = await addScriptedModel(rig.client, [textReply('Hello.')]);
    await writeTree(join(rig.root, 'package'), branchingPackage());
    const ready = await prepare(rig, join(rig.root, 'package'));
    const { workId } = await rig.client.works.create({
      body: { ...ready, kind: 'run', model: 'scripted', isHeldBack: true },
    });
    const { last, next } = await rig.client.works.context({ workId });
    expect(last).toBeUndefined();
    await rig.client.works.resume({ workId, body: {} });
    await expect.poll(() => provider.requests.length).toBe(1);
    const withoutIntent = (texts: unknown[]) =>
      texts.map((text) => String(text).replace(/- intent: \w+/, ''));
    expect(withoutIntent(shownTexts(next))).toEqual(withoutIntent(sentTexts(provider)));
  });

  it('[H28] of a thread, and its file changes, are shown the same way', async () => {
    const rig = await createServerRig();
    const { works } = rig.client;
    const provider = await addScriptedModel(rig.client, [
      write('README.md', '# Talked about\n'),
      textReply('Done.'),
      textReply('You are welcome.'),
    ]);
    const { workId } = await works.create({
      body: { ...(await prepareThreads(rig)), kind: 'agent', model: 'scripted', approval: 'autopilot' },
    });
    const watcher = watchWork(rig.client, workId);
    await works.input({ workId, body: { text: 'please change the readme' } });
    await watcher.until(isIdleWith('reply'));
    const first = await works.context({ workId });
    expect(first.last && shownTexts(first.last)).toEqual(sentTexts(provider));
    expect(first.last?.isApproximate).toBeUndefined();
    expect(first.last?.parts.map(({ layer }) => layer)).toEqual([
      'rules',
      'policy',
      'background',
      'persona',
      'menu',
      'tools',
      'input',
      'messages',
      'messages',
    ]);
    const readme = '@project/README.md';
    const { diff } = await works.fileDiff({ workId, query: { path: readme } });
    expect(diff).toContain('+# Talked about');

    // The next agent has other rules; the context that was sent is unchanged.
    await works.dismissAgent({ workId });
    const second = await works.context({ workId });
    expect(second.last).toEqual(first.last);
    const { isProved, parts } = await works.request({ workId, query: { turn: String(first.last?.turn) } });
    expect([isProved, parts]).toEqual([true, first.last?.parts]);
    await expect(works.request({ workId, query: { turn: '99' } })).rejects.toMatchObject({ status: 404 });
    expect(second.next.parts.map(({ layer }) => layer)).not.toContain('persona');
    await expect(works.context({ workId: UNKNOWN })).rejects.toMatchObject({ status: 404 });
    await expect(works.fileDiff({ workId: UNKNOWN, query: { path: readme } })).rejects.toMatchObject({
      status: 404,
    });
    expect(rig.bugs).toEqual([]);
  });
});
