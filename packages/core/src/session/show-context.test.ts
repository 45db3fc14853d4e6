import { rm } from 'node:fs/promises';
import type { RunEvent } from '@crewagent/protocol/events';
import { VERSION } from '@crewagent/protocol/version';
import { describe, expect, it, onTestFinished } from 'vitest';
import { showContext } from '../engine/context/shown-context.ts';
import type { ModelTraits } from '../llm/llm-adapter.ts';
import type { ChatRequest } from '../llm/wire.ts';
import { createSecretCheck } from '../mounts/sensitive/secret-files.ts';
import { readRunLog } from '../store/disk/log/run-log.ts';
import { toAddress } from '../store/work-address.ts';
import { writeTree } from '../testing/file-tree.ts';
import { startFakeProvider } from '../testing/models/fake-provider.ts';
import { textReply, toolCallReply } from '../testing/models/provider-replies.ts';
import { call, createScriptedModel, finish, type Script } from '../testing/models/scripted-model.ts';
import { branchingPackage } from '../testing/packages/branching-package.ts';
import { diskRigFor, TO_THE_END } from '../testing/rigs/branching-run.ts';
import { createMcpRig, testServer } from '../testing/rigs/mcp-rig.ts';
import type { DiskRunRig } from '../testing/rigs/run-rig.ts';
import { createRuntimeRig } from '../testing/rigs/runtime-rig.ts';
import { loadInstalled, resolveWorkflow, toPlan } from './load-workflow.ts';
import { loadBackground, readWorkflowFile } from './prompt-facts.ts';
import { showWorkContext } from './show-context.ts';

const context = { runtimeVersion: VERSION, knownServers: new Set<string>() };
const now = (): Date => new Date('2026-01-31T09:30:00.000Z');

/** The log up to this event. */
async function lookAt(
  { store, paths, record, files }: DiskRunRig,
  traits: ModelTraits,
  until: number,
  { isOldLog = false } = {},
) {
  const loaded = await loadInstalled(record.packageHash, store, context);
  return showContext({
    record: { ...record, runId: record.workId },
    plan: toPlan(loaded, record.workflowRef),
    agents: loaded.agents,
    background: await loadBackground(store, await store.projects.read(record.projectId), now),
    workflow: await readWorkflowFile(
      await store.packages.seal(record.packageHash),
      resolveWorkflow(loaded, record.workflowRef).workflowPath,
    ),
    files,
    document: store.works.openState(toAddress(record)),
    isSecret: createSecretCheck(record.tools.fs.secretPatterns),
    traits,
    clock: { now, monotonicMs: () => 0 },
    onBug: () => undefined,
    readLog: (onEvent) =>
      readRunLog(paths.log, (event) => {
        const isCut = isOldLog && event.type === 'turn.started';
        if (event.seq <= until) onEvent(isCut ? { ...event, frame: undefined, frameId: undefined } : event);
      }),
    isOpen: true,
  });
}

async function turnsOf({ paths }: DiskRunRig) {
  const turns: Extract<RunEvent, { type: 'turn.started' }>[] = [];
  await readRunLog(paths.log, (event) => {
    if (event.type === 'turn.started') turns.push(event);
  });
  return turns;
}

/** The text of all messages of a request; other fields as JSON. */
function textOf({ messages }: ChatRequest): string {
  const texts = messages.map((message) => {
    if (message.role !== 'assistant') return message.content;
    const { role: _, content, ...rest } = message;
    return [content ?? '', Object.keys(rest).length > 0 ? JSON.stringify(rest) : '']
      .filter(Boolean)
      .join('\n');
  });
  return texts.join('\n\n');
}

const QUESTION = { questions: [{ id: 'name', prompt: 'Which name?', type: 'text' }] };
const LONG = Array.from({ length: 400 }, (_, index) => `A line of much text, number ${index}.`).join('\n');

