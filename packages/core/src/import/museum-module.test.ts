/**
 * Every construct of the museum module, end to end: imported, validated, rehearsed, and played by readers that see
 * nothing but their requests. The module's file lists which construct is where.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DILIGENT_READERS, type ReaderKind, replyAs } from '../rehearse/models/reader.ts';
import { writeTree } from '../testing/file-tree.ts';
import { MUSEUM_MODULE, sourceTree } from '../testing/import-sources.ts';
import { createScriptedModel } from '../testing/models/scripted-model.ts';
import { playAs, playToEnd } from '../testing/rigs/play-as.ts';
import { createRunRig } from '../testing/rigs/run-rig.ts';
import { createSessionRig } from '../testing/rigs/session-rig.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { convertSource } from './convert-source.ts';
import { importSource } from './import-source.ts';

const converted = convertSource(sourceTree(MUSEUM_MODULE, 'museum'));
const MUSEUM = Object.fromEntries([...converted.files].map(([path, content]) => [path, String(content)]));

/** Records its requests. */
function createReadingModel(kind: ReaderKind) {
  return createScriptedModel((request) => {
    const { say, calls } = replyAs(kind, request);
    return { content: say, calls: calls.map(({ name, args }) => ({ name, arguments: args })) };
  });
}

async function play(workflow: string, kind: ReaderKind) {
  const model = createReadingModel(kind);
  const rig = await createRunRig({ package: MUSEUM, workflow, model });
  const stop = await playToEnd(rig.engine);
  const { currentNodeId, stepsCompleted, variables, artifacts } = rig.engine.memory.state;
  const end = { phase: stop.phase, currentNodeId, stepsCompleted, variables, artifacts };
  return { end, rig, requests: model.requests };
}

const textOf = (request: { messages: readonly { content?: string | null }[] } | undefined): string =>
  (request?.messages ?? []).map(({ content }) => content ?? '').join('\n');

