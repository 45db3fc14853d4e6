/** SHA-256 of a text, as lower-case hex. Browsers have it on secure origins only; for others there is one of our own. */
export async function toSha256(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const { subtle } = globalThis.crypto as { readonly subtle?: SubtleCrypto };
  const hash = subtle
    ? new Uint8Array(await subtle.digest('SHA-256', bytes))
    : (await import('./sha256.ts')).sha256(bytes);
  return [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
