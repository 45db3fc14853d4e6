import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WaiveRequest } from '@crewagent/protocol/proof';
import { describe, expect, it } from 'vitest';
import { readEvidence } from '../../reports/read-evidence.ts';
import { toAddress } from '../../store/work-address.ts';
import { call, createScriptedModel, finish, type ScriptLine } from '../../testing/models/scripted-model.ts';
import { samplePackage, step, workflow } from '../../testing/packages/sample-package.ts';
import { createRunRig, type RunRig, type RunRigOptions } from '../../testing/rigs/run-rig.ts';
import type { StopPoint } from '../stop-point.ts';

const PRD = 'artifacts/prd.md';
const write = (content: string, path = PRD): ScriptLine => call('fs_write', { path, content });
const leave = finish('step-01', 'end-99');
const FULL = '# PRD\n\n## Goals\n\nOne two three four five.\n\n## Scope\n\nMore.\n';

function proofPackage(keys: string, files: Record<string, string> = {}): Record<string, string> {
  return samplePackage(undefined, { 'steps/step-01.md': step('step-01', 'step', keys), ...files });
}

/** step-01 with these keys, then an end without any. */
async function rigOf(
  keys: string,
  script: readonly ScriptLine[],
  more: Partial<RunRigOptions> & { readonly files?: Record<string, string> } = {},
): Promise<RunRig & { codes(): (string | undefined)[] }> {
  const { files, ...options } = more;
  const rig = await createRunRig({
    package: proofPackage(keys, files),
    model: createScriptedModel(script),
    ...options,
  });
  return { ...rig, codes: () => rig.eventsOf('tool.ended').map(({ code }) => code) };
}

async function waive({ engine }: RunRig, request: WaiveRequest): Promise<StopPoint> {
  await engine.waive(request);
  return engine.resume();
}

const END: readonly ScriptLine[] = [finish('end-99'), 'Done.'];
const PRODUCES = `produces:\n  - path: ${PRD}\n    headings: [Goals, Scope]\n    minWords: 8\n    notContains: ["TODO"]\n`;

describe('produced files', () => {
  it('[S40] must hold before the node is left, and the refusal lists what is missing', async () => {
    const rig = await rigOf(PRODUCES, [
      leave,
      write('# PRD\n\n## Goals\n\nTODO\n'),
      leave,
      write(FULL),
      leave,
      ...END,
    ]);
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect(rig.codes()).toEqual([
      'E_OUTPUT_INCOMPLETE',
      undefined,
      'E_OUTPUT_INCOMPLETE',
      undefined,
      undefined,
      undefined,
    ]);
    const [first, second] = rig.eventsOf('transition.refused');
    expect(first?.message).toBe('"step-01" is not done. artifacts/prd.md does not exist.');
    expect(second?.message).toBe(
      '"step-01" is not done. artifacts/prd.md lacks the heading "Scope". artifacts/prd.md has 3 words and needs 8. artifacts/prd.md still contains "TODO".',
    );
  });

  it('[S40] are checked whoever writes the state document', async () => {
    const text = (state: string): string =>
      state
        .replace(/currentNodeId: .*/, 'currentNodeId: end-99')
        .replace('stepsCompleted: []', 'stepsCompleted: [step-01]');
    let state = '';
    const rig = await rigOf(PRODUCES, [], {
      model: createScriptedModel((_, index) => {
        if (index === 0) return call('runtime_complete_node', { nodeId: 'step-01', next: 'end-99' });
        if (index === 1) return leave;
        if (index === 2) return call('fs_write', { path: '@state/workflow.md', content: text(state) });
        return 'I give up.';
      }),
    });
    state = await rig.stateText();
    await rig.engine.start();
    expect(rig.codes()).toEqual(Array(3).fill('E_OUTPUT_INCOMPLETE'));
    expect(await rig.stateText()).toBe(state);
  });

  it('[S41] stop the run for the person after the third attempt without progress, with the list', async () => {
    const rig = await rigOf(PRODUCES, [leave, write('x'), leave, write('y'), leave, write('z'), leave]);
    expect(await rig.engine.start()).toMatchObject({
      phase: 'WaitingUser',
      reason: {
        code: 'E_OUTPUT_INCOMPLETE',
        details: {
          missing: [
            { id: PRD, kind: 'headings' },
            { id: PRD, kind: 'minWords' },
          ],
        },
      },
    });
  });

  it('[S40] of a last node must hold before the run is complete', async () => {
    const rig = await createRunRig({
      package: samplePackage(undefined, { 'steps/end-99.md': step('end-99', 'end', PRODUCES) }),
      model: createScriptedModel([leave, finish('end-99'), write(FULL), ...END]),
    });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect(rig.eventsOf('transition.refused')).toHaveLength(1);
  });
});

