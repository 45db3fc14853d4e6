/** `crewagent run`: creates a run of a workflow and drives it. */
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { CrewError, type OpenRunWork, type Runtime } from '@crewagent/core';
import type { ApprovalPreset } from '@crewagent/protocol/tools';
import { parseAllowed } from '../ask/answer-unattended.ts';
import { createAttendance } from '../attendance.ts';
import { driveRun, type ProofOptions } from '../drive/drive-run.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openRuntime } from '../open-runtime.ts';
import { sayUnusedNames } from '../print/say-unused-names.ts';
import { type SignalWatch, withSignals } from '../signals.ts';
import { type LimitOptions, type ModelOptions, toLimits, toModelChoice } from './run-options.ts';

export interface RunOptions extends ModelOptions, LimitOptions, ProofOptions {
  readonly project: string;
  readonly workflow?: string;
  readonly agent?: string;
  readonly input: readonly string[];
  readonly document: readonly string[];
  readonly attach: readonly string[];
  readonly set: ReadonlyMap<string, string>;
  readonly inputs?: string;
  readonly approve?: ApprovalPreset;
  readonly allowExecutable: readonly string[];
  readonly record?: string;
  readonly json?: true;
  readonly plain?: true;
}

export async function run(pkg: string, options: RunOptions): Promise<ExitCode> {
  const allowExecutable = parseAllowed(options.allowExecutable);
  const attendance = createAttendance(options);
  return withSignals(async (watch) => {
    const runtime = openRuntime(attendance);
    if (attendance.isAsking && !(await askFirst(pkg, options, runtime, watch))) return EXIT.interrupted;
    const attached = options.attach.length > 0 ? await attach(options, runtime) : [];
    const opened = await runtime.createWork({
      package: pkg,
      projectPath: options.project,
      workflow: options.workflow,
      agent: options.agent,
      model: toModelChoice(options),
      approval: options.approve,
      usualApproval: attendance.usualApproval,
      limits: toLimits(options),
      given: { file: options.inputs, texts: options.set },
      onUnusedNames: sayUnusedNames,
      documents: [...options.document.map((path) => toProjectPath(path, options.project)), ...attached],
      recordTo: options.record,
    });
    // A path and a hash name one package; code of installed packages is not needed for them.
    if (!/[/\\@.]/.test(pkg)) await (await import('../print/say-version.ts')).sayVersion(pkg, runtime.store);
    const first = (work: OpenRunWork) => work.start(undefined);
    return driveRun(runtime, opened, {
      attendance,
      watch,
      allowExecutable,
      isNew: true,
      first,
      proof: options,
    });
  });
}

/** Paths of the copies in the project. */
async function attach({ project, attach: paths }: RunOptions, runtime: Runtime): Promise<string[]> {
  const [{ attachFiles }, { openFilesOf }] = await Promise.all([
    import('../ask/attach-files.ts'),
    import('../ask/open-files.ts'),
  ]);
  const { projectId } = await runtime.store.projects.open(project, { now: () => new Date() });
  const files = await openFilesOf(runtime, projectId);
  try {
    return await attachFiles(files, paths);
  } finally {
    await files.close();
  }
}

/** Asks what the workflow wants answered before its first run; false when the person leaves. */
async function askFirst(
  pkg: string,
  { workflow, project, inputs, set }: RunOptions,
  { store }: Runtime,
  { signal }: SignalWatch,
): Promise<boolean> {
  const { askInputs } = await import('../ask/ask-inputs.ts');
  // A file may answer any of them: what it leaves out is said when the run is created.
  if (inputs !== undefined) return true;
  return askInputs({ package: pkg, workflow, projectPath: project }, { store, signal, given: set });
}

/** Relative paths are relative to the project; mount paths are passed on and validated later. */
function toProjectPath(text: string, project: string): string {
  if (text.startsWith('@')) return text;
  const path = isAbsolute(text) ? relative(resolve(project), text) : text;
  if (isAbsolute(path) || path.split(sep)[0] === '..')
    throw new CrewError(
      'USAGE',
      `"${text}" is not in the project folder; give the path of a file inside it.`,
    );
  return `@project/${path.replaceAll(sep, '/')}`;
}
