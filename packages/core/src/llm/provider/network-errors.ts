/**
 * A connection that failed, as an error with a sentence that names the host and what to do. Pure.
 */

import type { ModelError } from '../llm-adapter.ts';
import type { Peer } from './http-errors.ts';

interface NetworkIssue {
  readonly what: string;
  readonly todo: string;
  readonly isLasting?: boolean;
}

const BROKE: NetworkIssue = {
  what: 'closed the connection',
  todo: 'Try again; a proxy in between may be the cause.',
};
const NO_WAY: NetworkIssue = { what: 'cannot be reached from here', todo: 'Check the network connection.' };
const UNKNOWN_NAME: NetworkIssue = {
  what: 'cannot be found',
  todo: 'Check the base URL and the network connection.',
};
const NO_CERTIFICATE: NetworkIssue = {
  what: 'shows a certificate that this machine does not trust',
  todo: 'Check the base URL; for a certificate of your own set NODE_EXTRA_CA_CERTS.',
  isLasting: true,
};
const NO_HTTP: NetworkIssue = {
  what: 'does not speak the expected protocol',
  todo: 'Check the base URL: http or https, and the port.',
  isLasting: true,
};

const ISSUES: Readonly<Record<string, NetworkIssue>> = {
  ECONNREFUSED: { what: 'is not listening', todo: 'Start the server, or check the base URL.' },
  ECONNRESET: BROKE,
  EPIPE: BROKE,
  ENOTFOUND: UNKNOWN_NAME,
  EAI_AGAIN: UNKNOWN_NAME,
  EHOSTUNREACH: NO_WAY,
  ENETUNREACH: NO_WAY,
  ETIMEDOUT: NO_WAY,
  EPROTO: NO_HTTP,
};

export function toNetworkError(cause: unknown, { host }: Peer): ModelError {
  const code = codeOf(cause);
  const issue = ISSUES[code] ?? byFamily(code);
  return {
    code: 'LLM_HTTP_ERROR',
    message: `${host} ${issue.what} (${code}). ${issue.todo}`,
    isRetryable: issue.isLasting !== true,
    details: { errno: code },
  };
}

function codeOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? code : 'UNKNOWN';
}

function byFamily(code: string): NetworkIssue {
  if (code.startsWith('HPE_') || code.startsWith('ERR_SSL')) return NO_HTTP;
  if (/CERT|SIGNATURE|ISSUER|ERR_TLS/.test(code)) return NO_CERTIFICATE;
  return { what: 'could not be reached', todo: 'Check the base URL and the network connection.' };
}
