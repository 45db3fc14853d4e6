/**
 * Connections of people to the simulated server. A request, a response and each part of a stream arrive when the scheduler picks them. When
 * the server dies, its connections break.
 */
import type { Scheduler } from './scheduler.ts';

export interface Listener {
  /** What belongs to the server is dropped with it. */
  readonly owner: object;
  answer(request: Request): Promise<Response>;
}

const HOST = '127.0.0.1:4000';
export const ORIGIN = `http://${HOST}`;

export class Network {
  readonly #open = new Set<Connection>();
  readonly #scheduler: Scheduler;
  #listener: Listener | undefined;
  #count = 0;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  listen(listener: Listener | undefined): void {
    this.#listener = listener;
    if (!listener) this.disconnect();
  }

  /** Breaks all connections. */
  disconnect(): void {
    for (const connection of this.#open) connection.breakOff();
  }

  readonly fetch: typeof fetch = (input, init) => {
    const request = new Request(input, init);
    request.headers.set('host', HOST);
    const connection = new Connection(request, `client ${++this.#count}`, this.#scheduler);
    this.#open.add(connection);
    void connection.closed.then(() => this.#open.delete(connection));
    return connection.open(() => this.#listener);
  };
}

class Connection {
  readonly closed: Promise<void>;
  readonly #request: Request;
  readonly #lane: string;
  readonly #label: string;
  readonly #scheduler: Scheduler;
  #close = (): void => undefined;
  /** Reports a broken connection to the client: to its call, and later to its stream. */
  #fail = (): void => undefined;

  constructor(request: Request, lane: string, scheduler: Scheduler) {
    this.#request = request;
    this.#lane = lane;
    this.#label = `${request.method} ${new URL(request.url).pathname.replace(/[0-9a-f-]{36}/g, 'id')}`;
    this.#scheduler = scheduler;
    this.closed = new Promise((resolve) => {
      this.#close = resolve;
    });
  }

  /** `findListener` is called when the request arrives. */
  open(findListener: () => Listener | undefined): Promise<Response> {
    return new Promise((resolve, reject) => {
      this.#fail = () => reject(new TypeError('fetch failed'));
      this.#request.signal.addEventListener('abort', () => this.#fail());
      this.#add(this, '', () => {
        const listener = findListener();
        if (!listener) this.breakOff();
        else this.#deliver(listener, resolve).catch(() => this.breakOff());
      });
    });
  }

  breakOff(): void {
    this.#close();
    this.#add(this, 'broken', () => this.#fail());
  }

  #add(owner: object, what: string, run: () => void): void {
    this.#scheduler.add({ owner, lane: this.#lane, label: `${this.#label} ${what}`, run });
  }

  async #deliver(listener: Listener, resolve: (response: Response) => void): Promise<void> {
    const response = await listener.answer(this.#request);
    const { status, headers } = response;
    if (headers.get('content-type')?.startsWith('text/event-stream') && response.body) {
      const stream = this.#relay(listener, response.body);
      return this.#add(listener.owner, String(status), () =>
        resolve(new Response(stream, { status, headers })),
      );
    }
    const body = status === 204 ? null : await response.arrayBuffer();
    this.#add(listener.owner, String(status), () => {
      this.#close();
      resolve(new Response(body, { status, headers }));
    });
  }

  #relay({ owner }: Listener, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    let isOpen = true;
    return new ReadableStream({
      start: (controller) => {
        const end = (act: () => void): void => {
          if (isOpen) act();
          isOpen = false;
        };
        this.#fail = () => end(() => controller.error(new TypeError('terminated')));
        const relayNext = async (): Promise<void> => {
          const part = await reader.read();
          this.#add(owner, part.done ? 'end' : 'part', () => {
            if (!isOpen) return;
            if (part.done) return end(() => controller.close());
            controller.enqueue(part.value);
            void relayNext();
          });
        };
        void relayNext();
      },
      cancel: () => {
        isOpen = false;
        this.#close();
        this.#add(owner, 'closed', () => void reader.cancel());
      },
    });
  }
}
