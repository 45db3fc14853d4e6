/** A file that is not text: an image is shown, for others their properties. */
import type { FileContent } from '@crewagent/protocol/api/files';
import { Download, SquareArrowOutUpRight } from 'lucide-react';
import { useCanReveal } from '../../api/files-queries.ts';
import { formatBytes, formatDateTime } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { useAction } from '../../ui/use-action.ts';
import { FileIcon } from '../file-icon.tsx';
import { nameOf } from '../paths.ts';
import { PictureView } from '../previews/picture-view.tsx';
import { useFileActions } from '../use-file-actions.ts';
import { type FileView, MAX_BYTES } from './file-views.ts';

interface FileNotShownProps {
  readonly projectId: string;
  readonly path: string;
  readonly content: FileContent | undefined;
  readonly view: FileView;
}

export function FileNotShown({ projectId, path, content, view }: FileNotShownProps) {
  const { t } = useTranslation();
  const actions = useFileActions(projectId);
  const canReveal = useCanReveal();
  const act = useAction((work: (path: string) => Promise<void>) => work(path));
  if (!content) return undefined;
  if (view === 'picture') return <PictureView projectId={projectId} path={path} content={content} />;
  const { bytes, mime, modifiedAt, isTooLarge } = content;
  const canDownload = bytes <= MAX_BYTES;
  return (
    <div className="flex h-full flex-col items-center justify-center gap-4 overflow-auto p-6 text-center">
      <div aria-hidden="true" className="rounded-xl border bg-surface p-3 [&_svg]:size-6">
        <FileIcon name={nameOf(path)} />
      </div>
      <div className="max-w-md">
        <p className="font-medium wrap-anywhere">{toShownLine(nameOf(path))}</p>
        <p className="mt-1 text-ink-soft">
          {t(isTooLarge ? (canDownload ? 'files.tooLarge' : 'files.muchTooLarge') : 'files.notText')}
        </p>
      </div>
      <dl className="grid grid-cols-[auto_auto] gap-x-4 gap-y-1 text-start text-sm">
        <dt className="text-ink-faint">{t('files.facts.type')}</dt>
        <dd>{toShownLine(mime)}</dd>
        <dt className="text-ink-faint">{t('files.facts.size')}</dt>
        <dd className="tabular-nums">{formatBytes(bytes)}</dd>
        <dt className="text-ink-faint">{t('files.facts.changed')}</dt>
        <dd className="tabular-nums">{formatDateTime(modifiedAt)}</dd>
      </dl>
      <div className="flex flex-wrap justify-center gap-2">
        {canDownload ? (
          <Button
            icon={<Download aria-hidden="true" className="size-4" />}
            isBusy={act.isBusy}
            onClick={() => act.run(actions.download)}
          >
            {t('action.download')}
          </Button>
        ) : undefined}
        {canReveal ? (
          <Button
            icon={<SquareArrowOutUpRight aria-hidden="true" className="size-4" />}
            onClick={() => act.run(actions.reveal)}
          >
            {t('files.reveal')}
          </Button>
        ) : undefined}
      </div>
      <ErrorNote issue={act.issue} />
    </div>
  );
}
