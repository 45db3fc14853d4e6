import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRunLog } from '../store/disk/log/run-log.ts';
import { withoutApproval } from '../store/project-store.ts';
import { call, createScriptedModel, finish } from '../testing/models/scripted-model.ts';
import { diskRigFor } from '../testing/rigs/branching-run.ts';
import type { DiskRunRig } from '../testing/rigs/run-rig.ts';

const ASK = {
  calls: [
    { name: 'fs_list', arguments: { path: '@project' } },
    {
      name: 'ui_ask_user',
      arguments: {
        questions: [
          { id: 'name', prompt: 'Which name?', type: 'text' },
          { id: 'kind', prompt: 'Which kind?', type: 'choice', options: ['red', 'blue'] },
        ],
      },
    },
    { name: 'fs_write', arguments: { path: 'artifacts/after.md', content: 'after' } },
  ],
};

describe('questions', () => {
  it('[L20] suspend the round; the answer is the result, and the following calls are executed', async () => {
    const model = createScriptedModel([ASK, 'Thanks.']);
    const rig = await diskRigFor([], { model });
    expect(await rig.engine.start()).toMatchObject({
      phase: 'WaitingUser',
      reason: { code: 'question', details: { prompt: 'Which name?' } },
    });
    expect(rig.types().at(-2)).toBe('question.asked');
    expect(rig.types()).not.toContain('artifact.written');
    await rig.engine.answer({ name: 'Ada', kind: 'blue' });
    const contents = (model.requests[1]?.messages ?? []).slice(-2).map(({ content }) => String(content));
    expect(JSON.parse(contents[0] ?? '')).toEqual({ ok: true, answers: { name: 'Ada', kind: 'blue' } });
    expect(contents[1]).toContain('after.md');
  });

  it('[L8] that are skipped are reported to the model separately from the answers', async () => {
    const model = createScriptedModel([ASK, 'Thanks.']);
    const rig = await diskRigFor([], { model });
    await rig.engine.start();
    await rig.engine.answer({ name: null, kind: 'something else' });
    const [content] = (model.requests[1]?.messages ?? []).slice(-2).map((message) => String(message.content));
    expect(JSON.parse(content ?? '')).toEqual({
      ok: true,
      answers: { kind: 'something else' },
      skipped: ['name'],
    });
  });

  it('[T40] with a text to read wait until the files of the reply are written; the state does not change before', async () => {
    const body = '# Draft\n\nOne.';
    const [list, ask, write] = ASK.calls.map(({ name, arguments: args }) => ({
      name,
      arguments: name === 'ui_ask_user' ? { ...args, body } : args,
    }));
    const [finishing] = finish('step-01', 'decide-02').calls ?? [];
    const calls = [list, ask, write, finishing].filter((one) => one !== undefined);
    const model = createScriptedModel([{ calls }, 'Thanks.']);
    const rig = await diskRigFor([], { model });
    await rig.engine.start();
    expect(rig.eventsOf('tool.ended').map(({ name }) => name)).toEqual(['fs.list', 'fs.write']);
    const again = await rig.reopen();
    expect(again.engine.memory.pending).toMatchObject({
      questions: [{ id: 'name', body }, { id: 'kind' }],
    });
    await again.engine.answer({ name: 'Ada', kind: 'blue' });
    expect(again.eventsOf('state.changed').at(-1)).toMatchObject({ to: 'decide-02' });
    expect(model.requests).toHaveLength(2);
  });

  it('[T40] get one text for all of them as such', async () => {
    for (const answer of ['say', 'answer'] as const) {
      const model = createScriptedModel([ASK, 'Thanks.']);
      const rig = await diskRigFor([], { model });
      await rig.engine.start();
      await (answer === 'say' ? rig.engine.say('As you like.') : rig.engine.answer({ '*': 'As you like.' }));
      const [content] = (model.requests[1]?.messages ?? [])
        .slice(-2)
        .map((message) => String(message.content));
      expect(JSON.parse(content ?? '')).toEqual({
        ok: true,
        text: 'As you like.',
        note: 'one answer to all questions',
      });
    }
    const model = createScriptedModel([ASK, 'Thanks.']);
    const rig = await diskRigFor([], { model });
    await rig.engine.start();
    expect(() => rig.engine.answer({ '*': ' ' })).toThrow(/is empty/);
    await rig.engine.answer({ kind: 'red', '*': 'Any name.' });
    const [content] = (model.requests[1]?.messages ?? []).slice(-2).map((message) => String(message.content));
    expect(JSON.parse(content ?? '')).toEqual({
      ok: true,
      answers: { kind: 'red' },
      text: 'Any name.',
      note: 'one answer to the other questions',
    });
  });

  it('[L20] can be answered in another process', async () => {
    const model = createScriptedModel([ASK, 'Thanks.']);
    const first = await diskRigFor([], { model });
    await first.engine.start();
    const second = await first.reopen();
    expect(second.engine.memory.pending).toMatchObject({
      kind: 'question',
      questions: [{ id: 'name' }, { id: 'kind' }],
    });
    expect(await second.engine.resume()).toMatchObject({ reason: { code: 'question' } });
    const third = await second.reopen();
    expect(await third.engine.answer({ name: 'Ada', kind: 'red' })).toMatchObject({
      reason: { code: 'reply' },
    });
    expect(model.requests).toHaveLength(2);
    expect(third.eventsOf('tool.ended').map(({ name }) => name)).toEqual(['ui.ask_user', 'fs.write']);
  });

  it.each([
    [{ name: 'Ada' }, /"kind" is missing/],
    [{ name: 'Ada', kind: '9' }, /"kind" must be "red" or "blue"/],
    [{ name: 7, kind: 'red' }, /"name" is missing/],
    [{ name: 'Ada', kind: 'red', other: 1 }, /no question "other"/],
  ])('[L20] reject the invalid answer %j without changes', async (answers, message) => {
    const rig = await diskRigFor([ASK]);
    await rig.engine.start();
    const before = rig.events.length;
    expect(() => rig.engine.answer(answers)).toThrow(message);
    expect(rig.events).toHaveLength(before);
    expect(rig.engine.memory.pending).toMatchObject({ kind: 'question' });
  });

  it('[L20] take a typed message as the answer', async () => {
    const one = await diskRigFor([
      call('ui_ask_user', { questions: [{ id: 'go', prompt: 'Go?', type: 'confirm' }] }),
      'Good.',
    ]);
    await one.engine.start();
    await one.engine.say('yes');
    expect(one.eventsOf('question.answered')).toMatchObject([{ answers: { go: true } }]);
    const several = await diskRigFor([ASK, 'And which kind?']);
    await several.engine.start();
    await several.engine.say('Ada');
    expect(several.eventsOf('question.answered')).toMatchObject([{ answers: { '*': 'Ada' } }]);
  });

  it('[L20] reject an answer that was not asked for', async () => {
    const rig = await diskRigFor(['Hello.']);
    await rig.engine.start();
    expect(() => rig.engine.answer({ a: 1 })).toThrow(/has not asked anything/);
    expect(() => rig.engine.approve({ decision: 'once' })).toThrow(/nothing waits for an approval/);
  });
});

