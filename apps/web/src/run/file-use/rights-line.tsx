/** That steps used files which they do not declare: how many, on request which, and adding them to the folder of the package. */
import '../../i18n/file-use-texts.ts';
import { useQueryClient } from '@tanstack/react-query';
import { FileQuestion } from 'lucide-react';
import { useState } from 'react';
import { useApi, useApiQuery } from '../../api/api-context.tsx';
import { useTranslation } from '../../i18n/use-translation.ts';
import { useOffers } from '../../state/team-server.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/errors/error-note.tsx';
import { Fold } from '../../ui/fold.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { useAction } from '../../ui/use-action.ts';

interface RightsLineProps {
  readonly workId: string;
  /** Changes when the run may have used other files. */
  readonly mark: string;
  readonly titleOf: (nodeId: string) => string;
}

export default function RightsLine({ workId, mark, titleOf }: RightsLineProps) {
  const { t } = useTranslation();
  const client = useApi();
  const queries = useQueryClient();
  const isOffered = useOffers('works.undeclared');
  const [isOpen, setOpen] = useState(false);
  const [done, setDone] = useState<string>();
  const key = ['undeclared', workId, mark];
  const { data } = useApiQuery(key, ({ works }, call) => works.undeclared({ workId }, call), {
    enabled: isOffered,
    retry: false,
  });
  const adding = useAction(async () => {
    const { added, left, folder } = await client.works.declare({ workId });
    setDone(
      [
        ...(added.length > 0
          ? [t('declare.added', { count: added.length, folder: toShownLine(folder) })]
          : []),
        ...(left.length > 0 ? [t('declare.left', { count: left.length })] : []),
      ].join(' '),
    );
    await queries.invalidateQueries({ queryKey: ['packages'] });
  });
  if (done !== undefined) return <p role="status">{done}</p>;
  if (!data || data.files.length === 0) return undefined;
  const { files, folder } = data;
  return (
    <Fold
      isOpen={isOpen}
      onToggle={() => setOpen(!isOpen)}
      summary={
        <span className="flex min-w-0 items-center gap-2">
          <FileQuestion aria-hidden="true" className="size-4 shrink-0" />
          {t('declare.count', { count: files.length })}
        </span>
      }
    >
      {() => (
        <div className="flex flex-col items-start gap-2 text-sm">
          <ul aria-label={t('declare.count', { count: files.length })} className="flex flex-col gap-1">
            {files.map(({ nodeId, access, path }) => (
              <li key={`${nodeId} ${access} ${path}`} className="wrap-anywhere">
                <bdi>{toShownLine(titleOf(nodeId))}</bdi> · {t(`declare.${access}`)} ·{' '}
                <bdi className="font-mono">{toShownLine(path.replace(/^@project\//, ''))}</bdi>
              </li>
            ))}
          </ul>
          {folder === undefined ? (
            <p className="text-ink-soft">{t('declare.unknown')}</p>
          ) : (
            <Button size="sm" isBusy={adding.isBusy} title={toShownLine(folder)} onClick={() => adding.run()}>
              {t('declare.add')}
            </Button>
          )}
          <ErrorLine issue={adding.issue} />
        </div>
      )}
    </Fold>
  );
}
