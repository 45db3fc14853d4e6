import { readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunEvent } from '@crewagent/protocol/events';
import { toWorkItems } from '@crewagent/protocol/story/work-story';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CrewError } from '../base/crew-error.ts';
import { removeTree } from '../base/remove-tree.ts';
import type { ChatMessage, ChatRequest } from '../llm/wire.ts';
import type { WorkPaths } from '../store/disk/layout.ts';
import { takeWorkLock } from '../store/disk/locks/work-lock.ts';
import type { RunAddress } from '../store/work-address.ts';
import { call, createScriptedModel, finish } from '../testing/models/scripted-model.ts';
import { threadPackage } from '../testing/packages/thread-package.ts';
import { openCounted } from '../testing/rigs/counted-session.ts';
import { createDiskSessionRig, type DiskSessionRig, waitFor } from '../testing/rigs/session-rig.ts';

const textOf = ({ content }: ChatMessage): string => (typeof content === 'string' ? content : '');
/** All messages except the rules, which mention the blocks as well. */
const sentIn = (request: ChatRequest | undefined): string =>
  request?.messages.slice(1).map(textOf).join('\n') ?? '';
const codes = (rig: DiskSessionRig): string[] => rig.eventsOf('error').map(({ code }) => code);
const answersOf = (rig: DiskSessionRig): string[] =>
  rig.eventsOf('tool.ended').map(({ code, outcome }) => code ?? outcome);
const always = (line: string) => createScriptedModel(() => line);
const write = (path: string) => call('fs_write', { path, content: 'new' });
const setNote = (note: string, path = '@state/workflow.md') =>
  call('fs_apply_patch', {
    path,
    patches: [{ operation: 'updateFrontmatter', update: { variables: { set: { note } } } }],
  });
const ASK = call('ui_ask_user', { questions: [{ id: 'key', prompt: 'Which?', type: 'text' }] });
const ASKING = { tools: { approval: 'ask' } };
/** Replies for a workflow of two nodes, up to the final text. */
const WHOLE_RUN = [finish('step-01', 'end-99'), finish('end-99'), 'All done.'];

describe('concurrent commands', () => {
  it('[V35] a stop while a run is being created: the run exists and no model is asked', async () => {
    const model = createScriptedModel(['Which?']);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    const going = rig.session.input('go');
    await waitFor(rig, 'command.resolved');
    await rig.session.stop();
    expect(await going).toMatchObject({ mode: 'run', phase: 'WaitingUser' });
    expect(model.requests).toEqual([]);
    expect(await rig.session.input('/resume')).toMatchObject({ mode: 'run', reason: { code: 'reply' } });
  });

  it('[V35] a conversation closed while a run is being created closes without a turn', async () => {
    const model = always('hang');
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    const going = rig.session.input('go');
    await waitFor(rig, 'command.resolved');
    await rig.session.close();
    expect(await going).toMatchObject({ mode: 'run' });
    expect(model.requests).toEqual([]);
    expect((await rig.reload()).isOpen).toBe(false);
  });

  it('[V35] a stop right after input returns the input, and no model is asked', async () => {
    const model = always('hang');
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    const going = rig.session.input('hello you there');
    await rig.session.stop();
    expect(await going).toMatchObject({ refusal: { code: 'RUN_NOT_READY' } });
    expect(model.requests).toEqual([]);
  });

  it('[V35] a stop while the run is being opened rejects input, answers and a resume', async () => {
    const model = createScriptedModel((_, index) => (index === 0 ? ASK : 'hang'));
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('go');
    const again = await rig.reopen();
    const going = [
      again.session.answer({ key: 'a' }),
      again.session.resume(),
      again.session.input('the first one'),
    ];
    const settled = Promise.allSettled(going);
    await again.session.stop();
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(model.requests).toHaveLength(1);
    expect(again.session.isRunning).toBe(false);
  });

  it('[V35] closing right after input does not wait for a model', async () => {
    const model = always('hang');
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    const going = rig.session.input('hello you there');
    await rig.session.close();
    await going;
    expect(model.requests).toEqual([]);
  });

  it('[V17] a number typed twice at once starts one run; the second number goes to that run', async () => {
    const model = always('Which?');
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await Promise.all([rig.session.input('1'), rig.session.input('1')]);
    expect(rig.session.view.state.runIds).toHaveLength(1);
    expect(sentIn(model.requests.at(-1))).toContain('USER_INPUT\n- forNodeId: step-01\n1');
  });

  it('[V17] starting a run from the menu ends the turn of the thread', async () => {
    const model = createScriptedModel(['hang', 'Which?']);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    const threadTurn = rig.session.input('tell me a long story');
    await waitFor(rig, 'turn.started');
    await rig.session.input('/menu');
    expect(await rig.session.input('go')).toMatchObject({ mode: 'run', reason: { code: 'reply' } });
    await threadTurn;
    expect(rig.session.isRunning).toBe(false);
    expect(rig.session.view.own.reason).toMatchObject({ code: 'stopped' });
  });

  it('[V17] a line is resolved with the agent that is current when its turn in the queue comes', async () => {
    const model = always('I only build.');
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await Promise.all([rig.session.enterAgent({ agent: 'bob' }), rig.session.input('check')]);
    expect(codes(rig)).toEqual([]);
    expect(rig.eventsOf('command.resolved')).toEqual([]);
    expect(sentIn(model.requests[0])).toContain('USER_INPUT\ncheck');
  });
});

