/**
 * The ledger: how models behaved, summed per model and package. Each run is folded to one tally per model from the same events as
 * its evidence sheet; tallies are added up. Pure: the order of runs and of sums does not matter.
 */

import { addCostSums, type CostSum, createSpendingFold, NO_COST, NO_MODELS, spentSchema } from './costs.ts';
import type { ErrorCode } from './errors.ts';
import type { RunEvent } from './events.ts';
import { createEvidence, type EvidenceSheet } from './evidence.ts';
import { addUsage, NO_USAGE, usageSchema } from './model.ts';
import { countSchema } from './scalars.ts';
import * as z from './zod.ts';

const countShape = {
  /** Changes of the position that the graph does not allow, or second ones in a reply. */
  movesRefused: countSchema,
  /** Attempts to leave a node whose files or variables were missing or incomplete. */
  outputsIncomplete: countSchema,
  /** Attempts to leave a node that waits for a person who had not spoken. */
  personNotHeard: countSchema,
  /** Calls of tools that do not exist, and calls with invalid arguments. */
  invalidCalls: countSchema,
  /** How often the model repeated itself until the runtime intervened. */
  loops: countSchema,
  /** Turns whose calls all failed because of the model, or that repeated a loop. */
  wastedTurns: countSchema,
  turns: countSchema,
  nodesProved: countSchema,
};

const tallySchema = z.strictObject({ ...countShape, usage: usageSchema });
type Tally = z.infer<typeof tallySchema>;
type Count = keyof typeof countShape;

export const ledgerRowSchema = z.strictObject({
  model: z.string(),
  package: z.string(),
  /** Runs that a person started; a run with several models counts for each of them. */
  runs: countSchema,
  runsProved: countSchema,
  ...tallySchema.shape,
});
export type LedgerRow = z.infer<typeof ledgerRowSchema>;

/** One run, without the runs that it called. */
export const runTallySchema = z.strictObject({
  /** By the name of the model. */
  models: z.record(z.string(), tallySchema),
  isProved: z.boolean(),
  /** Nothing was waived and nothing is missing, whether the run is complete or not. */
  isClean: z.boolean(),
  called: z.array(z.string()),
  /** What its own requests cost. */
  spent: spentSchema,
});
export type RunTally = z.infer<typeof runTallySchema>;

export interface RunTallyFold {
  add(event: RunEvent): void;
  tally(): RunTally;
}

export function createRunTally(runId: string): RunTallyFold {
  const evidence = createEvidence(runId);
  const models = new Map<string, Tally>();
  const leavers = new Map<string, string>();
  const spent = new Map<string, Map<string, CostSum>>();
  const spending = createSpendingFold();
  const spend = (event: RunEvent): void => {
    const added = spending.add(event);
    if (!added) return;
    const { model, cost } = added;
    const hour = event.ts.slice(0, 'YYYY-MM-DDTHH'.length);
    const models = spent.get(hour) ?? new Map<string, CostSum>();
    spent.set(hour, models.set(model, addCostSums(models.get(model) ?? NO_COST, cost)));
  };
  let nodeId = '';
  let lastType: RunEvent['type'] | undefined;
  let turn: OpenTurn = NO_TURN;
  const change = (toNext: (tally: Tally) => Partial<Tally>): void => {
    const tally = models.get(spending.model) ?? NO_TALLY;
    models.set(spending.model, { ...tally, ...toNext(tally) });
  };
  const count = (name: Count): void => change((tally) => ({ [name]: tally[name] + 1 }));
  const endTurn = (): void => {
    if (turn.isLoop || (turn.failed > 0 && turn.failed === turn.calls)) count('wastedTurns');
    turn = NO_TURN;
  };
  const addOwn = (event: RunEvent): void => {
    switch (event.type) {
      case 'run.created':
        nodeId = event.entryNodeId;
        return;
      case 'work.forked':
        // What was before counts for the original.
        models.clear();
        leavers.clear();
        spent.clear();
        turn = NO_TURN;
        return;
      case 'turn.started':
        count('turns');
        return;
      case 'usage.updated':
        change(({ usage }) => ({ usage: addUsage(usage, event.usage) }));
        return;
      case 'tool.ended': {
        const kind = SLIPS.get(event.code);
        if (kind) count(kind);
        const isFailed = event.outcome !== 'ok' && !OTHERS_FAILED.has(event.code);
        turn = { ...turn, calls: turn.calls + 1, failed: turn.failed + (isFailed ? 1 : 0) };
        return;
      }
      case 'message.completed':
        // The note about calls without progress is the only one that directly follows a call.
        if (event.purpose === 'nudge' && lastType === 'tool.ended') {
          count('loops');
          turn = { ...turn, isLoop: true };
        }
        return;
      case 'phase.changed':
        if (event.phase === 'WaitingUser' && STUCK.has(event.reason?.code)) count('loops');
        if (event.phase === 'Completed') leavers.set(nodeId, spending.model);
        return;
      case 'state.changed':
        if (event.from !== event.to) leavers.set(event.from, spending.model);
        nodeId = event.to;
        return;
      default:
    }
  };
  return {
    add(event) {
      if (event.runId !== runId) return;
      evidence.add(event);
      // Wasted turns count for the model that took them.
      if (event.type === 'turn.started') endTurn();
      spend(event);
      addOwn(event);
      lastType = event.type;
    },
    tally() {
      endTurn();
      const hours = [...spent].map(([hour, sums]) => [hour, Object.fromEntries(sums)] as const);
      return { ...toRunTally(evidence.sheet(), models, leavers), spent: Object.fromEntries(hours) };
    },
  };
}

