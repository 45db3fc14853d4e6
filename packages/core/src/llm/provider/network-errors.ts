/**
 * Converts a failed connection to a `ModelError` that names the host and what to do. Pure.
 */

import type { ModelError } from '../llm-adapter.ts';
import type { Peer } from './http-errors.ts';

interface NetworkIssue {
  readonly what: string;
  readonly todo: string;
  readonly isPermanent?: boolean;
}

const CONNECTION_CLOSED: NetworkIssue = {
  what: 'closed the connection',
  todo: 'Try again. A proxy may be the cause.',
};
const UNREACHABLE: NetworkIssue = {
  what: 'cannot be reached from here',
  todo: 'Check the network connection.',
};
const UNKNOWN_HOST: NetworkIssue = {
  what: 'cannot be found',
  todo: 'Check the address and the network connection.',
};
const UNTRUSTED_CERTIFICATE: NetworkIssue = {
  what: 'uses a certificate that this machine does not trust',
  todo: 'Check the address; for a private certificate set NODE_EXTRA_CA_CERTS.',
  isPermanent: true,
};
const WRONG_PROTOCOL: NetworkIssue = {
  what: 'does not use the expected protocol',
  todo: 'Check the address: http or https, and the port.',
  isPermanent: true,
};

const ISSUES: Readonly<Record<string, NetworkIssue>> = {
  ECONNREFUSED: { what: 'is not listening', todo: 'Start the server, or check the address.' },
  ECONNRESET: CONNECTION_CLOSED,
  EPIPE: CONNECTION_CLOSED,
  ENOTFOUND: UNKNOWN_HOST,
  EAI_AGAIN: UNKNOWN_HOST,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  EPROTO: WRONG_PROTOCOL,
};

export function toNetworkError(cause: unknown, { host }: Peer): ModelError {
  const code = codeOf(cause);
  const issue = ISSUES[code] ?? byFamily(code);
  return {
    code: 'LLM_HTTP_ERROR',
    message: `${host} ${issue.what} (${code}). ${issue.todo}`,
    isRetryable: issue.isPermanent !== true,
    details: { errno: code },
  };
}

function codeOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? code : 'UNKNOWN';
}

function byFamily(code: string): NetworkIssue {
  if (code.startsWith('HPE_') || code.startsWith('ERR_SSL')) return WRONG_PROTOCOL;
  if (/CERT|SIGNATURE|ISSUER|ERR_TLS/.test(code)) return UNTRUSTED_CERTIFICATE;
  return { what: 'could not be reached', todo: 'Check the address and the network connection.' };
}