describe('an open menu', () => {
  it('[V17] is closed by other input to the run: the next number goes to the run', async () => {
    const model = always('Pick 1 or 4.');
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('go');
    await rig.session.input('/menu');
    await rig.session.input('the readme please');
    expect(await rig.session.input('4')).toMatchObject({ mode: 'run' });
    expect(sentIn(model.requests[2])).toContain('USER_INPUT\n- forNodeId: step-01\n4');
    expect((await rig.reload()).view.state).toEqual(rig.session.view.state);
  });

  it('[V17] is closed by an answer', async () => {
    const model = createScriptedModel([ASK, 'Thanks.', 'Four, then.']);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('go');
    await rig.session.input('/menu');
    await rig.session.input('the second one');
    expect(rig.eventsOf('question.answered').map(({ answers }) => answers)).toEqual([
      { key: 'the second one' },
    ]);
    expect(await rig.session.input('4')).toMatchObject({ mode: 'run' });
  });

  it('lines below an ambiguous name are sent with the item that is chosen', async () => {
    const model = createScriptedModel(['No gaps.', 'Sure.']);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('many\nOnly the story 1-2.');
    expect(model.requests).toEqual([]);
    const again = await rig.reopen();
    await again.session.input('11.1');
    expect(sentIn(model.requests[0])).toContain('USER_INPUT\nOnly the story 1-2.');
    await again.session.input('check');
    expect(sentIn(model.requests[1]).split('Only the story 1-2.')).toHaveLength(2);
  });
});

describe('pending requests of the thread', () => {
  const ways = [
    ['a script', ['/menu', 'review'], { mode: 'run' }],
    ['an action', ['/menu', 'check'], { mode: 'agent' }],
    ['a run', ['/menu', 'go'], { mode: 'run' }],
    ['nobody', ['/dismiss', 'hello to nobody'], { mode: 'chat' }],
  ] as const;
  for (const [what, inputs, expected] of ways) {
    it(`[V17] a question ends when the person switches to ${what}`, async () => {
      const model = createScriptedModel((_, index) => (index === 0 ? ASK : 'Fine.'));
      const rig = await createDiskSessionRig({ package: threadPackage(), model });
      expect(await rig.session.input('hello you there')).toMatchObject({ reason: { code: 'question' } });
      for (const input of inputs.slice(0, -1)) await rig.session.input(input);
      const stop = await rig.session.input(inputs.at(-1) ?? '');
      expect(stop).toMatchObject({ ...expected, phase: 'WaitingUser', reason: { code: 'reply' } });
      expect(codes(rig)).toEqual([]);
      expect(answersOf(rig)).toEqual(['ENGINE_ABORTED']);
      expect(rig.session.view.own.pending).toBeUndefined();
      await expect(rig.session.answer({ key: 'late' })).rejects.toMatchObject({ code: 'RUN_NOT_READY' });
    });
  }

  it('[V17] a question of a script ends with the script: the next number chooses from the menu', async () => {
    const model = createScriptedModel([ASK, 'No gaps.']);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('review');
    expect(await rig.session.input('/stop')).toMatchObject({ mode: 'agent' });
    await rig.session.input('4');
    expect(rig.eventsOf('command.resolved').map(({ input }) => input)).toEqual(['review', '/stop', '4']);
    expect(rig.eventsOf('question.answered')).toEqual([]);
  });

  it('[V17] a change that was not approved is not made after leaving the agent', async () => {
    const model = createScriptedModel([write('@project/README.md'), 'Hello.']);
    const rig = await createDiskSessionRig({ package: threadPackage(), model, settings: ASKING });
    expect(await rig.session.input('change it')).toMatchObject({ reason: { code: 'approval' } });
    await rig.session.input('/dismiss');
    expect(await rig.session.input('hello chat')).toMatchObject({ mode: 'chat', reason: { code: 'reply' } });
    expect(codes(rig)).toEqual([]);
    expect(await readFile(join(rig.project, 'README.md'), 'utf8')).toBe('# Project\n');
  });
});

