/** Entries of a configuration that cannot be used, and why. */
import { useTranslation } from '../../i18n/use-translation.ts';
import { Note } from '../../ui/note.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';

export function ServerIssues({ issues }: { readonly issues: readonly string[] }) {
  const { t } = useTranslation();
  if (issues.length === 0) return undefined;
  return (
    <Note level="warning" title={t('servers.skipped')}>
      {issues.map((issue) => (
        <p key={issue}>{toShownLine(issue)}</p>
      ))}
    </Note>
  );
}
