/**
 * The port to who may call what. A local server has one person, with a token; a team server has accounts and passes its own
 * implementation in. Every endpoint of the API goes through it.
 */
import { CrewError } from '@crewagent/core';
import type { Endpoint } from '@crewagent/protocol/api/define-endpoint';
import { createTokenGate, RETRY_AFTER_SECONDS } from './token.ts';

/** Who makes a request. */
export interface Viewer {
  /** Distinguishes people. */
  readonly id: string;
  /** Projects that lists and streams may contain; undefined: all. */
  readonly projects: ReadonlySet<string> | undefined;
}

/** A request to an endpoint, before its schemas have validated anything. */
export interface CallFacts {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Headers;
  readonly address: string | undefined;
}

/** The permission for one call. */
export interface Permit {
  /** Makes the call, unless its validated body names what the viewer may not use. */
  use<T>(body: unknown, make: () => Promise<T>): Promise<T>;
}

export interface Access {
  /** Whether this server has the endpoint. */
  offers(endpoint: Endpoint): boolean;
  /** Throws if the request claims to be from somebody and does not prove it. */
  authenticate(headers: Headers, address: string | undefined): Viewer | Promise<Viewer>;
  /** Throws unless the viewer may make the call. Without it, everybody who is authenticated may make every call. */
  permit?(viewer: Viewer, endpoint: Endpoint, call: CallFacts): Promise<Permit>;
  /** `end` is called when the viewer may see less or more than before. Returns a function that ends the watch. */
  watch?(viewer: Viewer, end: () => void): () => void;
}

/** Projects of a list: the one that was asked for, which `permit` has checked, or all that the viewer may see. */
export function scopeOf(
  { projects }: Viewer,
  projectId?: string | undefined,
): ReadonlySet<string> | undefined {
  return projectId === undefined ? projects : new Set([projectId]);
}

const LOCAL_VIEWER: Viewer = { id: '', projects: undefined };

/** Everything for whoever has the token of a local server. */
export function createTokenAccess(token: string): Access {
  const gate = createTokenGate(token);
  return {
    offers: () => true,
    authenticate(headers, address) {
      switch (gate.check(headers.get('authorization') ?? undefined, address)) {
        case 'ok':
          return LOCAL_VIEWER;
        case 'blocked':
          throw new CrewError(
            'TOO_MANY_TOKENS',
            'Too many wrong tokens from this address. Wait a minute and try again.',
            {
              details: { retryAfterSeconds: RETRY_AFTER_SECONDS },
            },
          );
        case 'wrong':
          throw new CrewError('TOKEN_REQUIRED', 'The token is not valid for this server.');
        case 'missing':
          throw new CrewError(
            'TOKEN_REQUIRED',
            'Send the token of this server as "Authorization: Bearer …".',
          );
      }
    },
  };
}
