/**
 * An exported run: facts, progress, events by node, results. Contains everything the formats share; texts are bounded and free
 * of invisible characters. Pure.
 */
import { MAX_CALL_DEPTH } from '@crewagent/protocol/call-depth';
import type { Language } from '@crewagent/protocol/languages';
import type { RunModel } from '@crewagent/protocol/model';
import type { RunRecord } from '@crewagent/protocol/run';
import { toStatus } from '@crewagent/protocol/status';
import { toGrouped, toShortPath } from '@crewagent/protocol/story/describe-item';
import type { StoryItem } from '@crewagent/protocol/story/items';
import type { Story } from '@crewagent/protocol/story/story';
import { treeTurns, treeUsage } from '@crewagent/protocol/story/tree-figures';
import type { ProjectDocument } from '../documents/read-document.ts';
import type { LogReading } from '../store/work-store.ts';
import { type Entry, toEntry } from './entries.ts';
import { toProofPart } from './proof-part.ts';
import type { RunEvidence } from './read-evidence.ts';
import { describeCost, standingChangesIn, toSummary } from './summary.ts';
import { describePhase, type Fact, toBlock, toLine, toTime } from './text.ts';
import { type Words, wordsOf } from './words.ts';

/** Input of an export. */
export interface ExportSource {
  readonly record: RunRecord;
  readonly view: Story;
  readonly log: LogReading;
  /** Runs of the sub-workflows that it called, at any depth, by id. */
  readonly called?: Readonly<Record<string, Story>> | undefined;
  readonly evidence?: RunEvidence | undefined;
  /** Its main result, if it can be read. */
  readonly result?: ProjectDocument | undefined;
}

export type Report = ReturnType<typeof toReport>;

/** Events of one visit to a node, or outside of nodes. */
export interface Chapter {
  readonly title: string;
  readonly nodeId: string | undefined;
  readonly visit: number;
  readonly entries: readonly Entry[];
}

export interface ReportOptions {
  /** Default: English. */
  readonly language?: Language | undefined;
  /** Prefix of links to files, relative to the export; undefined if links are not possible. */
  readonly linkBase?: string | undefined;
}

export function toReport(source: ExportSource, { language = 'en', linkBase }: ReportOptions = {}) {
  const words = wordsOf(language);
  const { view, log, called = {} } = source;
  const { state } = view;
  const { deleted } = standingChangesIn(view.timeline);
  const artifacts = state.artifacts.filter((path) => !deleted.has(`@project/${path}`));
  const summary = toSummary(view, words, Object.values(called));
  return {
    words,
    title: toLine(view.workflow?.title || source.record.workflowTitle || words.t('title.run')),
    summary,
    facts: toFacts(source, words),
    nodes: view.nodes.map(({ id, title, type }) => ({
      id: toLine(id),
      title: toLine(title),
      type,
      status: toNodeStatus(id, view),
    })),
    chapters: toChapters(view, {
      called,
      within: [],
      words,
      maxAnswer: maxAnswerOf([view, ...Object.values(called)]),
    }),
    files: artifacts.map((path) => ({
      path: toLine(path),
      change: summary.changes.find((change) => change.path === toLine(path)),
      href: linkBase === undefined ? undefined : linkBase + path.split('/').map(toUrlPart).join('/'),
    })),
    /** Changed files of the project that are no results. */
    yourFiles: summary.changes.filter(({ path }) => !artifacts.some((artifact) => toLine(artifact) === path)),
    variables: Object.entries(state.variables).map(([name, value]) => ({
      name: toLine(name),
      value: toBlock(typeof value === 'string' ? value : JSON.stringify(value), MAX_VALUE, words),
    })),
    evidence: toProofPart(source.evidence, words),
    result: source.result && { ...source.result, path: toLine(toShortPath(source.result.path)) },
    integrity: toIntegrity(log, words),
  };
}

const MAX_VALUE = 2_000;

function toFacts({ record, view, called = {} }: ExportSource, words: Words): Fact[] {
  const { t } = words;
  const runs = new Map(Object.entries(called));
  const usage = treeUsage(view, runs);
  const { promptTokens, completionTokens, cachedTokens } = usage;
  const cost = describeCost(usage, record.model, words);
  const facts: [string, string][] = [
    [
      t('fact.package'),
      `${record.packageName} ${record.packageVersion} (${record.packageHash.slice(0, 12)})`,
    ],
    [t('fact.workflow'), `${record.workflowTitle} (${record.workflowRef})`],
    [t('fact.agent'), record.activeAgentId],
    [t('fact.model'), describeModel(record.model, words)],
    [t('fact.status'), describePhase(view.phase, view.reason, words)],
    [t('fact.started'), toMoment(record.createdAt)],
    [t('fact.changed'), toMoment(view.updatedAt ?? record.updatedAt)],
    [t('fact.turns'), toGrouped(treeTurns(view, runs))],
    [
      t('fact.tokens'),
      t('tokens', {
        sent: toGrouped(promptTokens),
        cached: toGrouped(cachedTokens),
        received: toGrouped(completionTokens),
      }),
    ],
    ...(cost === undefined ? [] : [[t('number.cost'), cost] satisfies [string, string]]),
    [t('fact.run'), record.workId],
  ];
  return facts.map(([name, value]) => ({ name, value: toLine(value) }));
}