describe('a change in this visit', () => {
  const CHANGE = `produces:\n  - path: ${PRD}\n`;
  const old = { project: { [PRD]: 'old\n' } };

  it('[S43] is a difference to the file when the visit began', async () => {
    const rig = await rigOf(CHANGE, [leave, write('new\n'), leave, ...END], old);
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect(rig.eventsOf('transition.refused')[0]?.message).toContain(
      'artifacts/prd.md has not changed since this step began',
    );
    expect(rig.eventsOf('visit.started')).toMatchObject([
      { nodeId: 'step-01', visit: 1, files: [{ path: `@project/${PRD}` }] },
    ]);
  });

  it('[S43] is undone with its undo and counts again after a redo', async () => {
    const rig = await rigOf(CHANGE, [write('new\n'), 'Wait.', leave, 'Undone?', leave, ...END], old);
    await rig.engine.start();
    await rig.undo({ all: true });
    await rig.engine.say('go on');
    expect(rig.codes()).toEqual([undefined, 'E_OUTPUT_INCOMPLETE']);
    await rig.redo({ all: true });
    expect(await rig.engine.say('now')).toEqual({ phase: 'Completed' });
  });

  it('[S43] may be made by another program', async () => {
    const rig = await rigOf(CHANGE, ['Please edit it.', leave, ...END], old);
    await rig.engine.start();
    await writeFile(join(rig.project, PRD), 'edited by hand\n');
    expect(await rig.engine.say('edited')).toEqual({ phase: 'Completed' });
  });

  it('[S43] is lost if the person deletes the file', async () => {
    const rig = await rigOf(CHANGE, [write('new\n'), 'Look.', leave, 'Sorry.'], old);
    await rig.engine.start();
    await rm(join(rig.project, PRD));
    await rig.engine.say('go on');
    expect(rig.eventsOf('transition.refused')[0]?.message).toContain('does not exist');
  });

  it('[S43] is compared with the same files after a resume, and with new ones after a rewind', async () => {
    const first = await rigOf(CHANGE, [write('new\n'), 'Stop here.'], old);
    await first.engine.start();
    const second = await first.reopen(createScriptedModel([leave, 'End is near.', leave, 'No.']));
    await second.engine.resume();
    expect(second.eventsOf('state.changed')).toMatchObject([{ to: 'end-99' }]);
    await second.rewind({ nodeId: 'step-01', undoesFiles: false });
    await second.engine.resume();
    expect(second.eventsOf('visit.started')).toMatchObject([{ nodeId: 'step-01', visit: 2 }]);
    expect(second.eventsOf('transition.refused')).toMatchObject([{ code: 'E_OUTPUT_INCOMPLETE' }]);
  });

  it('[S43] is needed again after a rewind that undid it, and a resume in between changes nothing', async () => {
    const first = await rigOf(CHANGE, [write('new\n'), leave, 'At the end.'], old);
    await first.engine.start();
    await first.rewind({ nodeId: 'step-01', undoesFiles: true });
    expect(await readFile(join(first.project, PRD), 'utf8')).toBe('old\n');
    const second = await first.reopen(createScriptedModel([leave, 'Hm.', write('new\n'), leave, ...END]));
    await second.engine.resume();
    expect(second.eventsOf('transition.refused')).toHaveLength(1);
    const third = await second.reopen(createScriptedModel([write('new\n'), leave, ...END]));
    expect(await third.engine.resume()).toEqual({ phase: 'Completed' });
    expect(third.eventsOf('checks.judged')).toMatchObject([{ visit: 2, files: [{ isOwn: true }] }]);
  });

  it('[S43] is an outside edit on the sheet, unless this run wrote the content', async () => {
    const edited = await rigOf(CHANGE, ['Please edit it.', leave, ...END], old);
    await edited.engine.start();
    await writeFile(join(edited.project, PRD), 'edited by hand\n');
    await edited.engine.say('edited');
    const sheet = await readEvidence(edited.store, toAddress(edited.record));
    expect(sheet.visits[0]?.files).toMatchObject([{ isOutsideEdit: true }]);
  });

  it('[S43] is needed again in the next visit of a loop', async () => {
    const rig = await createRunRig({
      package: samplePackage(
        ({ graph }) => {
          graph.edges.push({ from: 'step-01', to: 'step-01b', label: 'again' });
          graph.edges.push({ from: 'step-01b', to: 'step-01', label: 'back' });
          graph.nodes.push({ id: 'step-01b', type: 'step', file: 'steps/step-01b.md' });
        },
        { 'steps/step-01.md': step('step-01', 'step', CHANGE), 'steps/step-01b.md': step('step-01b') },
      ),
      model: createScriptedModel([
        write('one\n'),
        finish('step-01', 'step-01b'),
        finish('step-01b', 'step-01'),
        leave,
        write('two\n'),
        leave,
        ...END,
      ]),
    });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect(rig.eventsOf('visit.started').map(({ visit }) => visit)).toEqual([1, 2]);
    expect(rig.eventsOf('transition.refused')).toHaveLength(1);
  });

  it('[S43] of a file whose name is set in the visit counts for new and changed files only', async () => {
    const keys = 'setsVariables: [key]\nproduces:\n  - path: artifacts/stories/{key}.md\n';
    const project = { 'artifacts/stories/a.md': 'old a\n', 'artifacts/stories/b.md': 'old b\n' };
    const named = (key: string): ScriptLine => finish('step-01', 'end-99', { key });
    const rig = await rigOf(
      keys,
      [leave, named('a'), write('new b\n', 'artifacts/stories/b.md'), named('b'), ...END],
      { project },
    );
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect(rig.eventsOf('transition.refused').map(({ message }) => message)).toEqual([
      expect.stringContaining('set the variable key'),
      expect.stringContaining('artifacts/stories/a.md has not changed'),
    ]);
  });

  it('[S43] does not count for a file that a changed variable names, unless this visit wrote it', async () => {
    const keys = 'produces:\n  - path: artifacts/{key}/x.md\n';
    const project = { 'artifacts/p/q/x.md': 'old\n' };
    const rig = await rigOf(keys, [finish('step-01', 'end-99', { key: 'p/q' }), 'Hm.'], { project });
    await rig.engine.start();
    expect(rig.eventsOf('transition.refused')[0]?.message).toContain('has not changed');
  });

  it('[S43] takes a wildcard in a variable literally', async () => {
    const rig = await rigOf('produces:\n  - path: artifacts/{key}.md\n', [
      write('x', 'artifacts/a.md'),
      finish('step-01', 'end-99', { key: '*' }),
      'Hm.',
    ]);
    await rig.engine.start();
    expect(rig.eventsOf('transition.refused')[0]?.message).toContain('artifacts/*.md matches 0 files');
  });
});

