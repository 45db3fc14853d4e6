/**
 * What happened in the current visit of a run to a node, folded from its events: who spoke, which files were read and written,
 * what was waived and refused. A visit begins when the run arrives at the node, or is rewound to it; a resume continues it.
 */
import type { EventOf, RunEvent } from './events.ts';
import type { Spoken } from './evidence-schema.ts';
import type { CheckResult, Speaker } from './proof.ts';
import { changedPaths, effectOf, pathsOf } from './tool-effects.ts';

export interface Baseline {
  readonly patterns: readonly string[];
  /** Mount path → hash. */
  readonly files: ReadonlyMap<string, string>;
  readonly isPartial: boolean;
  readonly isRerun: boolean;
}

interface Waiver {
  readonly check: string;
  readonly reason: string;
}

export interface VisitFacts {
  nodeId: string;
  /** Counts the visits of this node, from 1. */
  visit: number;
  baseline: Baseline | undefined;
  spoken: Spoken[];
  waivers: Waiver[];
  /** Mount path → number of the first event that read it. */
  reads: Map<string, number>;
  /** Mount path → number of the last event that wrote it. */
  writes: Map<string, number>;
  /** Files that were written again with the content that they had. */
  same: Set<string>;
  /** A request was sent in it, or a workflow called. */
  hasBegun: boolean;
  /** It was taken over from another run. */
  isCarried: boolean;
  /** The last refusal for lack of proof, and how often it was repeated without progress. */
  refusal:
    | {
        readonly code: string;
        readonly message: string;
        readonly count: number;
        readonly checks: readonly CheckResult[];
      }
    | undefined;
  /** Messages that were typed in this visit and not sent to the model yet. */
  queued: readonly { readonly seq: number; readonly text: string; readonly by?: Speaker | undefined }[];
  readonly visits: Map<string, number>;
  /** Project files that this run has written in any visit, as mount paths. */
  readonly written: Set<string>;
}

export function createVisitFacts(): VisitFacts {
  return {
    nodeId: '',
    visit: 0,
    ...noFacts(),
    visits: new Map(),
    written: new Set(),
  };
}

export function addToVisit(visit: VisitFacts, event: RunEvent): void {
  switch (event.type) {
    case 'run.created':
      beginVisit(visit, event.entryNodeId);
      return;
    case 'state.changed':
      if (event.from !== event.to || event.isRewind) beginVisit(visit, event.to);
      return;
    case 'visit.started':
      visit.baseline = {
        patterns: event.patterns,
        files: new Map(event.files.map(({ path, sha256 }) => [path, sha256])),
        isPartial: event.isPartial === true,
        isRerun: event.isRerun === true,
      };
      return;
    case 'visit.carried':
      visit.isCarried = true;
      return;
    case 'turn.started':
    case 'call.started':
      visit.hasBegun = true;
      return;
    case 'check.waived':
      visit.waivers = [...visit.waivers, { check: event.check, reason: event.reason }];
      visit.refusal = undefined;
      return;
    case 'run.resumed':
      visit.refusal = undefined;
      return;
    case 'transition.refused':
      addRefusal(visit, event);
      return;
    case 'tool.ended':
      addFile(visit, event);
      return;
    case 'artifact.written':
      visit.written.add(event.path);
      return;
    case 'files.found':
      markWritten(
        visit,
        event.files.map(({ path }) => path),
        event.seq,
      );
      return;
    case 'call.ended':
      markWritten(visit, event.written ?? [], event.seq);
      return;
    case 'message.completed':
      markRead(visit, event.delivered ?? [], event.seq);
      addSpoken(visit, event);
      return;
    default:
      addSpoken(visit, event);
  }
}

function noFacts() {
  return {
    baseline: undefined,
    spoken: [],
    waivers: [],
    reads: new Map<string, number>(),
    writes: new Map<string, number>(),
    same: new Set<string>(),
    hasBegun: false,
    isCarried: false,
    refusal: undefined,
    queued: [],
  };
}

function beginVisit(visit: VisitFacts, nodeId: string): void {
  const number = (visit.visits.get(nodeId) ?? 0) + 1;
  visit.visits.set(nodeId, number);
  Object.assign(visit, noFacts(), { nodeId, visit: number });
}

const PROOF_CODES: ReadonlySet<string | undefined> = new Set(['E_OUTPUT_INCOMPLETE', 'E_PERSON_NOT_HEARD']);

/** A refusal with another message is progress: something else is missing now. */
function addRefusal(visit: VisitFacts, { code, message, checks = [] }: EventOf<'transition.refused'>): void {
  if (code === undefined || !PROOF_CODES.has(code)) return;
  const count = visit.refusal?.message === message ? visit.refusal.count + 1 : 1;
  visit.refusal = { code, message, count, checks };
}

function addFile(visit: VisitFacts, event: EventOf<'tool.ended'>): void {
  const effect = effectOf(event);
  // A program that failed may have changed files before.
  if (event.outcome !== 'ok' && !effect.changed) return;
  if (effect.kind === 'read') markRead(visit, pathsOf(effect), event.seq);
  if (effect.isUnchanged) {
    if (effect.path !== undefined) visit.same.add(effect.path);
    return;
  }
  markWritten(visit, changedPaths(effect), event.seq);
}

function markWritten({ writes, written }: VisitFacts, paths: readonly string[], seq: number): void {
  for (const path of paths) {
    writes.set(path, seq);
    written.add(path);
  }
}

/** Files that a tool read, or that were delivered with the node. */
function markRead({ reads }: VisitFacts, paths: readonly string[], seq: number): void {
  for (const path of paths) if (!reads.has(path)) reads.set(path, seq);
}

/** A message counts when the model gets it, if it was typed in this visit: before that, nobody saw what the node asks. */
function addSpoken(visit: VisitFacts, event: RunEvent): void {
  const heard = (spoken: Omit<Spoken, 'seq'>): void => {
    visit.spoken = [...visit.spoken, { ...spoken, seq: event.seq }];
    visit.refusal = undefined;
  };
  switch (event.type) {
    case 'input.queued':
      if (event.purpose === undefined)
        visit.queued = [...visit.queued, { seq: event.seq, text: event.content, by: event.speaker }];
      return;
    case 'input.withdrawn':
      visit.queued = visit.queued.filter(({ seq }) => seq !== event.inputSeq);
      return;
    case 'message.completed': {
      const sent =
        event.purpose === 'input' ? visit.queued.find(({ text }) => text === event.content) : undefined;
      if (!sent) return;
      visit.queued = visit.queued.filter((other) => other !== sent);
      heard({ kind: 'message', text: sent.text, by: sent.by });
      return;
    }
    case 'question.answered':
      heard({ kind: 'answer', text: Object.values(event.answers).map(toText).join(', '), by: event.speaker });
      return;
    case 'approval.resolved':
      if (event.decision !== 'no') heard({ kind: 'approval', text: event.decision, by: event.speaker });
      return;
    default:
      return;
  }
}

function toText(answer: unknown): string {
  return typeof answer === 'string' ? answer : JSON.stringify(answer);
}
