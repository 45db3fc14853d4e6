/**
 * Runs side by side: what each did, as rows with a value per run. A pure fold of their evidence, their state and the files they left.
 */
import type { EvidenceSheet } from './evidence-schema.ts';
import type { Usage } from './model.ts';
import { isUnmet } from './proof.ts';
import { forkOriginSchema, phaseReasonSchema, runPhaseSchema } from './run.ts';
import type { RunState } from './run-state.ts';
import { countSchema } from './scalars.ts';
import * as z from './zod.ts';

const comparedRunSchema = z.strictObject({
  workId: z.string(),
  projectId: z.string(),
  /** Of the workflow. */
  title: z.string(),
  version: z.string(),
  /** Name of the model. */
  model: z.string(),
  phase: runPhaseSchema,
  reason: z.optional(phaseReasonSchema),
  createdAt: z.string(),
  forkedFrom: z.optional(forkOriginSchema),
  /** Title of the step that it was forked at. */
  forkedAt: z.optional(z.string()),
});
export type ComparedRun = z.infer<typeof comparedRunSchema>;

/** In this order; rows of the path are in the order of the path, others begin with those that differ. */
export const COMPARED_PARTS = [
  'result',
  'path',
  'decisions',
  'answers',
  'variables',
  'files',
  'checks',
] as const;
export type ComparedPart = (typeof COMPARED_PARTS)[number];

/** Numbers of the part `result`: requests, tokens, US dollars, milliseconds. */
export const RESULT_KEYS = ['turns', 'promptTokens', 'completionTokens', 'costUsd', 'ms'] as const;

const comparedRowSchema = z.strictObject({
  part: z.enum(COMPARED_PARTS),
  /** Of `result` one of RESULT_KEYS; else a number of the path, a visit of a node, a variable or a path of the project. */
  key: z.string(),
  /** One per run; null where a run has none. A file has the hash of what the run left, or an empty text if it deleted it. */
  values: z.array(z.nullable(z.union([z.string(), z.number()]))),
  isSame: z.boolean(),
  /** The key for people, where it names nodes by their id. */
  title: z.optional(z.string()),
  /** The values for people, likewise. */
  titles: z.optional(z.array(z.nullable(z.string()))),
});
export type ComparedRow = z.infer<typeof comparedRowSchema>;

export const comparisonSchema = z.strictObject({
  runs: z.array(comparedRunSchema),
  rows: z.array(comparedRowSchema),
  /** Number of the first step of the path that is not the same, from 0; absent if all paths are. */
  partsAt: z.optional(countSchema),
});
export type Comparison = z.infer<typeof comparisonSchema>;

/** The sheet of a run with those of the runs that it called. */
export interface SheetTree extends EvidenceSheet {
  readonly called: readonly SheetTree[];
}

/** What is known of a run. */
export interface RunFacts {
  readonly run: ComparedRun;
  readonly sheet: SheetTree;
  readonly state: Pick<RunState, 'variables'>;
  readonly turns: number;
  readonly usage: Usage;
  /** Hash of the content that it left, by path in the project; null for a file that it deleted. */
  readonly files: ReadonlyMap<string, string | null>;
}

type Value = ComparedRow['values'][number];

export function compareRuns(facts: readonly RunFacts[]): Comparison {
  const visits = facts.map(({ sheet }) => toVisits(sheet));
  const titleOf = createTitles(visits.flat());
  const path = rowsOf(
    'path',
    visits.map((list) => new Map(list.map(({ name }, index) => [String(index), name]))),
  ).map((row) => ({
    ...row,
    titles: row.values.map((name) => (name === null ? null : titleOf(String(name)))),
  }));
  const ofVisits = (part: ComparedPart, toCells: (visit: Visit) => readonly Cell[]) => {
    const cells = visits.map((list) =>
      list.flatMap((visit) =>
        toCells(visit).map(({ suffix = '', ...cell }) => ({
          ...cell,
          key: `${visit.name}${suffix}`,
          title: `${titleOf(visit.name)}${suffix}`,
        })),
      ),
    );
    const find = (key: string) => cells.map((column) => column.find((cell) => cell.key === key));
    const rows = rowsOf(
      part,
      cells.map((column) => new Map(column.map(({ key, value }) => [key, value]))),
    ).map((row) => {
      const found = find(row.key);
      const title = found.find((cell) => cell !== undefined)?.title ?? row.key;
      return { ...row, title, titles: found.map((cell) => cell?.shown ?? cell?.value ?? null) };
    });
    return differingFirst(rows);
  };
  const partsAt = path.findIndex(({ isSame }) => !isSame);
  return {
    runs: facts.map(({ run, sheet }) => {
      const at = sheet.visits.find(({ nodeId }) => nodeId === run.forkedFrom?.nodeId);
      return at ? { ...run, forkedAt: at.title } : run;
    }),
    rows: [
      ...rowsOf('result', facts.map(toResult)),
      ...path,
      ...ofVisits('decisions', toDecisions),
      ...ofVisits('answers', toAnswers),
      ...differingFirst(rowsOf('variables', facts.map(toVariables))),
      ...differingFirst(
        rowsOf(
          'files',
          facts.map(({ files }) => new Map([...files].map(([file, hash]) => [file, hash ?? '']))),
        ),
      ),
      ...ofVisits('checks', toChecks),
    ],
    ...(partsAt === -1 ? {} : { partsAt }),
  };
}

