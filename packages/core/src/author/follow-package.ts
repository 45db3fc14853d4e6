/**
 * Follows a package folder or a method while its author writes: after each change it is validated, rehearsed and tested, as far as the
 * change concerns it. Works on the files where they are; nothing is installed. A change during a round starts the round again.
 */
import type { Diagnostic } from '@crewagent/protocol/diagnostics';
import type { PackageTestReport, PackageTestResult } from '@crewagent/protocol/package-tests';
import { CrewError } from '../base/crew-error.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import { inspectPackage } from '../bmad/load-package.ts';
import { hasTests, type TestFile } from '../package-tests/test-files.ts';
import { testPackage } from '../package-tests/test-package.ts';
import { type RehearsalReport, rehearsePackage } from '../rehearse/rehearse-package.ts';
import { type PackageChanges, watchPackage } from './watch-package.ts';

/** What is known after a round. */
export interface FollowedRound {
  readonly ok: boolean;
  /** Paths that changed since the round before; empty in the first one. */
  readonly changed: readonly string[];
  readonly findings: readonly Diagnostic[];
  /** Undefined if the package is invalid; of an earlier round if only tests have changed. */
  readonly rehearsal: RehearsalReport | undefined;
  /** The last result of each test. */
  readonly tests: readonly PackageTestResult[];
  /** Files of the tests that ran in this round. */
  readonly tested: readonly string[];
  /** Covered share in percent; undefined if not all tests ran in this round. */
  readonly percent: number | undefined;
  /** Why a round ended early. */
  readonly issue: string | undefined;
  readonly durationMs: number;
}

export type FollowStep =
  | { readonly kind: 'validate' }
  | { readonly kind: 'rehearse'; readonly covered: number; readonly total: number }
  | { readonly kind: 'test'; readonly done: number };

export interface FollowOptions {
  /** A package folder, or a method. */
  readonly path: string;
  readonly context: ValidationContext;
  readonly signal: AbortSignal;
  readonly onStep?: ((step: FollowStep) => void) | undefined;
  readonly onRound: (round: FollowedRound) => void;
}

type Round = FollowedRound & { readonly isStopped: boolean };

/** Resolves after the signal. Throws if the path leads nowhere, or its changes cannot be watched. */
export async function followPackage({ signal, onRound, ...options }: FollowOptions): Promise<void> {
  const changes = await watchPackage(options.path);
  const onAbort = (): void => changes.wake();
  signal.addEventListener('abort', onAbort);
  try {
    let last: Round | undefined;
    let due: readonly string[] = [];
    while (!signal.aborted) {
      const stopper = new AbortController();
      changes.onChange = () => stopper.abort();
      const round = await takeRound({ ...options, last, changed: due, signal: stopper.signal });
      if (signal.aborted) break;
      if (!round.isStopped) {
        onRound(round);
        last = round;
        due = [];
      }
      due = [...new Set([...due, ...(await nextChanges(changes))])];
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    await changes.close();
  }
}

async function nextChanges(changes: PackageChanges): Promise<readonly string[]> {
  changes.onChange = undefined;
  return changes.next();
}

interface RoundOptions extends Pick<FollowOptions, 'path' | 'context' | 'signal' | 'onStep'> {
  readonly last: Round | undefined;
  readonly changed: readonly string[];
}

async function takeRound(options: RoundOptions): Promise<Round> {
  const { path, context, changed, signal, onStep } = options;
  const startedAt = performance.now();
  onStep?.({ kind: 'validate' });
  const { diagnostics, advice, package: found } = await inspectPackage(path, context);
  const known = { changed, findings: [...diagnostics, ...advice] };
  const toRound = (more: Partial<Round>): Round => ({
    ...{ ...known, ok: false, rehearsal: undefined, tests: [], tested: [], percent: undefined },
    ...{ issue: undefined, isStopped: signal.aborted, ...more },
    durationMs: Math.round(performance.now() - startedAt),
  });
  if (!found || signal.aborted) return toRound({});
  try {
    const rehearsal = await rehearse(options);
    const tested = signal.aborted ? undefined : await test(options);
    const tests = latestOf(options, tested);
    const ok = rehearsal.ok && tests.every((one) => one.ok);
    return toRound({
      ...{ ok, rehearsal, tests, tested: (tested?.tests ?? []).map(({ file }) => file) },
      percent: isOnlyTests(options) ? undefined : tested?.percent,
    });
  } catch (error) {
    // Such as a file that was removed meanwhile.
    if (error instanceof CrewError) return toRound({ issue: error.message });
    throw error;
  }
}

/** Whether nothing but tests changed in a package that was complete. */
function isOnlyTests({ last, changed }: RoundOptions): boolean {
  return last?.rehearsal !== undefined && changed.length > 0 && changed.every(isInTests);
}

function isInTests(path: string): boolean {
  return path.startsWith('tests/');
}

async function rehearse(options: RoundOptions): Promise<RehearsalReport> {
  const { path, context, signal, onStep, last } = options;
  if (last?.rehearsal && isOnlyTests(options)) return last.rehearsal;
  return rehearsePackage({
    package: path,
    context,
    signal,
    onProgress: ({ edges }) => onStep?.({ kind: 'rehearse', ...edges }),
  });
}

async function test(options: RoundOptions): Promise<PackageTestReport | undefined> {
  const { path, context, signal, onStep } = options;
  if (!(await hasTests(path))) return undefined;
  let done = 0;
  onStep?.({ kind: 'test', done });
  return testPackage({
    folder: path,
    context,
    signal,
    ...(isOnlyTests(options) ? { only: (file) => isConcerned(file, options.changed) } : {}),
    onTest: () => onStep?.({ kind: 'test', done: ++done }),
  });
}

/** Whether one of the files is the test, or something that it names: a project, a recording, an expected file. */
function isConcerned({ file, test }: TestFile, changed: readonly string[]): boolean {
  const named = JSON.stringify(test ?? '');
  return changed.some((path) => path === file || named.includes(path.split('/')[1] ?? path));
}

/** Results of this round over those of the one before, of tests that are still there. */
function latestOf(options: RoundOptions, tested: PackageTestReport | undefined): PackageTestResult[] {
  const { last, changed } = options;
  const fresh = new Map((tested?.tests ?? []).map((one) => [one.file, one]));
  if (!isOnlyTests(options) || !tested) return [...fresh.values()];
  const kept = (last?.tests ?? []).filter(({ file }) => !changed.includes(file) && !fresh.has(file));
  return [...kept, ...fresh.values()].sort((one, other) => one.file.localeCompare(other.file));
}
