import { describe, expect, it } from 'vitest';
import { startFakeProvider } from '../testing/models/fake-provider.ts';
import { eventsReply, textReply, toolCallReply } from '../testing/models/provider-replies.ts';
import { call, createScriptedModel, finish, type Script } from '../testing/models/scripted-model.ts';
import { branchingPackage } from '../testing/packages/branching-package.ts';
import { step } from '../testing/packages/sample-package.ts';
import { threadPackage } from '../testing/packages/thread-package.ts';
import { rigFor, TO_THE_END } from '../testing/rigs/branching-run.ts';
import { createTestChat } from '../testing/rigs/chat-rig.ts';
import type { RunRig } from '../testing/rigs/run-rig.ts';
import { createSessionRig } from '../testing/rigs/session-rig.ts';

const forgetful = (script: Script) => createScriptedModel(script, { stopsOnPurpose: false });
const SAID = 'Sure! I will start by reading the sprint status file.';
const nudges = (rig: RunRig) =>
  rig.eventsOf('message.completed').filter(({ purpose }) => purpose === 'nudge');
const packageWith = (body: string, more = '') =>
  branchingPackage({ 'steps/step-01.md': `${step('step-01', 'step', more)}${body}` });

describe('a reply without a call', () => {
  it('[L150] gets one note that names step and outputs, and the run goes on', async () => {
    const model = forgetful([SAID, ...TO_THE_END]);
    const rig = await rigFor([], { model });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect(model.requests[1]?.messages.at(-1)?.content).toBe(
      'RUNTIME_NOTE\nYour last reply had no tool call, so nothing was done. Continue with step "step-01": make the next call now. If you are done, write @project/artifacts/{key}.md and call runtime_complete_node. If you need the user, ask with ui_ask_user.',
    );
    expect(nudges(rig)).toHaveLength(1);
  });

  it('[L150] stops the run if the next one has none either, and says so', async () => {
    const rig = await rigFor([], { model: forgetful([SAID, 'I am reading it now.']) });
    expect(await rig.engine.start()).toEqual({
      phase: 'WaitingUser',
      reason: {
        code: 'reply',
        message: 'The model said something and stopped.',
        details: { isUnasked: true },
      },
    });
    expect(nudges(rig)).toHaveLength(1);
  });

  it('[L150] gets another note after a call', async () => {
    const list = call('fs_list', { path: '@project' });
    const rig = await rigFor([], { model: forgetful([SAID, list, SAID, ...TO_THE_END]) });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect(nudges(rig)).toHaveLength(2);
  });

  it.each([
    ['Which story do you mean?'],
    ['Which one do you want?\n\n1. The login\n2. The search'],
    ['**要继续吗？**'],
    ['The draft is ready.\n\n[A] Change it\n[C] Continue'],
    ['The draft is ready. **[C]** Continue'],
  ])('[L150] waits for the person if it asks something: %s', async (text) => {
    const rig = await rigFor([], { model: forgetful([text]) });
    expect(await rig.engine.start()).toMatchObject({
      reason: { code: 'reply', message: 'The model waits for your answer.' },
    });
    expect(nudges(rig)).toEqual([]);
  });

  it.each([
    ['declared', packageWith('Show the draft.\n', 'waits: true\n')],
    ['HALT', packageWith('Show the draft, then HALT.\n')],
    ['a menu', packageWith('Show: [A] Change [C] Continue\n')],
  ])('[L150] waits for the person if the step waits: %s', async (_, files) => {
    const rig = await rigFor([], { package: files, model: forgetful(['Here is the draft.']) });
    expect(await rig.engine.start()).toMatchObject({
      reason: { code: 'reply', message: 'The model waits for your answer.' },
    });
    expect(nudges(rig)).toEqual([]);
  });

  it('[L150] gets a note at a step that waits in one case only, if it asks nothing', async () => {
    const files = packageWith('No key? Only then ask for it and WAIT for the answer.\n');
    const rig = await rigFor([], { package: files, model: forgetful([SAID, 'Which key?']) });
    expect(await rig.engine.start()).toMatchObject({
      reason: { code: 'reply', message: 'The model waits for your answer.' },
    });
    expect(nudges(rig)).toHaveLength(1);
  });

  it('[L150] is mentioned when the run is resumed, also in another process', async () => {
    const first = await rigFor([], { model: forgetful([SAID, SAID]) });
    await first.engine.start();
    const model = forgetful([...TO_THE_END]);
    const second = await first.reopen(model);
    expect(await second.engine.resume()).toEqual({ phase: 'Completed' });
    const content = String(model.requests[0]?.messages.at(-1)?.content);
    expect(content).toContain('Your last reply had no tool call');
    expect(content.indexOf('RUN_DIRECTIVE')).toBeLessThan(content.indexOf('RUNTIME_NOTE'));
  });

  it('[L150] is not mentioned to a person who answers it', async () => {
    const model = forgetful([SAID, SAID, ...TO_THE_END]);
    const rig = await rigFor([], { model });
    await rig.engine.start();
    await rig.engine.say('Go on.');
    expect(nudges(rig)).toHaveLength(1);
  });

  it('[L150] is normal in a conversation', async () => {
    const model = forgetful(['Hello, I can help.']);
    const rig = await createSessionRig({ package: threadPackage(), model, kind: 'chat' });
    await rig.session.input('Hi');
    expect(rig.events.filter(({ type }) => type === 'turn.started')).toHaveLength(1);
  });
});

