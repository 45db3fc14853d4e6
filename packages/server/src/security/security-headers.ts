/**
 * Security headers of every response: own resources only, nothing inline, no framing.
 */
import type { Context, Next } from 'hono';
import type { ServerEnv } from '../mount.ts';

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  // For previews only: every other response forbids framing.
  "frame-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  // Trusted Types keep text from becoming markup or script; the one policy creates the URL of the page's own worker.
  "require-trusted-types-for 'script'",
  'trusted-types crewagent-worker',
].join('; ');

/** A downloaded file may do nothing if somebody opens it from here. */
export const FILE_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/**
 * A preview shows untrusted HTML with its own inline styles and embedded images and fonts. It runs no scripts, sends no
 * requests, submits no forms, opens no windows and has an opaque origin; only our own page may frame it.
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

/**
 * The frame that draws diagrams runs its own script on untrusted text. It has an opaque origin, sends no requests, opens no
 * windows and submits no forms; only our own page may frame it. Which script it runs is in the file, by its hash.
 */
export const DIAGRAM_FRAME_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    'sandbox allow-scripts',
    "default-src 'none'",
    "script-src 'unsafe-inline'",
    "style-src 'unsafe-inline'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; '),
  'x-frame-options': 'SAMEORIGIN',
  'x-dns-prefetch-control': 'off',
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

/** Headers that a response sets itself take precedence. */
export async function addSecurityHeaders(c: Context<ServerEnv>, next: Next): Promise<void> {
  await next();
  const { headers } = c.res;
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
    if (!headers.has(name)) headers.set(name, value);
  }
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
}
