/**
 * `runtime.go_back`: takes the run back to a node that it has visited, as a person does with a rewind. A person is asked every time.
 */
import type { ToolFailure } from '@crewagent/protocol/tools';
import * as z from '@crewagent/protocol/zod';
import { effectiveNode } from '../workflow/transition.ts';
import { DamagedState } from './state/state-file.ts';
import type { StateGate } from './state/state-gate.ts';
import { answer, defineTool, failure, type Tool } from './tool.ts';
import { toFileFailure } from './tool-failure.ts';
import type { PreparedAction, ToolAnswer, ToolCallContext } from './tool-source.ts';

const schema = z.strictObject({
  to: z.string().check(z.minLength(1), z.describe('An earlier node.')),
  reason: z.string().check(z.minLength(1), z.maxLength(1_000)),
});

type Arguments = z.infer<typeof schema>;

export interface GoBackSources {
  readonly gate: StateGate;
  /** Ids of the nodes that the run has visited, the current one included. */
  visited(): Iterable<string>;
  /** Of a node; empty if it has none. */
  titleOf(nodeId: string): string;
}

export function createGoBack(sources: GoBackSources): Tool {
  const tool = defineTool({
    name: 'runtime.go_back',
    family: 'runtime',
    description: 'Returns the run to an earlier node if the user wants that; the user is asked. Files stay.',
    schema,
    run: (args, call) => goBack(args, call, sources),
  });
  // With one node there is nothing to go back to.
  return { ...tool, isOffered: () => [...new Set(sources.visited())].length > 1 };
}

async function goBack(args: Arguments, call: ToolCallContext, sources: GoBackSources): Promise<ToolAnswer> {
  const { gate, titleOf } = sources;
  try {
    const base = await gate.read();
    const moved = gate.checkDecidedAt(base, call.decidedAt);
    if (moved) return answer({ ok: false, error: moved });
    const current = effectiveNode(base.state, gate.graph);
    const earlier = [...new Set(sources.visited())].filter((id) => id !== current);
    const to = findNode(args.to, earlier, titleOf);
    if (to === undefined) return answer(notVisited(args.to, earlier, titleOf));
    if (call.isAttended === false) return answer(NOBODY);
    return { kind: 'action', prepared: prepare({ ...args, to }, titleOf(to), gate) };
  } catch (error) {
    return answer(toStateFailure(error));
  }
}

/** By its id, or by a title that only one of them has. */
function findNode(
  wanted: string,
  earlier: readonly string[],
  titleOf: GoBackSources['titleOf'],
): string | undefined {
  if (earlier.includes(wanted)) return wanted;
  const [only, ...others] = earlier.filter((id) => titleOf(id).toLowerCase() === wanted.trim().toLowerCase());
  return others.length === 0 ? only : undefined;
}

function notVisited(
  wanted: string,
  earlier: readonly string[],
  titleOf: GoBackSources['titleOf'],
): ToolFailure {
  const names = earlier.map((id) => `"${id}"${titleOf(id) ? ` (${titleOf(id)})` : ''}`);
  const choices = names.length === 0 ? 'there is no earlier node' : `it can go back to ${names.join(', ')}`;
  return failure(
    'E_INVALID_TRANSITION',
    `The run has not visited "${wanted.slice(0, 120)}" before this node; ${choices}.`,
  );
}

const NOBODY = failure(
  'TOOL_REFUSED',
  'Going back needs the consent of the user, and nobody is here to approve it. Continue with this node.',
);

function prepare({ to, reason }: Arguments, title: string, gate: StateGate): PreparedAction {
  const preview = {
    to,
    ...(title ? { title } : {}),
    reason,
    files: 'They stay as they are; undo them separately.',
  };
  return {
    action: {
      title: `Go back to ${title ? `"${title}"` : 'an earlier step'}`,
      target: to,
      effect: 'state',
      preview: { kind: 'json', text: JSON.stringify(preview) },
      isOnceOnly: true,
    },
    files: [],
    effect: {},
    isNoop: false,
    async commit() {
      try {
        await gate.rewind(to, reason);
        return { ok: true, currentNodeId: to };
      } catch (error) {
        return toStateFailure(error);
      }
    },
  };
}

function toStateFailure(error: unknown): ToolFailure {
  return error instanceof DamagedState
    ? { ok: false, error: error.error }
    : toFileFailure(error, '@state/workflow.md');
}