describe('consent and approvals', () => {
  const items = [
    { trigger: 'summary', description: 'Show a summary', action: 'run.allow-change' },
    { trigger: 'allow', description: 'Show a summary' },
  ];
  for (const item of items) {
    it(`[V29] an item "${item.trigger}" of a package is not a consent`, async () => {
      const model = createScriptedModel([...WHOLE_RUN, setNote('late'), 'Not allowed.']);
      const rig = await createDiskSessionRig({ package: withMenuItem(item), model });
      await rig.session.input('go');
      await rig.session.input('/menu');
      await rig.session.input(item.trigger);
      await rig.session.input('now change it');
      expect(rig.eventsOf('consent.given')).toEqual([]);
      expect(await rig.stateText()).not.toContain('late');
    });
  }

  it('[V29] a consent is used up by its change, even if the process died before recording it', async () => {
    const model = createScriptedModel([...WHOLE_RUN, setNote('one'), 'Did it.', setNote('two'), 'Again?']);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('go');
    await rig.session.input('/allow');
    await rig.session.input('now');
    await cutLog(rig, activePathsOf(rig).log, (lines) =>
      lines.findLastIndex((line) => line.includes('"state.changed"')),
    );
    const again = await rig.reopen();
    await again.session.input('once more');
    expect(answersOf(again).at(-1)).toBe('STATE_CHANGE_REQUIRES_CONFIRMATION');
    expect(await rig.stateText()).toContain('note: one');
  });

  it('[S13] an unused consent ends with the next turn that is answered without it', async () => {
    const model = createScriptedModel([
      ...WHOLE_RUN,
      'All is well.',
      setNote('late'),
      'Not allowed.',
      call('ui_ask_user', { questions: [{ id: 'sure', prompt: 'Sure?', type: 'confirm' }] }),
      setNote('sure'),
      'Did it.',
    ]);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('go');
    await rig.session.input('/allow');
    await rig.session.input('is all well?');
    await rig.session.input('now');
    expect(answersOf(rig).at(-1)).toBe('STATE_CHANGE_REQUIRES_CONFIRMATION');
    await rig.session.input('/allow');
    await rig.session.input('now, after asking');
    const again = await rig.reopen();
    await again.session.input('yes');
    expect(answersOf(again).at(-1)).toBe('ok');
  });

  it('[S12] an artifact that the model adds in another spelling is not an external change', async () => {
    const add = call('fs_apply_patch', {
      path: '@state/workflow.md',
      patches: [
        {
          operation: 'updateFrontmatter',
          update: { artifacts: { append: ['@project/artifacts/a.md', 'artifacts/a.md'] } },
        },
      ],
    });
    const model = createScriptedModel([
      call('fs_write', { path: 'artifacts/a.md', content: 'a' }),
      add,
      'Written.',
      'Well.',
    ]);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('go');
    const again = await rig.reopen();
    await again.session.input('and now?');
    const changes = [...rig.eventsOf('state.changed'), ...again.eventsOf('state.changed')];
    expect(changes.filter(({ isWhole }) => isWhole)).toEqual([]);
    expect((await rig.stateText()).match(/artifacts\/a\.md/g)).toHaveLength(1);
  });

  it('[V29] a link to the state document counts as the state document', async () => {
    const model = createScriptedModel([...WHOLE_RUN, setNote('late', '@state/alias.md'), 'Not allowed.']);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('go');
    const { state } = activePathsOf(rig);
    await symlink('workflow.md', join(state, 'alias.md'));
    const before = await rig.stateText();
    await rig.session.input('write the alias');
    expect(answersOf(rig).at(-1)).toBe('STATE_CHANGE_REQUIRES_CONFIRMATION');
    expect(await rig.stateText()).toBe(before);
  });

  it('[V29] an approval for a node, given outside of nodes, ends with the next input', async () => {
    const model = createScriptedModel([
      write('@project/a.md'),
      write('@project/b.md'),
      'Both.',
      write('@project/c.md'),
    ]);
    const rig = await createDiskSessionRig({ package: threadPackage(), model, settings: ASKING });
    await rig.session.input('write two');
    expect(await rig.session.approve({ decision: 'node', reach: 'all' })).toMatchObject({
      reason: { code: 'reply' },
    });
    expect(await rig.session.input('and another')).toMatchObject({ reason: { code: 'approval' } });
  });

  it('[V29] a permanent approval ends with the agent it was given to, also in another process', async () => {
    const model = createScriptedModel([
      write('@project/a.md'),
      'One.',
      write('@project/b.md'),
      'Two.',
      write('@project/c.md'),
    ]);
    const rig = await createDiskSessionRig({ package: threadPackage(), model, settings: ASKING });
    await rig.session.input('write one');
    await rig.session.approve({ decision: 'run', reach: 'all' });
    const again = await rig.reopen();
    expect(await again.session.input('write another')).toMatchObject({ reason: { code: 'reply' } });
    await again.session.enterAgent({ agent: 'bob' });
    expect(await again.session.input('and you, bob?')).toMatchObject({ reason: { code: 'approval' } });
  });
});

