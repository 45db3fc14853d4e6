/** Filters of calls: kind, outcome and text. Each option shows its count. */

import type { ToolItem } from '@crewagent/protocol/story/items';
import { useMemo } from 'react';
import { formatNumber } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Input } from '../../../ui/forms/input.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { CALL_KINDS, CALL_OUTCOMES, type CallFilter, kindOf, outcomeOf } from './to-calls.ts';

interface CallFiltersProps {
  readonly calls: readonly ToolItem[];
  readonly filter: CallFilter;
  readonly onChange: (filter: CallFilter) => void;
}

export function CallFilters({ calls, filter, onChange }: CallFiltersProps) {
  const { t } = useTranslation();
  const kinds = useMemo(() => countBy(calls, kindOf), [calls]);
  const outcomes = useMemo(() => countBy(calls, outcomeOf), [calls]);
  const counted = (label: string, count: number | undefined): string =>
    `${label} (${formatNumber(count ?? 0)})`;
  return (
    <div className="flex shrink-0 flex-col gap-2 p-3 pb-2">
      <Input
        type="search"
        value={filter.text}
        aria-label={t('inspector.calls.search')}
        placeholder={t('inspector.calls.search')}
        onChange={({ target }) => onChange({ ...filter, text: target.value })}
      />
      <div className="flex gap-2">
        <Select
          aria-label={t('inspector.calls.kind')}
          value={filter.kind ?? ''}
          onChoose={(value) => onChange({ ...filter, kind: CALL_KINDS.find((kind) => kind === value) })}
          options={[
            { value: '', label: t('inspector.calls.allKinds') },
            ...CALL_KINDS.map((kind) => ({
              value: kind,
              label: counted(t(`inspector.calls.kinds.${kind}`), kinds.get(kind)),
            })),
          ]}
        />
        <Select
          aria-label={t('inspector.calls.outcome')}
          value={filter.outcome ?? ''}
          onChoose={(value) =>
            onChange({ ...filter, outcome: CALL_OUTCOMES.find((outcome) => outcome === value) })
          }
          options={[
            { value: '', label: t('inspector.calls.allOutcomes') },
            ...CALL_OUTCOMES.map((outcome) => ({
              value: outcome,
              label: counted(t(`inspector.calls.outcomes.${outcome}`), outcomes.get(outcome)),
            })),
          ]}
        />
      </div>
    </div>
  );
}

function countBy<Key>(calls: readonly ToolItem[], keyOf: (call: ToolItem) => Key): ReadonlyMap<Key, number> {
  const counts = new Map<Key, number>();
  for (const call of calls) counts.set(keyOf(call), (counts.get(keyOf(call)) ?? 0) + 1);
  return counts;
}
