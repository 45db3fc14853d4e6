/** Permanent approvals of a project, each with a button to revoke it. */
import type { ShownProject } from '@crewagent/protocol/api/projects';
import type { StandingApproval } from '@crewagent/protocol/project';
import { useApi } from '../api/api-context.tsx';
import { KEYS } from '../api/queries.ts';
import { useChange } from '../api/use-change.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { toReachName } from '../run/approval-reach.ts';
import { toShownPath } from '../run/shown-names.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';

export function AllowedForGood({ project }: { readonly project: ShownProject }) {
  const { t } = useTranslation();
  const { projectId, approvals } = project;
  const client = useApi();
  const revoke = useChange(KEYS.projects, (body: StandingApproval) =>
    client.projects.revoke({ projectId, body }),
  );
  if (approvals.length === 0) return undefined;
  return (
    <div className="rounded-lg border px-3 py-2">
      <p className="text-sm text-ink-faint">{t('data.allowed')}</p>
      <ul aria-label={t('data.allowed')}>
        {approvals.map((approval) => {
          const { tool, path, reach = 'file' } = approval;
          const shown = reach === 'file' ? toShownPath(path) : toReachName(t, path, reach);
          // A path starts with its mount; otherwise the approval is for a tool.
          const files = path.startsWith('@') ? shown : tool;
          return (
            <li key={`${tool} ${reach} ${path}`} className="flex items-center gap-3 py-1">
              <span className="min-w-0 grow wrap-anywhere">{files}</span>
              <Button
                size="sm"
                disabled={revoke.isBusy}
                aria-label={t('data.revokeOf', { files })}
                onClick={() => revoke.run(approval)}
              >
                {t('data.revoke')}
              </Button>
            </li>
          );
        })}
      </ul>
      <ErrorNote issue={revoke.issue} />
    </div>
  );
}
