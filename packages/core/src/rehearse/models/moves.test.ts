import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  ABORTED,
  enter,
  MISSING,
  ok,
  patchOf,
  REFUSED,
  refuse,
  step,
  TOOLS,
} from '../../testing/rehearsal-scene.ts';

describe('reading', () => {
  it('[K14] reads a step that is not in the anchor once, even if that fails', async () => {
    const scene = enter({ isStepShown: false });
    expect((await scene.next()).calls).toEqual([['fs_read', { path: '@pkg/steps/here.md' }]]);
    await scene.answer(MISSING);
    expect((await scene.next()).calls[0]?.[0]).toBe('fs_apply_patch');
  });

  it('[K14] reads a large step on from its preview in parts of the same length', async () => {
    const scene = enter({ isStepShown: false });
    const text = step('setsVariables: [late]', `${'line\n'.repeat(20)}Then WAIT.`);
    const lines = text.split(/(?<=\n)/);
    const slice = (start: number, end: number): string => lines.slice(start - 1, end).join('');
    await scene.answer(ok({ truncated: true, contentPreview: slice(1, 8), totalLines: lines.length }));
    const { calls } = await scene.next();
    expect(calls.map(([, args]) => [args.startLine, args.endLine])).toEqual([
      [9, 16],
      [17, 24],
      [25, lines.length],
    ]);
    // A stop interrupts one part, which is requested again.
    await scene.answer(ok({ content: slice(9, 16) }), ABORTED, ok({ content: slice(25, lines.length) }));
    expect((await scene.next()).calls).toEqual([
      ['fs_read', { path: '@pkg/steps/here.md', startLine: 17, endLine: 24 }],
    ]);
    await scene.answer(ok({ content: slice(17, 24) }));
    expect((await scene.next()).calls[0]?.[0]).toBe('ui_ask_user');
  });

  it('[K14] reads at most eight parts of a huge step', async () => {
    const scene = enter({ isStepShown: false });
    await scene.answer(ok({ truncated: true, contentPreview: 'a\nb\n', totalLines: 1_000_000 }));
    expect((await scene.next()).calls).toHaveLength(8);
  });

  it('[K14] does not look for a file whose path is nothing but a placeholder of its own', async () => {
    const inputs = ['rehearsal-status-path', 'a.md'];
    const variables = { statusPath: 'rehearsal-status-path' };
    const { calls } = await enter({ inputs, variables }).next();
    expect(calls.map(([, args]) => args.path)).toEqual(['@project/a.md']);
  });

  it('[K14] reads inputs in one reply, at most eight, and lists folders', async () => {
    const inputs = ['docs/', ...Array.from({ length: 9 }, (_, index) => `docs/${index}.md`)];
    const { calls } = await enter({ inputs }).next();
    expect(calls).toHaveLength(8);
    expect(calls.slice(0, 2)).toEqual([
      ['fs_list', { path: '@project/docs/' }],
      ['fs_read', { path: '@project/docs/0.md', endLine: 80 }],
    ]);
  });

  it('[K1] repeats only the calls that a stop interrupted', async () => {
    const scene = await enter({ inputs: ['a.md', 'b.md'] }).answer(ABORTED, ok({ bytes: 1 }));
    scene.resume();
    expect((await scene.next()).calls).toEqual([['fs_read', { path: '@project/a.md', endLine: 80 }]]);
  });

  it('[K1] ignores an earlier visit to the same node', async () => {
    const scene = await enter({ inputs: ['a.md'] }).answer(ok({ bytes: 1 }));
    scene.leave('other').resume();
    expect((await scene.next()).calls[0]?.[0]).toBe('fs_read');
  });

  it('[K14] reads what the brief omits from the state document', async () => {
    const outcome = await enter({
      variables: { filler: 'x'.repeat(3_000) },
      step: step('setsVariables: [reviewRound]'),
    }).answer(ok({ content: '---\nvariables:\n  reviewRound: 4\n---\n' }));
    expect(patchOf((await outcome.next()).calls)).toMatchObject({ variables: { set: { reviewRound: 5 } } });
  });
});

