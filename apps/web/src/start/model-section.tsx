/** Which model answers where nobody chooses another. */
import { Bot } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useModels } from '../api/queries.ts';
import { FaultNote } from '../ui/fault-note.tsx';
import { toShownLine } from '../ui/foreign-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { answeringModel } from './answering-model.ts';
import { Section } from './section.tsx';

export function ModelSection() {
  const { t } = useTranslation();
  const { data, error } = useModels();
  const model = data ? answeringModel(data) : undefined;
  return (
    <Section title={t('model.title')}>
      <FaultNote fault={error?.message} />
      {model ? (
        <div className="flex items-center gap-3 rounded-lg border bg-surface px-3.5 py-2.5">
          <Bot aria-hidden="true" className="size-4 shrink-0 text-ink-faint" />
          <p className="min-w-0 grow wrap-anywhere">
            <span className="block font-medium">
              {model.kind === 'rehearsal' ? t('model.rehearsal') : toShownLine(model.name)}
            </span>
            <span className="block text-sm text-ink-faint">{t(`model.because.${model.kind}`)}</span>
          </p>
        </div>
      ) : error ? undefined : (
        <Skeleton className="h-14" />
      )}
    </Section>
  );
}
