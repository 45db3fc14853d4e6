import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toWorkItems } from '@crewagent/protocol/story/work-story';
import { describe, expect, it } from 'vitest';
import { removeInstalled } from '../bmad/installed-packages.ts';
import type { ChatMessage, ChatRequest } from '../llm/wire.ts';
import { takeWorkLock } from '../store/disk/locks/work-lock.ts';
import { archiveConversation, renameConversation } from '../store/edit-work.ts';
import { toAddress } from '../store/work-address.ts';
import { call, createScriptedModel, finish } from '../testing/models/scripted-model.ts';
import { threadPackage } from '../testing/packages/thread-package.ts';
import { createDiskSessionRig, type DiskSessionRig, waitFor } from '../testing/rigs/session-rig.ts';

const textOf = ({ content }: ChatMessage): string => (typeof content === 'string' ? content : '');
const systemOf = (request: ChatRequest | undefined): string =>
  request ? textOf(request.messages[0] as ChatMessage) : '';
const lastOf = (request: ChatRequest | undefined): string =>
  request ? textOf(request.messages.at(-1) as ChatMessage) : '';
const allOf = (request: ChatRequest | undefined): string => request?.messages.map(textOf).join('\n') ?? '';
const codes = (rig: DiskSessionRig): string[] => rig.eventsOf('error').map(({ code }) => code);
/** Replies for a workflow of two nodes, up to the final text. */
const WHOLE_RUN = [finish('step-01', 'end-99'), finish('end-99'), 'All done.'];