/** Titles of visits by name; those of different nodes are never the same. */
function createTitles(visits: readonly Visit[]): (name: string) => string {
  const titles = new Map(visits.map(({ name, title }) => [name, title]));
  const shown = [...titles.values()];
  return (name) => {
    const title = titles.get(name) ?? name;
    return shown.indexOf(title) === shown.lastIndexOf(title) ? title : `${title} (${name})`;
  };
}

interface Visit {
  /** `node`, `node (2)`, and under a call `node › node`. */
  readonly name: string;
  /** The same with titles. */
  readonly title: string;
  readonly sheet: SheetTree['visits'][number];
  /** Title of a node of the same run. */
  titleOf(nodeId: string): string;
}

/** A value of a visit. */
interface Cell {
  /** Tells values of one visit apart. */
  readonly suffix?: string;
  readonly value: string;
  /** The value with titles. */
  readonly shown?: string;
}

function toVisits({ visits, called }: SheetTree, prefix = '', titlePrefix = ''): Visit[] {
  const byId = new Map(called.map((child) => [child.runId, child]));
  const titleOf = (nodeId: string): string =>
    visits.find((visit) => visit.nodeId === nodeId)?.title ?? nodeId;
  return visits.flatMap((sheet) => {
    const times = sheet.visit > 1 ? ` (${sheet.visit})` : '';
    const [name, title] = [`${prefix}${sheet.nodeId}${times}`, `${titlePrefix}${sheet.title}${times}`];
    const child = sheet.calledRunId === undefined ? undefined : byId.get(sheet.calledRunId);
    return [{ name, title, sheet, titleOf }, ...(child ? toVisits(child, `${name} › `, `${title} › `) : [])];
  });
}

function toResult({ turns, usage: { promptTokens, completionTokens, costUsd }, sheet }: RunFacts) {
  const ms = sheet.visits.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const values = { turns, promptTokens, completionTokens, costUsd: costUsd ?? null, ms };
  return new Map<string, Value>(RESULT_KEYS.map((key) => [key, values[key]]));
}

/** Without transitions that nothing was decided in: the path shows those. */
function toDecisions({ sheet: { decision }, titleOf }: Visit): Cell[] {
  if (!decision || (decision.label ?? decision.reason ?? decision.by) === undefined) return [];
  const { to, label, reason } = decision;
  const toText = (target: string): string => {
    const chosen = label === undefined || label === to ? target : `${label} → ${target}`;
    return reason === undefined ? chosen : `${chosen}: ${reason}`;
  };
  return [{ value: toText(to), shown: toText(titleOf(to)) }];
}

function toAnswers({ sheet: { spoken } }: Visit): Cell[] {
  return spoken.map(({ text }, index) => ({ suffix: index === 0 ? '' : ` #${index + 1}`, value: text }));
}

function toChecks({ sheet: { outcome, checks, outputsMissing } }: Visit): Cell[] {
  if (outcome === 'nothing' && outputsMissing.length === 0) return [];
  const unmet = [...new Set([...checks.filter(isUnmet).map(({ id }) => id), ...outputsMissing])];
  return [{ value: unmet.length === 0 ? outcome : `${outcome}: ${unmet.join(', ')}` }];
}

function toVariables({ state: { variables } }: RunFacts): ReadonlyMap<string, Value> {
  const toText = (value: unknown): string =>
    typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return new Map(Object.entries(variables).map(([name, value]) => [name, toText(value)]));
}

function rowsOf(part: ComparedPart, columns: readonly ReadonlyMap<string, Value>[]): ComparedRow[] {
  const keys = new Set(columns.flatMap((column) => [...column.keys()]));
  return [...keys].map((key) => {
    const values = columns.map((column) => column.get(key) ?? null);
    return { part, key, values, isSame: values.every((value) => value === values[0]) };
  });
}

function differingFirst(rows: readonly ComparedRow[]): ComparedRow[] {
  return [...rows.filter(({ isSame }) => !isSame), ...rows.filter(({ isSame }) => isSame)];
}
