/** Compares a run with the expectations of its test. Files are judged beside it. Pure. */

import { isDeepStrictEqual } from 'node:util';
import type { Expectations, TestFailure } from '@crewagent/protocol/package-tests';
import { toStatus } from '@crewagent/protocol/status';
import type { DrivenRun } from '../rehearse/drive-run.ts';
import type { SeenRun } from './watch-run.ts';

export function judgeRun(expected: Expectations, driven: DrivenRun, seen: SeenRun): TestFailure[] {
  return [
    ...judgeEnd(expected, driven),
    ...judgeWay(expected, driven, seen),
    ...judgeProof(expected, driven),
    ...judgeVariables(expected, driven),
    ...judgeCalls(expected, seen),
  ];
}

function judgeEnd({ ends }: Expectations, { stop }: DrivenRun): TestFailure[] {
  const { isCompleted, isFailed } = toStatus(stop);
  const ended = isCompleted ? 'completed' : isFailed ? 'failed' : 'waiting';
  const why = stop.reason ? `: ${stop.reason.message}` : '.';
  return ended === ends ? [] : [fail('ends', `The run is ${ended}, not ${ends}${why}`)];
}

function judgeWay(expected: Expectations, { stepsCompleted }: DrivenRun, seen: SeenRun): TestFailure[] {
  const { path, visits = [], neverVisits = [], edges = [] } = expected;
  const left = new Set(stepsCompleted);
  const followed = new Set(
    seen.edges.flatMap(({ from, to, label }) => [toEdge(from, to), toEdge(from, to, label)]),
  );
  return [
    ...(path === undefined || isDeepStrictEqual(path, seen.path)
      ? []
      : [fail('path', `The run went ${seen.path.join(' → ')}, not ${path.join(' → ')}.`)]),
    ...visits
      .filter((nodeId) => !left.has(nodeId))
      .map((nodeId) => fail('visits', `The run did not complete "${nodeId}".`)),
    ...neverVisits
      .filter((nodeId) => seen.path.includes(nodeId))
      .map((nodeId) => fail('neverVisits', `The run visited "${nodeId}".`)),
    ...edges
      .filter((edge) => !followed.has(toCanonicalEdge(edge)))
      .map((edge) => fail('edges', `The run did not follow ${edge}.`)),
  ];
}

function toEdge(from: string, to: string, label?: string): string {
  return label === undefined ? `${from} -> ${to}` : `${from} -> ${to}: ${label}`;
}

function toCanonicalEdge(written: string): string {
  return written
    .trim()
    .replace(/\s*(?:->|→)\s*/u, ' -> ')
    .replace(/\s*:\s*/, ': ');
}

function judgeProof({ heard = [], proved }: Expectations, { evidence, stop }: DrivenRun): TestFailure[] {
  const visits = evidence.flatMap(({ sheet }) => sheet.visits);
  const heardAt = new Set(
    visits
      .filter(({ outcome, spoken }) => outcome !== 'open' && spoken.length > 0)
      .map(({ nodeId }) => nodeId),
  );
  const provedNodes = new Set(
    visits.filter(({ outcome }) => outcome === 'proved').map(({ nodeId }) => nodeId),
  );
  const isProved = toStatus(stop).isCompleted && evidence.every(({ sheet }) => sheet.isProved);
  const missing = evidence.flatMap(({ sheet }) => [
    ...sheet.missing,
    ...sheet.waivers.map(({ nodeId, check }) => `${nodeId}: ${check} was waived`),
  ]);
  return [
    ...heard
      .filter((nodeId) => !heardAt.has(nodeId))
      .map((nodeId) => fail('heard', `"${nodeId}" was left without a word of the person, or not at all.`)),
    ...(Array.isArray(proved) ? proved : [])
      .filter((nodeId) => !provedNodes.has(nodeId))
      .map((nodeId) => fail('proved', `Nothing proves "${nodeId}".`)),
    ...(typeof proved === 'boolean' && proved !== isProved
      ? [fail('proved', proved ? `The run is not proved${toList(missing)}` : 'The run is proved.')]
      : []),
  ];
}

function toList(lines: readonly string[]): string {
  return lines.length === 0 ? '.' : `: ${lines.join('; ')}.`;
}

function judgeVariables({ variables = {} }: Expectations, driven: DrivenRun): TestFailure[] {
  return Object.entries(variables).flatMap(([name, value]) =>
    isDeepStrictEqual(driven.variables[name], value)
      ? []
      : [fail('variables', `${name} is ${show(driven.variables[name])}, not ${show(value)}.`)],
  );
}

function show(value: unknown): string {
  return value === undefined ? 'not set' : JSON.stringify(value);
}

function judgeCalls(expected: Expectations, seen: SeenRun): TestFailure[] {
  const { refusals = [], neverCalls = [], maxTurns, maxTokens } = expected;
  const codes = new Set(seen.refusals.map(({ code }) => code));
  const names = new Map([...seen.calls].map(([name, count]) => [toToolName(name), count]));
  return [
    ...refusals
      .filter((code) => !codes.has(code))
      .map((code) => fail('refusals', `Nothing was refused with ${code}${toList([...codes])}`)),
    ...neverCalls.flatMap((name) => {
      const count = names.get(toToolName(name));
      return count
        ? [fail('neverCalls', `${name} was called ${count === 1 ? 'once' : `${count} times`}.`)]
        : [];
    }),
    ...(maxTurns !== undefined && seen.turns > maxTurns
      ? [fail('maxTurns', `It took ${seen.turns} turns, more than ${maxTurns}.`)]
      : []),
    ...(maxTokens !== undefined && seen.tokens > maxTokens
      ? [fail('maxTokens', `It took ${seen.tokens} tokens, more than ${maxTokens}.`)]
      : []),
  ];
}

/** `fs.read` and `fs_read` are the same tool. */
export function toToolName(name: string): string {
  return name.replaceAll('.', '_');
}

export function fail(expected: string, message: string, diff?: string): TestFailure {
  return { expected, message, ...(diff === undefined ? {} : { diff }) };
}
