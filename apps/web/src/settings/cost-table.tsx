/** Sums of costs as a table. Bars show dollars, or tokens while no price is known. */
import '../i18n/settings-texts.ts';
import type { CostSum } from '@crewagent/protocol/costs';
import { formatCost } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { toShownLine } from '../ui/sanitize-text.ts';
import { type AmountRow, AmountTable } from '../ui/tables/amount-table.tsx';

interface CostRow extends CostSum, Pick<AmountRow, 'name' | 'note' | 'onOpen'> {
  /** Default: the name. */
  readonly key?: string;
}

interface CostTableProps {
  readonly title: string;
  /** Heading of the first column. */
  readonly head: string;
  readonly rows: readonly CostRow[];
  /** The cost limit of a run: a line across the bars. */
  readonly limit?: number | undefined;
}

export function CostTable({ title, head, rows, limit }: CostTableProps) {
  const { t } = useTranslation();
  const isPriced = rows.some(({ costUsd }) => costUsd > 0);
  const line = isPriced ? limit : undefined;
  const share =
    line === undefined ? t('costs.share') : t('costs.shareWithLimit', { limit: formatCost(line) });
  return (
    <AmountTable
      title={title}
      heads={{ name: head, share, tokens: t('costs.tokens'), cost: t('costs.cost') }}
      limit={line}
      rows={rows.map((row) => {
        const tokens = row.promptTokens + row.completionTokens;
        return {
          ...{ key: row.key ?? row.name, name: toShownLine(row.name), note: row.note, onOpen: row.onOpen },
          ...{ tokens, size: isPriced ? row.costUsd : tokens, cost: <CostAmount cost={row} /> },
        };
      })}
    />
  );
}

/** Dollars, and whether some of it has no known price: that is never shown as 0. */
export function CostAmount({ cost: { costUsd, unpricedTokens, requests } }: { readonly cost: CostSum }) {
  const { t } = useTranslation();
  if (requests === 0) return '–';
  if (unpricedTokens === 0) return formatCost(costUsd);
  return costUsd > 0 ? t('costs.partlyUnknown', { cost: formatCost(costUsd) }) : t('usage.priceUnknown');
}