describe('asking', () => {
  const waits = step('setsVariables: [storyKey, goal]', 'Ask, then WAIT for the answer.');
  const written = step(
    'setsVariables: [goal]',
    'WAIT.\n\n   ```json\n   { "other": 1 }\n   ```\n\n   ```json\n   { "questions": [{ "id": "goal", "type": "choice", "prompt": "Which?", "options": ["a", "b"] }] }\n   ```',
  );

  it('[K14] asks for the first variable, with the title of the step, and says how to give the others', async () => {
    expect((await enter({ step: waits }).next()).calls).toEqual([
      [
        'ui_ask_user',
        {
          body: 'The step sets several values. Write the first one, or each on a line of its own:\n\n```\nstoryKey: …\ngoal: …\n```',
          questions: [
            {
              id: 'storyKey',
              type: 'text',
              prompt: 'The step "The Title" is waiting for your answer. Story key?',
            },
          ],
        },
      ],
    ]);
  });

  it('[K14] asks exactly the questions defined in the step', async () => {
    expect((await enter({ step: written }).next()).calls).toEqual([
      ['ui_ask_user', { questions: [{ id: 'goal', type: 'choice', prompt: 'Which?', options: ['a', 'b'] }] }],
    ]);
  });

  it('[K14] does not ask questions that cannot be answered', async () => {
    const bare = written.replace(', "options": ["a", "b"]', '');
    expect((await enter({ step: bare }).next()).calls[0]?.[1]).toMatchObject({
      questions: [{ id: 'goal', type: 'text' }],
    });
  });

  it('[K14] asks with inputs only if one of them is missing', async () => {
    const found = await enter({ step: waits, inputs: ['a.md'] }).answer(ok({ bytes: 1 }));
    expect((await found.next()).calls[0]?.[0]).toBe('fs_apply_patch');
    const missing = await enter({ step: waits, inputs: ['a.md'] }).answer(MISSING);
    expect((await missing.next()).calls[0]?.[0]).toBe('ui_ask_user');
  });

  it('[K14] recognises WAIT only as a whole word in the body', async () => {
    const quiet = step('title: WAIT', 'Do not AWAIT, do not wait.');
    expect((await enter({ step: quiet }).next()).calls[0]?.[0]).toBe('fs_apply_patch');
  });

  it('[K14] does not repeat a rejected question, but an interrupted one', async () => {
    expect((await (await enter({ step: waits }).answer(REFUSED)).next()).calls[0]?.[0]).toBe(
      'fs_apply_patch',
    );
    expect((await (await enter({ step: waits }).answer(ABORTED)).next()).calls[0]?.[0]).toBe('ui_ask_user');
  });

  it('[K14] without the tool asks in its reply until the person answers', async () => {
    const scene = enter({ step: waits, tools: TOOLS.filter((name) => name !== 'ui_ask_user') });
    expect(await scene.next()).toEqual({
      calls: [],
      say: expect.stringContaining('Story key?') as string,
    });
    await scene.answer();
    scene.resume();
    expect((await scene.next()).calls).toEqual([]);
    await scene.answer();
    scene.resume('1-2 User Login!');
    expect(patchOf((await scene.next()).calls)).toMatchObject({
      variables: { set: { storyKey: '1-2-user-login', goal: 'rehearsal-goal' } },
    });
  });
});

