/** Model servers that run on this machine, by name and with their models: one press fills in the form. */
import type { LocalServer } from '@crewagent/protocol/api/settings';
import { HardDrive } from 'lucide-react';
import { useLocalServers } from '../api/settings-queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { presetOf } from './model-presets.ts';

/** A server, and which of its models was chosen. */
export interface FoundModel extends Pick<LocalServer, 'provider' | 'baseUrl'> {
  readonly model: string;
}

interface FoundServersProps {
  readonly isWanted: boolean;
  /** Id of the button of a model, for those who return the focus to it. */
  readonly toId?: (found: FoundModel) => string;
  readonly onChoose: (found: FoundModel) => void;
}

/** The others are in the list of the form. */
const MAX_MODELS = 3;

export function FoundServers({ isWanted, toId, onChoose }: FoundServersProps) {
  const { t } = useTranslation();
  const { data: servers = [] } = useLocalServers(isWanted);
  const useful = servers.filter(({ models }) => models.length > 0);
  if (useful.length === 0) return undefined;
  return (
    <ul aria-label={t('model.found')} className="mb-2 flex flex-col gap-2">
      {useful.map(({ provider, baseUrl, models }) => (
        <li key={baseUrl} className="flex flex-col gap-1.5 rounded-lg border bg-accent-soft p-2.5">
          <span className="flex items-center gap-2 text-sm text-ink-soft">
            <HardDrive className="size-4 shrink-0" />
            {t('model.foundServer', { name: presetOf(provider).brand ?? baseUrl, count: models.length })}
          </span>
          <div className="flex flex-wrap gap-1.5">
            {models.slice(0, MAX_MODELS).map(({ id }) => {
              const found = { provider, baseUrl, model: id };
              return (
                <Button
                  key={id}
                  id={toId?.(found)}
                  size="sm"
                  className="max-w-full"
                  onClick={() => onChoose(found)}
                >
                  <span className="truncate">{t('model.foundModel', { model: toShownLine(id) })}</span>
                </Button>
              );
            })}
          </div>
        </li>
      ))}
    </ul>
  );
}
