import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventOf, RunEvent, RunEventType } from '@crewagent/protocol/events';
import { toEvidence } from '@crewagent/protocol/evidence';
import { describe, expect, it } from 'vitest';
import { toAddress } from '../../store/work-address.ts';
import { textReply, toolCallReply } from '../../testing/models/provider-replies.ts';
import { samplePackage, step, workflow } from '../../testing/packages/sample-package.ts';
import { hasSandbox } from '../../testing/require-sandbox.ts';
import { createShellRig } from '../../testing/rigs/mcp-rig.ts';
import { writeTree } from '../../testing/temp-folder.ts';
import { processesWith, readInViews } from '../../testing/views.ts';

const run = (command: string) => toolCallReply([{ name: 'shell_run', arguments: { command } }]);
const leave = toolCallReply([
  { name: 'runtime_complete_node', arguments: { nodeId: 'step-01', next: 'end-99' } },
]);
const END = [
  toolCallReply([{ name: 'runtime_complete_node', arguments: { nodeId: 'end-99' } }]),
  textReply('.'),
];

const of = <Type extends RunEventType>(events: readonly RunEvent[], type: Type): EventOf<Type>[] =>
  events.filter((event): event is EventOf<Type> => event.type === type);

async function start(
  { flow = '', keys = '' }: { readonly flow?: string; readonly keys?: string },
  script: Parameters<typeof createShellRig>[0],
) {
  const rig = await createShellRig(script);
  const folder = join(rig.root, 'package');
  await writeTree(
    folder,
    samplePackage(undefined, {
      'workflow.md': workflow(flow),
      'steps/step-01.md': step('step-01', 'step', keys),
    }),
  );
  return { rig, work: await rig.create({ package: folder, model: rig.model, approval: 'autopilot' }) };
}

describe.skipIf(!hasSandbox)('commands in a step with checks', () => {
  it('[L130] the files that a command changed are those of this run, on the sheet and for its outputs', async () => {
    const keys = 'outputs: [artifacts/other.md]\nproduces: [{path: artifacts/out.md}]\n';
    const command = run('echo x > artifacts/out.md; echo y > artifacts/other.md; exit 3');
    const { rig, work } = await start({ keys }, [command, leave, ...END]);
    expect(await work.engine.start()).toEqual({ phase: 'Completed' });
    expect(of(work.events, 'transition.refused')).toEqual([]);
    const log: RunEvent[] = [];
    await rig.runtime.store.works.readLog(toAddress(work.record), (event) => void log.push(event));
    const [visit] = toEvidence(work.record.workId, log).visits;
    expect(visit?.files).toMatchObject([{ path: '@project/artifacts/out.md' }]);
    expect(visit?.files[0]).not.toHaveProperty('isOutsideEdit');
  });

  it('[T200] what a command changed of files that are not declared is held until a person decides', async () => {
    const { rig, work } = await start({ flow: 'writes: [artifacts/**]\n' }, [
      run('mkdir -p artifacts src; echo x > artifacts/a; echo y > src/b'),
      textReply('.'),
    ]);
    expect(await work.engine.start()).toMatchObject({ reason: { code: 'approval' } });
    expect(await readFile(join(rig.project, 'artifacts/a'), 'utf8')).toBe('x\n');
    expect(existsSync(join(rig.project, 'src/b'))).toBe(false);
    const [request] = of(work.events, 'approval.requested');
    expect(request).toMatchObject({
      isHeld: true,
      action: { target: '@project/src/b', undeclared: { by: 'writes' } },
    });
    await work.engine.approve({ decision: 'once' });
    expect(await readFile(join(rig.project, 'src/b'), 'utf8')).toBe('y\n');
    expect(of(work.events, 'tool.ended')[0]?.effect).toMatchObject({
      changed: ['@project/artifacts/a', '@project/src/b'],
    });
  });

  it('[T200] a command needs approval where rights are declared, because it can read every file', async () => {
    const { work } = await start({ keys: 'rights: declared\n' }, [run('cat README.md'), textReply('.')]);
    expect(await work.engine.start()).toMatchObject({ reason: { code: 'approval' } });
    expect(of(work.events, 'approval.requested')).toMatchObject([
      { action: { undeclared: { by: 'step', access: 'program' } } },
    ]);
  });

  it('[S57] a command to verify is ended by a stop, with what it started, and the node is not left', async () => {
    const keys = 'verify: [{run: "sleep 6173 & echo $! > started; wait"}]\n';
    const { rig, work } = await start({ keys }, [leave, leave, ...END]);
    const going = work.engine.start();
    await expect.poll(() => readInViews(rig.root, 'started'), { timeout: 20_000 }).toMatch(/\d/);
    const stopped = await work.engine.stop();
    expect(await going).toEqual(stopped);
    expect(stopped).toMatchObject({ phase: 'WaitingUser', reason: { code: 'stopped' } });
    expect(of(work.events, 'checks.judged')).toEqual([]);
    expect(of(work.events, 'state.changed')).toEqual([]);
    await expect.poll(() => processesWith('sleep 6173')).toEqual([]);
    expect(existsSync(join(rig.project, 'started'))).toBe(false);
  });

  it('[S57] a command to verify runs, and its end decides', async () => {
    const keys = 'verify: [{run: "grep -q done artifacts/out.md"}]\n';
    const { work } = await start({ keys }, [leave, run('echo done > artifacts/out.md'), leave, ...END]);
    expect(await work.engine.start()).toEqual({ phase: 'Completed' });
    expect(of(work.events, 'transition.refused')[0]?.message).toContain('must end with 0');
  });
});
