/** Changes of a project that could not be merged: both sides, and the three ways to decide. */
import '../i18n/team-texts.ts';
import type { ConflictResolution, ShownConflict } from '@crewagent/protocol/api/team';
import { useState } from 'react';
import { useChange } from '../api/api-context.tsx';
import { formatBytes } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Note } from '../ui/note.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { TEAM_KEYS, team, useTeamQuery } from './team-client.ts';

interface ConflictsNoteProps {
  readonly projectId: string;
  /** Only those of one run or conversation. */
  readonly workId?: string | undefined;
}

/** Renders nothing if there are none. */
export default function ConflictsNote({ projectId, workId }: ConflictsNoteProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const { data } = useTeamQuery(
    TEAM_KEYS.conflicts(projectId),
    () => team.conflicts.list({ projectId }),
    true,
  );
  const shown = data?.conflicts.filter((one) => workId === undefined || one.workId === workId) ?? [];
  const title = t('team.conflicts.title', { count: shown.length });
  if (shown.length === 0) return undefined;
  return (
    <div className="p-3">
      <Note
        level="warning"
        title={title}
        actions={<Button onClick={() => setOpen(true)}>{t('team.conflicts.review')}</Button>}
      >
        {t('team.conflicts.text')}
      </Note>
      {isOpen ? (
        <Dialog title={title} description={t('team.conflicts.text')} onClose={() => setOpen(false)}>
          <ul className="flex flex-col gap-4 pt-2">
            {shown.map((conflict) => (
              <Conflict key={conflict.conflictId} projectId={projectId} conflict={conflict} />
            ))}
          </ul>
        </Dialog>
      ) : undefined}
    </div>
  );
}

interface ConflictProps {
  readonly projectId: string;
  readonly conflict: ShownConflict;
}

function Conflict({ projectId, conflict }: ConflictProps) {
  const { t } = useTranslation();
  const { conflictId, path, workId, project, change } = conflict;
  const resolve = useChange(TEAM_KEYS.conflicts(projectId), (resolution: ConflictResolution) =>
    team.conflicts.resolve({ projectId, conflictId, body: { resolution } }),
  );
  return (
    <li className="flex flex-col gap-2 rounded-lg border p-3">
      <h3 className="font-mono text-sm wrap-anywhere">{toShownLine(path)}</h3>
      <div className="grid gap-2 sm:grid-cols-2">
        <Side title={t('team.conflicts.project')} side={project} />
        <Side title={t(workId ? 'team.conflicts.change' : 'team.conflicts.source')} side={change} />
      </div>
      <div className="flex flex-wrap gap-2">
        <Button size="sm" disabled={resolve.isBusy} onClick={() => resolve.run({ take: 'project' })}>
          {t('team.conflicts.takeProject')}
        </Button>
        <Button size="sm" disabled={resolve.isBusy} onClick={() => resolve.run({ take: 'change' })}>
          {t('team.conflicts.takeChange')}
        </Button>
        {change ? (
          <Button
            size="sm"
            disabled={resolve.isBusy}
            onClick={() => resolve.run({ take: 'both', path: besidePath(path, conflictId) })}
          >
            {t('team.conflicts.takeBoth')}
          </Button>
        ) : undefined}
      </div>
      <ErrorNote issue={resolve.issue} />
    </li>
  );
}

function Side({ title, side }: { readonly title: string; readonly side: ShownConflict['project'] }) {
  const { t } = useTranslation();
  const text = side
    ? (side.text ?? t('team.conflicts.notText', { size: formatBytes(side.bytes) }))
    : t('team.conflicts.deleted');
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 text-sm text-ink-faint">{title}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard */}
      <pre className="max-h-60 overflow-auto rounded-md bg-sunken p-2 font-mono text-xs" tabIndex={0}>
        {text}
      </pre>
    </figure>
  );
}

/** `docs/plan.md` becomes `docs/plan (conflict 7).md`. */
export function besidePath(path: string, conflictId: string): string {
  const [, before = '', ending = ''] = /^(.*?[^/])(\.[^./]+)?$/s.exec(path) ?? [];
  return `${before} (conflict ${conflictId})${ending}`;
}