describe('after a crash', () => {
  it('[V17] a script that was entered continues with its data and its instruction', async () => {
    const model = always('Which?');
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('review');
    const again = await dieAfter(rig, 'script.entered');
    expect(again.session.mode).toBe('run');
    expect(await again.session.input('/resume')).toMatchObject({ mode: 'run', reason: { code: 'reply' } });
    expect(sentIn(model.requests.at(-1))).toContain('Mind the gap.');
    expect(sentIn(model.requests.at(-1)).split('SCRIPT_DIRECTIVE\n')).toHaveLength(2);
  });

  it('[V35] an action that was queued is executed', async () => {
    const model = always('No gaps.');
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('check\nOnly the story 1-2.');
    const again = await dieAfter(rig, 'errands.queued');
    await again.session.resume();
    expect(sentIn(model.requests.at(-1))).toContain('- action: #check');
    expect(sentIn(model.requests.at(-1))).toContain('Only the story 1-2.');
  });

  it('[V32] the agent learns the result of a run that was left', async () => {
    const model = always('Which?');
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('go');
    await rig.session.input('/stop');
    const again = await dieAfter(rig, 'run.left');
    await again.session.input('how did it go, tell me');
    expect(sentIn(model.requests.at(-1))).toContain('RUN_NOTE\n- workflow: ');
  });

  it('[V28] /resume finds a run that was created but not entered, with all its inputs', async () => {
    const model = createScriptedModel(['Which?']);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    const going = rig.session.input('go-data\nStart with the second one.');
    await waitFor(rig, 'command.resolved');
    await rig.session.stop();
    await going;
    const again = await dieAfter(rig, 'command.resolved');
    expect(again.session.view.state.runIds).toEqual([]);
    expect(await again.session.input('/resume')).toMatchObject({ mode: 'run', reason: { code: 'reply' } });
    expect(sentIn(model.requests[0])).toContain('Sign out');
    expect(sentIn(model.requests[0])).toContain('Start with the second one.');
    const { view } = await again.reload();
    expect(toWorkItems(view)).toEqual(toWorkItems(again.session.view));
  });

  it('[A12] a conversation in the middle of a turn waits and is reported as interrupted', async () => {
    const rig = await createDiskSessionRig({ package: threadPackage(), model: always('Hello.') });
    await rig.session.input('hello you there');
    const again = await dieAfter(rig, 'turn.started');
    expect(await again.session.stop()).toMatchObject({
      phase: 'WaitingUser',
      reason: { code: 'interrupted' },
    });
    expect((await again.reload()).record).toMatchObject({
      phase: 'WaitingUser',
      reason: { code: 'interrupted' },
    });
    expect(await again.session.input('/resume')).toMatchObject({ reason: { code: 'reply' } });
  });

  it('[V34] damage found on opening is shown live and after a reload', async () => {
    const model = createScriptedModel([write('@project/a.md'), 'Done.']);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('write a file');
    await rig.session.close();
    const { journal } = rig.paths;
    for (const name of await readdir(journal)) {
      if (!name.endsWith('.jsonl')) continue;
      const file = join(journal, name);
      await writeFile(file, `garbage\n${await readFile(file, 'utf8')}`);
    }
    const again = await rig.reopen();
    const shown = toWorkItems(again.session.view);
    expect(shown.map(({ item }) => item.kind)).toContain('notice');
    expect(toWorkItems((await again.reload()).view)).toEqual(shown);
  });
});

