/**
 * What models are sent: a workflow of sixteen nodes with steps as long as real ones, and a long conversation in one node.
 * Bytes and tokens are those of the run's log.
 */
import { join } from 'node:path';
import type { RunEvent } from '@crewagent/protocol/events';
import type { ReadableRequest } from '../packages/core/src/rehearse/models/read-request.ts';
import { replyAs } from '../packages/core/src/rehearse/models/reader.ts';
import { createRuntime } from '../packages/core/src/runtime.ts';
import type { OpenRun } from '../packages/core/src/session/open-run.ts';
import { writeTree } from '../packages/core/src/testing/file-tree.ts';
import { startFakeProvider } from '../packages/core/src/testing/models/fake-provider.ts';
import { streamReply } from '../packages/core/src/testing/models/provider-replies.ts';
import type { ScriptedReply } from '../packages/core/src/testing/models/scripted-model.ts';
import { samplePackage, step, workflow } from '../packages/core/src/testing/packages/sample-package.ts';
import { playToEnd } from '../packages/core/src/testing/rigs/play-as.ts';
import { inFolder, type Row, toRow } from './measure.ts';

type Messages = ReadableRequest['messages'];

/** When anchors were sent with each message of the person, and every call had a turn of its own. */
const TOKENS_BEFORE = 351_000;
/** Measured with the same conversation. */
const BYTES_BEFORE = 1_336_000;
/** The same conversation at a step with a brief as long as real ones: all bytes, and those not in the request before. */
const LONG_BRIEF_BEFORE = 2_680_000;
const LONG_BRIEF_NEW_BEFORE = 99_000;
/** There, with longer replies, and files that are read and written. */
const WITH_FILES_BEFORE = 6_700_000;
/** What providers charge for a byte that they have cached. */
const CACHED_PRICE = 0.1;
const EXCHANGES = 45;

export async function benchPrompt(): Promise<Row[]> {
  const long = await measure(
    longPackage(),
    (messages) => {
      const { say, calls } = replyAs('literal', { messages });
      return { content: say, calls: calls.map(({ name, args }) => ({ name, arguments: args })) };
    },
    async ({ engine }) => {
      const stop = await playToEnd(engine);
      if (stop.phase !== 'Completed') throw new Error(`the run stopped at ${engine.memory.history.nodeId}`);
    },
  );
  const reply = `${'A reply with a few thoughts on what you said. '.repeat(6)}Which of them should we look at more closely? `;
  const converse = (files: Record<string, string>, replyTo: (messages: Messages) => ScriptedReply) =>
    measure(files, replyTo, async ({ engine }) => {
      await engine.start();
      for (let number = 1; number <= EXCHANGES; number++)
        await engine.say(
          `Idea ${number}: a sentence or two about what could be done, as people write it here.`,
        );
    });
  const chat = await converse(samplePackage(), () => ({ content: reply }));
  const longBrief = await converse(longBriefPackage(), () => ({ content: reply }));
  const withFiles = await converse(longBriefPackage(), replyWithFiles);
  const priceOf = (bytes: number, newBytes: number): number => newBytes + (bytes - newBytes) * CACHED_PRICE;
  const price = priceOf(longBrief.bytes, longBrief.newBytes);
  const priceBefore = priceOf(LONG_BRIEF_BEFORE, LONG_BRIEF_NEW_BEFORE);
  const row = (name: string, ours: number, baseline: number, limit: number, unit: string): Row =>
    toRow(name, { ours, baseline }, limit, unit);
  const megabytes = (name: string, bytes: number, before: number): Row =>
    row(name, bytes / 1e6, before / 1e6, 0.5, 'MB');
  return [
    row(
      `tokens sent in a run of 16 nodes (${long.turns} turns)`,
      long.tokens / 1e3,
      TOKENS_BEFORE / 1e3,
      1,
      'k',
    ),
    megabytes(`bytes sent in ${EXCHANGES} exchanges in one node`, chat.bytes, BYTES_BEFORE),
    megabytes('the same at a step with a brief as long as real ones', longBrief.bytes, LONG_BRIEF_BEFORE),
    row(
      'of these, with cached bytes at a tenth, as providers charge',
      price / 1e3,
      priceBefore / 1e3,
      0.5,
      'kB',
    ),
    megabytes(
      'there, with longer replies, and files that are read and written',
      withFiles.bytes,
      WITH_FILES_BEFORE,
    ),
  ];
}

