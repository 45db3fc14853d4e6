/**
 * The tool `shell.run` as a tool source: offered where a person switched commands on for the project. A command runs in a view of
 * the project, and what it changed is committed or asked for afterwards. Without a sandbox a person approves each command, which
 * then runs in the project itself.
 */
import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { SandboxState } from '@crewagent/protocol/sandbox';
import { type ShellSettings, toPlainWords } from '@crewagent/protocol/shell';
import type { FileFact, ToolFailure } from '@crewagent/protocol/tools';
import * as z from '@crewagent/protocol/zod';
import { removeTree } from '../base/remove-tree.ts';
import { ChangedMeanwhile } from '../mounts/file-identity.ts';
import { formatMountPath, type MountPath, parseMountPath } from '../mounts/mount-path.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import type { FindRunner } from '../mounts/sensitive/runs-later.ts';
import type { IsSecret } from '../mounts/sensitive/secret-files.ts';
import type { Policies } from '../policy/loaded-policy.ts';
import { findRefusal, type Refusal } from '../policy/restrict.ts';
import { UnknownProtection } from '../processes/find-protected.ts';
import { hideRealPaths } from '../processes/inside-paths.ts';
import { findProjectSandbox, NoView, type Sandbox, tryView } from '../processes/sandbox.ts';
import { computeAccess } from '../processes/sandbox-access.ts';
import type { View, ViewChange } from '../processes/view.ts';
import type { EntryJournal } from '../tools/changes/commit-changes.ts';
import { createProgramChanges } from '../tools/changes/program-changes.ts';
import { answer, failure } from '../tools/tool.ts';
import { toFileFailure } from '../tools/tool-failure.ts';
import type {
  CallConsent,
  ParsedArguments,
  ToolAnswer,
  ToolCallContext,
  ToolSource,
} from '../tools/tool-source.ts';
import {
  isAllowedBy,
  type ShellArguments,
  shellArgumentsSchema,
  toCommandLine,
  toProgram,
} from './command-line.ts';
import { type CommandEnd, runCommand, type Spill, toCommandResult } from './run-command.ts';

export interface ShellToolsOptions {
  /** Real path of the project. */
  readonly project: string;
  readonly files: MountedFs;
  readonly isSecret: IsSecret;
  readonly findRunner: FindRunner;
  readonly journal: EntryJournal;
  /** Real folder for views, private to the Work. */
  readonly viewsFolder: string;
  readonly spill: Spill;
  /** Time limit of the tool host. */
  readonly toolTimeoutMs: number;
  /** Read each time: a person may have changed them. */
  readSettings(): Promise<ShellSettings>;
  /** Default: none holds. */
  readPolicies?(): Promise<Policies>;
  /** Without a sandbox it is not offered. */
  readonly requiresSandbox?: boolean | undefined;
}

export interface ShellTools {
  readonly source: ToolSource;
  /** Waits until commands that were stopped are recorded. */
  close(): Promise<void>;
}

export const SHELL_RUN = 'shell.run';

const DEFAULT_TIMEOUT_MS = 120_000;
/** Left for committing changes after a command, within the time limit of the host. */
const RECORDING_MS = 10_000;

