/** What happens when a stopped or interrupted run goes on. Asked for when a person opens it; changes nothing. */
import type { ResumePreview as Preview } from '@crewagent/protocol/api/file-use';
import { useState } from 'react';
import { useResumePreview } from '../../api/inspector-queries.ts';
import { formatNumber } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import '../../i18n/context-texts.ts';
import '../../i18n/file-use-texts.ts';
import { ErrorLine } from '../../ui/errors/error-note.tsx';
import { Fold } from '../../ui/fold.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { Skeleton } from '../../ui/skeleton.tsx';

interface ResumePreviewProps {
  readonly workId: string;
  /** Changes with the log of the run. */
  readonly mark: string;
}

export default function ResumePreview(props: ResumePreviewProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <Fold isOpen={isOpen} onToggle={() => setOpen(!isOpen)} summary={t('next.title')}>
      {() => <Loaded {...props} />}
    </Fold>
  );
}

function Loaded({ workId, mark }: ResumePreviewProps) {
  const { data, error } = useResumePreview(workId, mark);
  if (error) return <ErrorLine issue={error} />;
  return data ? <Facts preview={data} /> : <Skeleton className="h-20" />;
}

function Facts({ preview }: { readonly preview: Preview }) {
  const { t } = useTranslation();
  const { title, nodeId, isOpen, unknownCalls, pending, request, changed } = preview;
  if (nodeId === undefined) return <p>{t('next.completed')}</p>;
  return (
    <div className="flex flex-col gap-1.5 text-sm text-ink-soft wrap-anywhere">
      {isOpen ? <p>{t('next.open')}</p> : undefined}
      <p>{t('next.step', { step: toShownLine(title || nodeId) })}</p>
      {pending?.texts.map((text) => (
        <p key={text} className="text-ink">
          {pending.kind === 'question'
            ? t('next.question', { text: toShownLine(text) })
            : t('next.approval', { text: toShownLine(text) })}
        </p>
      ))}
      <Items
        title={t('next.unknown', { count: unknownCalls.length })}
        items={unknownCalls.map(({ name, path = '', isRead }) => [
          `${name} ${path}`,
          isRead ? t('next.harmless') : '',
        ])}
      />
      <Items
        title={t('next.changed', { count: changed.length })}
        items={changed.map(({ path, kind }) => [
          path.replace(/^@project\//, ''),
          kind === 'removed' ? t('next.gone') : '',
        ])}
      />
      <p>
        {t('next.request', {
          tokens: formatNumber(request.tokens),
          window: formatNumber(request.contextTokens),
        })}
      </p>
      <p className="text-ink-faint">
        {request.parts
          .map(({ layer, tokens }) => `${t(`context.layer.${layer}`)} ${formatNumber(tokens)}`)
          .join(' · ')}
      </p>
    </div>
  );
}

interface ItemsProps {
  readonly title: string;
  readonly items: readonly (readonly [text: string, note: string])[];
}

function Items({ title, items }: ItemsProps) {
  if (items.length === 0) return undefined;
  return (
    <div>
      <p className="text-warn">{title}</p>
      <ul className="ps-4">
        {items.map(([text, note], index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a static list, in which a call can occur twice
          <li key={index}>
            <bdi className="font-mono">{toShownLine(text)}</bdi>
            {note === '' ? undefined : <span className="text-ink-faint"> ({note})</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