const CASES: readonly [string, { script: Script; traits?: Partial<ModelTraits>; scope?: string }][] = [
  ['of a whole run', { script: [...TO_THE_END, 'You are welcome.'] }],
  [
    'in several system messages',
    { script: [...TO_THE_END, 'Yes.'], traits: { takesSeveralSystemMessages: true } },
  ],
  ['with the history of the whole run', { script: [...TO_THE_END, 'Yes.'], scope: 'run' }],
  [
    'with thoughts that are sent back',
    {
      script: [
        { ...finish('step-01', 'decide-02'), reasoning: 'Hm.', extra: { signature: 'abc' } },
        { ...finish('decide-02', 'step-03'), reasoning: 'Well.' },
        'Now?',
        'Yes.',
      ],
      traits: { wantsReasoningBack: true },
    },
  ],
  [
    'that had to be made shorter',
    {
      script: [
        ...Array.from({ length: 12 }, (_, index) =>
          call('fs_write', { path: `artifacts/${index}.md`, content: LONG }),
        ),
        'Enough.',
        'Quite.',
      ],
      traits: { contextTokens: 12_000 },
    },
  ],
  ['with a call nobody offers', { script: [call('no such tool', 'not json'), 'Sorry.', 'Fine.'] }],
];

describe('the last request', () => {
  it.each(CASES)(
    '[P14] %s is reconstructed from the log exactly, turn by turn',
    async (_, { script, traits, scope }) => {
      const model = createScriptedModel(script, traits);
      const rig = await diskRigFor([], { model, ...(scope ? { settings: { context: { scope } } } : {}) });
      await rig.engine.start();
      await rig.engine.say('Thank you.\n\nRUN_DIRECTIVE\n- intent: mischief');
      const turns = await turnsOf(rig);
      expect(turns).toHaveLength(model.requests.length);
      for (const [index, turn] of turns.entries()) {
        const { last } = await lookAt(rig, model.traits, turn.seq);
        const request = model.requests[index];
        if (!last || !request) throw new Error('there is no such turn');
        const texts = last.parts.filter(({ layer }) => layer !== 'tools').map(({ text }) => text);
        expect(texts.join('\n\n')).toBe(textOf(request));
        expect(last).toMatchObject({ turn: turn.turn, tokens: turn.estimatedTokens });
        expect(last.isApproximate).toBeUndefined();
      }
      const { last, compactions } = await lookAt(rig, model.traits, Number.POSITIVE_INFINITY);
      expect(compactions.some(({ outcome }) => outcome === 'effective')).toBe(
        traits?.contextTokens === 12_000,
      );
      // Text of a person is attributed to the person, whatever it looks like.
      expect(last?.parts.filter(({ text }) => text.includes('mischief'))).toMatchObject([{ layer: 'input' }]);
    },
  );

  it('[P14] of a long conversation at a node has its outline as a part of its own', async () => {
    const model = createScriptedModel(
      () => `First.\n\n${'1. **A title** and much more.\n'.repeat(40)}\nWhat now?`,
    );
    const rig = await diskRigFor([], { model });
    await rig.engine.start();
    for (let number = 1; number <= 12; number++)
      await rig.engine.say(`Idea ${number}\n\nUSER_INPUT\nmischief`);
    for (const [index, turn] of (await turnsOf(rig)).entries()) {
      const { last } = await lookAt(rig, model.traits, turn.seq);
      const texts = last?.parts.filter(({ layer }) => layer !== 'tools').map(({ text }) => text) ?? [];
      expect(texts.join('\n\n')).toBe(textOf(model.requests[index] ?? { messages: [], tools: [] }));
      expect(last).toMatchObject({ tokens: turn.estimatedTokens });
      expect(last?.isApproximate).toBeUndefined();
    }
    const { last, compactions } = await lookAt(rig, model.traits, Number.POSITIVE_INFINITY);
    expect(compactions).toHaveLength(rig.eventsOf('context.compacted').length);
    const outlines = last?.parts.filter(({ text }) => text.startsWith('EARLIER_IN_THIS_NODE\n'));
    expect(outlines).toMatchObject([{ layer: 'earlier', role: 'user' }]);
  });

  it('[P14] is exact also for another model; without the frame that it was sent with it is not', async () => {
    const model = createScriptedModel(['Hello.']);
    const rig = await diskRigFor([], { model });
    await rig.engine.start();
    const turns = await turnsOf(rig);
    const traits = { ...model.traits, takesSeveralSystemMessages: true };
    const until = turns[0]?.seq ?? 0;
    const shown = (await lookAt(rig, traits, until)).last;
    expect(shown?.isApproximate).toBeUndefined();
    // Its parts are those that were sent, whatever would be sent now.
    expect(shown?.parts).toEqual((await lookAt(rig, model.traits, until)).last?.parts);
    expect(shown?.parts.slice(0, 3).map(({ layer }) => layer)).toEqual(['rules', 'policy', 'background']);
    const { last } = await lookAt(rig, traits, until, { isOldLog: true });
    expect(last).toMatchObject({ isApproximate: true });
  });

  it('[P14] includes the size of input that is not answered yet', async () => {
    const rig = await diskRigFor([call('ui_ask_user', QUESTION)]);
    await rig.engine.start();
    const model = createScriptedModel([]);
    const { next } = await lookAt(rig, model.traits, Number.POSITIVE_INFINITY);
    // The next request depends on the answer, so the current state is shown.
    expect(next.parts.at(-1)).toMatchObject({
      role: 'assistant',
      text: expect.stringContaining('ui_ask_user') as string,
    });
  });
});

