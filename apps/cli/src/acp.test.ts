import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createRuntime, showWork } from '@crewagent/core';
import { describeCall } from '@crewagent/protocol/story/describe-call';
import { describeItem, toShortPath } from '@crewagent/protocol/story/describe-item';
import type { StoryItem, ToolItem } from '@crewagent/protocol/story/items';
import { toRows } from '@crewagent/protocol/story/rows';
import { translate } from '@crewagent/protocol/story/translate';
import { toWorkItems } from '@crewagent/protocol/story/work-story';
import { targetOf } from '@crewagent/protocol/tool-effects';
import { describe, expect, it, vi } from 'vitest';
import {
  type FakeProvider,
  type ProviderScript,
  startFakeProvider,
} from '../../../packages/core/src/testing/models/fake-provider.ts';
import {
  endlessReply,
  hangAfterHeaders,
  stallAfter,
  textReply,
  toolCallReply,
} from '../../../packages/core/src/testing/models/provider-replies.ts';
import { attach, type CliRig, createCliRig } from './testing/cli-rig.ts';
import {
  commandsOf,
  type EditorPerson,
  lastPlan,
  openEditor,
  spawnAcp,
  spawnEditor,
  toTranscript,
} from './testing/editor-rig.ts';
import { tempDir } from './testing/temp-dir.ts';
import { writeThreadPackage } from './testing/thread-package.ts';

