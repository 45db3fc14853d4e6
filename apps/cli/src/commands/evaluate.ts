/** `crewagent test --models`: the tests of a package with several models, compared in a table. */
import { resolve } from 'node:path';
import { evaluatePackage } from '@crewagent/core';
import type { EvaluatedModel, EvaluatedRun, Evaluation } from '@crewagent/protocol/evaluation';
import { validationContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hostProcess } from '../host-process.ts';
import { openRuntime } from '../open-runtime.ts';
import { toTable } from '../print/table.ts';
import { withSignals } from '../signals.ts';
import { print, printError, sanitize, style, styleError } from '../terminal.ts';

export interface EvaluateOptions {
  readonly filter?: string;
  readonly repeats?: number;
  readonly jobs?: number;
  readonly judge?: string;
  readonly maxCost?: number;
  readonly json?: true;
}

const JOBS = 4;

export async function evaluate(
  folder: string | undefined,
  models: readonly string[],
  options: EvaluateOptions,
): Promise<ExitCode> {
  return withSignals(async ({ signal }) => {
    const { store, secrets } = openRuntime();
    const evaluation = await evaluatePackage({
      folder: resolve(folder ?? '.'),
      context: validationContext,
      filter: options.filter,
      models,
      repeats: options.repeats ?? 1,
      jobs: options.jobs ?? JOBS,
      judge: options.judge,
      maxCostUsd: options.maxCost,
      store,
      secrets,
      env: hostProcess().env,
      signal,
      onRun: hostProcess().stderr.isTTY ? printProgress : undefined,
    });
    if (options.json) print(JSON.stringify(evaluation));
    else printEvaluation(evaluation);
    if (signal.aborted) return EXIT.interrupted;
    return evaluation.ok ? EXIT.ok : EXIT.failed;
  });
}

function printProgress({ ok, model, name, repeat }: EvaluatedRun): void {
  const mark = ok ? styleError('green', '✔') : styleError('red', '✖');
  printError(`${mark} ${sanitize(model, 60)}  ${sanitize(name, 60)}, run ${repeat}`);
}

const HEADS = ['model', 'passed', 'proved', 'refused', 'turns', 'tokens', 'cost', 'time', 'files differ'];

function printEvaluation({ models, runs, judge, isStopped, isOverBudget }: Evaluation): void {
  const heads = judge === undefined ? HEADS : [...HEADS, 'opinion'];
  const rows = models.map((model) => ({
    cells: toCells(model).slice(0, heads.length),
    styles: ['bold' as const, model.passed === model.runs ? ('green' as const) : ('yellow' as const)],
  }));
  for (const line of toTable([{ cells: heads, styles: [] }, ...rows], [30, ...heads.slice(1).map(() => 14)]))
    print(line);
  print('');
  print(
    style(
      'dim',
      'proved: nodes left with all checks met, of those with checks. turns, tokens, cost: of all runs.',
    ),
  );
  print(style('dim', 'time: median of a run. files differ: not the same in all repeats of a test.'));
  if (judge !== undefined)
    print(
      style('dim', `opinion: what ${sanitize(judge)} thinks of the files, from 1 to 5; it proves nothing.`),
    );
  for (const { model, name, repeat, failures } of runs.filter(({ ok }) => !ok)) {
    print(`${style('red', '✖')} ${sanitize(model)}  ${sanitize(name)}, run ${repeat}`);
    for (const { message } of failures) print(`    ${sanitize(message)}`);
  }
  if (isOverBudget) print(style('yellow', 'The budget is spent; the other runs were not started.'));
  else if (isStopped) print(style('yellow', 'It was stopped; this report is incomplete.'));
}

function toCells(model: EvaluatedModel): string[] {
  const { runs, passed, nodesProved, nodesChecked, refusals, turns, tokens, costUsd, durationMs } = model;
  return [
    sanitize(model.model, 200),
    `${passed} of ${runs}`,
    `${nodesProved} of ${nodesChecked}`,
    String(refusals),
    String(turns),
    tokens.toLocaleString('en-US'),
    costUsd === undefined ? '–' : `$${costUsd.toFixed(4)}`,
    `${(durationMs / 1_000).toFixed(1)} s`,
    `${model.differing.length} of ${model.files}`,
    model.score?.toFixed(1) ?? '–',
  ];
}
