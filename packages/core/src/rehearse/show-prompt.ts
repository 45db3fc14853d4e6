/**
 * What a model would be sent first at a node: a run is started there in a memory store, and its next request is composed as
 * for a real run. Nothing is sent.
 */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ShownPrompt, ShownRequest } from '@crewagent/protocol/api/shown-context';
import { createTwoFilesPatch } from 'diff';
import { resolveWorkflow } from '../session/load-workflow.ts';
import { showWorkContext } from '../session/show-context.ts';
import { type RunRequest, startPinnedRun } from '../session/start-run.ts';
import { toAddress } from '../store/work-address.ts';
import { findPackage, openPackage, type PackageRequest } from './open-package.ts';
import { inTempRoot } from './temp-root.ts';

export interface PromptRequest extends PackageRequest {
  readonly workflow?: string | undefined;
  /** The entry by default. */
  readonly nodeId?: string | undefined;
  readonly given?: RunRequest['given'];
  readonly onUnusedNames?: RunRequest['onUnusedNames'];
  /** Read only; an empty one by default. */
  readonly projectPath?: string | undefined;
}

/** Throws for an invalid package, an unknown name and an invalid value. */
export async function showPrompt(request: PromptRequest): Promise<ShownPrompt> {
  const { context, nodeId: startNodeId, given, onUnusedNames, projectPath } = request;
  const source = await findPackage(request);
  return inTempRoot(async (root) => {
    const deps = await openPackage(root, { ...source, context, signal: new AbortController().signal });
    const { store, loaded, packageHash } = deps;
    const { ref: workflow, nodes, graph } = resolveWorkflow(loaded, request.workflow);
    const project = projectPath === undefined ? join(root, 'project') : resolve(projectPath);
    if (projectPath === undefined) await mkdir(project);
    const { projectId } = await store.projects.open(project, deps);
    const { record } = await startPinnedRun(
      { projectId, packageHash, loaded },
      { workflow, given, onUnusedNames, startNodeId, model: { kind: 'rehearsal' } },
      deps,
    );
    const { next, contextTokens } = await showWorkContext(toAddress(record), deps);
    const nodeId = startNodeId ?? graph.entryNodeId;
    return {
      workflow,
      nodeId,
      title: nodes.get(nodeId)?.title ?? nodeId,
      agentId: nodes.get(nodeId)?.agentId ?? record.activeAgentId,
      contextTokens,
      ...next,
    };
  });
}

const DIFF_OPTIONS = { context: 3, timeout: 2_000 };

/** Unified diff of two prompts by their texts; empty if a model is sent the same. */
export function diffPrompts(before: ShownRequest, after: ShownRequest): string {
  const [old, now] = [before, after].map(({ parts }) => parts.map(({ text }) => `${text}\n`).join('\n'));
  if (old === undefined || now === undefined || old === now) return '';
  return (
    createTwoFilesPatch('before', 'after', old, now, undefined, undefined, DIFF_OPTIONS) ??
    'The texts differ too much to be compared.'
  );
}
