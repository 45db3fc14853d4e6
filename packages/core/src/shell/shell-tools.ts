/**
 * The tool `shell.run` as a tool source: offered where a person switched commands on for the project. A command runs in the sandbox
 * if there is one that isolates; otherwise a person approves each command.
 */
import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { SandboxState } from '@crewagent/protocol/sandbox';
import type { ShellSettings } from '@crewagent/protocol/shell';
import type { FileFact, ToolFailure, ToolResult } from '@crewagent/protocol/tools';
import * as z from '@crewagent/protocol/zod';
import { ChangedMeanwhile } from '../mounts/file-identity.ts';
import { formatMountPath, type MountPath, parseMountPath } from '../mounts/mount-path.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import type { IsSecret } from '../mounts/sensitive/secret-files.ts';
import { findProjectSandbox, type Sandbox } from '../processes/sandbox.ts';
import { answer } from '../tools/tool.ts';
import { toFileFailure } from '../tools/tool-failure.ts';
import type { CallConsent, ParsedArguments, ToolCallContext, ToolSource } from '../tools/tool-source.ts';
import {
  isAllowedBy,
  type ShellArguments,
  shellArgumentsSchema,
  toCommandLine,
  toProgram,
} from './command-line.ts';
import { type Spill, toCommandResult } from './command-result.ts';
import { type ProjectSnapshot, takeSnapshot, toProjectPath } from './project-snapshot.ts';
import { type ChangeLog, recordChanges } from './record-changes.ts';
import { runCommand } from './run-command.ts';

export interface ShellToolsOptions {
  /** Real path of the project. */
  readonly project: string;
  readonly files: MountedFs;
  readonly isSecret: IsSecret;
  readonly journal: ChangeLog;
  readonly spill: Spill;
  /** Time limit of the tool host. */
  readonly toolTimeoutMs: number;
  /** Read each time: a person may have changed them. */
  readSettings(): Promise<ShellSettings>;
}

export interface ShellTools {
  readonly source: ToolSource;
  /** Waits until commands that were stopped are recorded. */
  close(): Promise<void>;
}

export const SHELL_RUN = 'shell.run';

const DEFAULT_TIMEOUT_MS = 120_000;
/** Left for comparing files after a command, within the time limit of the host. */
const RECORDING_MS = 10_000;

export function createShellTools(options: ShellToolsOptions): ShellTools {
  let settings: ShellSettings | undefined;
  let sandbox: Sandbox | undefined;
  let snapshot: ProjectSnapshot | undefined;
  const running = new Set<Promise<unknown>>();

  const run = async (call: ShellArguments, context: ToolCallContext): Promise<ToolResult> => {
    if (!settings || !sandbox) throw new Error('shell.run was called before it was prepared');
    const folder = await resolveFolder(options.files, folderOf(call));
    if ('ok' in folder) return folder;
    const mayChangeProtected = context.isApproved === true;
    const before = await takeSnapshot({ ...options, previous: snapshot });
    const cwd = join(options.project, ...folder.segments);
    const access = toAccess(options.project, settings, before, mayChangeProtected);
    const program = toProgram(call);
    const now = await findFolderFacts(options.files, folderOf(call));
    if (!isDeepStrictEqual(now, context.files ?? now)) throw new ChangedMeanwhile();
    const end = await runCommand({
      ...(sandbox.wrap?.(program, cwd, access) ?? program),
      cwd,
      timeoutMs: timeoutOf(call, options.toolTimeoutMs),
      signal: context.signal,
    });
    const after = await takeSnapshot({ ...options, previous: before });
    snapshot = after;
    const changes = await recordChanges(before, after, {
      ...options,
      callId: context.callId,
      nodeId: context.decidedAt || undefined,
      mayChangeProtected,
    });
    return toCommandResult(end, { changes, spill: options.spill, callId: context.callId });
  };

  return {
    source: {
      async prepare() {
        settings = await options.readSettings();
        if (settings.enabled) sandbox = await findProjectSandbox(options.project);
        await Promise.allSettled(running);
        return { revision: JSON.stringify([settings, sandbox?.state]), warnings: [] };
      },
      list: () =>
        settings?.enabled && sandbox ? [describeTool(settings, sandbox.state, options.files)] : [],
      async run({ arguments: call }, context) {
        const args = call as ShellArguments;
        const work = run(args, context);
        running.add(work);
        const result = await work.finally(() => running.delete(work));
        return answer(result, { command: toCommandLine(args, folderOf(args).join('/')) });
      },
    },
    close: async () => void (await Promise.allSettled(running)),
  };
}

