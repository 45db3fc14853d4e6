/** Where the files of a project come from, and getting newer ones: from git, or by an upload. */
import '../i18n/team-texts.ts';
import { useQueryClient } from '@tanstack/react-query';
import { FolderUp, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { FormDialog } from '../ui/overlays/form-dialog.tsx';
import { useToasts } from '../ui/overlays/toast-store.ts';
import { toShownLine } from '../ui/sanitize-text.ts';
import { useAction } from '../ui/use-action.ts';
import { TEAM_KEYS, team, useTeamQuery } from './team-client.ts';
import { UploadField } from './upload-field.tsx';

interface SourceBarProps {
  readonly projectId: string;
}

export default function SourceBar({ projectId }: SourceBarProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [isUploading, setUploading] = useState(false);
  const { data: source } = useTeamQuery(TEAM_KEYS.source(projectId), () =>
    team.teamProjects.source({ projectId }),
  );
  const say = async (done: string, conflicts: number): Promise<void> => {
    await queries.invalidateQueries({ queryKey: TEAM_KEYS.conflicts(projectId) });
    const said = conflicts === 0 ? done : t('team.conflicts.title', { count: conflicts });
    useToasts.getState().show(said);
  };
  const refresh = useAction(async () => {
    const { conflicts } = await team.teamProjects.refresh({ projectId, body: {} });
    await say(t('team.source.upToDate'), conflicts);
  });
  // Everybody works in a shared folder itself.
  if (!source || source.kind === 'folder') return undefined;
  return (
    <section
      aria-label={t('team.source.label')}
      className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b px-4 py-2 sm:px-6"
    >
      <p className="min-w-40 grow basis-0 truncate text-sm text-ink-faint">
        {source.kind === 'git'
          ? [toShownLine(source.url), source.branch && toShownLine(source.branch)].filter(Boolean).join(' · ')
          : t('team.source.upload')}
      </p>
      {source.kind === 'git' ? (
        <Button
          size="sm"
          icon={<RefreshCw className="size-3.5" />}
          isBusy={refresh.isBusy}
          onClick={refresh.run}
        >
          {t('team.source.refresh')}
        </Button>
      ) : (
        <Button size="sm" icon={<FolderUp className="size-3.5" />} onClick={() => setUploading(true)}>
          {t('team.source.more')}
        </Button>
      )}
      <ErrorNote issue={refresh.issue} />
      {isUploading ? (
        <UploadDialog
          projectId={projectId}
          onUploaded={(conflicts) => say(t('team.source.uploaded'), conflicts)}
          onClose={() => setUploading(false)}
        />
      ) : undefined}
    </section>
  );
}

interface UploadDialogProps extends SourceBarProps {
  readonly onUploaded: (conflicts: number) => Promise<void>;
  readonly onClose: () => void;
}

function UploadDialog({ projectId, onUploaded, onClose }: UploadDialogProps) {
  const { t } = useTranslation();
  const [zip, setZip] = useState<File>();
  const submit = useAction(async () => {
    if (!zip) return;
    await onUploaded((await team.teamProjects.uploadArchive({ projectId, body: zip })).conflicts);
    onClose();
  });
  return (
    <FormDialog
      title={t('team.source.more')}
      submitLabel={t('team.projects.upload')}
      submit={submit}
      canSubmit={zip !== undefined}
      isDirty={zip !== undefined}
      onClose={onClose}
    >
      <UploadField zip={zip} hint={t('team.source.replaces')} onChoose={setZip} />
    </FormDialog>
  );
}