describe('a node that waits', () => {
  const WAITS = 'waits: {for: choice, options: [A, C]}\n';

  it('[S50] is left only after a person has spoken in this visit', async () => {
    const rig = await rigOf(WAITS, [leave, 'Choose: [A] or [C]', leave, ...END]);
    expect(await rig.engine.start()).toMatchObject({ reason: { code: 'reply' } });
    expect(rig.eventsOf('transition.refused')).toMatchObject([
      { code: 'E_PERSON_NOT_HEARD', message: expect.stringContaining('show the menu [A] [C]') as string },
    ]);
    expect(await rig.engine.say('C')).toEqual({ phase: 'Completed' });
    expect(rig.eventsOf('state.changed')[0]).toMatchObject({ to: 'end-99', decidedBy: 'person' });
  });

  it('[S50] says who decided to leave it', async () => {
    for (const [speaker, by] of [
      [undefined, 'person'],
      ['flag', 'flag'],
      ['unattended', 'unattended'],
    ] as const) {
      const rig = await rigOf(WAITS, ['[A] or [C]?', leave, ...END]);
      await rig.engine.start();
      await rig.engine.say('C', speaker);
      expect(rig.eventsOf('state.changed')[0]).toMatchObject({ decidedBy: by });
    }
    const waived = await rigOf(WAITS, [leave, 'Stuck.', leave, ...END]);
    await waived.engine.start();
    await waive(waived, { check: 'wait', reason: 'It is clear.' });
    expect(waived.eventsOf('state.changed')[0]).toMatchObject({ decidedBy: 'waiver' });
  });

  it('[S50] is not left by words of an earlier visit, of the model or of the runtime', async () => {
    const rig = await createRunRig({
      package: samplePackage(undefined, { 'steps/end-99.md': step('end-99', 'end', 'waits: true\n') }),
      model: createScriptedModel([
        'Shall I go on?',
        leave,
        { ...finish('end-99'), content: 'The user chose C.' },
        finish('end-99'),
        finish('end-99'),
      ]),
    });
    await rig.engine.start();
    expect(await rig.engine.say('C')).toMatchObject({ reason: { code: 'E_PERSON_NOT_HEARD' } });
    expect(rig.eventsOf('transition.refused')).toHaveLength(3);
  });

  it('[S50] is left after an answer, also in another process', async () => {
    const ask = call('ui_ask_user', { questions: [{ id: 'q', prompt: 'A or C?', type: 'text' }] });
    const first = await rigOf(WAITS, [ask]);
    await first.engine.start();
    const second = await first.reopen(createScriptedModel([leave, ...END]));
    expect(await second.engine.answer({ q: 'the second one' })).toEqual({ phase: 'Completed' });
  });

  it('[S50] is left after an approval only if it does not ask for a choice', async () => {
    const settings = { tools: { approval: 'ask' } };
    const outside = write('x', 'notes.md');
    const choice = await rigOf(WAITS, [outside, leave, 'Choose.'], { settings });
    await choice.engine.start();
    await choice.engine.approve({ decision: 'once' });
    expect(choice.eventsOf('transition.refused')).toHaveLength(1);
    const any = await rigOf('waits: true\n', [outside, leave, ...END], { settings });
    await any.engine.start();
    expect(await any.engine.approve({ decision: 'once' })).toEqual({ phase: 'Completed' });
  });
});

