/** Replies with headings, lists, tables and code: the tasks of the page while one is streamed, and Stop during a huge one. */
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { recordTasks } from './page-tasks.ts';

const LONG = 'A long report, please.';
const HUGE = 'A huge report, please.';
const SECTIONS = { [LONG]: 60, [HUGE]: 5_000 };

/** A page with a new chat, and how to send a message to it. */
interface OpenChat {
  readonly page: Page;
  readonly send: (text: string) => Promise<unknown>;
}

export async function longestTaskOfReport(open: () => Promise<OpenChat>): Promise<number> {
  const { page, send } = await open();
  const readTasks = await recordTasks(page);
  await send(LONG);
  await page.getByText('That was all.').waitFor();
  const tasks = await readTasks();
  await page.context().close();
  return Math.max(0, ...tasks);
}

/** Time from the press of Stop, in the middle of the reply, until the button is gone. */
export async function stopReport(open: () => Promise<OpenChat>): Promise<number> {
  const { page, send } = await open();
  const stopped = page.evaluate(timeToStop);
  await send(HUGE);
  const elapsed = await stopped;
  await page.context().close();
  return elapsed;
}

/** Runs in the page, which looks in every frame: a section is in view for a moment only. */
function timeToStop(): Promise<number> {
  const findStop = (): HTMLElement | null => document.querySelector('main button[aria-label="Stop"]');
  const isInTheMiddle = (): boolean =>
    /Section (?:[4-9]\d|\d{3,}) of the report/.test(document.querySelector('main')?.textContent ?? '');
  let pressedAt: number | undefined;
  return new Promise((resolve) => {
    const look = (): void => {
      const button = findStop();
      if (pressedAt === undefined && button && isInTheMiddle()) {
        pressedAt = performance.now();
        button.click();
      }
      if (pressedAt !== undefined && button === null) resolve(performance.now() - pressedAt);
      else requestAnimationFrame(look);
    };
    look();
  });
}

/** Writes the report that a request asks for, if it does. */
export async function writeReport(
  asked: string,
  response: ServerResponse,
  say: (text: string, finish?: string) => void,
): Promise<boolean> {
  const report = [HUGE, LONG].find((text) => asked.includes(text));
  if (report === undefined) return false;
  for (let number = 1; number <= SECTIONS[report as keyof typeof SECTIONS]; number++) {
    if (response.destroyed) return true;
    for (const piece of toSection(number).match(/[\s\S]{1,40}/g) ?? []) say(piece);
    // A huge reply comes as fast as it can be written, in steps that leave others their turn.
    await wait(report === HUGE ? 1 : 50);
  }
  say('That was all.', 'stop');
  response.end('data: [DONE]\n\n');
  return true;
}

function toSection(number: number): string {
  return `## Section ${number} of the report

It says **what was decided** and \`why\`, in [a file](docs/a.md).

- one thing
- another

| Step | Time |
| --- | ---: |
| Open | 1,200 |
| Ask | 300 |

\`\`\`ts
export const section${number} = ${number};
\`\`\`

`;
}
