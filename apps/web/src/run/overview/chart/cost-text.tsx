/** An amount of money; an unknown price is called unknown, never 0. */
import { formatCost } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import type { Cost } from '../../progress/node/node-figures.ts';

export function CostText({ cost }: { readonly cost: Cost }) {
  const { t } = useTranslation();
  if (cost === 'none') return '–';
  return cost === 'unknown' ? t('usage.priceUnknown') : formatCost(cost);
}