describe('consumed files', () => {
  const CONSUMES = 'consumes: [docs/epics.md]\n';

  it('[S55] that are missing are asked for before the first request, and a reply continues without them', async () => {
    const model = createScriptedModel([leave, ...END]);
    const rig = await rigOf(CONSUMES, [], { model });
    expect(await rig.engine.start()).toMatchObject({
      reason: { code: 'CONSUMED_FILE_MISSING', details: { consumes: ['docs/epics.md'] } },
    });
    expect(model.requests).toEqual([]);
    expect(await rig.engine.say('There are no epics here.')).toEqual({ phase: 'Completed' });
    expect(rig.eventsOf('check.waived')).toMatchObject([
      { check: 'docs/epics.md', reason: 'There are no epics here.' },
    ]);
  });

  it('[S55] are found after the person added them', async () => {
    const rig = await rigOf(CONSUMES, [leave, ...END], { project: { 'docs/other.md': '' } });
    await rig.engine.start();
    await writeFile(join(rig.project, 'docs/epics.md'), '# Epics\n');
    expect(await rig.engine.resume()).toEqual({ phase: 'Completed' });
    expect(rig.eventsOf('check.waived')).toEqual([]);
  });

  const READS = 'consumes: [{path: docs/prd.md, read: required}]\n';
  const read = call('fs_read', { path: 'docs/prd.md' });
  /** Delivered files count as read. */
  const settings = { context: { prefetchBytes: 0 } };
  const prd = { project: { 'docs/prd.md': '# PRD\n' }, settings };

  it('[S55] that must be read are read in this visit, before anything is written', async () => {
    const rig = await rigOf(READS, [write('a'), leave, read, write('b'), leave, ...END], prd);
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect(rig.eventsOf('tool.ended')[0]).toMatchObject({
      outcome: 'refused',
      code: 'E_INPUT_UNREAD',
      message: expect.stringContaining('must read docs/prd.md first') as string,
    });
    expect(rig.eventsOf('transition.refused').map(({ message }) => message)).toEqual([
      expect.stringContaining('docs/prd.md was not read in this step'),
    ]);
    expect(await readFile(join(rig.project, PRD), 'utf8')).toBe('b');
  });

  it('[S55] that must be read are read again in another visit, and not after a resume', async () => {
    const first = await rigOf(READS, [read, 'Stop here.'], prd);
    await first.engine.start();
    const second = await first.reopen(createScriptedModel([write('a'), 'Written.', write('b'), 'No.']));
    await second.engine.resume();
    await second.rewind({ nodeId: 'step-01', undoesFiles: false });
    await second.engine.resume();
    expect(second.eventsOf('tool.ended').map(({ code }) => code)).toEqual([undefined, 'E_INPUT_UNREAD']);
  });

  it('[S55] that must be read do not hold up a write if they are optional and missing, or waived', async () => {
    const optional = 'consumes: [{path: docs/prd.md, read: required, optional: true}]\n';
    const missing = await rigOf(optional, [write('a'), leave, ...END]);
    expect(await missing.engine.start()).toEqual({ phase: 'Completed' });
    const waived = await rigOf(READS, ['Stuck.', write('a'), leave, ...END], prd);
    await waived.engine.start();
    expect(await waive(waived, { check: 'docs/prd.md', reason: 'I know it.' })).toEqual({
      phase: 'Completed',
    });
  });

  it('[S55] that must be read are all that a glob matches, without those of this visit', async () => {
    const keys = 'consumes: [{path: "docs/*.md", read: required}]\n';
    const project = { 'docs/a.md': 'a', 'docs/b.md': 'b' };
    const readOne = (path: string): ScriptLine => call('fs_read', { path });
    const script = [
      readOne('docs/a.md'),
      write('x'),
      readOne('docs/b.md'),
      write('y', 'docs/c.md'),
      leave,
      ...END,
    ];
    const rig = await rigOf(keys, script, { project, settings });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect(rig.codes()[1]).toBe('E_INPUT_UNREAD');
  });
});

