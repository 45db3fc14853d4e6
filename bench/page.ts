/**
 * The built page in Chromium: what a first visit loads and how soon it can be used, opening and scrolling a run with a long
 * history, the delay until a delta of the model is on the screen, and Stop during a huge reply.
 */
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { createRuntime, toAddress } from '@crewagent/core';
import type { RunFact } from '@crewagent/protocol/events';
import type { Page } from 'playwright-core';
import { hasChromium, startWholePage, type WholePage } from '../e2e/whole-page.ts';
import { startHttpServer } from '../packages/core/src/testing/http-server.ts';
import { atMost, attempt, median, quantile, type Row } from './measure.ts';
import { SLOWDOWN, timeToUse, transferredKb } from './page-load.ts';
import { longestTaskOfReport, stopReport, writeReport } from './page-replies.ts';
import { recordTasks } from './page-tasks.ts';

const EVENTS = 10_000;
const DELTAS = 500;
const DELTAS_A_SECOND = 100;
const ROUNDS = 5;
const PATIENCE_MS = 180_000;

export async function benchPage(): Promise<Row[]> {
  if (!hasChromium) {
    console.error('SKIPPED: the page benchmark needs Chromium; none was found.');
    return [];
  }
  const model = await startHttpServer((request, response) => {
    void text(request).then((asked) => talk(response, asked));
  });
  const whole = await startWholePage({
    env: { CREWAGENT_BASE_URL: `${model.url}/v1`, CREWAGENT_MODEL: 'talkative', CREWAGENT_API_KEY: 'none' },
  });
  try {
    // A measurement that fails leaves the others.
    const rows = async (
      name: string,
      most: number,
      measure: () => Promise<number>,
      unit = 'ms',
    ): Promise<Row[]> => attempt(name, async () => atMost(name, await measure(), most, unit));
    return [
      ...(await rows('first paint of the page, cold cache', 1_000, async () =>
        median(await repeat(ROUNDS, () => firstPaint(whole))),
      )),
      ...(await rows(
        'transferred by the first load of the page',
        400,
        () => transferredKb(() => openPage(whole, '/start'), 'Try the example'),
        'kB',
      )),
      ...(await rows(
        'transferred by the first load, while a run waits',
        400,
        async () => {
          await makeWaitingRun(whole);
          return transferredKb(() => openPage(whole, '/start'), 'Open and answer');
        },
        'kB',
      )),
      ...(await rows(`the page can be used, ${SLOWDOWN} times slower CPU`, 1_200, async () =>
        median(await repeat(ROUNDS, () => timeToUse(() => openPage(whole, '/missing')))),
      )),
      ...(await rows(
        `a run of ${EVENTS.toLocaleString('en')} events opened, text on the screen`,
        700,
        async () => {
          // Each one is opened for the first time.
          const paths = await repeat(ROUNDS, () => makeLongRun(whole));
          return median(await repeat(ROUNDS, (round) => openLongRun(whole, paths[round] ?? '')));
        },
      )),
      ...(await rows('longest task while it is scrolled, CPU', 50, async () =>
        Math.max(0, ...(await scrollLongRun(whole, await makeLongRun(whole)))),
      )),
      ...(await rows(`a delta on the screen at ${DELTAS_A_SECOND} a second, p95`, 50, async () =>
        quantile(await followDeltas(whole), 0.95),
      )),
      ...(await rows('longest task while a long reply is streamed, CPU', 50, async () =>
        median(await repeat(ROUNDS, () => longestTaskOfReport(() => openChat(whole)))),
      )),
      ...(await rows('Stop during a huge reply, until the page says so', 1_000, async () =>
        median(await repeat(ROUNDS, () => stopReport(() => openChat(whole)))),
      )),
    ];
  } finally {
    await whole.close();
    await model.close();
  }
}

/** A page that is given time on a machine that is busy: what it measures is its own. */
async function openPage(whole: WholePage, path: string): Promise<Page> {
  const page = await whole.open({ path });
  page.setDefaultTimeout(PATIENCE_MS);
  return page;
}

async function firstPaint(whole: WholePage): Promise<number> {
  const page = await openPage(whole, '/start');
  await page.getByRole('heading').first().waitFor();
  const painted = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  );
  await page.context().close();
  return painted;
}

/** A run that asks its first question. */
async function makeWaitingRun(whole: WholePage): Promise<void> {
  const api = whole.api();
  const { projectId } = await api.projects.open({ body: { path: whole.project } });
  const { package: pkg } = await api.packages.installExample({ example: 'hello-branch' });
  const { workId } = await api.works.create({
    body: { projectId, kind: 'run', packageHash: pkg.hash, model: 'rehearsal' },
  });
  while ((await api.works.show({ workId })).work.phase !== 'WaitingUser') await wait(100);
}

/** A run that this process creates and logs, as the command line would. */
async function makeLongRun(whole: WholePage): Promise<string> {
  const runtime = createRuntime({ storeRoot: join(whole.folder, 'store') });
  const run = await runtime.createWork({
    package: 'examples/hello-branch',
    projectPath: whole.project,
    model: { model: 'rehearsal' },
  });
  const { projectId, workId: runId } = run.record;
  await run.close();
  const log = await runtime.store.works.openLog(toAddress(run.record), { now: () => new Date() });
  for (let turn = 1; turn <= EVENTS / 5; turn++) for (const fact of turnFacts(turn)) log.append(fact);
  await log.close();
  return `/p/${projectId}/r/${runId}`;
}

