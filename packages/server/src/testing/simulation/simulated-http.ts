/**
 * `node:http` for simulated processes: requests to the simulated model. The seed decides when a byte arrives, so that a request can be
 * overtaken by a stop, a timeout or the end of its process at every point.
 */
import { EventEmitter } from 'node:events';
import http from 'node:http';
import type { ProviderReply } from '../../../../core/src/testing/models/provider-replies.ts';
import type { Scheduler } from './scheduler.ts';

export type Answer = (body: string) => ProviderReply;

export function createSimulatedHttp(owner: object, scheduler: Scheduler, answer: Answer) {
  let lastConnection = 0;

  function request() {
    const lane = `connection ${++lastConnection}`;
    const outgoing = new EventEmitter();
    let isOpen = true;
    const add = (label: string, run: () => void): void =>
      scheduler.add({ owner, lane, label: `model ${label}`, run: () => isOpen && run() });
    const fail = (): void => {
      isOpen = false;
      outgoing.emit('error', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
    };
    const respond = ({
      status = 200,
      headers = {},
      chunks = [],
      ending = 'end',
      isHeadless,
    }: ProviderReply): void => {
      const response = Object.assign(new EventEmitter(), { statusCode: status, headers, complete: false });
      if (!isHeadless) {
        add('head', () => outgoing.emit('response', response));
        for (const chunk of chunks as Iterable<string>)
          add('data', () => response.emit('data', Buffer.from(chunk)));
      }
      if (ending === 'end')
        add('end', () => {
          isOpen = false;
          response.complete = true;
          response.emit('end');
          response.emit('close');
        });
      if (ending === 'cut' || ending === 'reset')
        add('cut', () => {
          if (isHeadless) return fail();
          isOpen = false;
          response.emit('close');
        });
    };
    return Object.assign(outgoing, {
      reusedSocket: false,
      end(body: Buffer) {
        add('connect', () => outgoing.emit('socket', { connecting: false }));
        add('request', () => respond(answer(body.toString())));
      },
      destroy() {
        isOpen = false;
      },
    });
  }

  class Agent {
    destroy(): void {}
  }
  return { ...http, request, Agent };
}
