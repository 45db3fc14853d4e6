/** Preview of an HTML file: styles apply, but nothing in it runs, is fetched or navigates. Loaded lazily. */
import { useRef } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useHtmlPreview } from './use-html-preview.ts';

interface HtmlViewProps {
  readonly label: string;
  readonly text: string;
}

export default function HtmlView({ label, text }: HtmlViewProps) {
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
