/** Filters of the log, and copying or exporting it. */
import type { RunEvent } from '@crewagent/protocol/events';
import { LOG_LEVELS, type LogLevel } from '@crewagent/protocol/story/describe-event';
import { Copy, Download } from 'lucide-react';
import { useTranslation } from '../../../i18n/use-translation.ts';
import type { ShownStory } from '../../../state/conversation-store.ts';
import { ErrorNote } from '../../../ui/errors/error-note.tsx';
import { Input } from '../../../ui/forms/input.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Menu } from '../../../ui/overlays/menu.tsx';
import { useToasts } from '../../../ui/overlays/toast-store.ts';
import { useAction } from '../../../ui/use-action.ts';
import { useExports } from './use-exports.tsx';

interface LogFiltersProps {
  readonly view: ShownStory;
  /** The filtered events. */
  readonly events: readonly RunEvent[];
  readonly level: LogLevel;
  readonly text: string;
  readonly onLevel: (level: LogLevel) => void;
  readonly onText: (text: string) => void;
}

export function LogFilters({ view, events, level, text, onLevel, onText }: LogFiltersProps) {
  const { t } = useTranslation();
  const show = useToasts((toasts) => toasts.show);
  const copy = useAction(async () => {
    await navigator.clipboard.writeText(events.map((event) => JSON.stringify(event)).join('\n'));
    show(t('inspector.logs.copied', { count: events.length }));
  });
  const { items, issue } = useExports(view);
  return (
    <div className="flex shrink-0 flex-col gap-2 p-3 pb-2">
      <Input
        type="search"
        value={text}
        aria-label={t('inspector.logs.search')}
        placeholder={t('inspector.logs.search')}
        onChange={({ target }) => onText(target.value)}
      />
      <div className="flex items-center gap-1">
        <Select
          aria-label={t('inspector.logs.level')}
          value={level}
          onChoose={(value) => onLevel(LOG_LEVELS.find((known) => known === value) ?? 'info')}
          options={LOG_LEVELS.map((known) => ({
            value: known,
            label: t(`inspector.logs.levels.${known}`),
          }))}
        />
        <IconButton label={t('inspector.logs.copy')} onClick={() => copy.run()} className="ms-1">
          <Copy aria-hidden="true" />
        </IconButton>
        <Menu
          label={t('inspector.export.label')}
          items={items}
          trigger={
            <IconButton label={t('inspector.export.label')}>
              <Download aria-hidden="true" />
            </IconButton>
          }
        />
      </div>
      <ErrorNote issue={copy.issue ?? issue} />
    </div>
  );
}
