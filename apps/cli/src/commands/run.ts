/** `crewagent run`: makes a run of a workflow and drives it. */
import type { ApprovalPreset } from '@crewagent/protocol/tools';
import { driveRun } from '../drive-run.ts';
import type { ExitCode } from '../exit-codes.ts';
import { type LimitOptions, toLimits } from '../limit-options.ts';
import { type ModelOptions, toModelChoice } from '../model-options.ts';
import { openRuntime } from '../open-runtime.ts';
import { watchSignals } from '../signals.ts';

export interface RunOptions extends ModelOptions, LimitOptions {
  readonly project: string;
  readonly workflow?: string;
  readonly agent?: string;
  readonly input: readonly string[];
  readonly approve?: ApprovalPreset;
  readonly record?: string;
  readonly json?: true;
}

export async function run(pkg: string, options: RunOptions): Promise<ExitCode> {
  const signals = watchSignals();
  const runtime = openRuntime();
  const opened = await runtime.createRun({
    package: pkg,
    projectPath: options.project,
    workflow: options.workflow,
    agent: options.agent,
    model: toModelChoice(options),
    approval: options.approve,
    limits: toLimits(options),
    recordTo: options.record,
  });
  return driveRun(runtime, opened, {
    inputs: options.input,
    isJson: options.json === true,
    signals,
    isNew: true,
    first: (engine) => engine.start(),
  });
}