function describeTool(settings: ShellSettings, state: SandboxState, files: MountedFs) {
  const network = settings.network ? 'with network access' : 'without network access';
  const where =
    state.kind === 'none' ? 'The user approves each command.' : `It runs in a sandbox ${network}.`;
  return {
    name: SHELL_RUN,
    family: 'shell',
    effect: 'external',
    isReadOnly: false,
    description: `Run a command in the project, e.g. to build or test it. ${where} No input can be given to it. Prefer fs tools for reading and writing files.`,
    parameters: () => PARAMETERS,
    parse: parseCall,
    consentFor: async (call: unknown) => ({
      ...toConsent(call as ShellArguments, settings, state),
      files: await findFolderFacts(files, folderOf(call as ShellArguments)),
    }),
  } as const;
}

const { $schema: _, ...PARAMETERS } = z.toJSONSchema(shellArgumentsSchema, { io: 'input' });

function parseCall(raw: Readonly<Record<string, unknown>>): ParsedArguments {
  const parsed = shellArgumentsSchema.safeParse(raw);
  if (!parsed.success) return { ok: false, issues: parsed.error.issues };
  const { cwd } = parsed.data;
  if (cwd === undefined) return { ok: true, value: parsed.data };
  const path = parseMountPath(/^[@/~]/.test(cwd) ? cwd : `@project/${cwd}`);
  if (!path.ok) return { ok: false, issues: [{ path: ['cwd'], message: path.reason }] };
  if (path.path.mount !== '@project')
    return { ok: false, issues: [{ path: ['cwd'], message: 'is not in the project' }] };
  return { ok: true, value: { ...parsed.data, cwd: formatMountPath(path.path) } };
}

/** Path of the folder in the project, links not resolved. */
function folderOf({ cwd = '' }: ShellArguments): readonly string[] {
  return cwd.split('/').slice(1);
}

function toConsent(
  call: ShellArguments,
  { network, allow }: ShellSettings,
  { kind, isIsolating }: SandboxState,
): CallConsent {
  const isProtectedChange = call.changesProtected === true;
  const where =
    kind === 'none' ? 'without a sandbox' : `in the sandbox${network ? ' with network access' : ''}`;
  const what = isProtectedChange ? ', and to change .git and files that run later' : '';
  return {
    title: `${SHELL_RUN} wants to run a command ${where}${what}`,
    target: toCommandLine(call, folderOf(call).join('/')),
    mustAsk: !isIsolating || isProtectedChange,
    isOnceOnly: !isIsolating || isProtectedChange,
    isAllowed: isIsolating && !isProtectedChange && isAllowedBy(allow, call),
  };
}

function timeoutOf({ timeoutSeconds }: ShellArguments, toolTimeoutMs: number): number {
  const wanted = timeoutSeconds === undefined ? DEFAULT_TIMEOUT_MS : timeoutSeconds * 1_000;
  return Math.min(wanted, Math.max(toolTimeoutMs - RECORDING_MS, toolTimeoutMs / 2));
}

/** Consent to a command is for the folder it runs in; none if there is no such folder, which the call reports. */
async function findFolderFacts(files: MountedFs, folder: readonly string[]): Promise<FileFact[]> {
  const path = await resolveFolder(files, folder);
  if ('ok' in path) return [];
  const stats = await files.withFolder(path, (folderPath) => stat(folderPath, { bigint: true }));
  const identity = `${stats.dev}:${stats.ino}`;
  return [{ path: formatMountPath(path), before: { kind: 'folder', identity }, after: { kind: 'folder' } }];
}

async function resolveFolder(files: MountedFs, folder: readonly string[]): Promise<MountPath | ToolFailure> {
  try {
    const path = files.resolve(toProjectPath(folder), 'read');
    await files.withFolder(path, () => Promise.resolve());
    return path;
  } catch (error) {
    return toFileFailure(error, ['@project', ...folder].join('/'));
  }
}

function toAccess(
  project: string,
  { network, folders }: ShellSettings,
  { gitFolders, secrets }: ProjectSnapshot,
  mayChangeProtected: boolean,
) {
  const real = (path: string): string => join(project, ...path.split('/'));
  return {
    project,
    network,
    folders: folders.map((folder) => folder.replace(/^~(?=\/)/, homedir())),
    readOnly: mayChangeProtected ? [] : gitFolders.map(real),
    hidden: secrets.map(({ path, isFolder }) => ({ path: real(path), isFolder })),
  };
}