/** The calls of a turn: how many ended, and how many of them failed because of the model. */
interface OpenTurn {
  readonly calls: number;
  readonly failed: number;
  readonly isLoop: boolean;
}

const NO_TURN: OpenTurn = { calls: 0, failed: 0, isLoop: false };

const NO_TALLY: Tally = {
  movesRefused: 0,
  outputsIncomplete: 0,
  personNotHeard: 0,
  invalidCalls: 0,
  loops: 0,
  wastedTurns: 0,
  turns: 0,
  nodesProved: 0,
  usage: NO_USAGE,
};

/** Codes of calls that did not succeed, which are counted by kind. */
const SLIPS: ReadonlyMap<string | undefined, Count> = new Map<ErrorCode, Count>([
  ['E_INVALID_TRANSITION', 'movesRefused'],
  ['E_NODE_CHANGED', 'movesRefused'],
  ['STATE_CHANGE_REQUIRES_CONFIRMATION', 'movesRefused'],
  ['E_OUTPUT_INCOMPLETE', 'outputsIncomplete'],
  ['E_OUTPUTS_MISSING', 'outputsIncomplete'],
  ['E_PERSON_NOT_HEARD', 'personNotHeard'],
  ['TOOL_NOT_AVAILABLE', 'invalidCalls'],
  ['TOOL_ARGS_INVALID', 'invalidCalls'],
  ['TOOL_ARGS_INVALID_JSON', 'invalidCalls'],
]);

/** Failures that are not the model's: of programs, servers, the disk and the runtime, or a decision of the person. */
const OTHERS_FAILED: ReadonlySet<string | undefined> = new Set<ErrorCode>([
  'COMMAND_FAILED',
  'ENGINE_ABORTED',
  'E_DISK',
  'E_INTERNAL',
  'MCP_LOGIN_REQUIRED',
  'MCP_SERVER_FAILED',
  'MCP_TOOL_FAILED',
  'TOOL_EXEC_FAILED',
  'TOOL_REFUSED',
  'TOOL_TIMEOUT',
]);

/** Reasons of a stop after several attempts to leave a node without progress. */
const STUCK: ReadonlySet<string | undefined> = new Set<ErrorCode>([
  'E_OUTPUT_INCOMPLETE',
  'E_PERSON_NOT_HEARD',
]);

function toRunTally(
  { visits, totals, isProved, waivers, missing }: EvidenceSheet,
  models: ReadonlyMap<string, Tally>,
  leavers: ReadonlyMap<string, string>,
): Omit<RunTally, 'spent'> {
  const outcomes = new Map(visits.map(({ nodeId, outcome }) => [nodeId, outcome]));
  const proved = [...outcomes].filter(([, outcome]) => outcome === 'proved').map(([id]) => leavers.get(id));
  const tallies = [...models]
    .filter(([name]) => !NO_MODELS.has(name))
    .map(([name, tally]): [string, Tally] => [
      name,
      { ...tally, nodesProved: proved.filter((leaver) => leaver === name).length },
    ]);
  return {
    models: Object.fromEntries(tallies),
    isProved,
    isClean: waivers.length + missing.length + totals.claimed === 0,
    called: visits.flatMap(({ calledRunId }) => calledRunId ?? []),
  };
}

/** The rows of one run that a person started, from its tally and those of the runs that it called, at any depth. */
export function toRunRows(packageName: string, own: RunTally, called: readonly RunTally[]): LedgerRow[] {
  const isProved = own.isProved && called.every(({ isClean }) => isClean);
  const rows = [own, ...called].flatMap(({ models }) =>
    Object.entries(models).map(([model, tally]) => ({
      model,
      package: packageName,
      runs: 0,
      runsProved: 0,
      ...tally,
    })),
  );
  return addRows(rows).map((row) => ({ ...row, runs: 1, runsProved: isProved ? 1 : 0 }));
}

/** One row per model and package. */
export function addRows(rows: Iterable<LedgerRow>): LedgerRow[] {
  const sums = new Map<string, LedgerRow>();
  for (const row of rows) {
    const key = JSON.stringify([row.model, row.package]);
    const sum = sums.get(key);
    sums.set(key, sum ? addRow(sum, row) : row);
  }
  return [...sums.values()];
}

function addRow(a: LedgerRow, b: LedgerRow): LedgerRow {
  const names = ['runs', 'runsProved', ...(Object.keys(countShape) as Count[])] as const;
  const counts = Object.fromEntries(names.map((name) => [name, a[name] + b[name]]));
  return { ...a, ...counts, usage: addUsage(a.usage, b.usage) };
}

/** Best first: the smaller share of wasted turns, then the larger share of proved runs, then fewer turns per proved node. */
export function sortRows(rows: readonly LedgerRow[]): LedgerRow[] {
  return [...rows].sort(
    (a, b) =>
      a.wastedTurns / a.turns - b.wastedTurns / b.turns ||
      b.runsProved / b.runs - a.runsProved / a.runs ||
      (perNode(a)?.turns ?? MANY) - (perNode(b)?.turns ?? MANY) ||
      compare(a.model, b.model) ||
      compare(a.package, b.package),
  );
}

const MANY = Number.MAX_SAFE_INTEGER;

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** What a proved node took on average; undefined if none was proved. */
export function perNode({
  turns,
  usage,
  nodesProved,
}: LedgerRow): { turns: number; tokens: number; costUsd?: number } | undefined {
  if (nodesProved === 0) return undefined;
  const { promptTokens, completionTokens, costUsd } = usage;
  return {
    turns: turns / nodesProved,
    tokens: (promptTokens + completionTokens) / nodesProved,
    ...(costUsd === undefined ? {} : { costUsd: costUsd / nodesProved }),
  };
}
