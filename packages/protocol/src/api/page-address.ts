/**
 * How a screen is told, and tells, what it is. The address that opens the page has the token and the surface in its fragment,
 * which no browser sends anywhere; calls name the surface in a header. Pure.
 */
import type { TargetSurface } from '../commands.ts';

export interface PageAccess {
  readonly token: string;
  /** Browsers show `web`, windows of our own `electron`. */
  readonly surface: TargetSurface;
}

/** `url`: of the server, with or without a path. */
export function toPageAddress(url: string, { token, surface }: PageAccess): string {
  const target = new URL(url);
  const suffix = surface === 'web' ? '' : `&surface=${surface}`;
  return `${target.origin}${target.pathname}#token=${encodeURIComponent(token)}${suffix}`;
}

/** What the fragment of an address says; a surface only together with a token. */
export function parsePageAccess(hash: string): PageAccess | undefined {
  const fields = new URLSearchParams(hash.slice(1));
  const token = fields.get('token');
  if (!token) return undefined;
  return { token, surface: fields.get('surface') === 'electron' ? 'electron' : 'web' };
}

/** Clients that do not say are browsers. */
export const SURFACE_HEADER = 'x-crewagent-surface';

export function surfaceOf(headers: Headers): TargetSurface {
  return headers.get(SURFACE_HEADER) === 'electron' ? 'electron' : 'web';
}
