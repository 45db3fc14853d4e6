/**
 * Which project files each visit of a run read and wrote, with their hashes: a fold of its log, small enough to be kept. What follows
 * from it (stale results, undeclared files) is computed from this, never from the log again.
 */
import type { EventOf, RunEvent } from './events.ts';
import { parseObject } from './json-object.ts';
import { changedPaths, effectOf, hashesIn, pathsOf } from './tool-effects.ts';
import type { ToolEffect } from './tools.ts';

/** In the order of the log. */
export type FileStep =
  | { readonly kind: 'visit'; readonly nodeId: string; readonly seq: number }
  /** Without a hash if the log does not have it; a write without one may also have removed the file. */
  | { readonly kind: 'read' | 'write'; readonly path: string; readonly sha256?: string | undefined }
  | { readonly kind: 'call'; readonly childId: string }
  | { readonly kind: 'rewind'; readonly to: string };

export interface FileUse {
  readonly runId: string;
  readonly steps: readonly FileStep[];
}

const PROJECT = '@project/';

export function createFileUse(runId: string): FileUse & { add(event: RunEvent): void } {
  const steps: FileStep[] = [];
  /** The last step of each file in this visit: what a visit repeats is recorded once. */
  let latest = new Map<string, string>();
  const touch = (kind: 'read' | 'write', path: string, sha256?: string): void => {
    if (!path.startsWith(PROJECT)) return;
    const state = `${kind} ${sha256}`;
    if (latest.get(path) === state) return;
    latest.set(path, state);
    steps.push(sha256 === undefined ? { kind, path } : { kind, path, sha256 });
  };
  const begin = (nodeId: string, seq: number): void => {
    latest = new Map();
    steps.push({ kind: 'visit', nodeId, seq });
  };
  return {
    runId,
    steps,
    add(event) {
      switch (event.type) {
        case 'run.created':
          begin(event.entryNodeId, event.seq);
          return;
        case 'state.changed':
          if (event.isRewind) steps.push({ kind: 'rewind', to: event.to });
          if (event.from !== event.to || event.isRewind) begin(event.to, event.seq);
          return;
        case 'message.completed': {
          const { delivered = [], anchorBlocks } = event;
          const hashes = new Map(anchorBlocks?.prefetched?.map(({ path, sha256 }) => [path, sha256]));
          for (const path of new Set([...delivered, ...hashes.keys()])) touch('read', path, hashes.get(path));
          return;
        }
        case 'tool.ended':
          addCall(event, touch);
          return;
        case 'visit.carried':
          for (const { kind, path, sha256 } of event.files) touch(kind, path, sha256);
          return;
        case 'call.started':
          steps.push({ kind: 'call', childId: event.childId });
          return;
        case 'changes.undone':
          // The version that a reader had before is not the one of now.
          for (const { path, outcome } of event.files)
            if (outcome === 'restored' || outcome === 'deleted' || outcome === 'recreated')
              touch('write', path);
          return;
        default:
      }
    },
  };
}

function addCall(
  event: EventOf<'tool.ended'>,
  touch: (kind: 'read' | 'write', path: string, sha256?: string) => void,
): void {
  const effect = effectOf(event);
  if (event.outcome !== 'ok' && !effect.changed) return;
  const hashes = new Map(hashesOf(event, effect).map(({ path, sha256 }) => [path, sha256]));
  if (effect.kind === 'read') for (const path of pathsOf(effect)) touch('read', path, hashes.get(path));
  for (const path of changedPaths(effect)) touch('write', path, hashes.get(path));
}

/** Logs of earlier versions have the hashes in the result only. */
function hashesOf({ content }: EventOf<'tool.ended'>, effect: ToolEffect): NonNullable<ToolEffect['hashes']> {
  if (effect.hashes) return effect.hashes;
  const mayHave = effect.path?.startsWith(PROJECT) && effect.changed === undefined;
  return mayHave ? hashesIn(effect.kind, effect.path, parseObject(content)) : [];
}

/** The visit of a node, with those of called runs in the order in which everything happened. */
export interface FileVisit {
  readonly runId: string;
  /** Node ids from the root down. */
  readonly nodes: readonly string[];
  /** Counts the visits of this node in its run, from 1. */
  readonly visit: number;
  /** The event that began it. */
  readonly seq: number;
  /** The run was rewound to before it: it counts no more, its files are what others wrote. */
  isRewound: boolean;
  readonly touches: Touch[];
}

export interface Touch {
  readonly kind: 'read' | 'write';
  readonly path: string;
  readonly sha256: string | undefined;
  /** Over all visits. */
  readonly order: number;
}

/** `findUse`: of a called run; undefined if it was deleted. */
export function toVisits(
  use: FileUse,
  findUse: (runId: string) => FileUse | undefined = () => undefined,
): FileVisit[] {
  const visits: FileVisit[] = [];
  const seen = new Set<string>();
  let order = 0;
  const walk = ({ runId, steps }: FileUse, callers: readonly string[]): void => {
    // A hostile log may name itself as called.
    if (seen.has(runId)) return;
    seen.add(runId);
    const counts = new Map<string, number>();
    const own: FileVisit[] = [];
    let current: FileVisit | undefined;
    for (const step of steps) {
      if (step.kind === 'visit') {
        const visit = (counts.get(step.nodeId) ?? 0) + 1;
        counts.set(step.nodeId, visit);
        const nodes = [...callers, step.nodeId];
        current = { runId, nodes, visit, seq: step.seq, isRewound: false, touches: [] };
        own.push(current);
        visits.push(current);
      } else if (step.kind === 'call') {
        const called = findUse(step.childId);
        if (called && current) walk(called, current.nodes);
      } else if (step.kind === 'rewind') {
        const at = own.findLastIndex(({ nodes }) => nodes.at(-1) === step.to);
        const from = at < 0 ? undefined : visits.indexOf(own[at] as FileVisit);
        for (const visit of from === undefined ? [] : visits.slice(from)) visit.isRewound = true;
      } else {
        order += 1;
        current?.touches.push({ kind: step.kind, path: step.path, sha256: step.sha256, order });
      }
    }
  };
  walk(use, []);
  return visits;
}

/** What the run did last with each file, by its path. */
export function lastTouches(visits: readonly FileVisit[]): Map<string, Touch> {
  const touches = visits.flatMap((visit) => visit.touches).sort((a, b) => a.order - b.order);
  return new Map(touches.map((touch) => [touch.path, touch]));
}

export function toWrittenPaths(visits: readonly FileVisit[]): Set<string> {
  const writes = visits.flatMap(({ touches }) => touches.filter(({ kind }) => kind === 'write'));
  return new Set(writes.map(({ path }) => path));
}
