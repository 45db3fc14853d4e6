/**
 * The calls that steps show for authors to copy: each is right for its node, and a model that only writes the outputs and sends
 * these calls completes the workflow.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GraphEdge } from '@crewagent/protocol/workflow';
import { describe, expect, it } from 'vitest';
import type { Workflow, WorkflowNode } from '../bmad/check/workflow-package.ts';
import { inspectPackage } from '../bmad/load-package.ts';
import { createPackage } from '../bmad/new-package.ts';
import type { ChatMessage } from '../llm/wire.ts';
import { toPlaceholder } from '../rehearse/models/content.ts';
import { readRequest } from '../rehearse/models/read-request.ts';
import { testContext } from '../testing/inspect.ts';
import {
  createScriptedModel,
  finishArguments,
  type ScriptedReply,
} from '../testing/models/scripted-model.ts';
import { samplePackage, step } from '../testing/packages/sample-package.ts';
import { createRunRig, type RunRigOptions } from '../testing/rigs/run-rig.ts';
import { tempFolder } from '../testing/temp-folder.ts';

const EXAMPLES = fileURLToPath(new URL('../../../../examples', import.meta.url));
const NEW_PACKAGE = 'a new package';
const entries = await readdir(EXAMPLES, { withFileTypes: true });
const NAMES = entries.flatMap((entry) =>
  entry.isDirectory() && existsSync(join(EXAMPLES, entry.name, 'bmad.json')) ? [entry.name] : [],
);

async function folderOf(name: string): Promise<string> {
  if (name !== NEW_PACKAGE) return join(EXAMPLES, name);
  const folder = join(await tempFolder(), 'fresh');
  await createPackage(folder, 'fresh');
  return folder;
}

async function workflowsOf(folder: string) {
  return (await inspectPackage(folder, testContext)).package?.workflows ?? [];
}

interface ShownCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The JSON under the heading that names the tool; in the examples of either language. */
function findShownCall(text: string): ShownCall | undefined {
  const [, tool, json] =
    /^## (?:Finish, with |用 )`([\w.]+)`(?: 收尾)?\n(?:(?!## )[\s\S])*?```json\n([\s\S]*?)\n```/m.exec(
      text,
    ) ?? [];
  return tool === undefined || json === undefined
    ? undefined
    : { tool, args: JSON.parse(json) as ShownCall['args'] };
}

/**
 * Asks where a step waits, writes the outputs and sends the call that the step shows. Where a node with several edges is visited again,
 * it takes the edge that is not shown.
 */
function createCopyingModel(workflows: readonly Workflow[]) {
  const nodesById = new Map(workflows.flatMap(({ nodes }) => [...nodes]));
  const visited = new Set<string>();
  let revision = 1;
  const contentFor = (path: string, nodeId: string): string => {
    const [wanted] = nodesById.get(nodeId)?.proof?.produces ?? [];
    return toPlaceholder(path, { title: 'Output', nodeId, read: [], said: [], revision: revision++ }, wanted);
  };
  const reply = (messages: readonly ChatMessage[]): ScriptedReply => {
    const scene = readRequest({ messages });
    const anchor = messages.findLast(
      ({ role, content }) => role === 'user' && content?.includes('\nSTEP_FILE @pkg/'),
    );
    const shown = findShownCall(anchor?.content ?? '');
    if (!scene || !shown || scene.calls.some(({ result }) => result.ok)) return { content: 'Done.' };
    const { nodeId, outgoing, outputs } = scene;
    const isAsked = nodesById.get(nodeId)?.proof?.waits !== undefined && scene.said.length === 0;
    if (isAsked) return { content: 'What should it be?' };
    const other = visited.has(nodeId) ? outgoing.find(({ to }) => to !== shown.args.next) : undefined;
    visited.add(nodeId);
    const args = other
      ? { ...shown.args, next: other.to, decision: { label: other.label, reason: 'Again.' } }
      : shown.args;
    const writes = outputs.map((path) => ({
      name: 'fs_write',
      arguments: { path, content: contentFor(path, nodeId) },
    }));
    return { calls: [...writes, { name: shown.tool.replace('.', '_'), arguments: args }] };
  };
  return createScriptedModel(({ messages }) => reply(messages));
}

