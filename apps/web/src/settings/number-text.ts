/** Numbers as people type them into a setting, in a unit that is easier to read than what is kept. Pure. */
export interface NumberKind {
  /** How many of what is kept make one of what is shown: 1,024 bytes a KB. */
  readonly factor?: number;
  readonly isWhole?: boolean;
  /** Of what is shown. */
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

/** In full, without grouping: what is shown can be typed again. */
export function toNumberText(value: number, { factor = 1 }: NumberKind): string {
  return String(Number((value / factor).toFixed(3)));
}