describe('a conversation with an agent', () => {
  it('[V17] sends input that matches no menu item to the agent, with its persona and tools', async () => {
    const model = createScriptedModel(['Hello, I am Ann.', 'Your readme is short.']);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    const stop = await rig.session.input('what do you think of it?');
    expect(stop).toMatchObject({ mode: 'agent', phase: 'WaitingUser', reason: { code: 'reply' } });
    expect(systemOf(model.requests[0])).toContain('You are Ann, Analyst');
    expect(model.requests[0]?.tools.map(({ function: { name } }) => name)).toContain('fs_write');
    expect(lastOf(model.requests[0])).toBe('USER_INPUT\nwhat do you think of it?');
    expect(rig.eventsOf('command.resolved')).toEqual([]);
  });

  it('lists the menu for the model, which can offer an item that the person then chooses', async () => {
    const model = createScriptedModel([
      call('ui_propose_command', { item: 'greet', reason: 'That is what it does.' }),
      'Shall we?',
      'Hello!',
    ]);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('say something friendly to me, would you');
    expect(systemOf(model.requests[0])).toContain('\n\nMENU\n- 1. go');
    expect(rig.eventsOf('choice.offered')).toMatchObject([
      { reason: 'That is what it does.', candidates: [{ index: 5, input: '5' }] },
    ]);
    expect(rig.session.view.state.choosing).toBeDefined();
    await rig.session.input('5');
    expect(rig.eventsOf('command.resolved')).toMatchObject([{ input: '5', kind: 'RunAction' }]);
    expect(model.requests).toHaveLength(3);
  });

  it('[V17] resolves numbers, names and phrases to menu items without asking a model', async () => {
    const model = createScriptedModel([]);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('');
    await rig.session.input('several ways');
    await rig.session.input('99');
    expect(rig.eventsOf('menu.shown')[0]?.entries.map(({ index, label }) => `${index} ${label}`)).toEqual([
      '1 go',
      '2 go-data',
      '3 review',
      '4 check',
      '5 greet',
      '6 lost',
      '7 gone',
      '8 classic',
      '9 entry',
      '10 quit',
      '11 many',
    ]);
    const [ways, range] = rig.eventsOf('choice.offered');
    expect(ways?.candidates.map(({ input }) => input)).toEqual(['11.1', '11.2']);
    expect(range?.candidates).toHaveLength(11);
    expect(rig.eventsOf('command.resolved').map(({ input, kind }) => [input, kind])).toEqual([
      ['', 'ShowMenu'],
      ['several ways', 'ClarifyChoice'],
      ['99', 'ClarifyChoice'],
    ]);
    expect(model.requests).toEqual([]);
  });

  it('[V17] takes an offered choice by its number', async () => {
    const model = createScriptedModel(['No gaps.']);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('many');
    await rig.session.input('11.1');
    expect(lastOf(model.requests[0])).toContain('Check the newest story for gaps.');
  });

  it('[U10] shows a choice by its name in the menu, whatever was typed', async () => {
    const rig = await createDiskSessionRig({
      package: threadPackage(),
      model: createScriptedModel(['Hello.', 'Hello.', 'Hello.']),
    });
    for (const line of ['5', 'greet', 'say hello', '/help']) await rig.session.input(line);
    expect(rig.eventsOf('command.resolved').map(({ input, item, label }) => [input, item, label])).toEqual([
      ['5', 5, 'greet'],
      ['greet', 5, 'greet'],
      ['say hello', 5, 'greet'],
      ['/help', undefined, undefined],
    ]);
  });

  it('[V17] sends a prompt of the agent once, as an instruction, and shows its name', async () => {
    const model = createScriptedModel(['No gaps.', 'Yes.']);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    const stop = await rig.session.input('check\nOnly the story 1-2.');
    expect(stop.mode).toBe('agent');
    expect(allOf(model.requests[0])).toContain(
      'ACTION_DIRECTIVE\n- action: #check\nCheck the newest story for gaps.\nEND_ACTION_DIRECTIVE',
    );
    expect(lastOf(model.requests[0])).toContain('USER_INPUT\nOnly the story 1-2.');
    await rig.session.input('are you sure?');
    expect(allOf(model.requests[1]).split('ACTION_DIRECTIVE\n- action').length - 1).toBe(1);
    const kinds = toWorkItems(rig.session.view).map(({ item }) =>
      item.kind === 'mark' ? item.name : item.kind,
    );
    expect(kinds.slice(0, 5)).toEqual(['agent', 'command', '#check', 'person', 'phase']);
  });

  it('[V17] sends the text of a menu item as an instruction', async () => {
    const model = createScriptedModel(['Hello!']);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('greet');
    expect(lastOf(model.requests[0])).toContain('- action: inline\nGreet the person in one sentence.');
  });

  it('[V32] a chat has no persona and no package, but tools', async () => {
    const model = createScriptedModel([
      call('fs_read', { path: '@pkg/workflow.md' }),
      call('fs_write', { path: '@state/notes.md', content: 'mine' }),
      'Hello.',
    ]);
    const rig = await createDiskSessionRig({ package: threadPackage(), model, kind: 'chat' });
    expect(rig.session.mode).toBe('chat');
    expect((await rig.session.input('1')).mode).toBe('chat');
    expect(systemOf(model.requests[0])).not.toContain('PERSONA');
    expect(systemOf(model.requests[0])).not.toContain('@pkg/');
    expect(rig.eventsOf('tool.ended').map(({ outcome, code }) => code ?? outcome)).toEqual([
      'E_SANDBOX_VIOLATION',
      'ok',
    ]);
    expect(rig.session.menu()).toEqual([]);
  });

  it('[L8] sends input during a turn with the next turn; only slash commands are executed', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const inner = createScriptedModel([call('fs_list', { path: '@project' }), 'Done.']);
    const rig = await createDiskSessionRig({
      package: threadPackage(),
      model: {
        ...inner,
        async chat(request, watch) {
          if (inner.requests.length === 0) await held;
          return inner.chat(request, watch);
        },
      },
    });
    const first = rig.session.input('look around');
    await waitFor(rig, 'turn.started');
    const second = rig.session.input('check');
    release();
    await Promise.all([first, second]);
    expect(rig.eventsOf('command.resolved')).toEqual([]);
    expect(allOf(inner.requests[1])).toContain('USER_INPUT\ncheck');
  });
});

