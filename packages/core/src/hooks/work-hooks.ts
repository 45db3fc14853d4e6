/**
 * The hooks of one open Work. What can be denied waits for them; they are notified of everything else in order, in the background, until
 * the Work is closed. What a hook did is an event, which the caller emits.
 */
import type { EventOf, RunFact } from '@crewagent/protocol/events';
import { DENIABLE, type HookEvent, type HookInput } from '@crewagent/protocol/hooks';
import { toStatus } from '@crewagent/protocol/status';
import type { HookVerdict, WorkHooks } from '../engine/engine-sources.ts';
import type { HookEnd } from './hook-output.ts';
import { hooksOn, type NamedHook } from './resolve-hooks.ts';
import { type HookParts, runHook } from './run-hook.ts';

export interface WorkHooksOptions extends Omit<HookParts, 'signal'> {
  readonly hooks: readonly NamedHook[];
  readonly runId: string;
  readonly projectName: string;
  readonly workflow: string | undefined;
  /** Its caller says when it waits or has ended. */
  readonly isCalled: boolean;
  titleOf(nodeId: string): string;
  now(): Date;
}

/** Of notifications that wait; more are dropped. */
const MAX_WAITING = 200;
const CLOSE_MS = 30_000;

export function createWorkHooks(options: WorkHooksOptions): WorkHooks {
  const { hooks, runId, projectName, workflow, isCalled, titleOf, now, ...parts } = options;
  const closing = new AbortController();
  let notified: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  const toInput = (
    event: HookEvent,
    summary: string,
    facts: Pick<HookInput, 'to' | 'files' | 'phase' | 'reason' | 'action'> & { nodeId?: string | undefined },
  ): HookInput => {
    const { nodeId, ...more } = facts;
    const node = nodeId === undefined ? undefined : { id: nodeId, title: titleOf(nodeId) };
    return {
      ...{ schemaVersion: 1, event, summary, at: now().toISOString(), runId },
      ...{ project: projectName, workflow, node, ...more },
    };
  };

  /** In their order, up to the first that denies. */
  const ask = async (input: HookInput, signal: AbortSignal): Promise<HookVerdict> => {
    const facts: RunFact[] = [];
    const both = AbortSignal.any([signal, closing.signal]);
    for (const named of hooksOn(hooks, input.event)) {
      const end = await runHook(named.hook, input, { ...parts, signal: both });
      const { fact, denial } = judge(named, end, input);
      facts.push(fact);
      if (denial !== undefined) return { denial, facts };
    }
    return { facts };
  };

  const notify = (input: HookInput, emit: (fact: RunFact) => unknown): void => {
    if (closing.signal.aborted || hooksOn(hooks, input.event).length === 0) return;
    if (waiting >= MAX_WAITING) return;
    waiting++;
    notified = notified.then(async () => {
      const { facts } = await ask(input, closing.signal);
      waiting--;
      if (!closing.signal.aborted) for (const fact of facts) emit(fact);
    });
  };

  return {
    judgesApprovals: hooksOn(hooks, 'approval.requested').length > 0,
    beforeLeave: (from, to, signal) =>
      ask(
        toInput('node.before-leave', `${projectName}: "${titleOf(from)}" is about to be left.`, {
          nodeId: from,
          to,
        }),
        signal,
      ),
    beforeApproval: ({ name: tool, action }, nodeId, signal) =>
      ask(
        toInput('approval.requested', `${projectName}: ${action.title}.`, {
          nodeId,
          action: { tool, title: action.title, target: action.target },
        }),
        signal,
      ),
    observe(event, emit) {
      if (event.runId !== runId) return;
      const files = event.type === 'tool.ended' ? filesOf(event) : [];
      if (event.type === 'tool.ended' && files.length > 0)
        notify(
          toInput('file.written', `${projectName}: ${files.length} files were written.`, {
            nodeId: event.nodeId,
            files,
          }),
          emit,
        );
      if (event.type === 'phase.changed' && workflow !== undefined && !isCalled) {
        const about = toPhaseEvent(event);
        if (about)
          notify(toInput(about, toSentence(event, `${projectName}, ${workflow}`), toPhaseFacts(event)), emit);
      }
    },
    async close() {
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([
        notified,
        new Promise<void>((resolve) => {
          timer = setTimeout(resolve, CLOSE_MS);
        }),
      ]);
      clearTimeout(timer);
      closing.abort();
      await notified;
    },
  };
}

