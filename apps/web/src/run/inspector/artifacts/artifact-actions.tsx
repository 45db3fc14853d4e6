/** Actions for a project file: open it here, download it, show it in its folder. */
import { Download, FolderSearch } from 'lucide-react';
import { useApi } from '../../../api/api-context.tsx';
import { useCanReveal } from '../../../api/files-queries.ts';
import { revealFile } from '../../../api/reveal-file.ts';
import { saveResponse } from '../../../api/save-response.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorNote } from '../../../ui/errors/error-note.tsx';
import { useAction } from '../../../ui/use-action.ts';
import { OpenFileButton } from '../../open-file-button.tsx';

interface ArtifactActionsProps {
  readonly projectId: string;
  readonly path: string;
  readonly isThere: boolean;
}

export function ArtifactActions({ projectId, path, isThere }: ArtifactActionsProps) {
  const { t } = useTranslation();
  const client = useApi();
  const { files } = client;
  const canReveal = useCanReveal();
  const download = useAction(async () => {
    const response = await files.download({ projectId, query: { path } });
    await saveResponse(response, path.slice(path.lastIndexOf('/') + 1));
  });
  const reveal = useAction(() => revealFile(client, projectId, path));
  if (!isThere) return <p className="text-sm text-ink-faint">{t('inspector.files.isGone')}</p>;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-1.5">
        <OpenFileButton projectId={projectId} path={path} />
        <Button
          size="sm"
          icon={<Download aria-hidden="true" className="size-3.5" />}
          isBusy={download.isBusy}
          onClick={() => download.run()}
        >
          {t('action.download')}
        </Button>
        {canReveal ? (
          <Button
            size="sm"
            icon={<FolderSearch aria-hidden="true" className="size-3.5" />}
            isBusy={reveal.isBusy}
            onClick={() => reveal.run()}
          >
            {t('inspector.files.reveal')}
          </Button>
        ) : undefined}
      </div>
      <ErrorNote issue={download.issue ?? reveal.issue} />
    </div>
  );
}