export function createShellTools(options: ShellToolsOptions): ShellTools {
  const { project, files, toolTimeoutMs, spill } = options;
  const programs = createProgramChanges({ ...options, folder: join(options.viewsFolder, 'commands') });
  let settings: ShellSettings | undefined;
  let policies: Policies = [];
  let sandbox: Sandbox | undefined;
  const running = new Set<Promise<unknown>>();

  let tried: Promise<Sandbox> | undefined;
  const findUsableSandbox = async (): Promise<Sandbox> => {
    const found = await findProjectSandbox(project);
    if (!found.openView) return found;
    tried ??= programs.createFolder().then(({ folder }) => tryView(found, project, folder));
    return tried;
  };

  const isUsable = ({ openView }: Sandbox): boolean => openView !== undefined || !options.requiresSandbox;

  const run = async (call: ShellArguments, context: ToolCallContext): Promise<ToolAnswer> => {
    if (!settings || !sandbox) throw new Error('shell.run was called before it was prepared');
    const { callId, signal } = context;
    await programs.dropOthers(callId);
    const held = await programs.resume(callId);
    if (held) return held;
    const folder = await resolveFolder(files, folderOf(call));
    if ('ok' in folder) return answer(folder);
    const now = await findFolderFacts(files, folderOf(call));
    if (!isDeepStrictEqual(now, context.files ?? now)) throw new ChangedMeanwhile();
    const effect = { command: toCommandLine(call, folderOf(call).join('/')) };
    const refusal = findCommandRefusal(policies, call, sandbox.state);
    if (refusal) return answer(failure('TOOL_REFUSED', refusal.message), effect);
    const timeoutMs = timeoutOf(call, toolTimeoutMs);
    if (!sandbox.openView) {
      if (options.requiresSandbox)
        return answer(failure('TOOL_REFUSED', withoutSandbox(sandbox.state)), effect);
      const cwd = join(project, ...folder.segments);
      const end = await runCommand({ ...toProgram(call), env: {}, cwd, timeoutMs, signal });
      const changes = { changed: [], more: 0, notes: [NOT_RECORDED] };
      return answer(await toCommandResult(end, { changes, spill, callId }), effect);
    }
    const { folder: viewFolder, markedNs } = await programs.createFolder();
    let view: View | undefined;
    try {
      const access = await computeAccess({
        project,
        options: settings,
        isSecret: options.isSecret,
        policies,
      });
      view = await sandbox.openView({ folder: viewFolder, access });
      const started = view.wrap(toProgram(call), folder.segments);
      const end = await runCommand({ ...started, timeoutMs, signal });
      if (signal.aborted) throw new CommandStopped();
      return await programs.settle(
        view,
        {
          tool: SHELL_RUN,
          callId,
          nodeId: context.decidedAt || undefined,
          isGitAllowed: settings.git,
          effect,
          rights: context.rights,
          toResult: (changes) => toCommandResult(hidePaths(end, project), { changes, spill, callId }),
        },
        { isConflict: (change) => isChangedSince(change, markedNs) },
      );
    } catch (error) {
      await (view ? view.close() : removeTree(viewFolder));
      if (error instanceof CommandStopped) return answer(failure('ENGINE_ABORTED', STOPPED), effect);
      if (error instanceof UnknownProtection || error instanceof NoView)
        return answer(failure('COMMAND_FAILED', `The command was not run. ${error.message}`), effect);
      throw error;
    }
  };

  return {
    source: {
      async prepare() {
        [settings, policies] = await Promise.all([options.readSettings(), options.readPolicies?.() ?? []]);
        if (settings.enabled) sandbox = await findUsableSandbox();
        await Promise.allSettled(running);
        return {
          revision: JSON.stringify([settings, sandbox?.state]),
          warnings: settings.enabled && sandbox && !isUsable(sandbox) ? [withoutSandbox(sandbox.state)] : [],
        };
      },
      list: () =>
        settings?.enabled && sandbox && isUsable(sandbox)
          ? [describeTool({ settings, policies, state: sandbox.state, files })]
          : [],
      heldAction: (callId) => programs.isHeld(callId),
      async run({ arguments: call }, context) {
        const work = run(call as ShellArguments, context);
        running.add(work);
        return work.finally(() => running.delete(work));
      },
    },
    close: async () => void (await Promise.allSettled(running)),
  };
}

function withoutSandbox({ reason = '' }: SandboxState): string {
  return `Commands run only in a sandbox here, and there is none. ${reason}`.trim();
}

const REFUSED = { mustAsk: false, isOnceOnly: false, isAllowed: true };

function findCommandRefusal(
  policies: Policies,
  { command, args }: ShellArguments,
  { isIsolating }: SandboxState,
): Refusal | undefined {
  const words = args ? [command, ...args] : toPlainWords(command);
  return (
    findRefusal(policies, { kind: 'shell', isIsolated: isIsolating }) ??
    findRefusal(policies, { kind: 'command', words, line: toCommandLine({ command, args }, '') })
  );
}

class CommandStopped extends Error {}

const STOPPED = 'The command was stopped, and nothing that it changed was kept.';
const NOT_RECORDED =
  'The command ran in the project itself: what it changed was not recorded and cannot be undone.';

/** The program could not have read what somebody else changed after the view was made. */
function isChangedSince({ before }: ViewChange, markedNs: bigint): boolean {
  return before !== undefined && before.kind !== 'folder' && before.changedNs > markedNs;
}

function hidePaths(end: CommandEnd, project: string): CommandEnd {
  return { ...end, output: hideRealPaths(end.output, { project, home: homedir() }) };
}

interface DescribedShell {
  readonly settings: ShellSettings;
  readonly policies: Policies;
  readonly state: SandboxState;
  readonly files: MountedFs;
}

function describeTool({ settings, policies, state, files }: DescribedShell) {
  const network = settings.network ? 'with network access' : 'without network access';
  const where =
    state.kind === 'none'
      ? 'The user approves each command.'
      : `It runs in a sandbox ${network}, with the project at /project; changes to files that run later are kept only if the user approves them afterwards.`;
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
      // Nobody is asked about a command that a policy refuses when it runs.
      ...(findCommandRefusal(policies, call as ShellArguments, state) && REFUSED),
      files: await findFolderFacts(files, folderOf(call as ShellArguments)),
    }),
  } as const;
}

const { $schema: _, ...PARAMETERS } = z.toJSONSchema(
  z.omit(shellArgumentsSchema, { changesProtected: true }),
  {
    io: 'input',
  },
);

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
  { kind, isIsolating, reason }: SandboxState,
): CallConsent {
  const where =
    kind === 'none'
      ? `without a sandbox, so that what it changes cannot be undone (${(reason ?? 'there is none').replace(/\.$/, '')})`
      : `in the sandbox${network ? ' with network access' : ''}`;
  return {
    title: `${SHELL_RUN} wants to run a command ${where}`,
    target: toCommandLine(call, folderOf(call).join('/')),
    mustAsk: !isIsolating,
    isOnceOnly: !isIsolating,
    isAllowed: isIsolating && isAllowedBy(allow, call),
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
    const path = files.resolve({ mount: '@project', segments: folder }, 'read');
    await files.withFolder(path, () => Promise.resolve());
    return path;
  } catch (error) {
    return toFileFailure(error, ['@project', ...folder].join('/'));
  }
}
