/** What happens when a run that is not in progress goes on. Reads the log and the files; takes no lease and changes nothing. */
import type { ResumePreview } from '@crewagent/protocol/api/file-use';
import type { ContextLayer, ShownRequest } from '@crewagent/protocol/api/shown-context';
import { actionOf } from '@crewagent/protocol/described-actions';
import type { RunEvent } from '@crewagent/protocol/events';
import { lastTouches } from '@crewagent/protocol/file-use';
import { toStatus } from '@crewagent/protocol/status';
import { effectKindOf, isRead } from '@crewagent/protocol/tool-effects';
import { type LookOptions, showWorkContext } from '../session/show-context.ts';
import type { Store } from '../store/store.ts';
import { type RunAddress, runBeside } from '../store/work-address.ts';
import { hashFiles } from './hash-files.ts';
import { openProject, readFileVisits } from './read-visits.ts';

export async function previewResume(address: RunAddress, options: LookOptions): Promise<ResumePreview> {
  const { store } = options;
  const { works } = store;
  const { isCompleted } = toStatus(await works.read(address));
  const { at, state } = await findInnermost(address, store);
  const { contextTokens, next } = await showWorkContext(at, options);
  const { nodeId, titles, pending } = state;
  return {
    runId: at.workId,
    ...(isCompleted ? {} : { nodeId, title: titles.get(nodeId) ?? nodeId }),
    isOpen: await works.isLeased(address),
    unknownCalls: [...state.started.values()],
    ...(pending ? { pending: { kind: pending.kind, texts: pending.texts } } : {}),
    request: { tokens: next.tokens, contextTokens, parts: sumParts(next.parts) },
    changed: await findChanged(address, store),
  };
}

interface OpenState {
  nodeId: string;
  readonly titles: Map<string, string>;
  readonly started: Map<string, ResumePreview['unknownCalls'][number]>;
  pending:
    | { readonly callId: string; readonly kind: 'question' | 'approval'; readonly texts: string[] }
    | undefined;
  childId: string | undefined;
}

/** The run itself, or the one that it called last and that has not ended. */
async function findInnermost(
  root: RunAddress,
  { works }: Store,
): Promise<{ readonly at: RunAddress; readonly state: OpenState }> {
  const seen = new Set<string>();
  for (let at = root; ; ) {
    seen.add(at.workId);
    const state = createOpenState();
    await works.readLog(at, (event) => addToOpen(state, event));
    // A hostile log may name a run that called it.
    if (state.childId === undefined || seen.has(state.childId)) return { at, state };
    at = runBeside(root, state.childId);
  }
}

function createOpenState(): OpenState {
  return { nodeId: '', titles: new Map(), started: new Map(), pending: undefined, childId: undefined };
}

function addToOpen(state: OpenState, event: RunEvent): void {
  switch (event.type) {
    case 'run.created':
    case 'run.upgraded':
      for (const { id, title } of event.nodes) state.titles.set(id, title);
      if (event.type === 'run.created') state.nodeId = event.entryNodeId;
      return;
    case 'state.changed':
      state.nodeId = event.to;
      return;
    case 'tool.started': {
      const { callId, name, path } = event;
      const kind = isRead({ kind: effectKindOf(name) }) ? { isRead: true as const } : {};
      state.started.set(callId, { callId, name, ...(path === undefined ? {} : { path }), ...kind });
      return;
    }
    case 'tool.ended':
      close(state, event.callId);
      return;
    case 'phase.changed': {
      // The disk refused it: it had no effect, and is made again.
      const retried = event.reason?.details?.retriedCall;
      if (typeof retried === 'string') state.started.delete(retried);
      return;
    }
    case 'question.asked':
      wait(
        state,
        event.callId,
        'question',
        event.questions.map(({ prompt }) => prompt),
      );
      return;
    case 'approval.requested':
      wait(state, event.callId, 'approval', [actionOf(event).title]);
      return;
    case 'question.answered':
    case 'approval.resolved':
      if (state.pending?.callId === event.callId) state.pending = undefined;
      return;
    case 'call.started':
      state.childId = event.childId;
      return;
    case 'call.ended':
      state.childId = undefined;
      return;
    default:
  }
}

/** It waits for a person, and has not begun. */
function wait(state: OpenState, callId: string, kind: 'question' | 'approval', texts: string[]): void {
  state.started.delete(callId);
  state.pending = { callId, kind, texts };
}

function close(state: OpenState, callId: string): void {
  state.started.delete(callId);
  if (state.pending?.callId === callId) state.pending = undefined;
}

function sumParts(parts: ShownRequest['parts']): ResumePreview['request']['parts'] {
  const sums = new Map<ContextLayer, { count: number; tokens: number }>();
  for (const { layer, tokens } of parts) {
    const sum = sums.get(layer) ?? { count: 0, tokens: 0 };
    sums.set(layer, { count: sum.count + 1, tokens: sum.tokens + tokens });
  }
  return [...sums].map(([layer, sum]) => ({ layer, ...sum }));
}

/** Only contents that the log knows are compared. */
async function findChanged(address: RunAddress, store: Store): Promise<ResumePreview['changed']> {
  const touches = lastTouches(await readFileVisits(address, store));
  const now = await hashFiles(touches.keys(), await openProject(await store.works.read(address), store));
  return [...touches.values()].flatMap(({ path, kind: by, sha256 }) => {
    const hash = now.get(path);
    if (sha256 === undefined || hash === undefined || hash === sha256) return [];
    return [{ path, kind: hash === null ? 'removed' : 'changed', by } as const];
  });
}
