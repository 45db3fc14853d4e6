/** What the options of a field are called, and what is said of an invalid value. Pure. */
import type { FieldShape } from '@crewagent/protocol/describe-fields';
import type { TFunction } from 'i18next';
import { fieldText } from '../../i18n/field-text.ts';
import { unitOf } from './typed-values.ts';

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string | undefined;
}

export function choicesOf(
  t: TFunction,
  path: string,
  { options }: FieldShape,
): readonly Choice[] | undefined {
  return options?.map((value) => ({
    value,
    label: fieldText(t, path, `options.${value}.label`) ?? value,
    hint: fieldText(t, path, `options.${value}.hint`),
  }));
}

/** `issue`: a key of the field's texts, else what its schema expects is said. */
export function issueText(t: TFunction, path: string, field: FieldShape, issue: string): string {
  return fieldText(t, path, issue) ?? (issue === 'missing' ? t('form.missing') : expectation(t, path, field));
}

function expectation(t: TFunction, path: string, { type, isWhole, isUrl, ...limits }: FieldShape): string {
  if (type !== 'number') return t(isUrl ? 'form.wrong.url' : 'form.wrong.text');
  // A limit of one byte is none where kilobytes are typed.
  const { least, above, most } = (unitOf(path)?.factor ?? 1) === 1 ? limits : { above: 0 };
  if (above !== undefined) return t('form.wrong.above', { above });
  if (least !== undefined && most !== undefined) return t('form.wrong.range', { least, most });
  return t(isWhole ? 'form.wrong.whole' : 'form.wrong.least', { least: least ?? 0 });
}