describe('approvals', () => {
  const write = (path: string, content: string) => call('fs_write', { path, content });
  const ask = { settings: { tools: { approval: 'ask' } } };
  const notes = (rig: DiskRunRig): Promise<string> => readFile(join(rig.project, 'notes.md'), 'utf8');

  it('[T24] a denial because nobody is there says so, and not that the user denied it', async () => {
    const model = createScriptedModel([write('notes.md', 'new\n'), 'I see.']);
    const rig = await diskRigFor([], { model, settings: { tools: { approval: 'ask' } } });
    await rig.engine.start();
    await rig.engine.approve({ decision: 'no', note: 'Continue without it.', speaker: 'flag' });
    const [ended] = rig.eventsOf('tool.ended');
    expect(ended?.message).toBe(
      'The change to "@project/notes.md" was not made: nobody is here to approve it. Continue without it.',
    );
  });

  it('[L21] show the exact diff; approval makes the change', async () => {
    const rig = await diskRigFor([write('notes.md', 'new\n'), 'Done.'], {
      ...ask,
      project: { 'notes.md': 'old\n' },
    });
    expect(await rig.engine.start()).toMatchObject({
      phase: 'WaitingUser',
      reason: { code: 'approval', details: { tool: 'fs.write', path: '@project/notes.md' } },
    });
    expect(rig.eventsOf('approval.requested')).toMatchObject([
      { action: { preview: { kind: 'diff', text: expect.stringContaining('-old\n+new') as string } } },
    ]);
    expect(await notes(rig)).toBe('old\n');
    expect(() => rig.engine.say('yes')).toThrow(/waits for an approval/);
    await rig.engine.approve({ decision: 'once' });
    expect(await notes(rig)).toBe('new\n');
  });

  it('[T22] are not requested for an ambiguous call', async () => {
    const twice = '{"path":"readme.md","content":"new\\n","path":"notes.md"}';
    const model = createScriptedModel([call('fs_write', twice), 'I see.']);
    const rig = await diskRigFor([], { model, ...ask, project: { 'notes.md': 'old\n' } });
    await rig.engine.start();
    expect(rig.eventsOf('approval.requested')).toEqual([]);
    expect(rig.eventsOf('tool.started')[0]?.path).toBeUndefined();
    expect(model.requests[1]?.messages.at(-1)?.content).toMatch(/TOOL_ARGS_INVALID.*\\"path\\" twice/);
    expect(await notes(rig)).toBe('old\n');
  });

  it('[T22] show one path, like their calls, even if another one precedes it in the arguments', async () => {
    const args = '{"patches":[{"find":"\\"path\\": \\"x\\"","replace":"old"}],"p\\u0061th":"no\\/tes.md"}';
    const rig = await diskRigFor([call('fs_apply_patch', args), 'Done.'], {
      ...ask,
      project: { 'no/tes.md': '"path": "x"\n' },
    });
    await rig.engine.start();
    expect(rig.eventsOf('tool.started')).toMatchObject([{ path: 'no/tes.md' }]);
    expect(rig.eventsOf('approval.requested')).toMatchObject([{ action: { target: '@project/no/tes.md' } }]);
  });

  it('[L21] that are denied return the note to the model', async () => {
    const model = createScriptedModel([write('notes.md', 'new\n'), 'I see.']);
    const rig = await diskRigFor([], { model, ...ask, project: { 'notes.md': 'old\n' } });
    await rig.engine.start();
    await rig.engine.approve({ decision: 'no', note: 'Ask the team first.' });
    expect(model.requests[1]?.messages.at(-1)?.content).toMatch(/TOOL_REFUSED.*Ask the team first\./);
    expect(await notes(rig)).toBe('old\n');
  });

  it('[L21] survive a restart, and are requested again if the file changed meanwhile', async () => {
    const first = await diskRigFor([write('notes.md', 'new\n'), 'Done.'], {
      ...ask,
      project: { 'notes.md': 'old\n' },
    });
    await first.engine.start();
    const second = await first.reopen();
    await writeFile(join(second.project, 'notes.md'), 'mine\n');
    expect(await second.engine.approve({ decision: 'once' })).toMatchObject({ reason: { code: 'approval' } });
    expect(await notes(second)).toBe('mine\n');
    expect(second.eventsOf('approval.requested')).toMatchObject([
      { action: { preview: { text: expect.stringContaining('-mine\n+new') as string } } },
    ]);
    const third = await second.reopen();
    await third.engine.approve({ decision: 'once' });
    expect(await notes(third)).toBe('new\n');
  });

  it.each([
    ['once', ['approval', 'approval', 'approval']],
    ['node', ['approval', 'approval']],
    ['run', ['approval']],
  ] as const)('[L21] %s holds as long as it says', async (decision, asked) => {
    const rig = await diskRigFor(
      [write('a.md', '1'), write('b.md', '2'), finish('step-01', 'decide-02'), write('c.md', '3'), 'Done.'],
      ask,
    );
    let stop = await rig.engine.start();
    const seen: (string | undefined)[] = [];
    while (stop.reason?.code === 'approval') {
      seen.push(stop.reason.code);
      stop = await rig.engine.approve({ decision, reach: 'all' });
    }
    expect(seen).toEqual(asked);
    expect(await readFile(join(rig.project, 'c.md'), 'utf8')).toBe('3');
  });

  it.each([
    ['file', ['docs/a.md', 'docs/b.md', 'docs/deep/c.md', 'docs-too/d.md', 'e.md']],
    ['folder', ['docs/a.md', 'docs-too/d.md', 'e.md']],
    ['all', ['docs/a.md']],
  ] as const)('[L21] for this run and %s it holds for these files and no other', async (reach, asked) => {
    const patch = call('fs_apply_patch', {
      path: 'docs/a.md',
      patches: [{ operation: 'replace', find: '1', replace: '2' }],
    });
    const rig = await diskRigFor(
      [
        write('docs/a.md', '1'),
        patch,
        ...['docs/b.md', 'docs/deep/c.md', 'docs-too/d.md', 'e.md'].map((path) => write(path, '1')),
        'Done.',
      ],
      ask,
    );
    let stop = await rig.engine.start();
    const seen: string[] = [];
    while (stop.reason?.code === 'approval') {
      seen.push(String(stop.reason.details?.path).replace('@project/', ''));
      stop = await rig.engine.approve(
        seen.length === 1 ? { decision: 'run', reach, by: 'Ben' } : { decision: 'once' },
      );
    }
    expect(seen).toEqual(asked);
    expect(await readFile(join(rig.project, 'docs/a.md'), 'utf8')).toBe('2');
    expect(rig.eventsOf('approval.resolved')[0]).toMatchObject({ decision: 'run', reach, by: 'Ben' });
    expect(
      rig.eventsOf('approval.resolved').filter(({ decision }) => decision === 'once'),
    ).not.toContainEqual(expect.objectContaining({ reach: expect.anything() as unknown }));
  });

  it('[L21] an approved change is never made twice automatically', async () => {
    const append = call('fs_write', { path: 'notes.md', content: 'B\n', mode: 'append' });
    const model = createScriptedModel([append, 'I look.']);
    const first = await diskRigFor([], { model, ...ask, project: { 'notes.md': 'A\n' } });
    await first.engine.start();
    const log = first.paths.log;
    const isMade = new Promise<string>((resolve) => {
      first.engine.subscribe((event) => {
        // Like after a kill right after the write.
        if (event.type === 'tool.ended') resolve(readFileSync(log, 'utf8'));
      });
    });
    await first.engine.approve({ decision: 'run' });
    const lines = (await isMade).trimEnd().split('\n');
    await first.close();
    await writeFile(log, `${lines.slice(0, -1).join('\n')}\n`);
    const later = createScriptedModel(['I look.']);
    const second = await first.reopen(later);
    await second.engine.resume();
    expect(await notes(second)).toBe('A\nB\n');
    expect(JSON.stringify(later.requests[0]?.messages)).toContain('look whether it took effect');
  });

  it('an approval for the whole run is not one where the run was moved to', async () => {
    const append = call('fs_write', { path: '@project/notes.md', mode: 'append', content: 'B\n' });
    const model = createScriptedModel([append, 'Done.']);
    const first = await diskRigFor([], { model, ...ask, project: { 'notes.md': 'A\n' } });
    await first.engine.start();
    await first.engine.approve({ decision: 'run' });
    await first.close();
    const log = await openRunLog({
      file: first.paths.log,
      runId: first.record.workId,
      now: () => new Date(),
    });
    log.append({ type: 'work.moved', by: 'Ada' });
    await log.close();
    const second = await first.reopen(createScriptedModel([append, 'Done.']));
    const stop = await second.engine.say('Again.');
    expect(stop.reason?.code).toBe('approval');
  });

  it('[L20] an answer that was given survives a restart', async () => {
    const question = call('ui_ask_user', { questions: [{ id: 'q', prompt: 'Which?', type: 'text' }] });
    const model = createScriptedModel([question, 'Thanks.']);
    const first = await diskRigFor([], { model });
    await first.engine.start();
    await first.close();
    const log = await openRunLog({
      file: first.paths.log,
      runId: first.record.workId,
      now: () => new Date(),
    });
    const callId = first.eventsOf('question.asked')[0]?.callId ?? '';
    log.append({ type: 'question.answered', callId, answers: { q: 'this one' } });
    await log.close();
    const later = createScriptedModel(['Thanks.']);
    const second = await first.reopen(later);
    expect(() => second.engine.answer({ q: 'another' })).toThrow(/has not asked anything/);
    await second.engine.say('Please go on.');
    const sent = JSON.stringify(later.requests[0]?.messages);
    expect(sent).toContain('this one');
    expect(sent).toContain('Please go on.');
  });

  it('[L21] "always" applies to this file in every later run of the project, and to no other file', async () => {
    const rig = await diskRigFor([write('a.md', '1'), write('a.md', '2'), write('b.md', '3')], ask);
    await rig.engine.start();
    expect(await rig.engine.approve({ decision: 'always' })).toMatchObject({
      reason: { code: 'approval', details: { path: '@project/b.md' } },
    });
    expect((await rig.store.projects.read(rig.record.projectId)).approvals).toEqual([
      { tool: 'fs.write', path: '@project/a.md', reach: 'file' },
    ]);
  });

  it('[L21] an "always" can be revoked, and the next change is asked about', async () => {
    const rig = await diskRigFor(
      [write('a.md', '1'), write('a.md', '2'), 'Again?', write('a.md', '3'), 'Done.'],
      ask,
    );
    await rig.engine.start();
    expect(await rig.engine.approve({ decision: 'always' })).toMatchObject({ reason: { code: 'reply' } });
    const approval = { tool: 'fs.write', path: '@project/a.md' };
    const revoked = await rig.store.projects.update(rig.record.projectId, (project) =>
      withoutApproval(project, approval),
    );
    expect(revoked.approvals).toEqual([]);
    expect(await rig.engine.say('Again.')).toMatchObject({ reason: { code: 'approval' } });
  });
});