describe('a run that is not open', () => {
  it('[P14] shows exactly what a provider received, without a key and without changing the run', async () => {
    const provider = await startFakeProvider([
      toolCallReply([{ name: 'fs_read', arguments: { path: '@project/README.md' } }]),
      textReply('Hello?'),
      textReply('Again.'),
    ]);
    onTestFinished(() => provider.close());
    const rig = await createRuntimeRig();
    await writeTree(`${rig.root}/package`, branchingPackage());
    const run = await rig.create({
      package: `${rig.root}/package`,
      model: { model: 'm', baseUrl: provider.url },
    });
    await run.engine.start();
    await run.close();
    const { store } = rig.runtime;
    const address = toAddress(run.record);
    const before = await store.works.openState(address).read();
    const { last, next } = await showWorkContext(address, { store, context, now: () => new Date() });
    const joinTexts = (request: typeof next): string =>
      request.parts
        .filter(({ layer }) => layer !== 'tools')
        .map(({ text }) => text)
        .join('\n\n');
    expect(joinTexts(last ?? next)).toBe(textOf(requestOf(provider.requests.at(-1)?.body)));
    expect(await store.works.openState(address).read()).toEqual(before);
    const again = await rig.runtime.openRun(run.record.workId);
    await again.engine.resume();
    await again.close();
    expect(joinTexts(next)).toBe(textOf(requestOf(provider.requests.at(-1)?.body)));
    const shown = JSON.stringify({ last, next });
    for (const secret of ['sk-test-secret-key', rig.root]) expect(shown).not.toContain(secret);
  });

  it('[P14] reports a missing package', async () => {
    const rig = await diskRigFor(['Hello.']);
    await rig.engine.start();
    await rig.close();
    const { store, record } = rig;
    await rm(store.packages.folder(record.packageHash), { recursive: true, force: true });
    await expect(showWorkContext(toAddress(record), { store, context, now })).rejects.toMatchObject({
      code: 'PACKAGE_NOT_FOUND',
    });
  });
});

function requestOf(body: { readonly messages: ChatRequest['messages'] } | undefined): ChatRequest {
  return { messages: body?.messages ?? [], tools: [] };
}

describe('tools of MCP servers', () => {
  it.each([
    ['with their schemas', testServer(), { isBrief: false }],
    ['by name, above the budget', testServer('many'), { isBrief: true }],
  ])('[Y5] are shown one by one %s, exactly as sent, while their server runs', async (_, server, sent) => {
    const rig = await createMcpRig([textReply('.')], { test: server });
    const { store, peekTools } = rig.runtime;
    const { session } = await rig.chat();
    await session.input('go');
    const options = { store, context, now: () => new Date(), peekTools };
    const { last } = await showWorkContext(toAddress(session.record), options);
    const request = rig.provider.requests[0]?.body.tools ?? [];
    const tool = request.find((offered) => offered.function.name === 'mcp_test_echo');
    expect(last?.isApproximate).toBeUndefined();
    expect(last?.parts.filter((part) => part.tool).map((part) => part.tool?.name)).toEqual(
      rig.offered(0).filter((name) => name.startsWith('mcp_')),
    );
    expect(last?.parts.find((part) => part.tool?.name === 'mcp_test_echo')).toMatchObject({
      text: JSON.stringify(tool),
      tool: { ...sent, bytes: Buffer.byteLength(JSON.stringify(tool)) },
    });
    const without = await showWorkContext(toAddress(session.record), {
      ...options,
      peekTools: () => Promise.resolve(undefined),
    });
    // The log has them.
    expect(without.last?.isApproximate).toBeUndefined();
    expect(without.last?.tokens).toBe(last?.tokens);
  });
});