describe('a menu beside calls', () => {
  const MENU = 'The draft is ready.\n\n[A] Change it\n[C] Continue';
  const files = packageWith('Write the draft, show this menu and WAIT: [A] Change it [C] Continue\n');
  const write = call('fs_write', { path: 'artifacts/k.md', content: 'x' });

  it('[L150] waits for the person once the files are written, and the answer continues the run', async () => {
    const model = forgetful([{ ...write, content: MENU }, ...TO_THE_END.slice(1)]);
    const rig = await rigFor([], { package: files, model });
    expect(await rig.engine.start()).toMatchObject({
      reason: { code: 'reply', message: 'The model waits for your answer.' },
    });
    expect(model.requests).toHaveLength(1);
    expect(await rig.engine.say('C')).toEqual({ phase: 'Completed' });
  });

  it.each([
    ['a call read something', { ...call('fs_list', { path: '@project' }), content: MENU }, files],
    [
      'a write was rejected',
      { ...call('fs_write', { path: '@pkg/x.md', content: 'x' }), content: MENU },
      files,
    ],
    ['the step does not wait', { ...write, content: MENU }, packageWith('Write the draft.\n')],
    ['there is no menu', { ...write, content: 'I write the draft.' }, files],
  ])('[L1] does not stop the run if %s', async (_, reply, packageFiles) => {
    const model = forgetful([reply, 'Which one?']);
    const rig = await rigFor([], { package: packageFiles, model });
    await rig.engine.start();
    expect(model.requests).toHaveLength(2);
  });
});

describe('an empty reply', () => {
  const EMPTY = textReply('');

  it('[L150] is asked for again with a note, once', async () => {
    const provider = await startFakeProvider([
      EMPTY,
      toolCallReply([{ name: 'fs_list', arguments: { path: '@project' } }]),
      textReply('Which one?'),
    ]);
    const rig = await rigFor([], { model: createTestChat(provider.url) });
    expect(await rig.engine.start()).toMatchObject({ reason: { code: 'reply' } });
    expect(String(provider.requests[1]?.body.messages.at(-1)?.content)).toContain(
      'Your last reply was empty',
    );
    await provider.close();
  });

  it('[L150] pauses the run the second time', async () => {
    const provider = await startFakeProvider([EMPTY, EMPTY]);
    const rig = await rigFor([], { model: createTestChat(provider.url) });
    expect(await rig.engine.start()).toMatchObject({ reason: { code: 'LLM_BAD_RESPONSE' } });
    expect(provider.requests).toHaveLength(2);
    await provider.close();
  });

  it('[L150] ends a workflow that is complete', async () => {
    const provider = await startFakeProvider((_, index) => {
      const line = [...TO_THE_END][index];
      return typeof line === 'object' && 'calls' in line
        ? toolCallReply(
            (line.calls ?? []).map(({ name, arguments: args }) => ({ name, arguments: args as never })),
          )
        : eventsReply([{ choices: [{ delta: { content: '' }, finish_reason: 'stop' }] }]);
    });
    const rig = await rigFor([], { model: createTestChat(provider.url) });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect(rig.eventsOf('error')).toEqual([]);
    expect(provider.requests).toHaveLength(TO_THE_END.length);
    await provider.close();
  });
});

describe('a call that is written as text', () => {
  it('[L154] is made, is marked in the log, and goes back to the provider as a call', async () => {
    const text = 'I will look.\n```json\n{"name": "fs_list", "arguments": {"path": "@project"}}\n```';
    const model = forgetful([text, 'Which file?']);
    const rig = await rigFor([], { model });
    await rig.engine.start();
    expect(rig.eventsOf('message.completed').find(({ purpose }) => purpose === 'reply')).toMatchObject({
      content: 'I will look.',
      toolCalls: [{ name: 'fs.list', arguments: '{"path":"@project"}', isFromText: true }],
    });
    expect(rig.eventsOf('tool.ended')).toMatchObject([{ name: 'fs.list', outcome: 'ok' }]);
    const [, reply, result] = model.requests[1]?.messages.slice(-3) ?? [];
    expect(reply).toMatchObject({
      role: 'assistant',
      content: 'I will look.',
      tool_calls: [{ function: { name: 'fs_list', arguments: '{"path":"@project"}' } }],
    });
    expect(result).toMatchObject({ role: 'tool' });
  });

  it('[L154] is not made if the reply has a call already, or was cut off', async () => {
    const text = '{"name": "fs_list", "arguments": {"path": "@project"}}';
    const both = { ...call('fs_read', { path: '@project/README.md' }), content: text };
    const rig = await rigFor([], { model: forgetful([both, 'Which file?']) });
    await rig.engine.start();
    expect(rig.eventsOf('tool.ended').map(({ name }) => name)).toEqual(['fs.read']);
    const cut = await rigFor([], {
      model: forgetful([{ content: text, finishReason: 'length' }, 'Which file?']),
    });
    await cut.engine.start();
    expect(cut.eventsOf('tool.ended')).toEqual([]);
  });

  it('[L154] can complete a run', async () => {
    const rig = await rigFor([], {
      model: forgetful([
        '<tool_call>{"name":"fs_write","arguments":{"path":"artifacts/k.md","content":"x"}}</tool_call>',
        finish('step-01', 'decide-02', { key: 'k' }),
        '[TOOL_CALLS][{"name":"runtime_complete_node","arguments":{"nodeId":"decide-02","next":"step-03"}}]',
        'functions.runtime_complete_node({"nodeId":"step-03"})',
        '<function=complete_node>{"nodeId":"end-99"}</function>',
        'All done.',
      ]),
    });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
  });
});
