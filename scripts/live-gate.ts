/**
 * Plays packages with a real model, many times, and counts what matters: whether the run completes with nothing but the given
 * answers, whether the model chooses for the person, whether its citations are right, turns, bytes and tokens.
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Scenario {
  /** A folder of `examples`. */
  readonly package: string;
  /** Copied before each run; without it, the project is empty. */
  readonly project?: string;
  /** What the person replies, in order. */
  readonly answers: readonly string[];
  /** How many questions the workflow must ask whatever the model thinks. */
  readonly mustAsk: number;
}

export const SCENARIOS: readonly Scenario[] = [
  { package: 'hello-branch', answers: ['Nova, a tool for maps', 'C', 'C'], mustAsk: 1 },
  { package: 'create-story-micro', project: 'demo-project', answers: ['C', 'C'], mustAsk: 0 },
];

export interface LiveOptions {
  /** The checkout, built. */
  readonly root: string;
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string;
  readonly runs: number;
  readonly scenarios: readonly Scenario[];
  onRun?(name: string, number: number, run: PlayedRun): void;
}

type PlayedRun = ReturnType<typeof measureRun>;
type PackageReport = ReturnType<typeof summarise>;

export interface LiveReport {
  readonly version: string;
  readonly model: string;
  readonly createdAt: string;
  readonly packages: Readonly<Record<string, PackageReport>>;
}

export async function playLive(options: LiveOptions): Promise<LiveReport> {
  const packages: Record<string, PackageReport> = {};
  for (const scenario of options.scenarios) {
    const played: PlayedRun[] = [];
    for (let number = 1; number <= options.runs; number++) {
      const run = await playRun(scenario, options);
      played.push(run);
      options.onRun?.(scenario.package, number, run);
    }
    packages[scenario.package] = summarise(played);
  }
  const { version } = JSON.parse(readFileSync(join(options.root, 'package.json'), 'utf8')) as {
    version?: string;
  };
  return { version: version ?? 'dev', model: options.model, createdAt: new Date().toISOString(), packages };
}

/** One line for each value that can be compared; `isWorse` if fewer runs complete than before. */
export function compareReports(
  before: LiveReport,
  now: LiveReport,
): { readonly lines: readonly string[]; readonly isWorse: boolean } {
  const lines: string[] = [];
  let isWorse = false;
  for (const [name, report] of Object.entries(now.packages)) {
    const old = before.packages[name];
    if (!old) continue;
    for (const [key, read] of Object.entries(VALUES)) {
      const [was, is] = [read(old), read(report)];
      lines.push(
        `${name} ${key}: ${was} → ${is}${was === is ? '' : ` (${is > was ? '+' : ''}${round(is - was)})`}`,
      );
    }
    if (VALUES.completed(report) < VALUES.completed(old)) isWorse = true;
  }
  return { lines, isWorse };
}

const VALUES = {
  completed: ({ completed, runs }) => round((100 * completed) / runs),
  inventedChoices: ({ inventedChoices, runs }) => round(inventedChoices / runs),
  citations: ({ citations: { right, all } }) => (all === 0 ? 100 : round((100 * right) / all)),
  turns: ({ turns }) => turns,
  bytes: ({ bytes }) => bytes,
  tokens: ({ tokens }) => tokens,
} satisfies Record<string, (report: PackageReport) => number>;

/** A line of `crewagent run --json`, as far as it is read here. */
interface Line {
  readonly type: string;
  readonly code?: string;
  readonly phase?: string;
  readonly reason?: { readonly code?: string };
  readonly requestBytes?: number;
  readonly usage?: { readonly promptTokens: number; readonly completionTokens: number };
}