describe('after completion', () => {
  const END = [
    finish('step-01', 'decide-02'),
    finish('decide-02', 'step-03'),
    finish('step-03', 'end-99'),
    finish('end-99'),
    'All done.',
  ];

  it('[L1] a person can continue the conversation, without a node and without state changes', async () => {
    const model = createScriptedModel([
      ...END,
      call('fs_apply_patch', {
        path: '@state/workflow.md',
        patches: [{ operation: 'updateFrontmatter', update: { variables: { set: { late: 1 } } } }],
      }),
      'It cannot be changed.',
    ]);
    const rig = await diskRigFor([], { model });
    await rig.engine.start();
    const state = await rig.stateText();
    expect(await rig.engine.say('Change it.')).toEqual({ phase: 'Completed' });
    const request = model.requests[END.length];
    const [system, user] = request?.messages ?? [];
    expect(system?.content).toContain('is complete');
    expect(user?.content).toMatch(/EARLIER_NODES[\s\S]*RUN_DIRECTIVE[\s\S]*USER_INPUT\nChange it\.$/);
    expect(user?.content).not.toContain('NODE_BRIEF');
    expect(rig.eventsOf('tool.ended').at(-1)).toMatchObject({ code: 'STATE_CHANGE_REQUIRES_CONFIRMATION' });
    expect(await rig.stateText()).toBe(state);
    expect(await rig.engine.resume()).toEqual({ phase: 'Completed' });
    expect(model.requests).toHaveLength(END.length + 2);
  });
});
