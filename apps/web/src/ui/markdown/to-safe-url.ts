/** Absolute addresses of the web and of mail; everything else leads nowhere. */
export function toSafeUrl(url: string): string | undefined {
  return /^(?:https?:\/\/|mailto:)/i.test(url.trim()) ? url.trim() : undefined;
}