describe('a run that cannot be opened', () => {
  const issues = [
    ['is gone', removeRun, 'RUN_NOT_FOUND'],
    ['is in other hands', holdRun, 'RUN_LOCKED'],
  ] as const;
  for (const [what, harm, code] of issues) {
    it(`[V28] because it ${what} can be left, and input to it is returned`, async () => {
      const model = always('Which?');
      const rig = await createDiskSessionRig({ package: threadPackage(), model });
      await rig.session.input('go');
      await rig.session.close();
      await harm(rig);
      const again = await rig.reopen();
      const said = await again.session.input('words that were typed once');
      expect(said).toMatchObject({ mode: 'run', refusal: { code } });
      expect(await again.session.input('/stop')).toMatchObject({ mode: 'agent' });
      expect(await again.session.input('hello you there')).toMatchObject({ reason: { code: 'reply' } });
      expect(again.bugs).toEqual([]);
    });
  }

  it('[V17] no run is created if the project folder is missing', async () => {
    const rig = await createDiskSessionRig({ package: threadPackage(), model: always('Which?') });
    await rename(rig.project, `${rig.project}-away`);
    const stop = await rig.session.input('go');
    expect(stop).toMatchObject({ mode: 'agent', refusal: { code: 'FOLDER_NOT_FOUND' } });
    expect(await readdir(rig.store.worksFolder(rig.session.record.projectId, true)).catch(() => [])).toEqual(
      [],
    );
    await rename(`${rig.project}-away`, rig.project);
    expect(await rig.session.input('go')).toMatchObject({ mode: 'run', reason: { code: 'reply' } });
  });

  it('[V17] a run is deleted if the project folder disappears while it is created', async () => {
    const rig = await createDiskSessionRig({ package: threadPackage(), model: always('Which?') });
    await rig.session.close();
    const onSettings = () => rename(rig.project, `${rig.project}-away`);
    const { session } = await openCounted(rig, { onSettings });
    const stop = await session.input('go');
    expect(stop).toMatchObject({ mode: 'agent', refusal: { code: 'FOLDER_NOT_FOUND' } });
    expect(await readdir(rig.store.worksFolder(session.record.projectId, true))).toEqual([]);
  });

  it('[L42] no event contains a path of the machine, whatever went wrong', async () => {
    const model = createScriptedModel((_, index) => (index === 0 ? write('@project/a.md') : 'Which?'));
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('write a file');
    await rig.session.input('go');
    await rig.session.input('/stop');
    await rename(rig.project, `${rig.project}-away`);
    for (const line of ['/resume', 'go', '/undo', 'review', 'lost', 'words to nobody in particular'])
      await rig.session.input(line);
    await rig.session.startWorkflow({ package: rig.packageFolder }).catch(onlyCrewErrors);
    await rename(`${rig.project}-away`, rig.project);
    await rig.session.setModel({ model: 'other' });
    await rig.session.enterAgent({ package: rig.packageFolder, agent: 'bob' });
    expect(codes(rig)).toContain('FOLDER_NOT_FOUND');
    const logs = await readFile(rig.paths.log, 'utf8');
    for (const path of [rig.project, rig.store.root, rig.packageFolder]) {
      const written = JSON.stringify(path).slice(1, -1);
      expect(JSON.stringify(rig.events)).not.toContain(written);
      expect(logs).not.toContain(written);
    }
  });
});

