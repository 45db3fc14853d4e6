/**
 * A run's tools on real folders (project, package, state), with all emitted facts recorded.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type SystemToolPolicy, systemToolPolicySchema, type ToolResult } from '@crewagent/protocol/tools';
import { stagingName } from '../../base/staging.ts';
import { STATE_DOCUMENT } from '../../mounts/mount-path.ts';
import { createMountedFs, type MountedFs } from '../../mounts/mounted-fs.ts';
import { createSecretCheck } from '../../mounts/sensitive/secret-files.ts';
import { openVersionedText } from '../../mounts/versioned-text.ts';
import { createBuiltinTools } from '../../tools/builtin-tools.ts';
import type { ExecuteOptions } from '../../tools/execute-call.ts';
import { createStateGate, type StateGate } from '../../tools/state/state-gate.ts';
import { type ChangeRecorder, createToolSource, type ToolFact } from '../../tools/tool.ts';
import { createToolHost } from '../../tools/tool-host.ts';
import type { CallFact, ToolOutcome } from '../../tools/tool-outcome.ts';
import { mergePolicy } from '../../tools/tool-policy.ts';
import type { ToolSource } from '../../tools/tool-source.ts';
import { writeTree } from '../file-tree.ts';
import { SAMPLE_GRAPH, SAMPLE_STATE } from '../sample-run.ts';

export type ToolRig = Awaited<ReturnType<typeof buildToolRig>>;

const silentRecorder: ChangeRecorder = {
  begin: async () => ({
    tempName: stagingName('writing'),
    done: async () => undefined,
    abandon: async () => undefined,
  }),
};

export interface ToolRigOptions {
  policy?: Partial<Record<keyof SystemToolPolicy, unknown>>;
  agentTools?: Parameters<typeof mergePolicy>[1];
  stateText?: string;
  /** Creates the recorder for the files of the rig; by default nothing is recorded. */
  recorder?: (files: MountedFs, root: string) => Promise<ChangeRecorder>;
  /** Wraps the access of the tools to files, and the tools themselves. */
  wrapFiles?: (files: MountedFs) => MountedFs;
  wrapSource?: (source: ToolSource) => ToolSource;
  project?: Record<string, string | Buffer>;
  /** Files in addition to the default ones. */
  pkg?: Record<string, string>;
  workflowFolder?: string;
  /** The folders have been written by another process. */
  isReopened?: boolean;
}

/** Builds everything inside `root`, an empty folder. */
export async function buildToolRig(root: string, options: ToolRigOptions = {}) {
  const [project, pkg, run] = [join(root, 'project'), join(root, 'pkg'), join(root, 'run')];
  const state = join(run, 'state');
  if (!options.isReopened) {
    await mkdir(project, { recursive: true });
    await writeTree(project, options.project ?? {});
    await writeTree(pkg, {
      'steps/step-01.md': '# Step\n',
      'assets/template.md': '# Template\n',
      ...options.pkg,
    });
    await writeTree(run, {
      'state/workflow.md': options.stateText ?? SAMPLE_STATE,
      'logs/execution.jsonl': 'private\n',
    });
  }
  const isSecret = createSecretCheck();
  const mounted = createMountedFs({ project, pkg, state }, isSecret);
  const files = options.wrapFiles?.(mounted) ?? mounted;
  const policy = mergePolicy(systemToolPolicySchema.parse(options.policy ?? {}), options.agentTools);
  const facts: (ToolFact | CallFact)[] = [];
  const bugs: unknown[] = [];
  const now = (): Date => new Date('2026-01-31T09:30:00.000Z');
  let isAllowed = false;
  let refusedTransition: string | undefined;
  const onFact = (fact: ToolFact): void => {
    if (fact.type === 'state.changed') {
      isAllowed = false;
      refusedTransition = undefined;
    }
    if (fact.type === 'transition.refused' && fact.code) refusedTransition = `${fact.from} → ${fact.to}`;
    facts.push(fact);
  };
  const gate = createSampleGate(files, {
    now,
    strictOutputs: policy.strictOutputs,
    hasConsent: () => isAllowed,
    wasMissingReported: (from, to) => refusedTransition === `${from} → ${to}`,
    onFact,
  });
  const tools = createBuiltinTools({
    files,
    isSecret,
    policy,
    gate,
    packageLayout: {
      workflowFolder: options.workflowFolder ?? '.',
      stepOf: (nodeId) => SAMPLE_GRAPH.nodes.find(({ id }) => id === nodeId)?.file,
    },
    recorder: (await options.recorder?.(files, root)) ?? silentRecorder,
    now,
    onFact,
  });
  const source = createToolSource(tools);
  const host = createToolHost({
    sources: [options.wrapSource?.(source) ?? source],
    policy,
    monotonicMs: () => performance.now(),
    onFact: (fact) => facts.push(fact),
    onBug: (_, error) => bugs.push(error),
  });
  let calls = 0;
  const outcome = (name: string, args: unknown, more: Partial<ExecuteOptions> = {}): Promise<ToolOutcome> =>
    host.execute(
      { id: `call-${++calls}`, name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
      { signal: new AbortController().signal, ...more },
    );
  return {
    root,
    project,
    pkg,
    state,
    files,
    host,
    gate,
    facts,
    bugs,
    outcome,
    /** The result of a call; throws if the call waits for a person instead. */
    async call(name: string, args: unknown, more?: Partial<ExecuteOptions>): Promise<ToolResult> {
      const executed = await outcome(name, args, more);
      if (executed.kind !== 'done') throw new Error(`${name} waits for a person`);
      return executed.result;
    },
    stateText: (): Promise<string> => readFile(join(state, 'workflow.md'), 'utf8'),
    /** Gives a person's consent to one state change after completion. */
    allowOneChange(): void {
      isAllowed = true;
    },
  };
}

/** The gate of a run of the sample graph. */
export function createSampleGate(
  files: MountedFs,
  sources: Partial<Parameters<typeof createStateGate>[0]> = {},
): StateGate {
  return createStateGate({
    document: openVersionedText(files, STATE_DOCUMENT),
    files,
    graph: SAMPLE_GRAPH,
    now: () => new Date(0),
    strictOutputs: false,
    hasConsent: () => false,
    wasMissingReported: () => false,
    resultsOf: (nodeId) => ({
      outputs: SAMPLE_GRAPH.nodes.find(({ id }) => id === nodeId)?.outputs ?? [],
      setsVariables: [],
    }),
    wasWritten: () => false,
    onFact: () => undefined,
    ...sources,
  });
}

/** The code of a failure, or `ok`. */
export function codeOf(result: ToolResult): string {
  return result.ok ? 'ok' : result.error.code;
}
