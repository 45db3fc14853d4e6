import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import type { HostReply, HostRequest, WorkReply, WorkState } from './host-messages.ts';
import { createWorkHost } from './hosted-work.ts';

it('counts Works that have a turn or are about to, not those that wait', async () => {
  const port = Object.assign(new EventEmitter(), {
    postMessage: (request: HostRequest) => sent.push(request),
  });
  const sent: HostRequest[] = [];
  const reply = (...replies: WorkReply[]): unknown =>
    port.emit('message', { kind: 'works', replies } satisfies HostReply);
  const host = createWorkHost(port, { onBug: () => undefined, onWarning: () => undefined });
  const state = (isRunning: boolean): WorkState => ({ isRunning }) as WorkState;

  const opening = host.open({ workId: 'any', model: undefined });
  expect([host.size, host.busy]).toEqual([1, 1]);
  const [{ id: work = 0 } = {}] = sent;
  reply({ kind: 'done', id: work, value: undefined, state: state(false) });
  const opened = await opening;
  // Opened to be driven.
  expect(host.busy).toBe(1);
  const started = opened.input('Go.');
  const { id = 0 } = sent[1] ?? {};
  reply({ kind: 'accepted', id, value: undefined, state: state(true) });
  expect(host.busy).toBe(1);
  reply({ kind: 'done', id, value: undefined, state: state(false) });
  await started;
  expect([host.size, host.busy]).toEqual([1, 0]);
});