/** Lists of ideas; every fourth time a file is read before, every sixth time one is written. */
function replyWithFiles(messages: Messages): ScriptedReply {
  const last = messages.at(-1);
  const number = Number(/Idea (\d+): [^:]*$/.exec(last?.content ?? '')?.[1] ?? 0);
  if (last?.role === 'user' && number % 4 === 1)
    return { calls: [{ name: 'fs_read', arguments: { path: '@project/notes.md' } }] };
  if (last?.role === 'user' && number % 6 === 2) {
    const content = repeatLine(4_000, `- idea ${number}, with what was said about it by everybody`);
    return { calls: [{ name: 'fs_write', arguments: { path: '@project/artifacts/ideas.md', content } }] };
  }
  const items = [1, 2, 3, 4, 5].map(
    (item) =>
      `${item}. **Night visits, variant ${item}** – people come after work, walk along the quay with a guide, and end in the old customs hall; it costs little and needs volunteers, and a permit of the city for each of the evenings.`,
  );
  return {
    content: `Good, that adds a new angle:\n\n${items.join('\n')}\n\nWhich of these should we follow?`,
  };
}

async function measure(
  files: Record<string, string>,
  reply: (messages: Messages) => ScriptedReply,
  drive: (run: OpenRun) => Promise<void>,
): Promise<{ turns: number; tokens: number; bytes: number; newBytes: number }> {
  const sum = { turns: 0, tokens: 0, bytes: 0, newBytes: 0 };
  let calls = 0;
  let before: Buffer = Buffer.alloc(0);
  const provider = await startFakeProvider(({ body, rawBody }) => {
    const same = rawBody.findIndex((byte, at) => byte !== before[at]);
    sum.newBytes += rawBody.length - Math.max(0, same);
    before = rawBody;
    const { content = '', calls: made = [] } = reply(body.messages);
    const toolCalls = made.map(({ name, arguments: args }) => ({
      id: `call_${++calls}`,
      name,
      arguments: args as Record<string, unknown>,
    }));
    // Without a count of the provider's, the run's own estimate is recorded.
    return streamReply({ text: content, toolCalls, usage: null, pieceLength: 200 });
  });
  return inFolder(async (folder) => {
    const runtime = createRuntime({
      storeRoot: join(folder, 'store'),
      env: { CREWAGENT_API_KEY: 'sk-bench-key' },
    });
    await writeTree(join(folder, 'package'), files);
    const notes = repeatLine(4_000, '- a line of notes that somebody wrote about this place');
    await writeTree(join(folder, 'project'), { 'README.md': '# Project\n', 'notes.md': notes });
    const run = await runtime.createWork({
      package: join(folder, 'package'),
      projectPath: join(folder, 'project'),
      model: { model: 'm', baseUrl: provider.url },
    });
    run.engine.subscribe((event: RunEvent) => {
      if (event.type === 'turn.started') {
        sum.turns++;
        sum.bytes += event.requestBytes;
      }
      if (event.type === 'usage.updated') sum.tokens += event.usage.promptTokens;
    });
    await drive(run);
    await run.close();
    await runtime.close();
    return sum;
  }, provider.close);
}

