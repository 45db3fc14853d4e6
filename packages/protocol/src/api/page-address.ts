/**
 * How a page learns its token and surface, and reports the surface. The URL that opens the page has both in its fragment, which
 * browsers never send; API calls name the surface in a header. Pure.
 */
import type { TargetSurface } from '../commands.ts';

export interface PageAccess {
  readonly token: string;
  /** `web` in browsers, `electron` in desktop windows. */
  readonly surface: TargetSurface;
}

/** `url`: URL of the server, with or without a path. */
export function toPageAddress(url: string, { token, surface }: PageAccess): string {
  const target = new URL(url);
  const suffix = surface === 'web' ? '' : `&surface=${surface}`;
  return `${target.origin}${target.pathname}#token=${encodeURIComponent(token)}${suffix}`;
}

/** Parses the fragment of a URL; the surface counts only together with a token. */
export function parsePageAccess(hash: string): PageAccess | undefined {
  const fields = new URLSearchParams(hash.slice(1));
  const token = fields.get('token');
  if (!token) return undefined;
  return { token, surface: fields.get('surface') === 'electron' ? 'electron' : 'web' };
}

/** Clients without this header count as browsers. */
export const SURFACE_HEADER = 'x-crewagent-surface';

export function surfaceOf(headers: Headers): TargetSurface {
  return headers.get(SURFACE_HEADER) === 'electron' ? 'electron' : 'web';
}
