/** The default model, why it is the default, and choosing another. */
import type { ShownModel as KnownModel } from '@crewagent/protocol/api/settings';
import { useTranslation } from '../i18n/use-translation.ts';
import type { AnsweringModel } from '../models/answering-model.ts';
import { Badge } from '../ui/badge.tsx';
import { Select } from '../ui/forms/input.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';

interface ShownModelProps {
  readonly model: AnsweringModel;
  readonly models: readonly KnownModel[];
  readonly onChoose: (name: string) => void;
}

export function ShownModel({ model, models, onChoose }: ShownModelProps) {
  const { t } = useTranslation();
  const isRehearsal = model.kind === 'rehearsal';
  const settings = models.find(({ name }) => name === model.name)?.settings;
  const canChoose = model.kind !== 'environment' && models.length > (isRehearsal ? 0 : 1);
  return (
    <div className="flex flex-col gap-2 rounded-lg bg-sunken p-3">
      {canChoose ? (
        <Select
          aria-label={t('model.choose')}
          value={model.name}
          onChoose={onChoose}
          options={[...models.map(({ name }) => name), 'rehearsal'].map((name) => ({
            value: name,
            label: name === 'rehearsal' ? t('composer.rehearsal') : toShownLine(name),
          }))}
        />
      ) : (
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium wrap-anywhere">
            {isRehearsal ? t('composer.rehearsal') : toShownLine(model.name)}
          </span>
          {isRehearsal ? <Badge tone="ok">{t('model.noKey')}</Badge> : undefined}
        </p>
      )}
      <p className="text-sm text-ink-soft wrap-anywhere">
        {settings && settings.model !== model.name ? `${toShownLine(settings.model)} · ` : ''}
        {t(`model.because.${isRehearsal && models.length > 0 ? 'rehearsalChosen' : model.kind}`)}
      </p>
    </div>
  );
}