/** One step of usual length with three edges, and the variables that real modules ask for once. */
function longBriefPackage(): Record<string, string> {
  const ids = ['step-01', 'step-02-edit', 'step-03-review', 'end-99'];
  const variables = {
    ...{ user_name: 'Hanna Lindqvist', communication_language: 'English', user_skill_level: 'intermediate' },
    ...{ document_output_language: 'English', output_folder: 'docs/plans', project_name: 'Harbour Museum' },
    planning_artifacts: 'docs/plans/planning-artifacts',
  };
  const conditions = [
    'IF C: save the ideas to {outputFile}, add this step to the end of the list of completed steps, then read fully and follow {nextStepFile}',
    'IF E: the person wants to change a section that was written before; read fully and follow {editStepFile} and return here afterwards',
    'IF R: a plan exists already and the person wants to hear what is wrong with it before anything else; read fully and follow {reviewStepFile}',
  ];
  const outputs = 'outputs: ["docs/plans/planning-artifacts/ideas.md"]\n';
  const rules = repeatLine(
    STEP_BYTES,
    '- Discuss this section with the person before anything is written down.',
  );
  return samplePackage(
    ({ graph }) => {
      graph.entryNodeId = 'step-01';
      graph.nodes = ids.map((id) => ({
        id,
        type: id === 'end-99' ? 'end' : 'step',
        file: `steps/${id}.md`,
      }));
      graph.edges = [
        ...ids.slice(1).map((to, index) => ({
          from: 'step-01',
          to,
          label: 'ERC'[index],
          conditionText: conditions[index],
        })),
        ...ids.slice(1, 3).map((from) => ({ from, to: 'step-01', label: 'back' })),
      ];
    },
    {
      'workflow.md':
        workflow(`variables: ${JSON.stringify(variables)}\ndecisionLog: []\nartifacts: []\n`) +
        repeatLine(
          WORKFLOW_BYTES,
          '- Work in order, wait where a menu is shown, and keep the document up to date.',
        ),
      ...Object.fromEntries(
        ids.map((id) => [
          `steps/${id}.md`,
          `${step(id, id === 'end-99' ? 'end' : 'step', id === 'step-01' ? outputs : '')}\n${rules}`,
        ]),
      ),
    },
  );
}

function repeatLine(bytes: number, line: string): string {
  return `${line}\n`.repeat(Math.ceil(bytes / (line.length + 1)));
}

const NODES = 16;
const STEP_BYTES = 8_400;
const WORKFLOW_BYTES = 3_400;

/** Steps that build one document, each with a letter menu and rules that repeat themselves, as real ones do. */
function longPackage(): Record<string, string> {
  const ids = Array.from({ length: NODES }, (_, index) =>
    index === NODES - 1 ? 'end-99' : `step-${String(index + 1).padStart(2, '0')}-section`,
  );
  const steps = ids.map((id, index) => {
    const isEnd = index === NODES - 1;
    const keys = `name: '${id}'\nnextStepFile: './${ids[index + 1] ?? id}.md'\noutputFile: 'artifacts/plan.md'\noutputs: ["artifacts/plan.md"]\n${index === 0 || isEnd ? '' : 'inputs: ["artifacts/plan.md"]\n'}`;
    const menu = isEnd
      ? '\nTell the person what was made.\n'
      : '\nShow: [A] Ask deeper questions [P] Hear other voices [C] Continue\n\nHALT and wait for the person.\n\n- IF C: save the section to {outputFile}, then read fully and follow {nextStepFile}\n';
    const rules = repeatLine(
      STEP_BYTES - 600,
      '- Discuss this section with the person before anything is written down.',
    );
    return [`steps/${id}.md`, `${step(id, isEnd ? 'end' : 'step', keys)}\n${rules}${menu}`] as const;
  });
  return samplePackage(
    ({ graph }) => {
      graph.entryNodeId = ids[0] ?? '';
      graph.nodes = ids.map((id, index) => ({
        id,
        type: index === NODES - 1 ? 'end' : 'step',
        file: `steps/${id}.md`,
      }));
      graph.edges = ids.slice(1).map((to, index) => ({
        from: ids[index],
        to,
        label: 'C',
        conditionText:
          'IF C: append the section to {outputFile}, add this step to the end of the list of completed steps, then read fully and follow {nextStepFile}',
      }));
    },
    {
      'workflow.md':
        workflow('variables: {}\ndecisionLog: []\nartifacts: []\n') +
        repeatLine(
          WORKFLOW_BYTES,
          '- Work in order, wait where a menu is shown, and keep the document up to date.',
        ),
      'steps/step-01.md': undefined,
      'steps/end-99.md': undefined,
      ...Object.fromEntries(steps),
    },
  );
}
