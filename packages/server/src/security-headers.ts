/**
 * What every response tells the browser: nothing from elsewhere, nothing inline, in nobody's frame.
 */
import type { Context, Next } from 'hono';
import type { ServerEnv } from './server-env.ts';

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  // Previews only: every other response of ours refuses to be framed.
  "frame-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  // Text never becomes markup or script; the one policy creates the address of the page's own worker.
  "require-trusted-types-for 'script'",
  'trusted-types crewagent-worker',
].join('; ');

/** A file that is handed out may do nothing at all, should somebody open it from here. */
export const FILE_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/**
 * A preview of HTML that anybody may have written: its own inline styles and embedded pictures and fonts are drawn. It runs
 * nothing, fetches nothing, submits nothing, opens no window and has an origin of its own; only our page may frame it.
 */
export const PREVIEW_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    'sandbox',
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; '),
  'x-frame-options': 'SAMEORIGIN',
  'x-dns-prefetch-control': 'off',
  'cache-control': 'no-store',
};

export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
};

/** What a response says itself stands. */
export async function addSecurityHeaders(c: Context<ServerEnv>, next: Next): Promise<void> {
  await next();
  const { headers } = c.res;
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
    if (!headers.has(name)) headers.set(name, value);
  }
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
}
