/** Conversations of all projects that wait for a person. Nothing is shown where nothing waits. */
import { useTranslation } from 'react-i18next';
import { useProjects } from '../api/queries.ts';
import { useWork } from '../api/work-context.tsx';
import { navigate } from '../app/router.ts';
import { formatDateTime } from '../i18n/format.ts';
import { isWaiting } from '../state/work-list.ts';
import { toShownLine } from '../ui/foreign-text.ts';
import { PhasePill } from '../ui/phase-pill.tsx';
import { useTitleOf } from '../works/use-title-of.ts';
import { ROW_BUTTON, Rows, Section } from './section.tsx';

export function InboxSection() {
  const { t } = useTranslation();
  const { list } = useWork();
  const { data: projects = [] } = useProjects();
  const titleOf = useTitleOf();
  const names = new Map(projects.map(({ projectId, name }) => [projectId, name]));
  const waiting = (list?.conversations ?? []).filter(
    (conversation) => conversation.archivedAt === undefined && isWaiting(conversation),
  );
  if (waiting.length === 0) return undefined;
  return (
    <Section title={t('inbox.title')}>
      <Rows label={t('inbox.title')}>
        {waiting.map((conversation) => {
          const { projectId, conversationId, phase, updatedAt } = conversation;
          return (
            <li key={conversationId}>
              <button
                type="button"
                className={ROW_BUTTON}
                onClick={() => navigate({ name: 'conversation', projectId, conversationId })}
              >
                <span className="min-w-0 grow">
                  <span className="block truncate font-medium">{titleOf(conversation)}</span>
                  <span className="block truncate text-sm text-ink-faint">
                    {toShownLine(names.get(projectId) ?? '')} · {formatDateTime(updatedAt)}
                  </span>
                </span>
                <PhasePill phase={phase} />
              </button>
            </li>
          );
        })}
      </Rows>
    </Section>
  );
}
