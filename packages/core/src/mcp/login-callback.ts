/**
 * The address on this machine that a browser is redirected to at the end of a login: one port of 127.0.0.1, for one response that
 * carries the state of this login, closed afterwards.
 */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { detectLanguage, type Language } from '@crewagent/protocol/languages';
import { untilAborted } from './until-aborted.ts';

const PATH = '/callback';

export async function listenForCallback(state: string, port = 0) {
  let waiting: { readonly request: IncomingMessage; readonly response: ServerResponse } | undefined;
  let onReceived: ((params: URLSearchParams) => void) | undefined;
  const received = new Promise<URLSearchParams>((resolve) => {
    onReceived = resolve;
  });
  const server = createServer((request, response) => {
    const { method, url = '' } = request;
    // Not parsed as a URL: any page can request any path of this port, also one that is no URL.
    const params = new URLSearchParams(url.startsWith(`${PATH}?`) ? url.slice(PATH.length) : '');
    const isExpected = method === 'GET' && params.get('state') === state;
    if (waiting || !isExpected) return show(request, response, 'unknown');
    waiting = { request, response };
    onReceived?.(params);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    redirectUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`,
    /** The parameters of the redirect. Rejects at the time limit and when aborted. */
    wait(timeoutMs: number, signal: AbortSignal): Promise<URLSearchParams> {
      const timeout = AbortSignal.timeout(timeoutMs);
      const toError = (): Error =>
        new Error(timeout.aborted ? 'nobody signed in within the time limit.' : 'it was cancelled.');
      return untilAborted(received, AbortSignal.any([signal, timeout]), toError);
    },
    /** Shows the result in the browser, if it waits for one, and closes the port. */
    async close(isSignedIn: boolean): Promise<void> {
      if (waiting) {
        const { request, response } = waiting;
        const closed = once(response, 'close');
        show(request, response, isSignedIn ? 'done' : 'failed');
        if (!response.closed) await closed;
      }
      server.close();
      server.closeAllConnections();
    },
  };
}

const TEXTS: Readonly<Record<Language, Readonly<Record<'done' | 'failed' | 'unknown', string>>>> = {
  en: {
    done: 'You are signed in. You can close this page.',
    failed: 'The sign-in did not succeed. See CrewAgent for the reason.',
    unknown: 'This address does not belong to a sign-in of CrewAgent.',
  },
  'zh-CN': {
    done: '登录成功，可以关闭此页面。',
    failed: '登录未成功，原因请见 CrewAgent。',
    unknown: '此地址不属于 CrewAgent 的登录流程。',
  },
};

/** The address contains the code of the login: nothing is loaded, and the page is neither stored nor referred to. */
function show(
  { headers }: IncomingMessage,
  response: ServerResponse,
  text: keyof (typeof TEXTS)['en'],
): void {
  const language = detectLanguage((headers['accept-language'] ?? '').split(/[,;]\s*/));
  response.writeHead(text === 'unknown' ? 400 : 200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(
    `<!doctype html><html lang="${language}"><meta charset="utf-8"><title>CrewAgent</title><p>${TEXTS[language][text]}</p></html>`,
  );
}
