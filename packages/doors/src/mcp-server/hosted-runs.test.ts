import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { RunEvent } from '@crewagent/protocol/events';
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { importModule } from '../testing/imported-module.ts';
import { ENTRY } from '../testing/local-server.ts';
import { createMcpRig, type McpRig } from '../testing/mcp-rig.ts';
import { callTool, playHost } from '../testing/scripted-host.ts';

const MICRO = { package: 'create-story-micro' };
const TARGET = 'artifacts/create-story/target.md';
const LEAVE = {
  nodeId: 'step-01-select-story',
  next: 'step-02-discover-inputs',
  variables: {
    storyKey: '1-2-login',
    epicNum: 1,
    storyNum: 2,
    storyTitle: 'Login',
    sprintStatusPath: 'none',
  },
};

async function writeTarget(rig: McpRig, words = 12): Promise<void> {
  await mkdir(join(rig.project, 'artifacts/create-story'), { recursive: true });
  await writeFile(join(rig.project, TARGET), `${'word '.repeat(words)}\n`);
}

const onlyRun = async (rig: McpRig): Promise<string> => (await rig.runIds()).at(-1) ?? '';

function ofType<Type extends RunEvent['type']>(events: readonly RunEvent[], type: Type) {
  return events.filter((event): event is Extract<RunEvent, { type: Type }> => event.type === type);
}

describe('the record of a host', () => {
  it('[O3] files that the host writes with its own tools are found by their hashes, with diffs and undo', async () => {
    const rig = await createMcpRig();
    const { client } = await rig.connect();
    await writeTarget(rig, 3);
    await callTool(client, 'start_workflow', MICRO);
    await writeTarget(rig, 4);
    expect((await callTool(client, 'complete_node', LEAVE)).isError).toBe(true);
    await writeTarget(rig, 12);
    expect((await callTool(client, 'complete_node', LEAVE)).isError).toBe(false);
    const runId = await onlyRun(rig);
    const found = ofType(await rig.events(runId), 'files.found');
    expect(found.map(({ files }) => files.map(({ path, kind }) => [path, kind]))).toEqual([
      [[`@project/${TARGET}`, 'changed']],
      [[`@project/${TARGET}`, 'changed']],
    ]);
    expect(found[1]?.files[0]?.diff).toContain('-word word word word \n+word word word word word');
    const [visit] = (await rig.evidence(runId)).visits;
    expect(visit).toMatchObject({ outcome: 'proved', files: [{ path: `@project/${TARGET}` }] });
    expect(visit?.files[0]).not.toHaveProperty('isOutsideEdit');
    await client.close();
    await promisify(execFile)(process.execPath, [ENTRY, 'undo', runId, '--all'], { env: rig.env });
    expect(await readFile(join(rig.project, TARGET), 'utf8')).toBe('word word word \n');
  });

  it.each([false, true])(
    '[O4] words that a host passes on are claimed, never proved (without handshake: %s)',
    async (isModern) => {
      const rig = await createMcpRig();
      const { client } = await rig.connect({ isModern });
      const names = (await client.listTools()).tools.map(({ name }) => name);
      expect(names).toContain('report_answer');
      const { text } = await callTool(client, 'start_workflow', {
        package: 'multi-workflows',
        workflow: 'decision-record',
      });
      const host = { project: rig.project, client, chat: 'C' };
      expect((await playHost('literal', text, host)).text).toContain('The workflow is complete.');
      const sheet = await rig.evidence(await onlyRun(rig));
      expect(sheet.totals.claimed).toBeGreaterThan(0);
      expect([sheet.isProved, sheet.missing, sheet.waivers]).toEqual([false, [], []]);
      const claimed = sheet.visits.filter(({ outcome }) => outcome === 'claimed');
      expect(claimed.flatMap(({ spoken }) => spoken.map(({ by }) => by))).not.toContain(undefined);
      const args = [ENTRY, 'show', sheet.runId, '--evidence'];
      const { stdout } = await promisify(execFile)(process.execPath, args, { env: rig.env });
      expect(stdout).toMatch(/\d claimed/);
      expect(stdout).toContain('The person, as another agent claims');
      expect(stdout).toContain('? wait: claimed');
    },
  );

  it('[O4] a host that shows forms cannot pass words on, and only the person waives', async () => {
    const rig = await createMcpRig();
    const { client } = await rig.connect({ form: (field) => (field === 'reason' ? 'It is a test.' : 'C') });
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('report_answer');
    await callTool(client, 'start_workflow', MICRO);
    expect(await callTool(client, 'report_answer', { text: 'C' })).toMatchObject({ isError: true });
    expect(await callTool(client, 'waive')).toMatchObject({ isError: true });
    await callTool(client, 'complete_node', LEAVE);
    const waived = await callTool(client, 'waive');
    expect(waived).toMatchObject({
      isError: false,
      text: expect.stringContaining('It is a test.') as unknown,
    });
    expect(waived.text).not.toContain('E_OUTPUT_INCOMPLETE');
    expect((await callTool(client, 'complete_node', LEAVE)).isError).toBe(false);
    expect((await rig.evidence(await onlyRun(rig))).visits[0]).toMatchObject({
      outcome: 'waived',
      waivers: [{ reason: 'It is a test.' }],
    });
    const other = await createMcpRig();
    const silent = (await other.connect()).client;
    await callTool(silent, 'start_workflow', MICRO);
    await callTool(silent, 'complete_node', LEAVE);
    expect(await callTool(silent, 'waive')).toMatchObject({
      isError: true,
      text: expect.stringContaining('Only the person can do that') as unknown,
    });
  });
});

