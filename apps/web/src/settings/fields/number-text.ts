/** Parses and formats the number of a setting, in a more readable unit than the stored one. Pure. */
export interface NumberKind {
  /** Stored units per displayed unit: 1,024 bytes per KB. */
  readonly factor?: number;
  readonly isWhole?: boolean;
  /** In displayed units. */
  readonly least?: number;
}

export type ParsedNumber =
  | { readonly kind: 'blank' }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'wrong' };

export function parseNumber(text: string, { factor = 1, isWhole = false, least }: NumberKind): ParsedNumber {
  const typed = text.trim().replace(/(?<=\d)[,\u202f\u00a0_ ](?=\d{3}(?:\D|$))/g, '');
  if (typed === '') return { kind: 'blank' };
  if (!/^\d+(?:\.\d+)?$/.test(typed)) return { kind: 'wrong' };
  const shown = Number(typed);
  const value = factor === 1 ? shown : Math.round(shown * factor);
  const isTooSmall = least === undefined ? shown <= 0 : shown < least;
  if (isTooSmall || !Number.isSafeInteger(isWhole ? value : Math.ceil(value))) return { kind: 'wrong' };
  if (isWhole && factor === 1 && !Number.isInteger(shown)) return { kind: 'wrong' };
  return { kind: 'number', value };
}

/** All digits, without grouping: the displayed text can be typed again. */
export function toNumberText(value: number, { factor = 1 }: NumberKind): string {
  return String(Number((value / factor).toFixed(3)));
}
