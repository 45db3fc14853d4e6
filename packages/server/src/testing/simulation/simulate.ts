/**
 * Executes the steps of one simulation and checks the invariants after each. The same seed and the same steps give the same execution,
 * whose hash is the result. Throws at the first violation, with what happened before it.
 */
import { isDeepStrictEqual } from 'node:util';
import { toWorkStory } from '@crewagent/protocol/api/work-messages';
import type { WorkStory } from '@crewagent/protocol/story/work-story';
import { timelineOf } from '../thread-rig.ts';
import { INVARIANTS, readLogs, type Scene } from './invariants.ts';
import type { Ledger } from './ledger.ts';
import { createPeople } from './people.ts';
import { createRandom } from './random.ts';
import { settle } from './scheduler.ts';
import type { Step } from './steps.ts';
import { createWorld, type PreparedDisk, type World } from './world.ts';

/** After the last step, for everything that is under way to end. */
const LAST_MS = 400_000;
const LAST_OPERATIONS = { least: 300, most: 20_000 };
/** How much of the clock passes between two steps at most, unless a step waits. */
const STEP_MS = 400;
const WAIT_MS = 30_000;

export interface Simulation {
  readonly seed: number;
  readonly steps: readonly Step[];
  /** For a test of the simulation itself: it must notice what such a disk loses. */
  readonly hasLyingDisk?: boolean;
}

export interface Simulated {
  readonly hash: string;
  readonly operations: number;
  readonly ledger: Ledger;
}

export async function simulate(
  prepared: PreparedDisk,
  { seed, steps, hasLyingDisk = false }: Simulation,
): Promise<Simulated> {
  const world = await createWorld(prepared, seed);
  world.disk.ignoresSyncs = hasLyingDisk;
  const people = createPeople(world, prepared);
  const { ledger } = people;
  const { scheduler } = world;
  const rejections: unknown[] = [];
  const onRejection = (error: unknown): void => void rejections.push(error);
  process.on('unhandledRejection', onRejection);
  let logs: Scene['logs'] = new Map();
  const check = (step: Step | undefined): void => {
    if (rejections.length > 0) throw report(world, [`not expected: ${(rejections[0] as Error).stack}`]);
    const before = step?.kind === 'power loss' ? new Map() : logs;
    logs = readLogs(world.store);
    const problems = Object.entries(INVARIANTS).flatMap(([name, find]) =>
      find({ world, ledger, logs, before }).map((problem) => `${name}: ${problem}`),
    );
    if (problems.length > 0) throw report(world, problems);
  };
  scheduler.useRandom(createRandom(seed));
  try {
    await perform(world, world.start());
    for (const [index, step] of steps.entries()) {
      // Each step has random numbers of its own: without one of the others it is as before.
      scheduler.useRandom(createRandom(seed + 7_919 * (index + 1)));
      scheduler.note(`— ${step.kind} ${step.work}`);
      people.act(step);
      await settle();
      const untilMs = scheduler.now() + (step.kind === 'wait' ? WAIT_MS : STEP_MS);
      for (let count = 0; count < step.operations; count++) if (!(await scheduler.step(untilMs))) break;
      check(step);
    }
    await finish(world, ledger);
    check(undefined);
    await compareStories(world, ledger);
    return { hash: scheduler.hash(), operations: scheduler.steps(), ledger };
  } finally {
    for (const watched of ledger.watched) watched.stop();
    world.close();
    process.off('unhandledRejection', onRejection);
  }
}

/** Everything that waits for something that will happen must end. */
async function finish(world: World, ledger: Ledger): Promise<void> {
  const { scheduler } = world;
  scheduler.note('— the end');
  world.disk.isFull = false;
  if (!world.isUp()) await perform(world, world.start());
  const untilMs = scheduler.now() + LAST_MS;
  for (let count = 0; count < LAST_OPERATIONS.most; count++) {
    if (ledger.open.size === 0 && count > LAST_OPERATIONS.least) break;
    if (!(await scheduler.step(untilMs))) break;
  }
  if (ledger.open.size > 0)
    throw report(
      world,
      [...ledger.open.values()].map((name) => `"${name}" was never answered`),
    );
  // A shutdown that one of the last steps has begun may have ended only now.
  if (!world.isUp()) await perform(world, world.start());
}

/** The view that a page has followed is the view that a reload shows. */
async function compareStories(world: World, ledger: Ledger): Promise<void> {
  const { scheduler, client } = world;
  for (const [workId, { removal }] of ledger.works) {
    if (removal !== 'none') continue;
    await perform(world, client.works.stop({ workId })).catch(() => undefined);
    for (let count = 0; count < 200; count++) if (!(await scheduler.step(scheduler.now() + 3_000))) break;
    const shown = toWorkStory(await perform(world, client.works.show({ workId })));
    for (const watched of [...ledger.watched].filter((one) => one.workId === workId)) {
      const difference = findDifference(watched.view, shown);
      if (difference)
        throw report(world, [`the story that was followed differs from the reloaded one: ${difference}`]);
    }
  }
}

function findDifference(live: WorkStory, reloaded: WorkStory): string | undefined {
  const [shown, stored] = [live, reloaded].map((view) => timelineOf(view)) as [unknown[], unknown[]];
  const at = Array.from({ length: Math.max(shown.length, stored.length) }, (_, index) => index).find(
    (index) => !isDeepStrictEqual(shown[index], stored[index]),
  );
  if (at === undefined) return undefined;
  return `item ${at}:\n${JSON.stringify(shown[at])}\n${JSON.stringify(stored[at])}\nevents: ${live.own.lastSeq}, ${reloaded.own.lastSeq}`;
}

/** Lets the machine work until the promise is settled. */
async function perform<T>({ scheduler }: World, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settled = promise.finally(() => {
    isSettled = true;
  });
  settled.catch(() => undefined);
  await settle();
  for (let count = 0; count < MOST_FOR_ONE && !isSettled; count++)
    await scheduler.step(scheduler.now() + 60_000);
  return settled;
}

const MOST_FOR_ONE = 5_000;

function report(world: World, problems: readonly string[]): Error {
  const last = world.scheduler.lastLines(60).map((line) => `  ${line}`);
  return new Error([...problems, 'The last operations:', ...last].join('\n'));
}
