import { describe, expect, it } from 'vitest';
import { escapeTokens } from '../llm/special-tokens.ts';
import type { ChatMessage, ChatRequest } from '../llm/wire.ts';
import { ALL_HOSTILE, blocksOf, HOSTILE, textOf } from '../testing/hostile-documents.ts';
import { call, createScriptedModel, type ScriptLine } from '../testing/models/scripted-model.ts';
import { first, samplePackage, step, workflow } from '../testing/packages/sample-package.ts';
import { createRunRig } from '../testing/rigs/run-rig.ts';

/** A run in which one text is everything that a text can be: files, names, words of people and of the model, the package. */
async function play(text: string): Promise<readonly ChatRequest[]> {
  const name = text.replace(/[/\0]/g, '∕').slice(0, 60).trim() || 'x';
  const model = createScriptedModel(toScript(text, name), { contextTokens: 2_000_000 });
  const rig = await createRunRig({
    package: hostilePackage(text),
    model,
    project: { 'doc.md': `needle ${text}\n`, 'README.md': text, [`names/${name}`]: 'needle' },
  });
  await rig.engine.start();
  await rig.engine.answer({ q: text });
  await rig.engine.say(text);
  await rig.engine.say(text);
  expect(rig.bugs).toEqual([]);
  expect(rig.engine.memory.state.currentNodeId).toBe('step-02');
  return model.requests;
}

function toScript(text: string, name: string): ScriptLine[] {
  return [
    call('fs_read', { path: 'doc.md' }),
    call('fs_list', { path: 'names' }),
    call('fs_search', { query: 'needle' }),
    // The error names the path, and the tool that does not exist.
    {
      calls: [
        { name: 'fs_read', arguments: { path: text.slice(0, 400) } },
        { name: text.slice(0, 60) || 'x' },
      ],
    },
    call('ui_ask_user', { questions: [{ id: 'q', prompt: text.slice(0, 500) || 'x', type: 'text' }] }),
    // A question: a text that is only a call would be made.
    `${text}\n\nIs that right?`,
    call('fs_write', { path: `artifacts/${name}.md`, content: text }),
    call('runtime_complete_node', {
      nodeId: 'step-01',
      next: 'step-02',
      variables: { note: text.slice(0, 900) },
      carry: text.slice(0, 900),
      decision: { label: 'next', reason: text.slice(0, 400) || 'x' },
    }),
    'What now?',
    'Well.',
  ];
}

/** The author of the package has the text in each place where he may write one. */
function hostilePackage(given: string) {
  const text = given.replaceAll('\0', '');
  const line = text.slice(0, 300) || 'x';
  return samplePackage(
    ({ agents, graph }) => {
      const agent = first(agents.agents);
      agent.persona = { role: line, identity: line, communication_style: line, principles: [line] };
      agent.critical_actions = [line];
      graph.nodes.splice(1, 0, { id: 'step-02', type: 'step', file: 'steps/step-02.md', title: line });
      graph.edges = [
        { from: 'step-01', to: 'step-02', label: 'next', conditionText: line },
        { from: 'step-02', to: 'end-99', label: 'next' },
      ];
    },
    {
      'workflow.md': workflow('variables: {}\ndecisionLog: []\nartifacts: []\n') + text.slice(0, 4_000),
      'steps/step-01.md': step('step-01') + text,
      'steps/step-02.md': step('step-02', 'step', 'roster: true\n') + text,
    },
  );
}

/** A request as a reader sees it: whose turn it is, and which blocks the text has. */
function toShape({ messages }: ChatRequest): string[] {
  return messages.map(({ role, content }) =>
    role === 'user' || role === 'system' ? `${role}: ${blocksOf(content).join(', ')}` : role,
  );
}

const isTool = (message: ChatMessage) => message.role === 'tool';

describe('a request', () => {
  let plain: Promise<readonly ChatRequest[]> | undefined;

  it.each(HOSTILE)(
    '[P60] has the same blocks, and no control tokens, with $name in every place',
    async (document) => {
      const text = textOf(document);
      const requests = await play(text);
      plain ??= play('Plain words.');
      expect(requests.map(toShape)).toEqual((await plain).map(toShape));
      for (const { messages, tools } of requests) {
        const sent = JSON.stringify([messages.map(toSent), tools]);
        expect(escapeTokens(sent)).toBe(sent);
        for (const { content } of messages.filter(isTool))
          expect(JSON.parse(content ?? '')).toMatchObject({ ok: expect.any(Boolean) as boolean });
      }
      const read = requests[1]?.messages.find(isTool)?.content ?? '';
      const [line = ''] = text.split(/[\r\n]/, 1);
      // A file with a null character is binary; long lines are cut.
      if (!text.includes('\0') && text.length < 5_000)
        expect(JSON.stringify(JSON.parse(read))).toContain(JSON.stringify(line).slice(1, -1));
    },
  );

  it('[P60] repeats words of the person within one line after the messages of a node were dropped', async () => {
    const model = createScriptedModel(() => 'Well.');
    const rig = await createRunRig({ package: samplePackage(), model });
    await rig.engine.start();
    await rig.engine.say(ALL_HOSTILE);
    rig.engine.emit({ type: 'context.reset', message: 'x' });
    await rig.engine.say('Go on.');
    const [, sent] = model.requests.at(-1)?.messages ?? [];
    expect(blocksOf(sent?.content ?? '')).toEqual(['EARLIER_IN_THIS_NODE', ...ANCHOR, 'USER_INPUT']);
    expect(sent?.content).toContain('RUNTIME_NOTE');
  });

  it('[P60] has its own blocks only, when words and results of many hostile documents are outlined and summarised', async () => {
    const texts = HOSTILE.map((document) => textOf(document).slice(0, 2_000));
    let read = 0;
    const model = createScriptedModel(
      ({ messages }) =>
        messages.at(-1)?.role === 'user'
          ? { content: texts[read] ?? '', calls: [{ name: 'fs_read', arguments: { path: `${read++}.md` } }] }
          : `${texts[read - 1] ?? ''}\n\nIs that right?`,
      { contextTokens: 30_000 },
    );
    const project = Object.fromEntries(texts.map((text, index) => [`${index}.md`, text]));
    const rig = await createRunRig({ package: samplePackage(), model, project });
    await rig.engine.start();
    for (const text of texts.slice(1)) await rig.engine.say(text);
    const compactions = rig.eventsOf('context.compacted');
    expect(compactions.some(({ outlined }) => outlined !== undefined)).toBe(true);
    for (const { messages } of model.requests)
      for (const message of messages) {
        if (message.role !== 'user') continue;
        const blocks = blocksOf(message.content);
        expect(blocks.filter((name) => !ANCHOR.includes(name) && !EARLIER.includes(name))).toEqual(
          blocks.includes('USER_INPUT') ? ['USER_INPUT'] : [],
        );
        for (const name of ANCHOR.slice(2))
          expect(blocks.filter((one) => one === name).length).toBeLessThan(2);
      }
  });
});

const ANCHOR = ['RUN_DIRECTIVE', 'NODE_BRIEF', 'STEP_FILE', 'END_STEP_FILE'];
const EARLIER = ['EARLIER_IN_THIS_NODE', 'EARLIER_MESSAGES'];

function toSent(message: ChatMessage): unknown {
  const calls = message.role === 'assistant' ? message.tool_calls : undefined;
  return [message.content, calls?.map((made) => made.function.arguments)];
}
