/** Consecutive reads as a count that expands to each. */

import type { ToolItem } from '@crewagent/protocol/story/items';
import type { RowOf } from '@crewagent/protocol/story/rows';
import type { EffectKind } from '@crewagent/protocol/tools';
import { BookOpen } from 'lucide-react';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Fold } from '../../../ui/fold.tsx';
import { useOpenRows } from '../../open-rows.ts';
import { ToolRow } from './tool-row.tsx';

export function ReadsRow({ row }: { readonly row: RowOf<'reads'> }) {
  const { t } = useTranslation();
  const { isOpen, toggle } = useOpenRows();
  const rowKey = `${row.key}:reads`;
  const parts = [
    toPart(row.items, 'read', (count) => t('reads.files', { count })),
    toPart(row.items, 'listed', (count) => t('reads.folders', { count })),
    toPart(row.items, 'searched', (count) => t('reads.searches', { count })),
  ].filter((part) => part !== undefined);
  return (
    <Fold
      isOpen={isOpen(rowKey)}
      onToggle={() => toggle(rowKey)}
      className="-ms-1.5"
      summary={
        <>
          <BookOpen aria-hidden="true" className="size-3.5 shrink-0 text-ink-faint" />
          {parts.join(t('reads.separator'))}
        </>
      }
    >
      {() =>
        row.items.map((item) => (
          <ToolRow key={item.callId} rowKey={`${row.key}:${item.callId}`} item={item} />
        ))
      }
    </Fold>
  );
}

function toPart(
  items: readonly ToolItem[],
  kind: EffectKind,
  say: (count: number) => string,
): string | undefined {
  const count = items.filter((item) => item.effect.kind === kind).length;
  return count === 0 ? undefined : say(count);
}
