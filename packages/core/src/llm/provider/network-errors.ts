/**
 * Converts a failed connection to a `ModelError` that names the host and what to do. Pure.
 */

import type { ModelError } from '../llm-adapter.ts';
import type { Peer } from './http-errors.ts';

type NetworkIssue = readonly [codes: RegExp, what: string, todo: string, isPermanent?: true];

const ISSUES: readonly NetworkIssue[] = [
  [/^ECONNREFUSED$/, 'is not listening', 'Start the server, or check the address.'],
  [/^(?:ECONNRESET|EPIPE)$/, 'closed the connection', 'Try again. A proxy may be the cause.'],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, 'cannot be found', 'Check the address and the network connection.'],
  [
    /^(?:EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/,
    'cannot be reached from here',
    'Check the network connection.',
  ],
  [
    /^(?:EPROTO$|HPE_|ERR_SSL)/,
    'does not use the expected protocol',
    'Check the address: http or https, and the port.',
    true,
  ],
  [
    /CERT|SIGNATURE|ISSUER|ERR_TLS/,
    'uses a certificate that this machine does not trust',
    'Check the address; for a private certificate set NODE_EXTRA_CA_CERTS.',
    true,
  ],
];
const UNKNOWN: NetworkIssue = [/./, 'could not be reached', 'Check the address and the network connection.'];

export function toNetworkError(cause: unknown, { host }: Peer): ModelError {
  const code = codeOf(cause);
  const [, what, todo, isPermanent = false] = ISSUES.find(([codes]) => codes.test(code)) ?? UNKNOWN;
  return {
    code: 'LLM_HTTP_ERROR',
    message: `${host} ${what} (${code}). ${todo}`,
    isRetryable: !isPermanent,
    details: { errno: code },
  };
}

function codeOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? code : 'UNKNOWN';
}