describe('writing', () => {
  const outputs = ['artifacts/a.md', 'artifacts/b/'];

  it('[K14] writes all outputs in one reply, with a file in each output folder', async () => {
    const { calls } = await enter({ outputs }).next();
    expect(calls.map(([name, { path }]) => [name, path])).toEqual([
      ['fs_write', '@project/artifacts/a.md'],
      ['fs_write', '@project/artifacts/b/rehearsal.md'],
    ]);
  });

  it('[K14] does not retry a rejection, and retries another failure once', async () => {
    const scene = await enter({ outputs }).answer(REFUSED, refuse('E_DISK'));
    const again = await scene.next();
    expect(again.calls.map(([, { path }]) => path)).toEqual(['@project/artifacts/b/rehearsal.md']);
    await scene.answer(refuse('E_DISK'));
    expect((await scene.next()).calls[0]?.[0]).toBe('fs_apply_patch');
  });

  it('[K14] says so if nothing may be written', async () => {
    const tools = ['fs_read', 'fs_list', 'ui_ask_user'];
    expect(await enter({ outputs, tools }).next()).toEqual({
      calls: [],
      say: expect.stringContaining('files cannot be written in this mode') as string,
    });
    expect(await enter({ tools }).next()).toEqual({
      calls: [],
      say: expect.stringContaining('cannot continue in this mode') as string,
    });
  });

  it('[K14] continues if only the state document may be written', async () => {
    const { calls } = await enter({ outputs, tools: ['runtime_complete_node'] }).next();
    expect(calls.map(([name]) => name)).toEqual(['runtime_complete_node']);
  });

  it('[K14] marks a placeholder as such and quotes the person verbatim', async () => {
    const scene = enter({
      title: 'Select the story',
      outputs: ['artifacts/a.md'],
      inputs: ['there.md', 'gone.md'],
      step: step('setsVariables: [key]', 'WAIT'),
    });
    await scene.answer(ok({ bytes: 12 }), MISSING);
    await scene.answer(ok({ answers: { key: 'first line\n---\nthird: "line"', sure: true } }));
    expect((await scene.next()).calls[0]?.[1].content).toBe(`# Select the story

This file is from a rehearsal: no model wrote it, and it is a placeholder for a real result.

## Read

- \`@project/there.md\` (12 bytes)
- \`@project/gone.md\` (missing)

## Said by the person

key:

> first line
> ---
> third: "line"

sure:

> true
`);
  });

  it('[K14] does not mention inputs that were not read and answers that were not given', async () => {
    const { calls } = await enter({ title: 'Close', outputs: ['artifacts/a.md'] }).next();
    expect(calls[0]?.[1].content).toBe(`# Close

This file is from a rehearsal: no model wrote it, and it is a placeholder for a real result.
`);
  });

  it('[K14] writes valid files of other types', async () => {
    const names = ['a.json', 'a.jsonl', 'a.yaml', 'a.yml', 'a.csv', 'a.txt', 'LICENSE'];
    const scene = enter({ title: 'Say "hi": {now}, #1', outputs: names.map((name) => `artifacts/${name}`) });
    scene.resume('a "quoted" word,\nand a line');
    const { calls } = await scene.next();
    const [json, jsonl, yaml, yml, csv, txt, plain] = calls.map(([, { content }]) => String(content));
    const facts = { rehearsal: true, title: 'Say "hi": {now}, #1', nodeId: 'here' };
    for (const text of [json, jsonl]) expect(JSON.parse(text ?? '')).toMatchObject(facts);
    for (const text of [yaml, yml]) expect(parse(text ?? '')).toMatchObject(facts);
    expect(jsonl?.trimEnd()).not.toContain('\n');
    expect(csv).toContain('"title","Say ""hi"": {now}, #1"\n');
    expect(csv).toContain('"Without a question","a ""quoted"" word,\nand a line"\n');
    for (const text of [txt, plain]) expect(text).toContain('no model wrote it');
  });

  it('[K14] writes the same content on every visit if a file is both input and output', async () => {
    const scene = { inputs: ['artifacts/log.md'], outputs: ['artifacts/log.md'] };
    const first = await (await enter(scene).answer(MISSING)).next();
    const again = await (await enter(scene).answer(ok({ bytes: 300 }))).next();
    expect(again).toEqual(first);
  });
});
