/** Tools tab of the inspector: all calls, filtered by kind, outcome and text. */

import type { ToolItem } from '@crewagent/protocol/story/items';
import { SearchX, Wrench } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { Virtualizer } from 'virtua';
import { formatNumber } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Input, Select } from '../../../ui/forms/input.tsx';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { useWholeStory } from '../../load-earlier.ts';
import { OpenRowsContext, useOpenRowsState } from '../../open-rows.ts';
import { nodeTitle } from '../../shown-names.ts';
import { ToolRow } from '../../timeline/rows/tool-row.tsx';
import { SMALLEST_ROW } from '../../timeline/timeline.tsx';
import type { PanelProps } from '../use-inspected.ts';
import {
  CALL_KINDS,
  CALL_OUTCOMES,
  type CallFilter,
  callsOf,
  filterCalls,
  kindOf,
  outcomeOf,
  toCallRows,
} from './to-calls.ts';

const NO_FILTER: CallFilter = { kind: undefined, outcome: undefined, text: '' };

export function ToolsPanel({ view }: PanelProps) {
  const { t } = useTranslation();
  useWholeStory(view);
  const [filter, setFilter] = useState(NO_FILTER);
  const openRows = useOpenRowsState();
  const scroller = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view is mutable; its seq changes with it
  const calls = useMemo(() => callsOf(view), [view.runId, view.lastSeq, view.earlier]);
  const rows = useMemo(() => toCallRows(filterCalls(calls, filter)), [calls, filter]);
  const titleOf = (nodeId: string): string => nodeTitle(view, nodeId);
  if (calls.length === 0)
    return (
      <EmptyState icon={<Wrench />} title={t('inspector.calls.empty')}>
        {t('inspector.calls.emptyText')}
      </EmptyState>
    );
  return (
    <div className="flex h-full min-h-0 flex-col">
      <CallFilters calls={calls} filter={filter} onChange={setFilter} />
      <p role="status" className="shrink-0 px-3 pb-1 text-xs text-ink-faint tabular-nums">
        {t('inspector.calls.count', {
          count: rows.filter(({ kind }) => kind === 'call').length,
          total: calls.length,
        })}
      </p>
      {rows.length === 0 ? (
        <EmptyState
          icon={<SearchX />}
          title={t('inspector.calls.none')}
          action={<Button onClick={() => setFilter(NO_FILTER)}>{t('text.showAll')}</Button>}
        />
      ) : (
        <section
          ref={scroller}
          aria-label={t('inspector.calls.label')}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable with the keyboard
          tabIndex={0}
          className="min-h-0 grow overflow-y-auto px-3 pb-3 -outline-offset-2"
        >
          <OpenRowsContext value={openRows}>
            <Virtualizer scrollRef={scroller} bufferSize={400} itemSize={SMALLEST_ROW}>
              {rows.map((row) =>
                row.kind === 'node' ? (
                  <h3 key={row.key} className="truncate pt-3 pb-0.5 text-sm font-medium text-ink-faint">
                    {toShownLine(titleOf(row.nodeId))}
                  </h3>
                ) : (
                  <div key={row.key}>
                    <ToolRow rowKey={row.key} item={row.call} titleOf={titleOf} />
                  </div>
                ),
              )}
            </Virtualizer>
          </OpenRowsContext>
        </section>
      )}
    </div>
  );
}

interface CallFiltersProps {
  readonly calls: readonly ToolItem[];
  readonly filter: CallFilter;
  readonly onChange: (filter: CallFilter) => void;
}

/** Filters of calls: kind, outcome and text. Each option shows its count. */
function CallFilters({ calls, filter, onChange }: CallFiltersProps) {
  const { t } = useTranslation();
  const toOptions = <Key extends string>(
    keys: readonly Key[],
    keyOf: (call: ToolItem) => Key,
    labelOf: (key: Key) => string,
  ) =>
    keys.map((key) => {
      const count = calls.filter((call) => keyOf(call) === key).length;
      return { value: key, label: `${labelOf(key)} (${formatNumber(count)})` };
    });
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
            ...toOptions(CALL_KINDS, kindOf, (kind) => t(`inspector.calls.kinds.${kind}`)),
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
            ...toOptions(CALL_OUTCOMES, outcomeOf, (outcome) => t(`inspector.calls.outcomes.${outcome}`)),
          ]}
        />
      </div>
    </div>
  );
}
