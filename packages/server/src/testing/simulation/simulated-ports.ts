/** `node:worker_threads` for simulated processes: ports whose messages arrive when the scheduler picks them, in order. There are no threads. */
import type { Scheduler } from './scheduler.ts';

type Listener = (message: unknown) => void;

export function createSimulatedPorts(owner: object, scheduler: Scheduler): object {
  let lastPort = 0;

  class Port {
    readonly #lane = `port ${++lastPort}`;
    readonly #listeners: Listener[] = [];
    peer: Port | undefined;

    on(_: 'message', listener: Listener): this {
      this.#listeners.push(listener);
      return this;
    }
    postMessage(message: unknown): void {
      const sent: unknown = structuredClone(message);
      scheduler.add({ owner, lane: this.#lane, label: this.#lane, run: () => this.peer?.receive(sent) });
    }
    receive(message: unknown): void {
      for (const listener of this.#listeners) listener(message);
    }
    close(): void {}
    ref(): void {}
    unref(): void {}
  }

  class MessageChannel {
    readonly port1 = new Port();
    readonly port2 = new Port();
    constructor() {
      this.port1.peer = this.port2;
      this.port2.peer = this.port1;
    }
  }
  class Worker {
    constructor() {
      throw new Error('threads are not simulated');
    }
  }
  return { MessageChannel, Worker, isMainThread: true, threadId: 0, workerData: undefined, parentPort: null };
}
