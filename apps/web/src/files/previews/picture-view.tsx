/** An image on a checkerboard that shows transparency, fitted or in its own size. Scripts in it do not run. */
import type { FileContent } from '@crewagent/protocol/api/files';
import { useMemo, useState } from 'react';
import { useFileBytes } from '../../api/files-queries.ts';
import { formatBytes } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { Note } from '../../ui/note.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useObjectUrl } from '../../ui/use-object-url.ts';
import { nameOf } from '../paths.ts';

interface PictureViewProps {
  readonly projectId: string;
  readonly path: string;
  readonly content: FileContent;
}

export function PictureView({ projectId, path, content }: PictureViewProps) {
  const version = content.isTooLarge ? content.modifiedAt : content.sha256;
  const { data, error } = useFileBytes(projectId, path, version);
  if (error) {
    return (
      <div className="p-4">
        <ErrorNote issue={error} />
      </div>
    );
  }
  return <Picture name={nameOf(path)} blob={data} bytes={content.bytes} />;
}

/** An SVG, rendered from the text in the editor. */
export function DrawingView({ text, ...picture }: Omit<PictureProps, 'blob'> & { readonly text: string }) {
  const blob = useMemo(() => new Blob([text], { type: 'image/svg+xml' }), [text]);
  return <Picture {...picture} blob={blob} />;
}

interface PictureProps {
  readonly name: string;
  readonly blob: Blob | undefined;
  readonly bytes: number;
}

export function Picture({ name, blob, bytes }: PictureProps) {
  const { t } = useTranslation();
  const url = useObjectUrl(blob);
  const [size, setSize] = useState<{ readonly width: number; readonly height: number }>();
  const [brokenUrl, setBrokenUrl] = useState<string>();
  const [isWhole, setWhole] = useState(true);
  if (url === undefined) return <Skeleton className="m-4 h-40" />;
  return (
    <div className="flex h-full flex-col">
      <section
        aria-label={t('files.picture', { name: toShownLine(name) })}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable with the keyboard
        tabIndex={0}
        className="flex min-h-0 grow overflow-auto bg-sunken p-6 -outline-offset-2"
      >
        {brokenUrl === url ? (
          <div className="m-auto">
            <Note level="warning" title={t('files.brokenPicture')}>
              {t('files.brokenPictureText')}
            </Note>
          </div>
        ) : (
          <img
            key={url}
            src={url}
            alt={toShownLine(name)}
            draggable={false}
            onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) =>
              setSize({ width, height })
            }
            onError={() => setBrokenUrl(url)}
            style={BOARD}
            className={`m-auto rounded-sm ${isWhole ? 'max-h-full max-w-full' : 'max-w-none'}`}
          />
        )}
      </section>
      <div className="flex h-9 shrink-0 items-center gap-3 border-t px-3 text-xs text-ink-faint tabular-nums">
        <span className="grow">
          {size && size.width > 0 ? `${size.width} × ${size.height} px · ` : ''}
          {formatBytes(bytes)}
        </span>
        <Button kind="quiet" size="sm" aria-pressed={!isWhole} onClick={() => setWhole(!isWhole)}>
          {t(isWhole ? 'files.ownSize' : 'files.fitted')}
        </Button>
      </div>
    </div>
  );
}

const BOARD = {
  backgroundImage: 'repeating-conic-gradient(var(--pressed) 0% 25%, var(--surface) 0% 50%)',
  backgroundSize: '16px 16px',
};
