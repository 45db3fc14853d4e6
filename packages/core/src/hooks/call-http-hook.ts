/**
 * Calls a hook that is an address: JSON by POST over https (or http on this machine), signed if it has a secret. A redirect is not
 * followed, so that neither the facts nor the signature go elsewhere; tries, time and the response are bounded.
 */
import { createHmac } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { HookInput, HttpHook } from '@crewagent/protocol/hooks';
import { isLoopbackHost } from '../base/private-host.ts';
import type { Policies } from '../policy/loaded-policy.ts';
import { findRefusal } from '../policy/restrict.ts';
import { type HookEnd, MAX_OUTPUT_BYTES, parseHookOutput } from './hook-output.ts';

export interface HttpHookParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly policies: Policies;
  readonly signal: AbortSignal;
}

const TRIES = 3;
const BACKOFF_MS = 300;

export async function callHttpHook(hook: HttpHook, input: HookInput, parts: HttpHookParts): Promise<HookEnd> {
  const { env, policies } = parts;
  const url = new URL(hook.url);
  if (url.protocol !== 'https:' && !isLoopbackHost(url.hostname))
    return { ok: false, error: 'its address does not start with https://' };
  if (url.username !== '' || url.password !== '')
    return { ok: false, error: 'its address contains a password' };
  const refusal = findRefusal(policies, { kind: 'address', address: url });
  if (refusal) return { ok: false, error: refusal.message };
  const secret = hook.secretEnv === undefined ? undefined : env[hook.secretEnv];
  if (hook.secretEnv !== undefined && !secret)
    return { ok: false, error: `the environment variable ${hook.secretEnv} with its secret is not set` };
  const body = hook.body === undefined ? JSON.stringify(input) : fillBody(hook.body, input);
  const timeout = AbortSignal.timeout(hook.timeoutSeconds * 1_000);
  const signal = AbortSignal.any([parts.signal, timeout]);
  let end: HookEnd = { ok: false, error: 'it was not called' };
  for (let tried = 1; tried <= TRIES; tried++) {
    try {
      const answer = await post(url, body, { event: input.event, secret, signal });
      if (!answer.isPassing) return hook.body === undefined ? answer.end : withoutOutput(answer.end);
      ({ end } = answer);
    } catch (error) {
      if (timeout.aborted) return { ok: false, error: `it took longer than ${hook.timeoutSeconds} seconds` };
      if (parts.signal.aborted) return { ok: false, error: 'it was stopped' };
      end = { ok: false, error: `it cannot be reached${codeOf(error)}` };
    }
    if (tried < TRIES)
      await wait(BACKOFF_MS * 2 ** (tried - 1), undefined, { signal }).catch(() => undefined);
  }
  return end;
}

/** What answers a message for people says nothing to us. */
function withoutOutput(end: HookEnd): HookEnd {
  return end.ok ? { ok: true } : end;
}

interface Posted {
  readonly end: HookEnd;
  /** Another try may succeed. */
  readonly isPassing: boolean;
}

async function post(
  url: URL,
  body: string,
  { event, secret, signal }: { event: string; secret: string | undefined; signal: AbortSignal },
): Promise<Posted> {
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    signal,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'crewagent',
      'x-crewagent-event': event,
      ...(secret && { 'x-crewagent-signature': signatureOf(body, secret, Math.floor(Date.now() / 1_000)) }),
    },
  });
  const text = await readBounded(response);
  const { status } = response;
  if (status >= 200 && status < 300) {
    if (text === undefined)
      return { end: { ok: false, error: 'it answered with too much' }, isPassing: false };
    const isJson = /^application\/(?:[\w.+-]+\+)?json\b/i.test(response.headers.get('content-type') ?? '');
    return { end: isJson ? parseHookOutput(text) : { ok: true }, isPassing: false };
  }
  const isRedirect = status >= 300 && status < 400;
  const error = isRedirect ? 'it redirects, which is not followed' : `it answered with status ${status}`;
  return { end: { ok: false, error }, isPassing: status === 429 || status >= 500 };
}

/** `t=SECONDS,v1=HEX`: HMAC-SHA256 of `SECONDS.BODY`. */
export function signatureOf(body: string, secret: string, seconds: number): string {
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}

/** Undefined if it is too long. */
async function readBounded({ body }: Response): Promise<string | undefined> {
  if (!body) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    // Leaving the loop cancels the rest.
    if (bytes > MAX_OUTPUT_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** `{{field}}` or `{{field.inner}}` inside a text of the JSON. */
function fillBody(template: string, input: HookInput): string {
  return template.replace(/\{\{([\w.]+)\}\}/g, (_, path: string) => {
    const value = path
      .split('.')
      .reduce<unknown>(
        (at, name) => (at !== null && typeof at === 'object' ? Reflect.get(at, name) : undefined),
        input,
      );
    const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
    return JSON.stringify(text).slice(1, -1);
  });
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
}
