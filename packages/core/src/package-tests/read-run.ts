/**
 * What a completed run was made of, so that a test can repeat it: the replies of its model, the words of its person, how it started, and
 * the project files that it found.
 */
import type { RunEvent } from '@crewagent/protocol/events';
import type { TestAnswer } from '@crewagent/protocol/package-tests';
import { toStatus } from '@crewagent/protocol/status';
import { effectKindOf, effectOf } from '@crewagent/protocol/tool-effects';
import { CrewError } from '../base/crew-error.ts';
import type { ModelReply, RecordedTools } from '../llm/llm-adapter.ts';
import { type RunAddress, runBeside } from '../store/work-address.ts';
import type { WorkStore } from '../store/work-store.ts';

export interface RunScript {
  readonly isCompleted: boolean;
  readonly replies: readonly ModelReply[];
  readonly answers: readonly TestAnswer[];
  readonly startNodeId: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Visited nodes of the run itself. */
  readonly path: readonly string[];
  /** Project paths of files that it read. */
  readonly reads: ReadonlySet<string>;
  /** Tools of servers and commands, which a test does not start. */
  readonly recorded: RecordedTools;
}

export async function readRunScript(works: WorkStore, address: RunAddress): Promise<RunScript> {
  const replies: ModelReply[] = [];
  const answers: TestAnswer[] = [];
  const path: string[] = [];
  const reads = new Set<string>();
  const results = new Map<string, string>();
  const tools = new Set<string>();
  let isCompleted = false;
  let variables: Readonly<Record<string, unknown>> = {};
  const node = (): string => path.at(-1) ?? '';
  for await (const event of eventsOf(works, address)) {
    const issue = findUnrepeatable(event);
    if (issue !== undefined)
      throw new CrewError(
        'RUN_NOT_REPEATABLE',
        `This run cannot become a test: ${issue}. Choose another run.`,
      );
    const isOwn = event.runId === address.workId;
    switch (event.type) {
      case 'run.created':
        if (!isOwn) break;
        path.push(event.entryNodeId);
        ({ variables } = event);
        break;
      case 'phase.changed':
        if (isOwn) isCompleted = toStatus(event).isCompleted;
        break;
      case 'state.changed':
        if (isOwn && event.from !== event.to) path.push(event.to);
        break;
      case 'message.completed':
        if (event.role === 'assistant') replies.push(toReply(event));
        for (const file of event.delivered ?? []) addRead(reads, file);
        break;
      case 'question.answered':
        answers.push({ node: node(), answer: event.answers });
        break;
      case 'input.queued':
        if (event.purpose === undefined) answers.push({ node: node(), say: event.content });
        break;
      case 'approval.resolved':
        // What was approved is done without asking.
        if (event.decision === 'no') answers.push({ node: node(), asked: event.path, approve: false });
        break;
      case 'tool.ended': {
        const { kind, path: file = '' } = effectOf(event);
        if (kind === 'read' && event.outcome === 'ok') addRead(reads, file);
        if (effectKindOf(event.name) === 'external') {
          tools.add(event.name);
          results.set(event.callId, event.content);
        }
        break;
      }
      default:
        break;
    }
  }
  const startNodeId = path[0] ?? '';
  const recorded = { tools: [...tools].map(toWireTool), answers: results };
  return { isCompleted, replies, answers, startNodeId, variables, path, reads, recorded };
}

/** Events of a run, and of the runs that it called where it called them. */
async function* eventsOf(works: WorkStore, address: RunAddress): AsyncGenerator<RunEvent> {
  const events: RunEvent[] = [];
  await works.readLog(address, (event) => events.push(event));
  for (const event of events) {
    yield event;
    if (event.type === 'call.started') yield* eventsOf(works, runBeside(address, event.childId));
  }
}

/** What a person did that a test has no words for. */
function findUnrepeatable(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'state.changed':
      if (event.isRewind) return 'a step of it was started again';
      return event.isWhole ? 'its state was edited' : undefined;
    case 'run.upgraded':
      return 'it was moved to another version of its package';
    case 'check.waived':
      return 'a check was waived';
    case 'call.ended':
      return event.outcome === 'completed' ? undefined : 'a called workflow was skipped';
    case 'changes.undone':
      return 'changes were undone in it';
    default:
      return undefined;
  }
}

function toReply({
  content,
  toolCalls = [],
  finishReason = toolCalls.length > 0 ? 'tool_calls' : 'stop',
}: Extract<RunEvent, { type: 'message.completed' }>): ModelReply {
  return {
    content,
    finishReason,
    toolCalls: toolCalls.map(({ id, name, arguments: args, isCutOff = false }) => ({
      id,
      name,
      arguments: args,
      isCutOff,
    })),
  };
}

const PROJECT = '@project/';

function addRead(reads: Set<string>, path: string): void {
  if (path.startsWith(PROJECT)) reads.add(path.slice(PROJECT.length));
}

/** Results come from the log, so a schema is not needed. */
function toWireTool(name: string) {
  return {
    type: 'function' as const,
    function: {
      name: name.replaceAll('.', '_'),
      description: 'A tool of the recorded run.',
      parameters: { type: 'object' },
    },
  };
}
