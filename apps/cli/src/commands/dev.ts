/** `crewagent dev`: follows a package folder while its author writes, and serves its page. Nothing is installed. */
import { realpath } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { defaultStoreRoot, type FollowedRound, type FollowStep, followPackage } from '@crewagent/core';
import { toEditorPath } from '@crewagent/protocol/editor-path';
import type { RunningServer } from '@crewagent/server';
import { validationContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hostProcess } from '../host-process.ts';
import { printDiagnostics } from '../print/print-diagnostics.ts';
import { createScreen } from '../print/screen.ts';
import { say } from '../print/texts/say.ts';
import { withSignals } from '../signals.ts';
import { print, printOutcome, sanitize, style } from '../terminal.ts';

export interface DevOptions {
  readonly page: boolean;
  readonly open?: true;
  readonly json?: true;
}

export async function dev(folder: string | undefined, options: DevOptions): Promise<ExitCode> {
  const path = resolve(folder ?? '.');
  return withSignals(async ({ signal }) => {
    const server = options.page ? await servePage(path, options) : undefined;
    const screen = createScreen({ isPlain: options.json });
    try {
      await followPackage({
        ...{ path, context: validationContext, signal },
        onStep: (step) => screen.setActivity(describeStep(step)),
        onRound: (round) => {
          screen.setActivity(undefined);
          if (options.json) print(JSON.stringify(round));
          else printRound(round);
        },
      });
    } finally {
      screen.close();
      if (server?.isOurs) await server.stop();
    }
    return EXIT.ok;
  });
}

/** The page edits folders; a method by another name has none. */
async function servePage(path: string, { open, json }: DevOptions): Promise<RunningServer | undefined> {
  const folder = /\.md$/i.test(path) ? dirname(path) : path;
  if (folder !== path && basename(path) !== 'method.md') return undefined;
  const { openBrowser, startLocalServer } = await import('./serve.ts');
  // What is not there is refused when it is followed.
  const real = await realpath(folder).catch(() => undefined);
  if (real === undefined) return undefined;
  const editor = toEditorPath(real);
  const server = await startLocalServer();
  const url = server.url + editor;
  const address = `${url}#token=${server.token}`;
  print(json ? JSON.stringify({ page: address }) : `${say('dev.page')} ${style('bold', address)}`);
  const hint = open ? await openBrowser(defaultStoreRoot(hostProcess().env), { ...server, url }) : undefined;
  if (hint !== undefined) print(`  ${hint}`);
  return server;
}

function describeStep(step: FollowStep): string {
  if (step.kind === 'validate') return say('dev.validating');
  if (step.kind === 'test') return say('dev.testing', { count: step.done });
  return say('dev.rehearsing', { covered: step.covered, total: step.total });
}

const MAX_CHANGED = 3;
const MAX_ISSUES = 20;

function printRound(round: FollowedRound): void {
  const { ok, changed, findings, rehearsal, tests, tested, percent, issue, durationMs } = round;
  const names = changed.slice(0, MAX_CHANGED).map((path) => sanitize(path, 200));
  if (changed.length > MAX_CHANGED) names.push(say('dev.more', { count: changed.length - MAX_CHANGED }));
  const time = new Date().toLocaleTimeString([], { hour12: false });
  print(`\n${style('dim', time)}  ${names.length === 0 ? say('dev.start') : names.join(', ')}`);
  printDiagnostics(findings, 'out');
  const issues = [...(issue === undefined ? [] : [issue]), ...issuesOf(round)];
  for (const line of issues.slice(0, MAX_ISSUES)) print(`  ${style('red', '✖')} ${sanitize(line)}`);
  if (issues.length > MAX_ISSUES)
    print(style('dim', `  ${say('dev.more', { count: issues.length - MAX_ISSUES })}`));
  const failed = tests.filter((test) => !test.ok).length;
  const facts = [
    say(rehearsal || !findings.some(({ severity }) => severity === 'error') ? 'dev.valid' : 'dev.invalid'),
    ...(rehearsal?.workflows ?? []).map(({ ref, edges, nodes }) =>
      say('dev.rehearsed', {
        workflow: rehearsal?.workflows.length === 1 ? '' : `${sanitize(ref, 60)} `,
        ...{ nodes: `${nodes.covered}/${nodes.total}`, edges: `${edges.covered}/${edges.total}` },
      }),
    ),
    ...(rehearsal
      ? [
          say(tests.length === 0 ? 'dev.noTests' : 'dev.tests', {
            passed: tests.length - failed,
            total: tests.length,
            ran: tested.length,
          }),
        ]
      : []),
    ...(percent === undefined || tests.length === 0 ? [] : [say('dev.covered', { percent })]),
    say('time.seconds', { seconds: (durationMs / 1_000).toFixed(1) }),
  ];
  printOutcome(ok, facts.join(style('dim', ' · ')));
}

/** One line each, with the file that it is about. */
function issuesOf({ rehearsal, tests }: FollowedRound): string[] {
  return [
    ...(rehearsal?.failures ?? []).map(({ message, file, line }) =>
      file === undefined ? message : `${file}${line === undefined ? '' : `:${line}`}: ${message}`,
    ),
    ...tests.flatMap(({ file, failures }) => failures.map(({ message }) => `${file}: ${message}`)),
  ];
}
