/**
 * A graph with the graphs of its expanded sub-workflows, at every depth: their nesting and their layout.
 * Pure.
 */

import { toStatus } from '@crewagent/protocol/status';
import type { Story } from '@crewagent/protocol/story/story';
import { type Progress, type Runs, type ShownGraph, toProgress, toUnstarted } from '../to-progress.ts';
import { type EdgeRoute, type LayOut, moveRoute, type Point, type Size } from './lay-out-graph.ts';

/** The graph of one workflow. Nodes are named by the path of nodes that leads to them, joined by blanks. */
export interface GraphLevel {
  readonly progress: Progress;
  /** The run that it shows; undefined where the workflow was not called yet. */
  readonly runId: string | undefined;
  /** By node: what is drawn inside of it. */
  readonly inner: ReadonlyMap<string, GraphLevel>;
  /** Nodes that call a workflow, whether they are opened or not. */
  readonly callers: ReadonlySet<string>;
}

export interface LevelOptions {
  readonly runs: Runs;
  /** Graphs that are known, by the workflow. */
  readonly graphs: ReadonlyMap<string, ShownGraph>;
  /** Whether a node, by its path, is opened. */
  readonly isOpen: (path: string, isUnderWay: boolean) => boolean;
  /** Called with each workflow whose graph is needed and not known. */
  readonly onMissing: (workflow: string) => void;
}

export function toGraphLevel(
  view: Readonly<Story>,
  graph: ShownGraph,
  options: LevelOptions,
  path = '',
): GraphLevel {
  const { runs, graphs, isOpen, onMissing } = options;
  const isCompleted = toStatus(view).kind === 'completed';
  const inner = new Map<string, GraphLevel>();
  const callers = new Set<string>();
  for (const { id, subworkflow } of graph.nodes) {
    if (subworkflow === undefined) continue;
    callers.add(id);
    const call = view.calls.findLast(({ nodeId }) => nodeId === id);
    const isUnderWay = call !== undefined && call.outcome === undefined && !isCompleted;
    if (!isOpen(path + id, isUnderWay)) continue;
    const called = graphs.get(subworkflow);
    if (!called) {
      onMissing(subworkflow);
      continue;
    }
    const run = call && runs.get(call.childId);
    inner.set(id, toGraphLevel(run ?? toUnstarted(called), called, options, `${path}${id} `));
  }
  return { progress: toProgress(view, graph), runId: view.runId || undefined, inner, callers };
}

/** The position is inside of the node that contains it. */
type Box = Point & Size;

/** Room for the title of a node that is opened. */
export const TITLE_HEIGHT = 34;

export interface LevelLayout extends Size {
  readonly boxes: ReadonlyMap<string, Box>;
  /** Relative to this graph, those of opened workflows as well. */
  readonly routes: ReadonlyMap<string, EdgeRoute>;
}

/** Position of every node and route of every edge, by its path, and the size of the whole graph. */
export function layOutLevel(
  { progress, inner }: GraphLevel,
  { size, layOut }: LevelStyle,
  path = '',
): LevelLayout {
  const opened = new Map(
    [...inner].map(([id, level]) => [id, layOutLevel(level, { size, layOut }, `${path}${id} `)] as const),
  );
  const sizeOf = (id: string) => {
    const content = opened.get(id);
    return content
      ? { width: Math.max(size.width, content.width), height: content.height + TITLE_HEIGHT }
      : size;
  };
  const { positions, width, height, ...own } = layOut(progress, sizeOf);
  const boxes = new Map<string, Box>();
  const routes = new Map([...own.routes].map(([id, route]) => [path + id, route]));
  for (const [id, position] of positions) {
    boxes.set(path + id, { ...position, ...sizeOf(id) });
    for (const [name, box] of opened.get(id)?.boxes ?? [])
      boxes.set(name, parentOf(name) === path + id ? { ...box, y: box.y + TITLE_HEIGHT } : box);
    for (const [name, route] of opened.get(id)?.routes ?? [])
      routes.set(name, moveRoute(route, { x: position.x, y: position.y + TITLE_HEIGHT }));
  }
  return { boxes, routes, width, height };
}

/** The size of a node that is not opened, and the layout of each graph. */
export interface LevelStyle {
  readonly size: Size;
  readonly layOut: LayOut;
}

/** The node that contains it; undefined for a node of the outermost graph. */
export function parentOf(path: string): string | undefined {
  const at = path.lastIndexOf(' ');
  return at < 0 ? undefined : path.slice(0, at);
}

/** Node positions relative to the outermost graph. */
export function toAbsolute(boxes: ReadonlyMap<string, Box>): ReadonlyMap<string, Box> {
  const positionOf = (path: string): Point => {
    const { x = 0, y = 0 } = boxes.get(path) ?? {};
    const parent = parentOf(path);
    const outer = parent === undefined ? { x: 0, y: 0 } : positionOf(parent);
    return { x: x + outer.x, y: y + outer.y };
  };
  return new Map([...boxes].map(([path, box]) => [path, { ...box, ...positionOf(path) }]));
}