describe('a workflow from the menu', () => {
  it('[V17] becomes a run of the conversation with its agent, and receives the input', async () => {
    const model = createScriptedModel(['Which one?', ...WHOLE_RUN]);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    const stop = await rig.session.input('go');
    expect(stop).toMatchObject({ mode: 'run', phase: 'WaitingUser', reason: { code: 'reply' } });
    expect(allOf(model.requests[0])).toContain('- intent: start');
    expect(systemOf(model.requests[0])).toContain('You are Ann');
    const end = await rig.session.input('check');
    expect(end).toMatchObject({ mode: 'run', phase: 'Completed' });
    expect(allOf(model.requests[1])).toContain('USER_INPUT\n- forNodeId: step-01\ncheck');
    expect(rig.session.record).toMatchObject({
      kind: 'agent',
      activeRunId: rig.session.view.state.runIds[0],
    });
    expect(await rig.stateText()).toContain('activeAgentId: analyst');
  });

  it('[V32] uses the persona of a node that has its own agent, otherwise the persona of the session', async () => {
    const model = createScriptedModel(WHOLE_RUN);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('1');
    expect(model.requests.map((request) => /You are (\w+)/.exec(systemOf(request))?.[1])).toEqual([
      'Ann',
      'Bob',
      'Bob',
    ]);
  });

  it('[V17] loads data first, sends it as a message, and lists it in the state document', async () => {
    const model = createScriptedModel(WHOLE_RUN);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('go-data\nStart with the second one.');
    const sent = allOf(model.requests[0]);
    expect(sent).toContain('DATA_CONTEXT\n- path: @pkg/data/stories.csv\n- format: csv');
    expect(sent).toContain('Sign out');
    expect(sent).toContain('USER_INPUT\n- forNodeId: step-01\nStart with the second one.');
    expect(sent).toContain('- inputDocuments: @pkg/data/stories.csv');
    expect(await rig.stateText()).toMatch(/inputDocuments:\s*(?:\[|\n\s*- )"?@pkg\/data\/stories.csv/);
    expect(allOf(model.requests[1])).not.toContain('Sign out');
    expect(allOf(model.requests[1])).toContain('- inputDocuments: @pkg/data/stories.csv');
  });

  it('[V17] is started by an exec that refers to a workflow', async () => {
    const rig = await createDiskSessionRig({
      package: threadPackage(),
      model: createScriptedModel(WHOLE_RUN),
    });
    expect(await rig.session.input('entry')).toMatchObject({ mode: 'run', phase: 'Completed' });
  });

  it('[V17] can be followed by other runs in the same conversation', async () => {
    const model = createScriptedModel([...WHOLE_RUN, ...WHOLE_RUN]);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('go');
    await rig.session.input('/stop');
    expect(rig.session.mode).toBe('agent');
    await rig.session.input('go');
    const { runIds } = rig.session.view.state;
    expect(new Set(runIds).size).toBe(2);
    expect([...rig.session.view.runs.values()].map(({ phase }) => phase)).toEqual(['Completed', 'Completed']);
  });

  it('[V32] keeps earlier messages when switching between agent, run and chat', async () => {
    const model = createScriptedModel(['I remember.', ...WHOLE_RUN, 'It is done.', 'Still here.']);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('my dog is called Rex');
    await rig.session.input('go');
    await rig.session.input('/stop');
    await rig.session.input('how did it go?');
    const sent = allOf(model.requests[4]);
    expect(sent).toContain('my dog is called Rex');
    expect(sent).toContain('RUN_NOTE\n- workflow: ');
    expect(sent).toContain('- phase: Completed');
    await rig.session.dismissAgent();
    expect(await rig.session.input('and now?')).toMatchObject({ mode: 'chat' });
    expect(allOf(model.requests[5])).toContain('my dog is called Rex');
    expect(systemOf(model.requests[5])).not.toContain('Ann');
    expect(rig.session.record).toMatchObject({ kind: 'chat', title: 'my dog is called Rex' });
    expect(rig.session.record.agent).toBeUndefined();
  });
});

describe('a script from the menu', () => {
  it('[V17] runs in the thread with persona, data and tools until it is left', async () => {
    const model = createScriptedModel([
      call('fs_read', { path: '@pkg/tasks/review.md' }),
      'The readme lacks an owner. Shall I go on? 1 yes, 2 no',
      'I went on.',
      'No gaps.',
    ]);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    const stop = await rig.session.input('review');
    expect(stop).toMatchObject({ mode: 'run', phase: 'WaitingUser' });
    expect(systemOf(model.requests[0])).toContain('You are Ann');
    expect(allOf(model.requests[0])).toContain(
      'SCRIPT_DIRECTIVE\n- script: @pkg/tasks/review.md\n- intent: start',
    );
    expect(allOf(model.requests[0])).toContain('Mind the gap.');
    expect(allOf(model.requests[1])).toContain('say what is missing');
    // In a script a number is an answer, not a menu item.
    expect(await rig.session.input('1')).toMatchObject({ mode: 'run' });
    expect(lastOf(model.requests[2])).toBe('USER_INPUT\n1');
    await rig.session.input('/stop');
    expect(rig.session.mode).toBe('agent');
    await rig.session.input('4');
    expect(lastOf(model.requests[3])).toContain('#check');
  });

  it('[V17] continues in another process', async () => {
    const model = createScriptedModel(['Question?', 'Thanks.']);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('review');
    const again = await rig.reopen();
    expect(again.session.mode).toBe('run');
    await again.session.input('2');
    expect(allOf(model.requests[1])).toContain('SCRIPT_DIRECTIVE');
    expect(lastOf(model.requests[1])).toBe('USER_INPUT\n2');
  });
});

describe('commands that fail', () => {
  const cases = [
    ['lost', 'DataLoadFailed'],
    ['gone', 'ValidationFailed'],
    ['classic', 'NotSupportedClassicWorkflow'],
  ] as const;
  for (const [input, code] of cases) {
    it(`[V17] ${input} is rejected with ${code}, and nothing changes`, async () => {
      const model = createScriptedModel(['Which one?', 'Fine.']);
      const rig = await createDiskSessionRig({ package: threadPackage(), model });
      expect(await rig.session.input(input)).toMatchObject({ mode: 'agent' });
      expect(codes(rig)).toEqual([code]);
      expect(rig.session.view.state.runIds).toEqual([]);
      // The same in a run.
      await rig.session.input('go');
      await rig.session.input('/menu');
      const stop = await rig.session.input(input);
      expect(stop).toMatchObject({ mode: 'run', phase: 'WaitingUser' });
      expect(codes(rig)).toEqual([code, code]);
      expect(rig.session.view.state.activeRunId).toBe(rig.session.view.state.runIds[0]);
      await rig.session.input('the first');
      expect(allOf(model.requests[1])).toContain('USER_INPUT\n- forNodeId: step-01\nthe first');
    });
  }

  it('[V17] input to a run with a pending approval is rejected', async () => {
    const model = createScriptedModel([call('fs_write', { path: '@project/README.md', content: 'x' }), 'ok']);
    const settings = { tools: { approval: 'ask' } };
    const rig = await createDiskSessionRig({ package: threadPackage(), model, settings });
    expect(await rig.session.input('change it')).toMatchObject({ reason: { code: 'approval' } });
    await rig.session.input('go on');
    expect(codes(rig)).toEqual(['RUN_NOT_READY']);
    expect(await rig.session.approve({ decision: 'once' })).toMatchObject({ reason: { code: 'reply' } });
    expect(await readFile(join(rig.project, 'README.md'), 'utf8')).toBe('x');
  });
});

describe('in a run', () => {
  it('[V17] only slash commands are taken out of the input', async () => {
    const model = createScriptedModel(['Which?', 'Which?', 'Which?', 'Bye.']);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('go');
    for (const text of ['menu', 'go', '*exit']) await rig.session.input(text);
    expect(rig.eventsOf('command.resolved').map(({ input }) => input)).toEqual(['go']);
    await rig.session.input('/menu');
    expect(rig.eventsOf('menu.shown')).toHaveLength(1);
    expect(rig.session.mode).toBe('run');
    expect(model.requests).toHaveLength(4);
  });

  it('[V17] choosing an item of an open menu leaves the run, which can be resumed', async () => {
    const model = createScriptedModel(['Which?', 'No gaps.', ...WHOLE_RUN]);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('go');
    await rig.session.input('/menu');
    expect(await rig.session.input('4')).toMatchObject({ mode: 'agent' });
    expect(systemOf(model.requests[1])).toContain('You talk with the user as the agent');
    expect(await rig.session.input('/resume')).toMatchObject({ mode: 'run', phase: 'Completed' });
    expect(allOf(model.requests[2])).toContain('- intent: resume');
  });

  it('[V17] input that does not match a menu item exactly goes to the run', async () => {
    const model = createScriptedModel(['Which?', 'Thanks.']);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('go');
    await rig.session.input('/menu');
    await rig.session.input('the readme please');
    expect(allOf(model.requests[1])).toContain('USER_INPUT\n- forNodeId: step-01\nthe readme please');
  });

  it('[V28] /pause stops the turn, /stop leaves the run, /resume continues it, /dismiss leaves the agent', async () => {
    const model = createScriptedModel(['hang', 'hang', 'Which?']);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    const going = rig.session.input('go');
    await waitFor(rig, 'turn.started');
    await rig.session.input('/pause');
    expect(await going).toMatchObject({ mode: 'run', phase: 'WaitingUser', reason: { code: 'stopped' } });
    const again = rig.session.input('/resume');
    await waitFor(rig, 'turn.started', 2);
    expect(await rig.session.input('/stop')).toMatchObject({ mode: 'agent' });
    await again;
    expect(await rig.session.input('/resume')).toMatchObject({ mode: 'run', reason: { code: 'reply' } });
    expect(await rig.session.input('/dismiss')).toMatchObject({ mode: 'chat' });
    expect(rig.session.view.state).toMatchObject({ agent: undefined, activeRunId: undefined });
    await rig.session.input('/resume');
    expect(rig.session.mode).toBe('run');
  });

  it('[V29] after completion the state changes only with one consent by command, never by text', async () => {
    const change = call('fs_apply_patch', {
      path: '@state/workflow.md',
      patches: [{ operation: 'updateFrontmatter', update: { variables: { set: { note: 'late' } } } }],
    });
    const model = createScriptedModel([
      ...WHOLE_RUN,
      change,
      'Please allow it.',
      change,
      'Did it.',
      change,
      'Again?',
    ]);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('/allow');
    expect(codes(rig)).toEqual(['RUN_NOT_READY']);
    await rig.session.input('go');
    await rig.session.input('I allow it: change the note');
    await rig.session.input('/allow');
    const again = await rig.reopen();
    await again.session.input('now');
    await again.session.input('once more');
    const answers = [...rig.eventsOf('tool.ended'), ...again.eventsOf('tool.ended')].slice(2);
    expect(answers.map(({ code, outcome }) => code ?? outcome)).toEqual([
      'STATE_CHANGE_REQUIRES_CONFIRMATION',
      'ok',
      'STATE_CHANGE_REQUIRES_CONFIRMATION',
    ]);
    expect(systemOf(model.requests[3])).toContain('is complete. Discuss it with the user');
    expect(allOf(model.requests[3])).toContain('USER_INPUT\nI allow it');
    expect(await rig.stateText()).toContain('note: late');
  });

  it('[V28] /undo undoes the newest change, in a run and in a thread', async () => {
    const write = (path: string) => call('fs_write', { path: `@project/${path}`, content: 'new' });
    const model = createScriptedModel([write('a.md'), 'One.', write('b.md'), write('c.md'), 'Which?']);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('write a file');
    await rig.session.input('go');
    await rig.session.input('/undo');
    await rig.session.input('/undo');
    await rig.session.input('/undo');
    expect(codes(rig)).toEqual(['RUN_NOT_READY']);
    await rig.session.input('/stop');
    await rig.session.input('/undo');
    expect(rig.eventsOf('changes.undone').map(({ files }) => files.map(({ path }) => path))).toEqual([
      ['@project/c.md'],
      ['@project/b.md'],
      ['@project/a.md'],
    ]);
  });

  it('[V28] /model, /context and /help show information', async () => {
    const rig = await createDiskSessionRig({
      package: threadPackage(),
      model: createScriptedModel(['Hello.']),
    });
    await rig.session.input('hello you');
    for (const command of ['/model', '/context', '*help']) await rig.session.input(command);
    const [model, context, help] = rig.eventsOf('info.shown');
    expect(model?.details).toEqual({ model: { kind: 'rehearsal' } });
    expect(context?.details).toMatchObject({ contextTokens: 128_000, turns: 1 });
    expect(help?.details.commands).toContain('undo');
  });
});

describe('the view', () => {
  it('[V34] is the same live and after a reload', async () => {
    const model = createScriptedModel([
      call('fs_list', { path: '@project' }, { content: 'Let me look.', reasoning: 'hm' }),
      'A readme.',
      call('ui_ask_user', { questions: [{ id: 'key', prompt: 'Which?', type: 'text' }] }),
      ...WHOLE_RUN,
      'Fine.',
    ]);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('look around');
    await rig.session.input('go-data');
    await rig.session.answer({ key: '1-1' });
    await rig.session.input('lost');
    await rig.session.input('/stop');
    await rig.session.input('lost');
    const { view } = await rig.reload();
    expect(toWorkItems(view)).toEqual(toWorkItems(rig.session.view));
    expect(view.state).toEqual(rig.session.view.state);
    expect(toWorkItems(view).length).toBeGreaterThan(20);
    const again = await rig.reopen();
    expect(toWorkItems(again.session.view)).toEqual(toWorkItems(view));
    // Messages between the runtime and the model are not shown.
    expect(JSON.stringify(toWorkItems(view))).not.toContain('RUN_NOTE');
  });

  it('[O6] is open in one process at a time', async () => {
    const rig = await createDiskSessionRig({ package: threadPackage(), model: createScriptedModel([]) });
    expect((await rig.reload()).isOpen).toBe(true);
    await expect(takeWorkLock(rig.store, toAddress(rig.session.record))).rejects.toMatchObject({
      code: 'RUN_LOCKED',
    });
    const again = await rig.reopen();
    expect(again.session.mode).toBe('agent');
    await again.session.close();
    expect((await rig.reload()).isOpen).toBe(false);
  });

  it('the package of the current agent cannot be removed until the conversation is archived', async () => {
    const rig = await createDiskSessionRig({ package: threadPackage(), model: createScriptedModel([]) });
    const hash = rig.session.record.agent?.package.hash ?? '';
    await expect(removeInstalled(rig.store, hash)).rejects.toMatchObject({ code: 'PACKAGE_IN_USE' });
    await archiveConversation(rig.store.works, toAddress(rig.session.record), true, () => new Date());
    await expect(removeInstalled(rig.store, hash)).resolves.toMatchObject({ hash });
  });

  it('[V32] the title is derived from the first exchange until a person sets one', async () => {
    const model = createScriptedModel(['Hello.', 'Again.']);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    expect(rig.session.record.title).toBe('');
    await rig.session.input('what should I read first here?');
    expect(rig.session.record.title).toBe('what should I read first here?');
    await renameConversation(rig.store.works, toAddress(rig.session.record), 'Reading');
    await rig.session.input('and then what?');
    expect(rig.session.record).toMatchObject({ title: 'Reading', isRenamed: true });
  });
});
