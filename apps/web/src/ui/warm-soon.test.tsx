import { expect, it } from 'vitest';
import { warmSoon } from './warm-soon.ts';

it('does its steps in order, also on a page that is never idle', async () => {
  const done: string[] = [];
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => port2.postMessage(undefined);
  port2.onmessage = () => port1.postMessage(undefined);
  port1.postMessage(undefined);
  warmSoon([() => done.push('first'), () => done.push('second')]);
  await expect.poll(() => done).toEqual(['first', 'second']);
  port1.close();
});
