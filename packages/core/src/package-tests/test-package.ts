/** `crewagent test`: runs the tests of a package folder and measures what they cover together. Nothing is installed. */
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { PackageTestReport, PackageTestResult } from '@crewagent/protocol/package-tests';
import { toAuthorFolder } from '../base/method-file.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import { inspectPackage, invalidPackage } from '../bmad/load-package.ts';
import { type Count, type Coverage, type Missed, toCoverages } from '../rehearse/coverage.ts';
import { openPackage } from '../rehearse/open-package.ts';
import { readSteps } from '../rehearse/read-steps.ts';
import { inTempRoot } from '../rehearse/temp-root.ts';
import { runPackageTest, type TestedRun } from './run-test.ts';
import { readTestFiles, type TestFile } from './test-files.ts';

export interface PackageTestRequest {
  /** A package folder, or a method with the tests beside it. */
  readonly folder: string;
  readonly context: ValidationContext;
  /** Part of the name of a test or of its file. */
  readonly filter?: string | undefined;
  /** Which of these tests run; default: all. */
  readonly only?: ((file: TestFile) => boolean) | undefined;
  /** Writes golden files instead of comparing them. */
  readonly updates?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called after each test. */
  readonly onTest?: ((result: PackageTestResult) => void) | undefined;
}

/** Throws for an invalid package; what is wrong with a test is in its result. */
export async function testPackage(request: PackageTestRequest): Promise<PackageTestReport> {
  const { folder, context } = request;
  const { package: found, diagnostics } = await inspectPackage(folder, context);
  if (!found) throw invalidPackage(folder, diagnostics);
  return inTempRoot((root) => testIn(root, request));
}

async function testIn(root: string, request: PackageTestRequest): Promise<PackageTestReport> {
  const { folder, context, filter, only = () => true, updates = false, onTest } = request;
  const { signal = new AbortController().signal } = request;
  const shared = await openPackage(root, { path: folder, context, signal });
  const { store, loaded, packageHash: hash } = shared;
  const { name, version } = loaded.manifest;
  const coverages = toCoverages(
    loaded.workflows,
    await readSteps(store.packages.folder(hash), loaded.workflows),
  );
  const packageFolder = await realpath(toAuthorFolder(folder));
  const results: PackageTestResult[] = [];
  for (const file of (await readTestFiles(packageFolder, filter)).filter(only)) {
    if (signal.aborted) break;
    const scratch = join(root, String(results.length));
    await mkdir(scratch);
    const tested = await runPackageTest(file, { ...shared, scratch, packageFolder, updates });
    if (signal.aborted) break;
    addCoverage(coverages, tested);
    results.push(tested.result);
    onTest?.(tested.result);
  }
  const coverage = [...coverages].map(([workflow, covered]) => toShownCoverage(workflow, covered));
  return {
    ok: !signal.aborted && results.every(({ ok }) => ok),
    isStopped: signal.aborted,
    package: { name, version, hash },
    tests: results,
    coverage,
    percent: toPercent(coverage.flatMap(({ nodes, edges, halts, checks }) => [nodes, edges, halts, checks])),
  };
}

function addCoverage(coverages: ReadonlyMap<string, Coverage>, { covered }: TestedRun): void {
  if (!covered) return;
  for (const walk of covered.seen.followed.values()) coverages.get(walk.workflow)?.addCalled(walk);
  for (const { workflow, sheet } of covered.driven.evidence) coverages.get(workflow)?.addEvidence(sheet);
}

function toShownCoverage(workflow: string, coverage: Coverage): PackageTestReport['coverage'][number] {
  return {
    workflow,
    nodes: coverage.nodes(),
    edges: coverage.edges(),
    halts: coverage.halts(),
    checks: coverage.checks(),
    missed: coverage.missed('stopped').map(nameMissed),
  };
}

function nameMissed(missed: Missed): string {
  return missed.kind === 'node' ? missed.id : `${missed.from} -> ${missed.to}: ${missed.label}`;
}

function toPercent(counts: readonly Count[]): number {
  const [covered, total] = counts.reduce(([a, b], count) => [a + count.covered, b + count.total], [0, 0]);
  return total === 0 ? 100 : Math.floor((covered * 1_000) / total) / 10;
}
