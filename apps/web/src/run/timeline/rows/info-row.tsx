/** Results of information commands: available commands, current model, context usage. */
import { GLOBAL_COMMANDS } from '@crewagent/protocol/commands';
import type { ItemOf } from '@crewagent/protocol/timeline';
import { Info } from 'lucide-react';
import { formatNumber } from '../../../i18n/format.ts';
import type { en } from '../../../i18n/texts/en/en.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { CodeBlock } from '../../../ui/code/code-block.tsx';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { QuietRow } from './quiet-row.tsx';

export function InfoRow({ item }: { readonly item: ItemOf<'info'> }) {
  const { t } = useTranslation();
  const { topic, details } = item;
  if (topic === 'help') return <Help />;
  const { contextTokens, requestTokens, model } = details;
  if (topic === 'context' && typeof contextTokens === 'number' && typeof requestTokens === 'number') {
    return (
      <QuietRow icon={<Info aria-hidden="true" />}>
        {t('event.contextNow', { used: formatNumber(requestTokens), size: formatNumber(contextTokens) })}
      </QuietRow>
    );
  }
  const name = nameOfModel(model);
  if (topic === 'model' && name !== undefined) {
    const shown = name === 'rehearsal' ? t('composer.rehearsal') : toShownLine(name);
    return <QuietRow icon={<Info aria-hidden="true" />}>{t('event.modelNow', { name: shown })}</QuietRow>;
  }
  const label = t(`event.info.${topic}`);
  return (
    <div className="my-2">
      <CodeBlock text={JSON.stringify(details, null, 2)} label={label} title={label} language="json" wraps />
    </div>
  );
}

const NAMES = [...GLOBAL_COMMANDS.keys()].filter(
  (name) => name !== 'exit',
) as readonly (keyof typeof en.command)[];

function Help() {
  const { t } = useTranslation();
  return (
    <dl className="my-2 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 rounded-lg border px-3.5 py-3">
      {NAMES.map((name) => (
        <div key={name} className="contents">
          <dt className="font-mono text-sm">/{name}</dt>
          <dd className="text-ink-soft">{t(`command.${name}`)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The model's name from the log; undefined for other shapes. */
function nameOfModel(model: unknown): string | undefined {
  if (typeof model !== 'object' || model === null) return undefined;
  const { kind, profile, settings } = model as Record<string, unknown>;
  if (kind === 'rehearsal') return kind;
  if (typeof profile === 'string') return profile;
  if (typeof settings !== 'object' || settings === null || !('model' in settings)) return undefined;
  return typeof settings.model === 'string' ? settings.model : undefined;
}