describe('commands to verify', () => {
  it('[S57] are not met where commands are off, and a person can waive them', async () => {
    const rig = await rigOf('verify: [{run: npm test}]\n', [leave, 'Stuck.', leave, ...END]);
    await rig.engine.start();
    expect(rig.eventsOf('transition.refused')[0]?.message).toContain(
      '"npm test" was not run: commands are not switched on for this project.',
    );
    expect(await waive(rig, { check: 'verify: npm test', reason: 'Ran it myself.' })).toEqual({
      phase: 'Completed',
    });
  });
});

describe('a waiver', () => {
  it('[S60] lets the run leave the node, with the reason in the log', async () => {
    const rig = await rigOf(PRODUCES, [leave, 'I cannot.', leave, ...END]);
    await rig.engine.start();
    expect(await waive(rig, { check: 'prd.md', reason: 'Not needed.' })).toEqual({
      phase: 'Completed',
    });
    expect(rig.eventsOf('check.waived')).toMatchObject([
      { nodeId: 'step-01', visit: 1, check: PRD, reason: 'Not needed.' },
    ]);
    expect(rig.eventsOf('checks.judged')).toMatchObject([
      { checks: [{ id: PRD, ok: false, isWaived: true }] },
    ]);
  });

  it('[S60] holds for its visit only, and only for checks of the node', async () => {
    const rig = await rigOf(PRODUCES, [leave, 'I cannot.', 'Thinking.', leave, 'Again.']);
    await rig.engine.start();
    await expect(waive(rig, { check: 'other.md', reason: 'x' })).rejects.toThrow('artifacts/prd.md');
    await waive(rig, { reason: 'All of it.' });
    await rig.rewind({ nodeId: 'step-01', undoesFiles: false });
    await rig.engine.resume();
    expect(rig.eventsOf('transition.refused')).toHaveLength(2);
  });

  it('[S60] is recorded when a person moves the run on by editing its state', async () => {
    const rig = await rigOf(PRODUCES, ['Hello.']);
    await rig.engine.start();
    const { sha256, text } = await rig.store.works.openState(toAddress(rig.record)).read();
    await rig.engine.editState(text.replace(/currentNodeId: .*/, 'currentNodeId: end-99'), sha256);
    expect(rig.eventsOf('check.waived')).toMatchObject([{ check: PRD, nodeId: 'step-01' }]);
    expect(rig.eventsOf('state.changed')).toMatchObject([{ to: 'end-99' }]);
  });
});

