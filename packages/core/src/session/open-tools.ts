/**
 * Opens the tools of a Work besides the built-in ones: those of MCP servers, and commands.
 */
import type { Project } from '@crewagent/protocol/project';
import type { VerifyCommand } from '@crewagent/protocol/proof';
import { stagingName } from '../base/staging.ts';
import type { EngineRecord } from '../engine/engine-sources.ts';
import type { LLMAdapter } from '../llm/llm-adapter.ts';
import { formatMountPath } from '../mounts/mount-path.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import type { FindRunner } from '../mounts/sensitive/runs-later.ts';
import type { IsSecret } from '../mounts/sensitive/secret-files.ts';
import type { Journal } from '../store/journal.ts';
import type { VerifyOutcome } from '../tools/proof/judge-node.ts';
import type { ToolSource } from '../tools/tool-source.ts';

/** Stores a file that belongs to a tool call. Resolves to its full mount path. */
export type Spill = (name: string, content: Uint8Array) => Promise<string>;

export interface WorkMcp extends WorkShell {
  readonly servers: readonly string[];
}

/** What programs of a Work need: commands, and servers in the sandbox. */
export interface ProgramParts {
  readonly files: MountedFs;
  readonly isSecret: IsSecret;
  readonly findRunner: FindRunner;
  readonly journal: Pick<Journal, 'beginAll'>;
  /** Real folder for views of the project, private to the Work. */
  readonly viewsFolder: string;
  readonly spill: Spill;
}

export interface ShellParts extends ProgramParts {
  readonly toolTimeoutMs: number;
}

export interface WorkShell {
  readonly source: ToolSource;
  close(): Promise<void>;
}

/** Opens the tools of a Work; undefined where a person switched them off. */
export interface ToolOpeners {
  /** Tools of MCP servers for a Work of the project. */
  openMcp?(project: Project, parts: ProgramParts): Promise<WorkMcp | undefined>;
  /** The tool for commands. */
  openShell?(project: Project, parts: ShellParts): Promise<WorkShell | undefined>;
  /** Runs a command of `verify` that needs no shell; undefined for any other. */
  verifyHere?(
    command: VerifyCommand,
    projectPath: string,
    signal: AbortSignal,
  ): Promise<VerifyOutcome | undefined>;
}

interface ToolParts extends ToolOpeners, Omit<ShellParts, 'spill' | 'toolTimeoutMs'> {
  readonly adapter: LLMAdapter;
}

/** Tools besides the built-in ones: those of MCP servers, and commands. */
export async function openTools(
  found: EngineRecord,
  project: Project,
  { adapter, openMcp, openShell, verifyHere, ...parts }: ToolParts,
) {
  const spillTo =
    (folder: string): Spill =>
    (name, content) =>
      spill(parts.files, [folder, name], content);
  const { mcp, record } = await withServers(found, adapter, () =>
    openMcp?.(project, { ...parts, spill: spillTo('mcp') }),
  );
  const { toolTimeoutMs } = record.tools;
  const shell = runsCommands(record)
    ? await openShell?.(project, { ...parts, toolTimeoutMs, spill: spillTo('commands') })
    : undefined;
  return {
    record,
    tools: [mcp, shell].flatMap((opened) => (opened ? [opened.source] : [])),
    verifyHere:
      verifyHere && runsCommands(record)
        ? (command: VerifyCommand, signal: AbortSignal) => verifyHere(command, project.path, signal)
        : undefined,
    async closeTools() {
      await shell?.close();
      await mcp?.close();
    },
  };
}

/** Rehearsal and replay run no commands. A host has tools of its own, and its run those for the checks of the author. */
function runsCommands({ model }: EngineRecord): boolean {
  return model.kind === 'provider' || model.kind === 'host';
}

/** The record with the servers that are switched on now. Rehearsal and replay start nothing; a replay has a recording. */
async function withServers(
  record: EngineRecord,
  { recorded }: LLMAdapter,
  open: () => Promise<WorkMcp | undefined> | undefined,
): Promise<{ readonly record: EngineRecord; readonly mcp?: WorkMcp }> {
  const mcp = record.model.kind === 'provider' ? await open() : await openRecorded(recorded);
  if (!mcp) return { record };
  const tools = { ...record.tools, mcp: { enabled: true, allowedServers: [...mcp.servers] } };
  return { record: { ...record, tools }, mcp };
}

async function openRecorded(recorded: LLMAdapter['recorded']): Promise<WorkMcp | undefined> {
  if (!recorded || recorded.tools.length === 0) return undefined;
  const { openRecordedServers } = await import('../mcp/recorded-servers.ts');
  return { ...openRecordedServers(recorded), close: () => Promise.resolve() };
}

async function spill(files: MountedFs, segments: readonly string[], content: Uint8Array): Promise<string> {
  const path = files.resolve({ mount: '@state', segments }, 'write');
  await files.replace(path, content, { tempName: stagingName('writing') });
  return formatMountPath(path);
}