/** Of an endless reply. */
const WORDS = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'words ' } }] })}\n\n`;

const question = (type: 'choice' | 'text', options?: string[]) =>
  toolCallReply([
    {
      id: 'q1',
      name: 'ui_ask_user',
      arguments: { questions: [{ id: 'size', prompt: 'Size?', type, options }] },
    },
  ]);
const write = (path: string, content: string) =>
  toolCallReply([{ id: 'w1', name: 'fs_write', arguments: { path, content } }]);
const complete = (nodeId: string, next?: string) =>
  toolCallReply([
    { id: 'n1', name: 'runtime_complete_node', arguments: { nodeId, ...(next ? { next } : {}) } },
  ]);

async function startScripted(script: ProviderScript, person?: EditorPerson, ...args: string[]) {
  const rig = await createCliRig();
  const provider = attach(await startFakeProvider(script));
  const pkg = await writeThreadPackage(rig);
  const withPackage = args[0] === 'PACKAGE' ? [pkg, ...args.slice(1)] : args;
  const options = [...withPackage, ...provider.options];
  return {
    ...{ rig, provider, pkg },
    open: (own = person, capabilities = {}) => openEditor(rig, options, own, capabilities),
    /** In a process of its own. */
    spawn: (own = person) => spawnEditor(rig, options, own),
  };
}

async function openScripted(...args: Parameters<typeof startScripted>) {
  const scripted = await startScripted(...args);
  return { ...scripted, editor: await scripted.open() };
}

async function asked({ requests }: Pick<FakeProvider, 'requests'>, count: number): Promise<void> {
  await vi.waitFor(() => expect(requests).toHaveLength(count), { timeout: 20_000 });
}

/** What the page shows of the same conversation, row by row. */
async function readPage(rig: CliRig, workId: string): Promise<string[]> {
  const { store } = createRuntime({ storeRoot: rig.store });
  const { view } = await showWork(store, await store.works.find(workId));
  return toRows(toWorkItems(view), view.runs).flatMap((row) => {
    if (row.kind === 'node') return [];
    if (row.kind === 'reads') return row.items.map(toCallLine);
    const titleOf = (id: string) =>
      view.runs.get(row.source)?.nodes.find((node) => node.id === id)?.title ?? id;
    return row.item.kind === 'notice' && row.call ? [toCallLine(row.call)] : toPageLines(row.item, titleOf);
  });
}

function toPageLines(item: StoryItem, titleOf: (id: string) => string): string[] {
  switch (item.kind) {
    case 'person':
      return [`user: ${item.text}`];
    case 'reply':
      return [...(item.reasoning ? [`thought: ${item.reasoning}`] : []), `agent: ${item.text}`];
    case 'question':
      return ['agent', ...(item.answers ? [`user: ${Object.values(item.answers).join(', ')}`] : [])];
    case 'tool':
      return [toCallLine(item)];
    default: {
      const sentence = describeItem(item, titleOf);
      return [sentence ? `call: ${translate('en', sentence.key, sentence.params)}` : 'agent'];
    }
  }
}

function toCallLine(item: ToolItem): string {
  const { key, params } = describeCall(item);
  const target = item.name.startsWith('runtime.') ? undefined : targetOf(item);
  const verb = translate('en', key, params);
  return `call: ${target === undefined ? verb : `${verb} ${toShortPath(target)}`}`;
}

/** The transcript of an editor in the words of `readPage`. */
function toSimple(lines: readonly string[], page: readonly string[]): string[] {
  return lines.map((line, index) => {
    if (page[index] === 'agent' && line.startsWith('agent: ')) return 'agent';
    return /^(?:user|agent|thought): /.test(line) ? line : line.replace(/^\w+ \w+: /, 'call: ');
  });
}

describe('crewagent acp', () => {
  it('[O10] a workflow in an editor: plan, question, diff to approve, and a loaded session that equals the page', async () => {
    const script = [
      question('choice', ['small', 'large']),
      write('@project/notes.md', 'one\n2\nthree\n'),
      complete('step-01', 'nowhere'),
      complete('step-01', 'end-99'),
      complete('end-99'),
      textReply('All done.', { reasoning: 'That was it.', pieceLength: 3 }),
    ];
    const { rig, editor, open, provider } = await openScripted(
      script,
      { decide: ({ options }) => options.find(({ name }) => /large|Allow once/.test(name))?.optionId },
      ...['PACKAGE', '--workflow'],
    );
    await writeFile(join(rig.project, 'notes.md'), 'one\ntwo\nthree\n');
    const { sessionId, modes, configOptions } = await editor.open();
    expect(configOptions?.[0]).toMatchObject({ currentValue: 'starting' });
    expect(modes?.currentModeId).toBe('ask');
    expect(await editor.say(sessionId, 'Begin')).toEqual({ stopReason: 'end_turn' });
    expect(provider.violations).toEqual([]);
    expect(await readFile(join(rig.project, 'notes.md'), 'utf8')).toBe('one\n2\nthree\n');
    const [asked, permission] = editor.requests;
    expect(asked?.options.map(({ name }) => name)).toEqual(['small', 'large', 'Answer in my own words']);
    expect(permission?.options.map(({ optionId }) => optionId)).toEqual(['once', 'node', 'run', 'deny']);
    expect(permission?.toolCall.content).toEqual([
      {
        type: 'diff',
        path: join(rig.project, 'notes.md'),
        oldText: 'one\ntwo\nthree\n',
        newText: 'one\n2\nthree\n',
      },
    ]);
    expect(permission?.toolCall.locations).toEqual([{ path: join(rig.project, 'notes.md') }]);
    const plans = editor.updates.filter(({ sessionUpdate }) => sessionUpdate === 'plan');
    expect(plans.length).toBeGreaterThan(1);
    expect(lastPlan(editor.updates).every((line) => line.endsWith(': completed'))).toBe(true);
    const live = toTranscript(editor.updates).filter((line) => !line.includes('next message starts'));
    expect(live.filter((line) => / (?:in_progress|pending): /.test(line))).toEqual([]);
    expect(await editor.end()).toBe(0);

    const again = await open();
    await again.load(sessionId);
    const page = await readPage(rig, sessionId);
    const loaded = toTranscript(again.updates);
    expect(toSimple(loaded, page)).toEqual(page);
    // The editor showed by itself what its person typed.
    expect(live).toEqual(loaded.filter((line) => line !== 'user: Begin'));
    expect(lastPlan(again.updates)).toEqual(lastPlan(editor.updates));
    // No path of this machine is in the log or in a request.
    expect(JSON.stringify(provider.requests.map(({ body }) => body))).not.toContain(rig.folder);
  });

  it('[O11] cancelled within a second, also while something waits for approval; the run goes on with the next message', async () => {
    const { rig, spawn, provider } = await startScripted([
      hangAfterHeaders(),
      write('@project/notes.md', 'new\n'),
      textReply('Denied, then.'),
      textReply('Nothing else.'),
    ]);
    const editor = await spawn();
    const { sessionId } = await editor.open();
    const first = editor.say(sessionId, 'Begin');
    await expect(editor.say(sessionId, 'More')).rejects.toThrow('still working');
    await asked(provider, 1);
    await editor.cancel(sessionId);
    expect(await first).toEqual({ stopReason: 'cancelled' });

    // The editor never answers: the person does not decide.
    const deciding = await spawn({ decide: () => new Promise(() => undefined) });
    await expect(deciding.load(sessionId)).rejects.toThrow(/open in another|in use|another process/i);
    await editor.end();
    await deciding.load(sessionId);
    const second = deciding.say(sessionId, 'Write it');
    await deciding.until(() => deciding.requests.length === 1);
    await deciding.cancel(sessionId);
    expect(await second).toEqual({ stopReason: 'cancelled' });
    // Killed while it waits.
    await deciding.kill();
    const last = await spawn({ decide: () => 'deny' });
    await last.load(sessionId);
    expect(await last.say(sessionId, 'And?')).toEqual({ stopReason: 'end_turn' });
    expect(last.requests).toHaveLength(1);
    await expect(readFile(join(rig.project, 'notes.md'))).rejects.toThrow('ENOENT');
    expect(toTranscript(last.updates).join('\n')).toContain('agent: Denied, then.');
  });

  it('[O12] the menu is slash commands, which change with the agent; options choose whom to talk to, and the permission', async () => {
    const { editor, provider } = await openScripted(
      [textReply('There is nothing.'), textReply('Which one?'), textReply('Hello.')],
      undefined,
      'PACKAGE',
    );
    const { sessionId, configOptions } = await editor.open();
    await editor.until(() => commandsOf(editor.updates).length > 0);
    expect(commandsOf(editor.updates).slice(0, 6)).toEqual([
      'go',
      'check',
      'review',
      'load',
      'menu',
      'dismiss',
    ]);
    await editor.say(sessionId, '/check');
    expect(JSON.stringify(provider.requests[0]?.body.messages.at(-1))).toContain(
      'Say what is in the project.',
    );
    await editor.say(sessionId, '/go the first one');
    expect(JSON.stringify(provider.requests[1]?.body.messages)).toContain('the first one');
    expect(commandsOf(editor.updates)).not.toContain('go');
    expect(lastPlan(editor.updates)[0]).toMatch(/: in_progress$/);

    const recipient = configOptions?.find(({ id }) => id === 'recipient');
    expect(recipient?.type === 'select' && recipient.options.map(({ name }) => name)).toEqual([
      'The model',
      expect.stringContaining('Ann'),
      expect.stringContaining('Otto'),
      expect.stringContaining('Workflow: '),
    ]);
    const choose = (configId: string, value: string) =>
      editor.agent.request('session/set_config_option', { sessionId, configId, value });
    const { configOptions: chosen } = await choose('recipient', 'chat');
    expect(chosen[0]).toMatchObject({ currentValue: 'chat' });
    expect(commandsOf(editor.updates)[0]).toBe('resume');
    await editor.agent.request('session/set_mode', { sessionId, modeId: 'read-only' });
    expect(editor.updates).toContainEqual({
      sessionUpdate: 'current_mode_update',
      currentModeId: 'read-only',
    });
    await expect(choose('recipient', 'nobody')).rejects.toThrow('not one of the choices');
    await expect(choose('permission', 'all')).rejects.toThrow('no mode "all"');
    await editor.say(sessionId, 'Hello');
    expect(JSON.stringify(provider.requests[2]?.body.messages.at(-1))).toContain('Hello');
  });

  it('[O13] files of the project are mentioned, unsaved text and pictures go along, secrets and paths of this machine do not', async () => {
    const { rig, editor, provider } = await openScripted([textReply('Read.')]);
    await mkdir(join(rig.project, 'docs'));
    await writeFile(join(rig.project, 'docs/plan.md'), 'saved');
    const uri = (path: string) => pathToFileURL(join(rig.folder, path)).href;
    const { sessionId } = await editor.open();
    const picture = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64');
    await editor.agent.request('session/prompt', {
      sessionId,
      prompt: [
        { type: 'text', text: `Compare ${rig.project}/docs/plan.md` },
        { type: 'resource_link', name: 'plan.md', uri: uri('project/docs/plan.md') },
        { type: 'resource', resource: { uri: `${uri('project/docs/plan.md')}#L1:2`, text: 'unsaved words' } },
        { type: 'resource', resource: { uri: uri('project/.env'), text: 'KEY=very-secret' } },
        { type: 'resource_link', name: 'other.md', uri: uri('other.md') },
        { type: 'image', data: picture, mimeType: 'image/png' },
      ],
    });
    const sent = JSON.stringify(provider.requests[0]?.body.messages.at(-1));
    expect(sent).toContain('Compare @project/docs/plan.md `@project/docs/plan.md`');
    expect(sent).toContain('unsaved words');
    expect(sent).toContain('@project/attachments/picture.png');
    expect(sent).toContain('other.md (not in the project)');
    expect(sent).not.toContain('very-secret');
    expect(sent).not.toContain(rig.folder);
    expect(await readFile(join(rig.project, 'docs/plan.md'), 'utf8')).toBe('saved');
  });

  it('[O16] questions are a form where the editor has forms, and a message where it has none', async () => {
    const script = [question('text'), textReply('Good.')];
    const forms: unknown[] = [];
    const first = await startScripted(script);
    const withForms = await first.open(
      {
        fillIn(form) {
          forms.push(form);
          return { action: 'accept', content: { q0: 'huge' } };
        },
      },
      { elicitation: { form: {} }, session: { notices: {} } },
    );
    const { sessionId } = await withForms.open();
    expect(await withForms.say(sessionId, 'Begin')).toEqual({ stopReason: 'end_turn' });
    expect(forms).toMatchObject([
      { requestedSchema: { properties: { q0: { type: 'string', title: 'Size?' } } } },
    ]);
    expect(toTranscript(withForms.updates)).toEqual(['agent: **Size?**', 'user: huge', 'agent: Good.']);

    const { editor, provider } = await openScripted(script);
    const plain = await editor.open();
    expect(await editor.say(plain.sessionId, 'Begin')).toEqual({ stopReason: 'end_turn' });
    expect(toTranscript(editor.updates)).toEqual(['agent: **Size?**']);
    await editor.say(plain.sessionId, 'tiny');
    expect(JSON.stringify(provider.requests[1]?.body.messages.at(-1))).toContain('tiny');
    expect(toTranscript(editor.updates)).toEqual(['agent: **Size?**', 'agent: Good.']);
  });

  it('[O15] errors are sentences; sessions are listed by folder, closed and deleted', async () => {
    const { rig, editor, pkg, open } = await openScripted([textReply('Hello.')]);
    await expect(editor.open('here')).rejects.toThrow('must be an absolute path');
    await expect(editor.open(join(rig.folder, 'nowhere'))).rejects.toThrow(/folder/i);
    await expect(editor.say('none', 'Hello')).rejects.toThrow('not open');
    await expect(editor.load('0199b5c0-0000-7000-8000-000000000000')).rejects.toThrow(/no conversation/i);
    const missing = await openEditor(rig, ['none.bmad']);
    await expect(missing.open()).rejects.toThrow('no package at "none.bmad"');

    const rehearsed = await openEditor(rig, [pkg]);
    const { sessionId } = await rehearsed.open();
    await rehearsed.until(() =>
      rehearsed.updates.some(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk'),
    );
    expect(toTranscript(rehearsed.updates)[0]).toContain('No model is set up');
    const list = (cwd: string) => editor.agent.request('session/list', { cwd });
    expect((await list(rig.project)).sessions).toMatchObject([{ sessionId, cwd: rig.project }]);
    expect((await list(rig.folder)).sessions).toEqual([]);
    await expect(editor.agent.request('session/delete', { sessionId })).rejects.toThrow();
    await rehearsed.agent.request('session/close', { sessionId });
    await editor.agent.request('session/delete', { sessionId });
    expect((await list(rig.project)).sessions).toEqual([]);
    expect((await open()).initialized.agentCapabilities).toMatchObject({ loadSession: true });
  });

  it('[O32] the policy of an organisation says which editors may use it, also when one is connected', async () => {
    const file = join(tempDir(), 'policy.json');
    const allow = (doors: object) => writeFile(file, JSON.stringify({ schemaVersion: 1, doors }));
    await allow({ agents: ['test-*'], over: ['acp'] });
    const rig = await createCliRig({ CREWAGENT_POLICY: file });
    const editor = await openEditor(rig, []);
    const { sessionId } = await editor.open();
    await allow({ agents: ['zed'] });
    await expect(editor.say(sessionId, 'Hello.')).rejects.toThrow(
      'the agent "test-editor" (rule "doors.agents")',
    );
    await allow({ over: ['mcp-stdio'] });
    await expect(editor.open()).rejects.toThrow('other agents over acp (rule "doors.over")');
  });

  it('[O15] malformed messages are answered and end nothing; an endless reply is joined, a message without end is refused', async () => {
    const rig = await createCliRig();
    const child = spawnAcp(rig, []);
    const lines: string[] = [];
    let rest = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
    });
    const hostile = [
      'not json',
      '[]',
      'null',
      '{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{}}',
      '{"jsonrpc":"2.0","id":{},"method":"initialize"}',
      '{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"x"}}',
      '{"jsonrpc":"2.0","id":3,"result":{}}',
      '{"jsonrpc":"2.0","id":4,"method":"initialize","params":{"protocolVersion":1}}',
      '{"jsonrpc":"2.0","id":5,"method":"session/new","params":{"cwd":"/","mcpServers":"all"}}',
      '{"jsonrpc":"2.0","id":6,"method":"__proto__"}',
      '{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"../.."}}',
      `{"jsonrpc":"2.0","id":7,"method":"session/load","params":{"sessionId":"../../x","cwd":${JSON.stringify(rig.project)},"mcpServers":[]}}`,
      `{"jsonrpc":"2.0","id":8,"method":"session/list","params":{}}`,
    ];
    child.stdin.write(`${hostile.join('\n')}\n`);
    while (![7, 8].every((id) => lines.some((line) => line.includes(`"id":${id},`))))
      await once(child.stdout, 'data');
    const answers = lines.map((line) => JSON.parse(line) as { id: unknown; error?: { message: string } });
    expect(answers.every(({ id, error }) => error !== undefined || id === 4 || id === 8)).toBe(true);
    expect(answers.find(({ id }) => id === 7)?.error?.message).not.toContain(rig.folder);
    const ended = once(child, 'exit');
    child.stdin.on('error', () => undefined);
    child.stdin.write('"'.padEnd(33 * 1024 * 1024, 'x'));
    expect((await ended)[0]).toBe(2);

    const flood = await openScripted([endlessReply(WORDS), stallAfter(textReply('Hi'), 1)]);
    const { sessionId } = await flood.editor.open();
    const said = flood.editor.say(sessionId, 'Begin');
    const { updates } = flood.editor;
    const chunks = () => updates.filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk');
    await flood.editor.until(() => chunks().length > 5);
    await flood.editor.cancel(sessionId);
    expect(await said).toEqual({ stopReason: 'cancelled' });
    const text = toTranscript(updates)[0] ?? '';
    // A chunk of the provider is six characters long.
    expect(text.length / chunks().length).toBeGreaterThan(60);
  });

  it('[O11] ends with its editor, and stops what runs; killed in the middle of a turn, it resumes', async () => {
    const { spawn, provider } = await startScripted([
      hangAfterHeaders(),
      stallAfter(textReply('Let me think.', { pieceLength: 4 }), 3),
      textReply('Good.'),
    ]);
    const editor = await spawn();
    const { sessionId } = await editor.open();
    const said = editor.say(sessionId, 'Begin').catch(() => 'closed');
    await asked(provider, 1);
    // As if the editor was killed: both pipes break.
    const ended = once(editor.child, 'exit');
    editor.child.stdout.destroy();
    editor.child.stdin.destroy();
    expect((await ended)[0]).toBe(0);
    expect(await said).toBe('closed');
    expect(editor.err()).toBe('');

    const second = await spawn();
    await second.load(sessionId);
    const partly = second.say(sessionId, '/resume').catch(() => 'closed');
    await second.until(() => toTranscript(second.updates).join().includes('agent: Let'));
    await second.kill();
    expect(await partly).toBe('closed');

    const third = await spawn();
    await third.load(sessionId);
    expect(await third.say(sessionId, 'Again')).toEqual({ stopReason: 'end_turn' });
    expect(toTranscript(third.updates).join('\n')).toContain('agent: Good.');
  });
});