describe('a run and its drivers', () => {
  it('[O5] killed in the middle of the first call, then of the second, and so on, the run is continued by the next process and proved', async () => {
    const rig = await createMcpRig();
    const form = (): string => 'C';
    let { client, pid } = await rig.connect({ form });
    let { text } = await callTool(client, 'start_workflow', MICRO);
    const runId = await onlyRun(rig);
    let kills = 0;
    for (;;) {
      let calls = 0;
      const mortal: Pick<Client, 'callTool'> = {
        async callTool(params) {
          const made = client.callTool(params);
          if (++calls > kills) process.kill(pid, 'SIGKILL');
          return made;
        },
      };
      try {
        const last = await playHost('literal', text, { project: rig.project, client: mortal });
        expect(last.text).toContain('The workflow is complete.');
        break;
      } catch (error) {
        if (error instanceof Error && error.message.includes('did not come to an end')) throw error;
        expect(++kills).toBeLessThan(40);
        ({ client, pid } = await rig.connect({ form }));
        const resumed = await callTool(client, 'resume_workflow', { run: runId });
        if (resumed.text.includes('The workflow is complete.')) break;
        const asked = resumed.text.includes('waits for the person')
          ? await callTool(client, 'ask_person').then(() => callTool(client, 'current_brief'))
          : resumed;
        text = asked.text;
      }
    }
    expect(kills).toBeGreaterThan(3);
    expect(await rig.evidence(runId)).toMatchObject({ isProved: true, missing: [] });
  }, 240_000);

  it('[O5] two drivers at once: the second is told who has the run; paused or stopped, it goes on elsewhere', async () => {
    const rig = await createMcpRig();
    const first = (await rig.connect()).client;
    const second = (await rig.connect()).client;
    await callTool(first, 'start_workflow', MICRO);
    const run = await onlyRun(rig);
    const refused = await callTool(second, 'resume_workflow', { run });
    expect(refused).toMatchObject({
      isError: true,
      text: expect.stringMatching(/is working on this run/) as unknown,
    });
    expect((await callTool(first, 'pause_workflow')).isError).toBe(false);
    expect((await callTool(second, 'resume_workflow', { run })).text).toContain('NODE_BRIEF');
    const cli = (...args: string[]) =>
      promisify(execFile)(process.execPath, [ENTRY, ...args], { env: rig.env, encoding: 'utf8' });
    expect((await cli('runs')).stdout).toContain('Create a story');
    await cli('stop', run);
    await expect
      .poll(async () => (await callTool(first, 'resume_workflow', { run })).text, { timeout: 20_000 })
      .toContain('NODE_BRIEF');
    await callTool(first, 'pause_workflow');
    const [one] = (await rig.evidence(run)).visits;
    expect(one).toMatchObject({ outcome: 'open' });
    await expect(cli('resume', run)).rejects.toMatchObject({
      stderr: expect.stringContaining('name a model with --model') as unknown,
    });
    expect((await cli('resume', run, '--model', 'rehearsal', '--continue-waiting')).stdout).toContain(
      'completed.',
    );
  });

  it('[O5] whoever only looks does not drive: brief, state and evidence of a paused run leave it free', async () => {
    const rig = await createMcpRig();
    const { client } = await rig.connect();
    await callTool(client, 'start_workflow', MICRO);
    const run = await onlyRun(rig);
    await callTool(client, 'pause_workflow');
    const events = (await rig.events(run)).length;
    const read = async (part: string): Promise<unknown> =>
      (await client.readResource({ uri: `crewagent://runs/${run}/${part}` })).contents[0];
    expect(await read('brief')).toHaveProperty('text', 'The run is not open here; see resume_workflow.');
    expect(await read('evidence')).toHaveProperty('text', expect.stringContaining('"isProved": false'));
    expect(JSON.parse((await callTool(client, 'workflow_state', { run })).text)).toMatchObject({
      phase: 'WaitingUser',
      currentNodeId: LEAVE.nodeId,
    });
    expect((await rig.events(run)).length).toBe(events);
    const second = (await rig.connect()).client;
    expect((await callTool(second, 'resume_workflow', { run })).text).toContain('NODE_BRIEF');
  });

  it('a refusal names the tools that the host has; what is no object is refused', async () => {
    const rig = await createMcpRig();
    const { client } = await rig.connect();
    await callTool(client, 'start_workflow', MICRO);
    const wrong = await callTool(client, 'complete_node', { nodeId: 'step-02-discover-inputs' });
    expect(wrong.text).toContain('then call complete_node with');
    await callTool(client, 'report_answer', { text: 'Story 1-2, please.' }).then(({ text }) => {
      expect(text).toContain('Story 1-2, please.');
      expect(text).not.toContain('E_INVALID_TRANSITION');
    });
    expect((await callTool(client, 'ask_person')).text).toContain(
      'arguments of \\"ask_person\\" are invalid',
    );
    for (const [name, args] of [
      ['set_variables', { variables: '{"storyKey":"1-2"}' }],
      ['start_workflow', { ...MICRO, inputs: '{}' }],
    ] as const)
      expect(await callTool(client, name, args)).toMatchObject({
        isError: true,
        text: expect.stringContaining('must be an object') as unknown,
      });
  });

  it('[O9] a host reaches only its project, and a flood of calls is refused', async () => {
    const rig = await createMcpRig();
    const { client } = await rig.connect();
    await callTool(client, 'start_workflow', MICRO);
    const run = await onlyRun(rig);
    const elsewhere = join(rig.root, 'elsewhere');
    await mkdir(elsewhere);
    const stranger = (await rig.connect({ project: elsewhere })).client;
    await callTool(stranger, 'workflow_state');
    expect((await callTool(stranger, 'resume_workflow', { run })).text).toContain('has no run');
    const outside = [
      '/etc/passwd',
      '@project/../../secret',
      '@state/../../x',
      '@pkg/../../../x',
      'file:///etc/passwd',
    ];
    for (const path of outside)
      expect(await callTool(client, 'read_file', { path })).toMatchObject({ isError: true });
    for (const path of ['..%2f..%2fsecrets.json', 'artifacts/../../x', '%2fetc%2fpasswd'])
      await expect(
        client.readResource({ uri: `crewagent://runs/${run}/artifacts/${path}` }),
      ).rejects.toThrow();
    await expect(stranger.readResource({ uri: `crewagent://runs/${run}/state` })).rejects.toThrow();
    const flood = await Promise.all(
      Array.from({ length: 60 }, () => callTool(client, 'complete_node', { ...LEAVE, next: 'nowhere' })),
    );
    expect(flood.filter(({ text }) => text.startsWith('Too many calls wait')).length).toBeGreaterThan(20);
    expect((await callTool(client, 'workflow_state')).isError).toBe(false);
  });

  it('[O9] workflows and menus are prompts; brief, state, evidence and artifacts are resources with notifications', async () => {
    const rig = await createMcpRig();
    const { client } = await rig.connect();
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'create-story-micro',
        'multi-workflows.decision-record',
        'create-story-micro.sm.check-story',
      ]),
    );
    const { messages } = await client.getPrompt({ name: 'multi-workflows.decision-record' });
    expect(messages[0]?.content).toMatchObject({
      text: expect.stringContaining('"workflow":"decision-record"') as unknown,
    });
    const updated: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) => {
      updated.push(uri);
    });
    await callTool(client, 'start_workflow', MICRO);
    const base = `crewagent://runs/${await onlyRun(rig)}`;
    await client.subscribeResource({ uri: `${base}/state` });
    await writeTarget(rig);
    await callTool(client, 'complete_node', LEAVE);
    await expect.poll(() => updated).toContain(`${base}/state`);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(
      expect.arrayContaining(
        ['brief', 'state', 'evidence', `artifacts/${TARGET}`].map((part) => `${base}/${part}`),
      ),
    );
    for (const { uri } of resources) {
      const { contents } = await client.readResource({ uri });
      expect(contents[0]).toHaveProperty('text', expect.stringMatching(/\S/));
    }
  });

  it.each([false, true])(
    '[O9] hosts are told of packages that are installed, and of runs that go on, in other processes (without handshake: %s)',
    async (isModern) => {
      const rig = await createMcpRig();
      const { client } = await rig.connect({ isModern });
      const other = (await rig.connect()).client;
      await callTool(other, 'start_workflow', MICRO);
      const run = await onlyRun(rig);
      await callTool(other, 'pause_workflow');
      const uri = `crewagent://runs/${run}/state`;
      const told = new Set<string>();
      client.setNotificationHandler('notifications/prompts/list_changed', () => void told.add('prompts'));
      client.setNotificationHandler('notifications/resources/list_changed', () => void told.add('resources'));
      client.setNotificationHandler(
        'notifications/resources/updated',
        ({ params }) => void told.add(params.uri),
      );
      await client.listResources();
      if (isModern)
        await client.listen({
          promptsListChanged: true,
          resourcesListChanged: true,
          resourceSubscriptions: [uri],
        });
      else await client.subscribeResource({ uri });
      // What changed before the server looked for the first time is no change.
      const changeUntil = (change: string, run: () => Promise<unknown>): Promise<void> =>
        expect
          .poll(
            async () => {
              await run();
              return [...told];
            },
            { timeout: 40_000, interval: 500 },
          )
          .toContain(change);
      const pause = (): Promise<unknown> => callTool(other, 'pause_workflow');
      await changeUntil('resources', () => callTool(other, 'start_workflow', MICRO).then(pause));
      await changeUntil(uri, () => callTool(other, 'resume_workflow', { run }).then(pause));
      await importModule(rig);
      await expect.poll(() => [...told], { timeout: 30_000 }).toContain('prompts');
      expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain('yard');
    },
  );
});
