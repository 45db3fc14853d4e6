import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../packages/core/src/testing/temp-folder.ts';
import { type CheckStep, runChecks } from './check.mjs';
import { findChromium, planPageTests } from './find-chromium.mjs';

const NONE = 'no Chromium was found. Install it, or set CREWAGENT_CHROMIUM to its path.';
const SKIPPED = `The tests of the page are skipped: ${NONE}`;
const JOURNEY = 'e2e/way-back.test.ts';
const COMPONENT = 'apps/web/src/files/previews/html-view.test.tsx';
const FAILED = `The tests of the page fail in CI: ${NONE}`;

describe('the tests of the page', () => {
  it('[I2] run with a browser; without one they are skipped locally and fail in CI', () => {
    const none = () => [];
    expect(planPageTests({ CREWAGENT_CHROMIUM: '/a/browser' }, none)).toEqual({ kind: 'run' });
    expect(planPageTests({ CREWAGENT_CHROMIUM: '/a/browser', CI: 'true' }, none)).toEqual({ kind: 'run' });
    expect(planPageTests({ PATH: '' }, none)).toEqual({ kind: 'skip', sentence: SKIPPED });
    expect(planPageTests({ PATH: '', CI: 'true' }, none)).toEqual({ kind: 'fail', sentence: FAILED });
  });

  it('[I2] are skipped by `npm run check` with a message', async () => {
    const said: string[] = [];
    const ran: string[] = [];
    const step = (name: string, status: number): CheckStep => ({
      name,
      run: (env) => {
        ran.push(`${name} ${env.CREWAGENT_SKIP_SAID ?? ''}`);
        return Promise.resolve({ status, output: '' });
      },
    });
    const options = {
      tests: [step('a', 0)],
      pageTests: [step('b', 1)],
      staticChecks: [],
      log: (line: string) => said.push(line),
    };
    expect(await runChecks({ ...options, plan: { kind: 'skip', sentence: SKIPPED } })).toBe(true);
    expect(ran).toEqual(['a 1']);
    expect(said.filter((line) => line.includes(SKIPPED))).toHaveLength(1);
    expect(await runChecks({ ...options, plan: { kind: 'fail', sentence: FAILED } })).toBe(false);
    expect(ran).toEqual(['a 1', 'a ', 'b ']);
  });

  // A browser in a standard location of this machine cannot be hidden from another process.
  it.skipIf(findChromium({ PATH: '' }))(
    '[I2] are skipped by `vitest run`, and fail there in CI',
    async () => {
      const PATH = await tempFolder();
      const local = await runVitest({ PATH }, JOURNEY, COMPONENT);
      expect(local).toMatchObject({ status: 0 });
      expect(local.output.split(SKIPPED)).toHaveLength(2);
      for (const file of [JOURNEY, COMPONENT]) {
        const inCi = await runVitest({ PATH, CI: 'true' }, file);
        expect(inCi.status).toBe(1);
        expect(inCi.output).toContain(FAILED);
      }
    },
    // Three starts of the test runner, which take seconds each, and on a busy machine a minute.
    240_000,
  );
});

async function runVitest(
  env: NodeJS.ProcessEnv,
  ...files: readonly string[]
): Promise<{ readonly status: number; readonly output: string }> {
  const vitest = join(process.cwd(), 'node_modules/vitest/vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', ...files], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[status], ...outputs] = await Promise.all([
    once(child, 'close') as Promise<[number]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { status, output: outputs.join('') };
}