describe('declared outputs and variables', () => {
  it('[S9] that are from before this run refuse the first attempt, unless they are named as artifacts', async () => {
    const keys = `outputs: [${PRD}]\n`;
    const project = { [PRD]: 'placeholder of an earlier run\n' };
    const rig = await rigOf(keys, [leave, leave, ...END], { project });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect(rig.eventsOf('transition.refused')[0]?.message).toContain(`This run has not written ${PRD}`);
    expect(rig.eventsOf('state.changed')[0]).toMatchObject({ outputsKept: [PRD] });
    const confirmed = await rigOf(
      keys,
      [call('runtime_complete_node', { nodeId: 'step-01', next: 'end-99', artifacts: [PRD] }), ...END],
      { project },
    );
    expect(await confirmed.engine.start()).toEqual({ phase: 'Completed' });
    expect(confirmed.eventsOf('transition.refused')).toEqual([]);
    expect(await readFile(join(confirmed.project, PRD), 'utf8')).toBe(project[PRD]);
  });

  it('[S9] that are not set refuse the first attempt, like outputs whose path needs them', async () => {
    const keys = 'setsVariables: [storyKey]\noutputs: ["artifacts/{storyKey}.md"]\n';
    const rig = await rigOf(keys, [leave, leave, ...END]);
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect(rig.eventsOf('transition.refused')[0]?.message).toMatch(
      /artifacts\/\{storyKey\}\.md.*variables that are not set: storyKey/,
    );
    expect(rig.eventsOf('state.changed')[0]).toMatchObject({
      outputsMissing: ['artifacts/{storyKey}.md'],
    });
  });
});

describe('a node that calls a workflow', () => {
  const graph = {
    schemaVersion: '1.1',
    entryNodeId: 'sub',
    nodes: [{ id: 'sub', type: 'end', file: 'flow/steps/sub.md' }],
    edges: [],
  };
  const files = {
    'steps/step-01.md': step(
      'step-01',
      'subworkflow',
      `subworkflow: ./flow/workflow.md\nproduces:\n  - path: ${PRD}\n`,
    ),
    'flow/workflow.md': workflow(),
    'flow/workflow.graph.json': JSON.stringify(graph),
    'flow/steps/sub.md': step('sub', 'end'),
  };
  const start = async (script: readonly ScriptLine[], more: Record<string, string> = {}): Promise<RunRig> => {
    const bend: Parameters<typeof samplePackage>[0] = ({ graph: outer }) => {
      for (const node of outer.nodes) if (node.id === 'step-01') node.type = 'subworkflow';
    };
    return createRunRig({
      package: samplePackage(bend, { ...files, ...more }),
      model: createScriptedModel(script),
    });
  };

  it('[S40] is left by itself if the called workflow produced what it declares', async () => {
    const rig = await start([write('from the called run\n'), finish('sub'), 'Called.', ...END]);
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    const judged = rig.eventsOf('checks.judged');
    expect(judged).toMatchObject([{ nodeId: 'step-01', checks: [{ ok: true }, { ok: true }] }]);
  });

  it('[L130] has on its sheet that the called run wrote the file, and the sheet of that run', async () => {
    const rig = await start([write('from the called run\n'), finish('sub'), 'Called.', ...END]);
    await rig.engine.start();
    const sheet = await readEvidence(rig.store, toAddress(rig.record));
    const [visit] = sheet.visits;
    expect(visit).toMatchObject({
      nodeId: 'step-01',
      outcome: 'proved',
      files: [{ path: `@project/${PRD}` }],
    });
    expect(visit?.files[0]).not.toHaveProperty('isOutsideEdit');
    expect(sheet.called).toMatchObject([{ runId: visit?.calledRunId, visits: [{ nodeId: 'sub' }] }]);
  });

  it('[S76] may produce a file whose name the called workflow returns', async () => {
    const keys = 'subworkflow: ./flow/workflow.md\nreturns: [file]\nproduces: [{path: "{file}"}]\n';
    const rig = await start(
      [
        write('story\n', 'artifacts/story-7.md'),
        finish('sub', undefined, { file: 'artifacts/story-7.md' }),
        'Called.',
        ...END,
      ],
      { 'steps/step-01.md': step('step-01', 'subworkflow', keys) },
    );
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect(rig.eventsOf('checks.judged')).toMatchObject([
      { files: [{ path: '@project/artifacts/story-7.md' }] },
    ]);
  });

  it('[S40] is left to the model if something is missing', async () => {
    const rig = await start([finish('sub'), 'Called.', leave, write('late\n'), leave, ...END]);
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect(rig.eventsOf('transition.refused')).toMatchObject([{ code: 'E_OUTPUT_INCOMPLETE' }]);
  });
});
