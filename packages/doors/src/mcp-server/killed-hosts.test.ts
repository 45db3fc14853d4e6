import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { driverPath } from '../../../core/src/testing/driver-path.ts';
import type { HostScript } from '../testing/drivers/mcp-host.ts';
import { ENTRY, headersOf, startLocalServer } from '../testing/local-server.ts';
import { createMcpRig, type McpRig } from '../testing/mcp-rig.ts';

const start = { package: 'create-story-micro' };

/** What the host printed before it ended, or was killed. */
async function runHost(script: HostScript) {
  const child = spawn(process.execPath, [driverPath('mcp-host'), JSON.stringify(script)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [out, ended] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const signal = ended[1] as NodeJS.Signals | null;
  const said = out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as object]));
  return { ...Object.assign({}, ...said), signal } as {
    readonly pid?: number;
    readonly last?: string;
    readonly signal: NodeJS.Signals | null;
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** One host after another, each killed one call later than the one before, until one comes to the end. */
async function playKilled(rig: McpRig, server: HostScript['server']): Promise<number> {
  for (let kills = 0; kills < 40; kills++) {
    const [run] = await rig.runIds();
    const { last, pid, signal } = await runHost({
      project: rig.project,
      start,
      run,
      server,
      dieAt: kills + 1,
    });
    if (pid !== undefined) await expect.poll(() => isAlive(pid)).toBe(false);
    if (signal === 'SIGKILL') continue;
    expect(last).toContain('The workflow is complete.');
    return kills;
  }
  throw new Error('no host came to the end');
}

async function expectProvedOnce(rig: McpRig): Promise<void> {
  const runs = await rig.runIds();
  expect(runs).toHaveLength(1);
  const [run = ''] = runs;
  expect(await rig.evidence(run)).toMatchObject({ isProved: true, missing: [] });
  const moves = (await rig.events(run)).flatMap((event) =>
    event.type === 'state.changed' && event.from !== event.to ? [`${event.from} ${event.to}`] : [],
  );
  expect(moves).toEqual([...new Set(moves)]);
}

describe('a host that is killed', () => {
  it('[O5] in its first call, then the next one in its second, and so on: our server ends with it, and the run is proved without a step twice', async () => {
    const rig = await createMcpRig();
    expect(await playKilled(rig, { entry: ENTRY, env: rig.env })).toBeGreaterThan(3);
    await expectProvedOnce(rig);
  }, 240_000);

  it('[O5] over HTTP: the server stays, and the next host goes on with the run', async () => {
    const rig = await createMcpRig();
    const local = await startLocalServer(rig.env);
    onTestFinished(async () => {
      local.child.kill('SIGTERM');
      await once(local.child, 'exit');
    });
    const url = `${local.origin}/api/v1/mcp?project=${encodeURIComponent(rig.project)}`;
    expect(await playKilled(rig, { url, headers: headersOf(local) })).toBeGreaterThan(3);
    await expectProvedOnce(rig);
  }, 240_000);
});
