/** Files that a step must have written: a row for each, with what the form does not show kept. */
import { isObject } from '@crewagent/protocol/json-object';
import { Plus, Trash2 } from 'lucide-react';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { CommittedText } from './committed.tsx';

interface ProducesFieldProps {
  readonly produces: unknown;
  /** Null removes the key. */
  readonly onChange: (produces: readonly Readonly<Record<string, unknown>>[] | null) => void;
}

export function ProducesField({ produces, onChange }: ProducesFieldProps) {
  const { t } = useTranslation();
  const rows = Array.isArray(produces) ? produces.filter(isObject) : [];
  const change = (next: readonly Readonly<Record<string, unknown>>[]): void =>
    onChange(next.length === 0 ? null : next);
  const set = (index: number, fields: Readonly<Record<string, unknown>>): void =>
    change(
      rows.map((row, at) =>
        at === index
          ? Object.fromEntries(
              Object.entries({ ...row, ...fields }).filter(([, value]) => value !== undefined),
            )
          : row,
      ),
    );
  return (
    <section aria-label={t('author.produces')} className="flex flex-col gap-2">
      <div className="flex items-center">
        <h2 className="grow text-sm font-medium">{t('author.produces')}</h2>
        <Button
          size="sm"
          icon={<Plus className="size-3.5" />}
          onClick={() => change([...rows, { path: `artifacts/result-${rows.length + 1}.md` }])}
        >
          {t('author.addFile')}
        </Button>
      </div>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other name
        <div key={index} className="flex items-end gap-2">
          <div className="min-w-0 grow">
            <CommittedText
              label={t('author.path')}
              isMono
              value={typeof row.path === 'string' ? row.path : ''}
              onCommit={(path) => set(index, { path: path.trim() })}
            />
          </div>
          <div className="w-24 shrink-0">
            <CommittedText
              label={t('author.minWords')}
              value={typeof row.minWords === 'number' ? String(row.minWords) : ''}
              onCommit={(text) => set(index, { minWords: toCount(text) })}
            />
          </div>
          <IconButton
            label={t('author.removeFile')}
            onClick={() => change(rows.filter((_, at) => at !== index))}
          >
            <Trash2 />
          </IconButton>
        </div>
      ))}
    </section>
  );
}

function toCount(text: string): number | undefined {
  const count = Number.parseInt(text, 10);
  return count > 0 ? count : undefined;
}
