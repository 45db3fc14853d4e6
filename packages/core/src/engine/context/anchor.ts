/**
 * The anchor: the position of the run and its task, sent to the model on start, on resume, and whenever it changed: a new
 * node, another agent, or a changed state.
 */
import type { AnchorBlocks } from '@crewagent/protocol/event-messages';
import { detectLanguage } from '@crewagent/protocol/languages';
import type { WorkflowGraph } from '@crewagent/protocol/workflow';
import { sha256Of } from '../../base/sha256.ts';
import type { RequestFacts } from '../../llm/request-facts.ts';
import { parseMountPath } from '../../mounts/mount-path.ts';
import { fillVariables } from '../../mounts/path-template.ts';
import { composeRoster } from '../../prompt/persona.ts';
import {
  type Intent,
  MAX_STEP_BYTES,
  type NodeBrief,
  toCallResult,
  toNodeBrief,
  toNodeFacts,
  toRunDirective,
  toStepFile,
} from '../../prompt/prompt-blocks.ts';
import { toChangedNote, toMoveNote } from '../../prompt/runtime-notes.ts';
import { allowedNext } from '../../workflow/transition.ts';
import { pathValuesOf } from '../../workflow/workflow-state.ts';
import type { LiveRun } from '../live-run.ts';
import type { RunPosition } from '../run-position.ts';
import { findChangedFiles, prefetchFiles } from './prefetch.ts';

/**
 * Undefined in a thread, which has no position. `blocks` is undefined after the last node; `key` is equal for anchors that differ
 * only in their intent, its first part also for those that differ in variables.
 */
export async function composeAnchor(
  run: LiveRun,
  { at, nodeId, isComplete }: RunPosition,
  intent: Intent,
): Promise<{ content: string; blocks?: AnchorBlocks; key: string } | undefined> {
  const { plan, record } = run.sources;
  if (!plan || !at) return undefined;
  const directiveWith = (given: Intent): string =>
    toRunDirective({
      intent: given,
      workflow: plan.ref,
      artifactsDir: record.tools.artifactsDir,
      calledFrom: run.sources.calls?.caller?.nodes,
    });
  const keyOf = (brief: NodeBrief | undefined): string =>
    [
      `${directiveWith('continue')}${run.agentOf(nodeId)} ${record.tools.approval}${brief ? toNodeBrief({ ...brief, variables: {} }) : ''}`,
      JSON.stringify(brief?.variables ?? {}),
    ]
      .map((part) => sha256Of(part).slice(0, 16))
      .join('-');
  // After completion no step is active.
  if (isComplete) return { content: directiveWith(intent), key: keyOf(undefined) };
  const { node } = at;
  const brief = briefOf(at, plan.graph);
  const { history, call } = run.memory;
  const isSentAlready = history.nodeId === node.id && history.messages.length > 0 && !history.isAnchorDue;
  const step = isSentAlready ? undefined : await readStep(run, node.file);
  const prefetched = step === undefined ? undefined : await prefetchFiles(run, at, step);
  const changed = isSentAlready && intent === 'resume' ? await findChangedFiles(run) : [];
  const { refusedCalls } = history;
  // Offsets are stored beside the content, so keys are replaced before they are counted.
  const toText = (blocks: readonly string[]): string => run.keys.hide(blocks.join('\n\n'));
  const position = [directiveWith(intent), toNodeBrief(brief)];
  const withStep = step === undefined ? position : [...position, toStepFile(node.file, step)];
  const blocks = [
    ...withStep,
    ...(prefetched ? [prefetched.text] : []),
    ...(node.needsRoster && !isSentAlready ? [composeRoster(run.sources.agents)] : []),
    ...(call?.nodeId === node.id && call.result && !isSentAlready
      ? [toCallResult({ nodeId: node.id, title: call.workflow.title || call.workflow.ref, ...call.result })]
      : []),
    ...(refusedCalls.length > 0 ? [toMoveNote(refusedCalls)] : []),
    ...(changed.length > 0 ? [toChangedNote(changed)] : []),
  ];
  return {
    content: toText(blocks),
    blocks: {
      stepFile: node.file,
      briefEnd: toText(position).length,
      ...(step === undefined ? {} : { stepEnd: toText(withStep).length }),
      ...(prefetched && prefetched.files.length > 0 ? { prefetched: prefetched.files } : {}),
    },
    key: keyOf(brief),
  };
}

/** The same information in structured form. */
export async function findFacts(run: LiveRun): Promise<RequestFacts> {
  const { plan, background } = run.sources;
  const { nodeId, groups, sent } = run.memory.history;
  const { at } = await run.position();
  const node =
    plan && at && nodeId !== undefined
      ? toNodeFacts(briefOf(at, plan.graph), await readStep(run, at.node.file))
      : undefined;
  const language = detectLanguage(background.language === undefined ? [] : [background.language]);
  return { isThread: !plan, node, groups, sent: [...sent], language };
}

function briefOf({ node, state }: NonNullable<RunPosition['at']>, graph: WorkflowGraph): NodeBrief {
  const values = pathValuesOf(state);
  const fill = (path: string): string => fillVariables(path, values);
  return {
    nodeId: node.id,
    title: node.title,
    type: node.type,
    stepPath: node.file,
    stepsCompleted: state.stepsCompleted,
    variables: state.variables,
    inputDocuments: state.inputDocuments,
    inputs: node.inputs.map(fill),
    outputs: node.outputs.map(fill),
    setsVariables: node.setsVariables,
    allowedNext: allowedNext(state, graph),
    proof: node.proof && {
      ...node.proof,
      produces: node.proof.produces.map((file) => ({ ...file, path: fill(file.path) })),
    },
  };
}

/** Undefined if the step is too long to be sent automatically. */
async function readStep(run: LiveRun, file: string): Promise<string | undefined> {
  const parsed = parseMountPath(`@pkg/${file}`);
  if (!parsed.ok) return undefined;
  return run.sources.files.withFile(parsed.path, async ({ handle, bytes }) =>
    bytes > MAX_STEP_BYTES ? undefined : (await handle.readFile()).toString('utf8'),
  );
}
