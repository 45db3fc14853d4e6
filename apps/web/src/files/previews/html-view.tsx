/** Preview of an HTML file: styles apply, but nothing in it runs, is fetched or navigates. Loaded lazily. */
import { useEffect, useRef, useState } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { toError } from '../../ui/errors/error-texts.ts';
import { Skeleton } from '../../ui/skeleton.tsx';

export default function HtmlView({ label, text }: { readonly label: string; readonly text: string }) {
  const { t } = useTranslation();
  const { address, error, renew } = useHtmlPreview(text);
  if (error) {
    return (
      <div className="mx-auto max-w-xl p-4 sm:p-8">
        <ErrorNote
          issue={error}
          title={t('files.previewFailed')}
          actions={
            <Button size="sm" onClick={renew}>
              {t('action.retry')}
            </Button>
          }
        />
      </div>
    );
  }
  return (
    <div className="flex h-full flex-col">
      <p role="status" className="shrink-0 border-b bg-canvas px-3 py-1.5 text-xs text-ink-faint">
        {t(address === undefined ? 'files.previewLoading' : 'files.previewNotice')}
      </p>
      {address === undefined ? (
        <Skeleton className="m-4 h-40" />
      ) : (
        // A new element for each address: another `src` on the same one would add an entry to the browser's history.
        <PreviewFrame key={address} label={label} address={address} onLeft={renew} />
      )}
    </div>
  );
}

interface PreviewFrameProps {
  readonly label: string;
  readonly address: string;
  readonly onLeft: () => void;
}

function PreviewFrame({ label, address, onLeft }: PreviewFrameProps) {
  const isLoaded = useRef(false);
  return (
    <iframe
      title={label}
      sandbox=""
      src={address}
      // A second document can only be the error page for a link that names its own frame as its target.
      onLoad={() => {
        if (isLoaded.current) onLeft();
        isLoaded.current = true;
      }}
      // A page that sets no background is drawn on white.
      className="min-h-0 w-full grow bg-[#fff]"
    />
  );
}

const PAUSE_MS = 300;

/**
 * URL of a preview of an HTML text. The text is sent to the server and never parsed by the page itself. Requested immediately for
 * the first text and debounced for later ones; only the response for the latest text counts. The URL can be loaded once; `renew` requests another one for the same text.
 */
function useHtmlPreview(html: string) {
  const client = useApi();
  const [answer, setAnswer] = useState<{ readonly address?: string; readonly error?: Error }>({});
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
        if (!signal.aborted) setAnswer({ address });
      } catch (error) {
        if (!signal.aborted) setAnswer({ error: toError(error) });
      }
    };
    const isTyping = requested.current !== undefined && requested.current !== html;
    const timer = setTimeout(() => void request(), isTyping ? PAUSE_MS : 0);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [client, html, attempt]);
  return { ...answer, renew: (): void => setAttempt((count) => count + 1) };
}
