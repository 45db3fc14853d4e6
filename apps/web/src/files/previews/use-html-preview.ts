/**
 * URL of a preview of an HTML text. The text is sent to the server and never parsed by the page itself. Requested immediately for
 * the first text and debounced for later ones; only the response for the latest text counts.
 */
import { useEffect, useRef, useState } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { toError } from '../../ui/errors/error-texts.ts';

const PAUSE_MS = 300;

export interface HtmlPreview {
  /** Can be loaded once; undefined until the first response, and after an error. */
  readonly address: string | undefined;
  readonly error: Error | undefined;
  /** Requests a new URL for the same text. */
  readonly renew: () => void;
}

export function useHtmlPreview(html: string): HtmlPreview {
  const client = useApi();
  const [answer, setAnswer] = useState<Pick<HtmlPreview, 'address' | 'error'>>(NO_ANSWER);
  const [attempt, setAttempt] = useState(0);
  const requested = useRef<string>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: an attempt requests the same text again
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const request = async (): Promise<void> => {
      requested.current = html;
      try {
        const { address } = await client.previews.create({ body: { html } }, { signal });
        if (!signal.aborted) setAnswer({ address, error: undefined });
      } catch (error) {
        if (!signal.aborted) setAnswer({ address: undefined, error: toError(error) });
      }
    };
    const isTyping = requested.current !== undefined && requested.current !== html;
    const timer = setTimeout(() => void request(), isTyping ? PAUSE_MS : 0);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [client, html, attempt]);
  return { ...answer, renew: () => setAttempt((count) => count + 1) };
}

const NO_ANSWER = { address: undefined, error: undefined } as const;
