/**
 * Previews that were requested and not yet loaded. An id is a capability: it opens one text, once, for a minute. Bounded in
 * number and in bytes; the oldest previews are dropped first.
 */
import { randomBytes } from 'node:crypto';

export const PREVIEW_LIFE_MS = 60_000;
export const MAX_PREVIEWS = 20;
/** At least the maximum size of one request. */
export const MAX_PREVIEW_BYTES = 32 * 1024 * 1024;

interface Preview {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly expiresAt: number;
}

export type WaitingPreviews = ReturnType<typeof createWaitingPreviews>;

export function createWaitingPreviews(monotonicMs: () => number = () => performance.now()) {
  // Oldest first: a map keeps insertion order.
  const waiting = new Map<string, Preview>();
  let totalBytes = 0;
  let timer: NodeJS.Timeout | undefined;

  const remove = (id: string): Preview | undefined => {
    const preview = waiting.get(id);
    waiting.delete(id);
    totalBytes -= preview?.bytes.length ?? 0;
    return preview;
  };
  const removeExpired = (): void => {
    const now = monotonicMs();
    for (const [id, { expiresAt }] of waiting) if (expiresAt <= now) remove(id);
  };
  const evictFor = (bytes: number): void => {
    for (const id of waiting.keys()) {
      if (waiting.size < MAX_PREVIEWS && totalBytes + bytes <= MAX_PREVIEW_BYTES) return;
      remove(id);
    }
  };

  return {
    /** Returns the id of the preview. */
    add(page: string): string {
      const bytes = new TextEncoder().encode(page);
      removeExpired();
      evictFor(bytes.length);
      const id = randomBytes(24).toString('base64url');
      waiting.set(id, { bytes, expiresAt: monotonicMs() + PREVIEW_LIFE_MS });
      totalBytes += bytes.length;
      // Frees the memory of previews that nobody loads.
      clearTimeout(timer);
      timer = setTimeout(removeExpired, PREVIEW_LIFE_MS + 1_000).unref();
      return id;
    },
    /** Returns the page and removes it; undefined if it was taken before, has expired or was dropped. */
    take(id: string): Preview['bytes'] | undefined {
      removeExpired();
      return remove(id)?.bytes;
    },
    close(): void {
      clearTimeout(timer);
      waiting.clear();
      totalBytes = 0;
    },
  };
}