async function copyToEnd(options: Omit<RunRigOptions, 'model'>, workflows: readonly Workflow[] = []) {
  const rig = await createRunRig({ ...options, model: createCopyingModel(workflows) });
  let { phase, reason } = await rig.engine.start();
  for (let said = 0; reason?.code === 'reply' && said < 3; said++)
    ({ phase, reason } = await rig.engine.say('Something simple.'));
  const rejected = rig.eventsOf('tool.ended').filter(({ outcome }) => outcome !== 'ok');
  return { phase, rejected, steps: rig.engine.memory.state.stepsCompleted };
}

describe.each([...NAMES, NEW_PACKAGE])('%s', (name) => {
  it('[B70] shows for each node the call that completes it', async () => {
    const folder = await folderOf(name);
    for (const { graph, nodes } of await workflowsOf(folder))
      for (const node of nodes.values()) {
        const edges = graph.edges.filter(({ from }) => from === node.id);
        const shown = findShownCall(await readFile(join(folder, node.file), 'utf8'));
        const expected = isCompletedByRuntime(node, edges) ? undefined : callFor(node, edges, shown);
        expect(shown, node.file).toEqual(expected);
      }
  });

  it('[B70] is completed by these calls once the outputs are written, in strict mode too', async () => {
    const folder = await folderOf(name);
    const workflows = await workflowsOf(folder);
    for (const { ref } of workflows)
      for (const strictState of [false, true]) {
        const settings = { tools: { strictState } };
        const end = await copyToEnd({ package: folder, workflow: ref, settings }, workflows);
        expect(end, ref).toMatchObject({ phase: 'Completed', rejected: [] });
      }
  });
});

describe('a package whose steps show a patch', () => {
  const shows = (nodeId: string, next?: string): string =>
    `\n## Finish, with \`fs.apply_patch\`\n\n\`\`\`json\n${JSON.stringify(finishArguments(nodeId, next))}\n\`\`\`\n`;
  const files = samplePackage(() => undefined, {
    'steps/step-01.md': step('step-01') + shows('step-01', 'end-99'),
    'steps/end-99.md': step('end-99', 'end') + shows('end-99'),
  });

  it('[B70] is completed outside strict mode', async () => {
    expect(await copyToEnd({ package: files })).toEqual({
      phase: 'Completed',
      rejected: [],
      steps: ['step-01', 'end-99'],
    });
    const strict = await copyToEnd({ package: files, settings: { tools: { strictState: true } } });
    expect(strict).toMatchObject({ steps: [] });
    expect(strict.rejected).not.toEqual([]);
  });
});

/** Nothing is left for the model where another workflow did the work and one edge leads on. */
function isCompletedByRuntime({ subworkflow }: WorkflowNode, edges: readonly GraphEdge[]): boolean {
  return subworkflow !== undefined && edges.length === 1;
}

/** Any edge of the node, a value for each variable that the step sets, and a decision where there are several edges. */
function callFor(
  { id, setsVariables }: WorkflowNode,
  edges: readonly GraphEdge[],
  shown: ShownCall | undefined,
): ShownCall {
  const edge = edges.find(({ to }) => to === shown?.args.next) ?? edges[0];
  const variables = setsVariables.map((name): [string, unknown] => [name, expect.anything()]);
  return {
    tool: 'runtime.complete_node',
    args: {
      nodeId: id,
      next: edge?.to,
      variables: variables.length > 0 ? Object.fromEntries(variables) : undefined,
      decision: edges.length > 1 ? { label: edge?.label, reason: expect.any(String) as unknown } : undefined,
    },
  };
}
