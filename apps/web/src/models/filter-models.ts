/** Models whose name contains every word that was typed; those that begin with it first. Pure. */
import type { OfferedModel } from '../api/settings-queries.ts';

/** As many as a list can show at once; typing narrows them down. */
const MOST = 100;

export function filterModels(
  models: readonly OfferedModel[],
  text: string,
): { readonly shown: readonly OfferedModel[]; readonly more: number } {
  const typed = text.trim().toLowerCase();
  const words = typed.split(/\s+/).filter(Boolean);
  const fitting = models.filter(({ id, name }) => {
    const said = `${id} ${name ?? ''}`.toLowerCase();
    return words.every((word) => said.includes(word));
  });
  const begins = ({ id }: OfferedModel): boolean => id.toLowerCase().startsWith(typed);
  const sorted =
    typed === '' ? fitting : [...fitting.filter(begins), ...fitting.filter((one) => !begins(one))];
  return { shown: sorted.slice(0, MOST), more: Math.max(0, sorted.length - MOST) };
}