function judge({ name, hook, isRequired }: NamedHook, end: HookEnd, { event, node }: HookInput) {
  const canDeny = DENIABLE.has(event);
  const base = {
    type: 'hook.ran',
    hook: name,
    on: event,
    nodeId: node?.id,
    isRequired: isRequired || undefined,
  } as const;
  if (!end.ok) {
    const denial =
      canDeny && hook.onFailure === 'deny'
        ? `The hook "${name}" must allow it, and could not be run: ${end.error}.`
        : undefined;
    const outcome = denial === undefined ? ('failed' as const) : ('denied' as const);
    return { fact: { ...base, outcome, message: end.error } satisfies RunFact, denial };
  }
  const { deny, message } = end;
  if (deny !== undefined && canDeny) {
    const denial = `The hook "${name}" denied it: ${deny}`;
    return { fact: { ...base, outcome: 'denied', message: deny } satisfies RunFact, denial };
  }
  return { fact: { ...base, outcome: 'ok', message } satisfies RunFact, denial: undefined };
}

const MAX_FILES = 500;

/** Project files that a call changed. */
function filesOf({ outcome, effect }: EventOf<'tool.ended'>): readonly string[] {
  if (!effect || effect.isUnchanged) return [];
  const { kind, path, also = [], changed = [] } = effect;
  const isWrite = kind === 'written' || kind === 'patched';
  const written = outcome === 'ok' && isWrite ? [...(path === undefined ? [] : [path]), ...also] : [];
  const files = new Set([...written, ...changed].filter((file) => file.startsWith('@project/')));
  return [...files].slice(0, MAX_FILES);
}

type PhaseChanged = EventOf<'phase.changed'>;

function toPhaseEvent(event: PhaseChanged): 'run.waiting' | 'run.ended' | undefined {
  if (event.phase === 'Completed' || event.phase === 'Failed') return 'run.ended';
  return event.phase === 'WaitingUser' && toStatus(event).kind !== 'stopped' ? 'run.waiting' : undefined;
}

function toPhaseFacts({ phase, reason }: PhaseChanged): Pick<HookInput, 'phase' | 'reason'> {
  return { phase, reason: reason && { code: reason.code, message: reason.message } };
}

function toSentence({ phase, reason }: PhaseChanged, what: string): string {
  if (phase === 'Completed') return `${what}: completed.`;
  return `${what}: ${phase === 'Failed' ? 'failed' : 'waits for you'}. ${reason?.message ?? ''}`.trim();
}

/** For what `hooks test` and documentation show. */
export function sampleInput(event: HookEvent, at: Date): HookInput {
  const node = { id: 'step-01', title: 'Draft' };
  const base = { schemaVersion: 1, event, at: at.toISOString(), runId: 'a-test', project: 'Sample' } as const;
  switch (event) {
    case 'node.before-leave':
      return {
        ...base,
        summary: 'Sample: "Draft" is about to be left.',
        workflow: 'story',
        node,
        to: 'step-02',
      };
    case 'file.written':
      return {
        ...base,
        summary: 'Sample: 1 files were written.',
        node,
        files: ['@project/artifacts/story.md'],
      };
    case 'run.waiting': {
      const reason = { code: 'question', message: 'The model asked you something.' };
      return {
        ...base,
        summary: 'Sample, story: waits for you.',
        workflow: 'story',
        phase: 'WaitingUser',
        reason,
      };
    }
    case 'run.ended':
      return { ...base, summary: 'Sample, story: completed.', workflow: 'story', phase: 'Completed' };
    case 'approval.requested': {
      const action = { tool: 'fs.write', title: 'fs.write wants to change a file', target: '@project/a.md' };
      return { ...base, summary: 'Sample: fs.write wants to change a file.', node, action };
    }
  }
}