function describeModel(model: RunModel, { t }: Words): string {
  switch (model.kind) {
    case 'rehearsal':
      return t('model.rehearsal');
    case 'host':
      return model.name;
    case 'replay':
      return t('model.replay', { file: model.file });
    case 'provider':
      return `${model.settings.model} (${model.settings.provider})`;
  }
}

/** `2026-01-31 09:30:00 UTC` */
function toMoment(iso: string): string {
  return `${iso.slice(0, 10)} ${toTime(iso)} UTC`;
}

function toNodeStatus(id: string, view: Story): 'done' | 'current' | 'open' {
  if (id === view.state.currentNodeId && !toStatus(view).isCompleted) return 'current';
  return view.state.stepsCompleted.includes(id) ? 'done' : 'open';
}

/** Encodes everything that could end a link or start another. */
function toUrlPart(name: string): string {
  const whole = name.replace(/[\ud800-\udfff]/gu, '\uFFFD');
  return encodeURIComponent(whole).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
}

function toIntegrity({ isIntact, lastSeq, brokenAt }: LogReading, { t }: Words) {
  const sentence = isIntact ? t('log.intact', { count: lastSeq }) : t('log.broken', { count: brokenAt ?? 1 });
  return { isIntact, sentence };
}

/** Total size of all tool results; the more there are, the shorter each is shown. */
const ANSWERS_BUDGET = 8_000_000;
const MAX_ANSWER = 4_000;
const MIN_ANSWER = 200;

function maxAnswerOf(views: readonly Story[]): number {
  const tools = views.flatMap(({ timeline }) => timeline).filter(({ kind }) => kind === 'tool').length;
  return Math.max(MIN_ANSWER, Math.min(MAX_ANSWER, Math.floor(ANSWERS_BUDGET / (2 * tools + 1))));
}

interface Telling {
  readonly called: Readonly<Record<string, Story>>;
  /** Titles of the nodes that called this run, from the root down. */
  readonly within: readonly string[];
  readonly words: Words;
  readonly maxAnswer: number;
}

/** Chapters of a called run follow the entry of its call. */
function toChapters(view: Story, { called, within, words, maxAnswer }: Telling): Chapter[] {
  const { timeline, nodes } = view;
  const titles = new Map(nodes.map(({ id, title }) => [id, title]));
  const asked = new Set(timeline.flatMap((item) => (item.kind === 'question' ? [item.callId] : [])));
  const visits = new Map<string | undefined, number>();
  const chapters: (Chapter & { readonly entries: Entry[] })[] = [];

  const titleOf = (nodeId: string): string => toLine(titles.get(nodeId) ?? nodeId);
  const open = (nodeId: string | undefined): Chapter & { readonly entries: Entry[] } => {
    const visit = (visits.get(nodeId) ?? 0) + 1;
    visits.set(nodeId, visit);
    const own = nodeId === undefined ? words.t('title.after') : titleOf(nodeId);
    const title = [...within, own].join(' › ');
    const chapter = { title, nodeId: nodeId && toLine(nodeId), visit, entries: [] };
    chapters.push(chapter);
    return chapter;
  };
  let nodeId: string | undefined =
    timeline.find((item) => item.kind === 'move')?.from ?? view.state.currentNodeId;
  let chapter = open(nodeId);
  for (const item of timeline) {
    const entryNodeId = nodeIdOf(item, nodeId);
    if (entryNodeId !== nodeId) chapter = open(entryNodeId);
    nodeId = entryNodeId;
    // A question contains everything its call does.
    const entry =
      item.kind === 'tool' && asked.has(item.callId)
        ? undefined
        : toEntry(item, { maxAnswer, titleOf, words });
    if (entry) chapter.entries.push(entry);
    const child = item.kind === 'call' ? called[item.childId] : undefined;
    if (item.kind === 'call' && child && within.length < MAX_CALL_DEPTH) {
      const path = [...within, titleOf(item.nodeId)];
      const parts = toChapters(child, { called, within: path, words, maxAnswer });
      chapter = { ...chapter, entries: [] };
      chapters.push(...parts.map((part) => ({ ...part, entries: [...part.entries] })), chapter);
    }
    if (item.kind !== 'move') continue;
    nodeId = item.to;
    chapter = open(nodeId);
  }
  return chapters.filter(({ entries }) => entries.length > 0);
}

/** Messages without a node come after the last node. */
function nodeIdOf(item: StoryItem, current: string | undefined): string | undefined {
  return item.kind === 'person' || item.kind === 'reply' || item.kind === 'tool' ? item.nodeId : current;
}