function turnFacts(turn: number): RunFact[] {
  const callId = `call-${turn}`;
  const nodeId = 'step-01-intake';
  const usage = { promptTokens: 4_000, completionTokens: 50, cachedTokens: 0 };
  const path = `@project/docs/part-${turn}.md`;
  return [
    { type: 'turn.started', turn, nodeId, requestBytes: 16_000, estimatedTokens: 4_000 },
    {
      type: 'message.completed',
      turn,
      role: 'assistant',
      purpose: 'reply',
      nodeId,
      content: `Part ${turn} follows. It says **what was decided**, with a list:\n\n- one thing\n- another\n`,
      toolCalls: [
        { id: callId, name: 'fs.write', arguments: JSON.stringify({ path, content: `# Part ${turn}\n` }) },
      ],
    },
    { type: 'usage.updated', turn, usage, total: usage },
    { type: 'tool.started', callId, name: 'fs.write', nodeId, path },
    { type: 'tool.ended', callId, name: 'fs.write', outcome: 'ok', durationMs: 1, content: '{"ok":true}' },
  ];
}

/** Time from navigation until the last message of the run is visible. */
async function openLongRun(whole: WholePage, path: string): Promise<number> {
  const page = await openPage(whole, '/start');
  await page.getByRole('heading').first().waitFor();
  const elapsed = await page.evaluate(timeToText, { path, text: `Part ${EVENTS / 5} follows.` });
  await page.context().close();
  return elapsed;
}

/** Runs in the page, which looks in every frame: the driver would look every half second. */
function timeToText({ path, text }: { path: string; text: string }): Promise<number> {
  const start = performance.now();
  history.pushState(undefined, '', path);
  dispatchEvent(new PopStateEvent('popstate'));
  const isVisible = (): boolean =>
    [...document.querySelectorAll('main p')].some(
      (paragraph) => paragraph.textContent?.startsWith(text) && paragraph.checkVisibility(),
    );
  return new Promise((resolve) => {
    const look = (): void => {
      // The frame that follows is the first one painted with the text.
      if (isVisible()) requestAnimationFrame(() => resolve(performance.now() - start));
      else requestAnimationFrame(look);
    };
    look();
  });
}

async function scrollLongRun(whole: WholePage, path: string): Promise<number[]> {
  const page = await openPage(whole, path);
  await lastPart(page).waitFor();
  await wait(1_000);
  const readTasks = await recordTasks(page);
  await lastPart(page).hover();
  for (let step = 0; step < 120; step++) {
    await page.mouse.wheel(0, step < 60 ? -400 : 300);
    await wait(16);
  }
  const tasks = await readTasks();
  await page.context().close();
  return tasks;
}

const lastPart = (page: Page) => page.getByText(`Part ${EVENTS / 5} follows.`).first();

async function openChat(whole: WholePage) {
  const api = whole.api();
  const { projectId } = await api.projects.open({ body: { path: whole.project } });
  const { workId } = await api.works.create({ body: { projectId, kind: 'chat' } });
  const page = await openPage(whole, `/p/${projectId}/c/${workId}`);
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  return { page, send: (text: string) => api.works.input({ workId, body: { text } }) };
}

/** Deltas contain their send time; the page reports when they are on the screen. */
async function followDeltas(whole: WholePage): Promise<number[]> {
  const { page, send } = await openChat(whole);
  await page.evaluate(() => {
    const delays: number[] = [];
    let last = '';
    const look = (): void => {
      const said = document.querySelector('main')?.textContent ?? '';
      const stamp =
        said
          .slice(-4_000)
          .match(/t(\d{13})/g)
          ?.at(-1) ?? '';
      if (stamp !== '' && stamp !== last) delays.push(Date.now() - Number(stamp.slice(1)));
      last = stamp;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    Object.assign(globalThis, { delays });
  });
  await send('Talk.');
  await page.getByText('That was all.').waitFor();
  const delays = await page.evaluate(() => (globalThis as unknown as { delays: number[] }).delays);
  await page.context().close();
  if (delays.length < DELTAS / 20) throw new Error(`only ${delays.length} deltas were seen`);
  return delays;
}

async function talk(response: ServerResponse, asked: string): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const say = (content: string, finish: string | null = null): void => {
    const choice = { index: 0, delta: { content }, finish_reason: finish };
    response.write(`data: ${JSON.stringify({ id: 'x', choices: [choice] })}\n\n`);
  };
  if (await writeReport(asked, response, say)) return;
  for (let count = 0; count < DELTAS; count++) {
    say(`${count % 12 === 11 ? '\n\n' : ''}word t${Date.now()} `);
    await wait(1_000 / DELTAS_A_SECOND);
  }
  say('That was all.', 'stop');
  response.end('data: [DONE]\n\n');
}

async function repeat<T>(rounds: number, run: (round: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let round = 0; round < rounds; round++) results.push(await run(round));
  return results;
}