async function playRun(
  scenario: Scenario,
  { root, baseUrl, model, apiKey }: LiveOptions,
): Promise<PlayedRun> {
  const folder = mkdtempSync(join(tmpdir(), 'crewagent-live-'));
  try {
    const project = join(folder, 'project');
    mkdirSync(project);
    if (scenario.project !== undefined)
      cpSync(join(root, 'examples', scenario.project), project, { recursive: true });
    const lines = await run(
      [
        join(root, 'apps/cli/dist/crewagent.js'),
        ...['run', join(root, 'examples', scenario.package), '--project', project],
        ...['--approve', 'autopilot', '--json', '--model', model, '--base-url', baseUrl],
        ...scenario.answers.flatMap((answer) => ['--input', answer]),
      ],
      { ...process.env, CREWAGENT_HOME: join(folder, 'store'), CREWAGENT_API_KEY: apiKey },
    );
    return measureRun(lines, scenario, project);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Line[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    child.on('error', reject);
    child.on('close', () =>
      resolve(text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]))),
    );
  });
}

function measureRun(lines: readonly Line[], { mustAsk }: Scenario, project: string) {
  const of = (type: string): Line[] => lines.filter((line) => line.type === type);
  const [result] = of('result');
  const asked = of('phase.changed').filter(
    ({ reason }) => reason?.code === 'question' || reason?.code === 'reply',
  );
  const turns = of('turn.started');
  return {
    isCompleted: result?.phase === 'Completed',
    /** The phase or reason in which it ended. */
    ended: result?.reason?.code ?? result?.phase ?? 'no result',
    /** Attempts to leave a node that waits for the person, and questions that had to be asked and were not. */
    inventedChoices:
      of('transition.refused').filter(({ code }) => code === 'E_PERSON_NOT_HEARD').length +
      Math.max(0, mustAsk - asked.length),
    citations: checkCitations(project),
    turns: turns.length,
    bytes: turns.reduce((sum, { requestBytes = 0 }) => sum + requestBytes, 0),
    tokens: (result?.usage?.promptTokens ?? 0) + (result?.usage?.completionTokens ?? 0),
  };
}

/** `path:line` in the artifacts: right if the line exists and shares a word with the sentence that cites it. */
export function checkCitations(project: string): { readonly right: number; readonly all: number } {
  const artifacts = join(project, 'artifacts');
  const names = existsSync(artifacts) ? readdirSync(artifacts, { recursive: true, encoding: 'utf8' }) : [];
  let [right, all] = [0, 0];
  for (const name of names.filter((path) => path.endsWith('.md')))
    for (const line of readFileSync(join(artifacts, name), 'utf8').split('\n'))
      for (const [, path = '', number = ''] of line.matchAll(/((?:[\w-]+\/)*[\w-]+\.\w{2,5}):(\d+)/g)) {
        const file = join(project, path);
        const cited = existsSync(file)
          ? readFileSync(file, 'utf8').split('\n')[Number(number) - 1]
          : undefined;
        all++;
        if (cited !== undefined && sharesWord(line.replaceAll(path, ''), cited)) right++;
      }
  return { right, all };
}

function sharesWord(one: string, other: string): boolean {
  const wordsOf = (text: string): string[] =>
    text.toLowerCase().match(/\p{L}{4,}|\p{Script=Han}{2,}/gu) ?? [];
  const words = new Set(wordsOf(one));
  return wordsOf(other).some((word) => words.has(word));
}

function summarise(played: readonly PlayedRun[]) {
  const sum = (value: (run: PlayedRun) => number): number => played.reduce((all, one) => all + value(one), 0);
  const mean = (value: (run: PlayedRun) => number): number => round(sum(value) / played.length);
  const failures: Record<string, number> = {};
  for (const { isCompleted, ended } of played) if (!isCompleted) failures[ended] = (failures[ended] ?? 0) + 1;
  return {
    runs: played.length,
    completed: sum(({ isCompleted }) => Number(isCompleted)),
    inventedChoices: sum(({ inventedChoices }) => inventedChoices),
    citations: { right: sum(({ citations }) => citations.right), all: sum(({ citations }) => citations.all) },
    /** Means of a run. */
    turns: mean(({ turns }) => turns),
    bytes: mean(({ bytes }) => bytes),
    tokens: mean(({ tokens }) => tokens),
    /** How the other runs ended, with their number. */
    failures,
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