describe('the museum module', () => {
  it('[P24] is valid and rehearsed whole; what is missing or repaired is reported', async () => {
    const root = await tempFolder();
    await writeTree(join(root, 'source'), MUSEUM_MODULE);
    const { diagnostics, rehearsal, report } = await importSource({
      source: join(root, 'source'),
      out: join(root, 'package'),
      context: { runtimeVersion: '1.0.0', knownServers: new Set() },
    });
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(new Set(diagnostics.map(({ code }) => code))).toEqual(new Set(['TOOL_UNAVAILABLE']));
    expect(rehearsal?.workflows.map(({ ref, ok, missed }) => [ref, ok, missed])).toEqual([
      ['voices', true, []],
      ['plan-exhibit', true, []],
      ['label-objects', true, []],
    ]);
    expect(report.attention.join('\n')).toContain('step-05-open.md');
  });

  it.each(['plan-exhibit', 'label-objects'])(
    '[P24] %s comes to the same end whichever way a model works',
    async (workflow) => {
      const ends = [];
      for (const kind of DILIGENT_READERS) ends.push((await play(workflow, kind)).end);
      expect(ends[0]?.phase).toBe('Completed');
      expect(ends[1]).toEqual(ends[0]);
    },
  );

  it.each(['plan-exhibit', 'label-objects'])(
    '[S71] %s is proved by work, and by nothing less',
    async (workflow) => {
      const options = { package: MUSEUM, workflow };
      expect((await playAs('lazy', options)).phase).toBe('WaitingUser');
      for (const kind of ['rehearsal', ...DILIGENT_READERS] as const)
        expect(await playAs(kind, options)).toMatchObject({ phase: 'Completed', isProved: true, stubs: [] });
    },
  );

  it('[X41] every step waits and produces as its text says', () => {
    const keysOf = (path: string) => {
      const head = /^---\n([\s\S]*?)\n---/.exec(MUSEUM[`workflows/${path}.md`] ?? '')?.[1] ?? '';
      const { waits, produces } = parse(head) as Record<string, unknown>;
      return { waits, produces };
    };
    const plan = { path: '{plans}/exhibit.md', minWords: 40 };
    const steps = ['01-collect', '02-look', '03-story', '04-rooms', '05-open'];
    expect(steps.map((name) => keysOf(`plan-exhibit/steps/step-${name}`))).toEqual([
      {
        produces: [
          {
            path: '{plans}/exhibit.md',
            headings: { from: 'workflows/plan-exhibit/exhibit.template.md' },
            minWords: 3,
          },
        ],
      },
      {},
      {
        waits: { for: 'choice', options: ['A', 'P', 'C'] },
        produces: [{ ...plan, change: 'required' }],
      },
      { waits: { for: 'choice', options: ['B', 'C'] }, produces: [{ ...plan, change: 'required' }] },
      { produces: [{ ...plan, change: 'required' }] },
    ]);
    expect(keysOf('label-objects/steps/step-1-choose-the-room')).toEqual({ waits: true });
    expect(keysOf('label-objects/steps/step-2-write-the-labels')).toEqual({
      produces: [
        {
          path: '{plans}/labels-{room_key}-{date}.md',
          headings: { from: 'workflows/label-objects/template.md' },
          minWords: 40,
        },
      ],
    });
    expect(converted.report.attention.join('\n')).toContain('A run proves nothing in voices:');
  });

  it('[P24] plan-exhibit: keys, braces, links, menus and long steps mean what their author meant', async () => {
    const { end, rig, requests } = await play('plan-exhibit', 'literal');
    expect(end).toMatchObject({
      stepsCompleted: ['step-01-collect', 'step-02-look', 'step-03-story', 'step-04-rooms', 'step-05-open'],
      artifacts: ['artifacts/plans/exhibit.md'],
    });
    // Braces of keys and variables in paths; a task of an installed module; no step is read ahead.
    const reads = rig.eventsOf('tool.ended').filter(({ name }) => name === 'fs.read');
    expect(reads.map(({ outcome: result, effect }) => [result, effect?.path])).toEqual([
      ['ok', '@pkg/workflows/plan-exhibit/exhibit.template.md'],
      ['ok', '@pkg/assets/museum/data/rooms.csv'],
      ['ok', '@pkg/assets/core/tasks/deeper.xml'],
      ['refused', '@pkg/workflows/plan-exhibit/steps/step-04-rooms.md'],
    ]);
    // The body of workflow.md, the date and the person, in every request.
    expect(textOf(requests[0])).toMatch(
      /BACKGROUND\n- date: 2026-01-31[\s\S]*a plan that a carpenter can build from/,
    );
    // A step that only looks has no outputs.
    const anchors = rig.eventsOf('message.completed').filter(({ purpose }) => purpose === 'anchor');
    expect(anchors.map(({ nodeId, content }) => [nodeId, content.includes('outputsMap')])).toEqual([
      ['step-01-collect', true],
      ['step-02-look', false],
      ['step-03-story', true],
      ['step-04-rooms', true],
      ['step-05-open', true],
    ]);
    // A long step comes whole, with what was discussed before it.
    const rooms = textOf(
      requests.find((request) => textOf(request).includes('currentNodeId: step-04-rooms')),
    );
    expect(rooms).toContain('leave one wall empty');
    expect(rooms).toContain('the user said: "Could it be a little shorter?"');
    expect(rooms).toContain('chose a: Ask deeper questions');
    // The list of completed steps in the document is its own.
    const document = await readFile(join(rig.project, 'artifacts/plans/exhibit.md'), 'utf8');
    expect(document).toContain('stepsCompleted: [step-05-open]');
  });

  it('[P24] plan-exhibit: a person goes back by the letter of an edge', async () => {
    const model = createReadingModel('asking');
    const rig = await createRunRig({ package: MUSEUM, workflow: 'plan-exhibit', model });
    let backs = 0;
    const stop = await playToEnd(rig.engine, (nodeId) =>
      nodeId === 'step-04-rooms' ? (backs++ === 0 ? 'b' : 'c') : undefined,
    );
    expect(stop.phase).toBe('Completed');
    const ways = rig.eventsOf('state.changed').filter(({ from, to }) => from !== to);
    expect(ways.map(({ to }) => to)).toEqual([
      'step-02-look',
      'step-03-story',
      'step-04-rooms',
      'step-03-story',
      'step-04-rooms',
      'step-05-open',
    ]);
  });

  it('[P24] label-objects: a variable that the text sets, and the date, name the output', async () => {
    const { end } = await play('label-objects', 'asking');
    expect(end.variables).toMatchObject({ room_key: 'the-room_key' });
    expect(end.artifacts).toEqual(['artifacts/plans/labels-the-room_key-2026-01-31.md']);
  });

  it.each([
    ['PE', 'Plan an exhibit'],
    ['plan exhibit', 'Plan an exhibit'],
    ['LO', 'label-objects'],
  ])('[P24] the menu item "%s" starts %s', async (line, workflow) => {
    const model = createReadingModel('asking');
    const rig = await createSessionRig({ package: MUSEUM, model, agent: 'iris' });
    await rig.session.input(line);
    expect(rig.eventsOf('run.entered').map(({ title }) => title)).toEqual([workflow]);
  });

  it('[P24] an action and the items of a compiler are in the menu; questions are asked once', () => {
    const agents = JSON.parse(MUSEUM['agents.json'] ?? '') as {
      agents: { id: string; menu: { trigger: string; action?: string }[] }[];
    };
    const [iris] = agents.agents.filter(({ id }) => id === 'iris');
    expect(iris?.menu.map(({ trigger }) => trigger)).toEqual(['PE', 'LO', 'GR', 'MH', 'CH', 'DA']);
    expect(iris?.menu.find(({ trigger }) => trigger === 'GR')?.action).toBe('#greet');
    const document = MUSEUM['workflows/plan-exhibit/workflow.md'] ?? '';
    expect([...document.matchAll(/- name: (\w+)/g)].map(([, name]) => name)).toEqual([
      'user_name',
      'communication_language',
      'output_folder',
      'plans',
    ]);
  });
});
