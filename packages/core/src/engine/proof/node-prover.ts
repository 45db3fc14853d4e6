/** Judges the nodes of a run for its gate, with the facts of the current visit, and records the result before a node is left. */

import { randomUUID } from 'node:crypto';
import type { RunFact } from '@crewagent/protocol/events';
import { isObject } from '@crewagent/protocol/json-object';
import type { VerifyCommand } from '@crewagent/protocol/proof';
import type { ApprovalPreset } from '@crewagent/protocol/tools';
import type { VisitFacts } from '@crewagent/protocol/visit-facts';
import type { PathVariables } from '../../mounts/path-template.ts';
import { toHookResultNote } from '../../prompt/runtime-notes.ts';
import type { FileRights } from '../../tools/file-rights.ts';
import {
  type Judgement,
  type JudgeOptions,
  judgeNode,
  type VerifyOutcome,
} from '../../tools/proof/judge-node.ts';
import { createProofFiles } from '../../tools/proof/proof-files.ts';
import type { LeaveVerdict } from '../../tools/state/validate-change.ts';
import type { ToolSource } from '../../tools/tool-source.ts';
import { pathValuesOf, type WorkflowState } from '../../workflow/workflow-state.ts';
import type { EngineSources, PlannedNode } from '../engine-sources.ts';

export type NodeProver = ReturnType<typeof createNodeProver>;

export interface ProverDeps {
  emit(fact: RunFact): void;
  save(): Promise<void>;
  readonly rights: FileRights | undefined;
  /** Of the pass in progress. */
  signal(): AbortSignal;
}

export function createNodeProver(
  { plan, files, record, tools, journal, hooks, readApproval, verifyHere }: EngineSources,
  visit: VisitFacts,
  { emit, save, rights, signal: passSignal }: ProverDeps,
) {
  const { artifactsDir } = record.tools;
  const proofFiles = createProofFiles(files, artifactsDir);
  const runInShell = createVerifier(
    tools ?? [],
    async () => (await readApproval?.()) ?? record.tools.approval,
    rights,
  );
  // The journal is durable before a file changes; the events of a call may be lost with the power.
  const changesOf = (path: string) => journal.list().filter((entry) => entry.path === path && !entry.undone);
  const isOwn = ({ path, sha256 }: Judgement['files'][number]): boolean =>
    changesOf(path).some(({ sha256After }) => sha256After === sha256);
  return {
    /** Undefined if the step of the node declares no checks. */
    async judge(
      nodeId: string,
      state: WorkflowState,
      { signal = passSignal(), runsCommands = true }: JudgeOptions = {},
    ): Promise<Judgement | undefined> {
      const node = plan?.nodes.get(nodeId);
      if (!node?.proof) return undefined;
      const { proof } = node;
      const variables = { ...pathValuesOf(state), ...returnedBy(node, state) };
      return judgeNode({
        proof,
        variables,
        visit,
        files: proofFiles,
        signal,
        runVerify: runsCommands
          ? async (command) => (await verifyHere?.(command, signal)) ?? runInShell(command, signal)
          : undefined,
      });
    },
    /** `waives`: checks that are not met, and a person leaves the node all the same. */
    async recordProof(
      nodeId: string,
      { checks, files: produced }: Judgement,
      waives: readonly string[],
    ): Promise<void> {
      for (const check of waives)
        emit({ type: 'check.waived', nodeId, visit: visit.visit, check, reason: MOVED_BY_PERSON });
      emit({
        type: 'checks.judged',
        nodeId,
        visit: visit.visit,
        checks: checks.map((check) =>
          waives.includes(check.id) && !check.ok ? { ...check, isWaived: true } : check,
        ),
        files: produced.map((file) => (isOwn(file) ? { ...file, isOwn: true } : file)),
      });
      await save();
    },
    /** Asks the hooks; what they did is durable before the answer counts. */
    async beforeLeave(from: string, to: string, signal = passSignal()): Promise<LeaveVerdict | undefined> {
      if (!hooks) return undefined;
      const { denial, facts } = await hooks.beforeLeave(from, to, signal);
      for (const fact of facts) emit(fact);
      if (denial !== undefined) await save();
      const notes = facts.flatMap((fact) =>
        fact.type === 'hook.ran' && fact.outcome === 'ok' && fact.message !== undefined
          ? [toHookResultNote(fact.hook, fact.message)]
          : [],
      );
      return { denial, notes };
    },
    wasWritten: (path: string): boolean => visit.written.has(path) || changesOf(path).length > 0,
  };
}

/** Variables that the called workflow returned to this node, by the names that the node declares. */
function returnedBy({ id, returns = [] }: PlannedNode, { variables }: WorkflowState): PathVariables {
  const returned = variables[id];
  if (!isObject(returned)) return {};
  return Object.fromEntries(Object.entries(returned).filter(([name]) => returns.includes(name)));
}

const MOVED_BY_PERSON = 'The person moved the run on.';

const SHELL_RUN = 'shell.run';

/**
 * Runs the commands of `verify` like commands of the model: in the sandbox, and only where a person switched commands on. Nobody is
 * asked here; a command that would need an approval is not run.
 */
function createVerifier(
  sources: readonly ToolSource[],
  presetNow: () => Promise<ApprovalPreset>,
  rights: FileRights | undefined,
): (command: VerifyCommand, signal: AbortSignal) => Promise<VerifyOutcome> {
  return async ({ run, timeoutSeconds }, signal) => {
    for (const source of sources) {
      await source.prepare?.([], signal);
      const tool = source.list([]).find(({ name }) => name === SHELL_RUN);
      if (!tool) continue;
      const args = { command: run, timeoutSeconds };
      const consent = await tool.consentFor?.(args);
      const isAllowed = consent?.isAllowed === true || (await presetNow()) === 'autopilot';
      if (!consent || consent.mustAsk || !isAllowed) return { reason: NOT_ALLOWED };
      // Unique: what an earlier command changed may still wait for an approval.
      const callId = `verify-${randomUUID()}`;
      const answer = await source.run(
        { name: SHELL_RUN, arguments: args },
        { callId, name: SHELL_RUN, signal, rights },
      );
      if (signal.aborted) return { reason: 'the run was stopped' };
      if (answer.kind !== 'result') return { reason: 'its changes need an approval' };
      return toOutcome(answer.result);
    }
    return { reason: 'commands are not switched on for this project' };
  };
}

const NOT_ALLOWED =
  'it needs an approval; allow it with "crewagent shell allow", or let the user waive this check';

function toOutcome(result: object): VerifyOutcome {
  const { exitCode, output } = { ...('error' in result ? detailsOf(result.error) : {}), ...result } as {
    exitCode?: unknown;
    output?: unknown;
  };
  if (typeof exitCode !== 'number') return { reason: 'it could not be run, or did not end in time' };
  return { exitCode, output: typeof output === 'string' ? output : '' };
}

function detailsOf(error: unknown): object {
  const { details } = (error ?? {}) as { readonly details?: unknown };
  return typeof details === 'object' && details !== null ? details : {};
}