describe('rejected input', () => {
  it('[V35] comes back with the reason and is not stored', async () => {
    const model = createScriptedModel([write('@project/README.md'), 'Fine.', 'I see.']);
    const rig = await createDiskSessionRig({ package: threadPackage(), model, settings: ASKING });
    await rig.session.input('change it');
    const stop = await rig.session.input('my precious words');
    expect(stop).toMatchObject({ reason: { code: 'approval' }, refusal: { code: 'RUN_NOT_READY' } });
    expect(stop.refusal?.message).toContain('approval');
    const log = rig.paths.log;
    expect(await readFile(log, 'utf8')).not.toContain('precious');
    expect(await rig.session.approve({ decision: 'no' })).not.toHaveProperty('refusal');
    expect(await rig.session.input('my precious words')).not.toHaveProperty('refusal');
    expect(await readFile(log, 'utf8')).toContain('precious');
  });

  it('[V28] /undo continues with the change before one that conflicts with later edits', async () => {
    const model = createScriptedModel([write('@project/a.md'), write('@project/b.md'), 'Done.']);
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await rig.session.input('write two files');
    await writeFile(join(rig.project, 'b.md'), 'mine');
    await rig.session.input('/undo');
    await rig.session.input('/undo');
    const undone = rig.eventsOf('changes.undone').flatMap(({ files }) => files);
    expect(undone.map(({ path, outcome }) => `${path} ${outcome}`)).toEqual([
      '@project/b.md conflict',
      '@project/a.md deleted',
    ]);
    expect(await readFile(join(rig.project, 'b.md'), 'utf8')).toBe('mine');
  });
});

function withMenuItem(item: Record<string, unknown>): Record<string, string> {
  const files = threadPackage();
  const agents = JSON.parse(files['agents.json'] ?? '') as { agents: { menu?: unknown[] }[] };
  agents.agents[0]?.menu?.push(item);
  return { ...files, 'agents.json': JSON.stringify(agents) };
}

function activeRunOf({ session: { record, view } }: DiskSessionRig): RunAddress {
  return { projectId: record.projectId, workId: view.state.activeRunId ?? '', isRun: true };
}

function activePathsOf(rig: DiskSessionRig): WorkPaths {
  return rig.store.work(activeRunOf(rig));
}

async function removeRun(rig: DiskSessionRig): Promise<void> {
  await removeTree(activePathsOf(rig).folder);
}

/** Locks the Work until the end of the test, as another process would. */
async function holdRun(rig: DiskSessionRig): Promise<void> {
  const lock = await takeWorkLock(rig.store, activeRunOf(rig));
  onTestFinished(() => lock.release());
}

/** Reopens a conversation as it is on disk after its process died right after storing such an event. */
async function dieAfter(rig: DiskSessionRig, type: RunEvent['type']): Promise<DiskSessionRig> {
  const { log } = rig.paths;
  await cutLog(rig, log, (lines) => lines.findIndex((line) => line.includes(`"${type}"`)) + 1);
  return rig.reopen();
}

async function cutLog(
  rig: DiskSessionRig,
  log: string,
  lengthOf: (lines: readonly string[]) => number,
): Promise<void> {
  await rig.session.close();
  const lines = (await readFile(log, 'utf8')).trimEnd().split('\n');
  const length = lengthOf(lines);
  expect(length).toBeGreaterThan(0);
  await writeFile(log, `${lines.slice(0, length).join('\n')}\n`);
}

function onlyCrewErrors(error: unknown): void {
  if (!(error instanceof CrewError)) throw error;
}
