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

/** A field with a text for it may also be left unset. */
export function choicesOf(
  t: TFunction,
  path: string,
  { options }: FieldShape,
): readonly Choice[] | undefined {
  const unset = fieldText(t, path, 'unset');
  const choices = options?.map((value) => ({
    value,
    label: fieldText(t, path, `options.${value}.label`) ?? value,
    hint: fieldText(t, path, `options.${value}.hint`),
  }));
  return choices && unset !== undefined ? [{ value: '', label: unset }, ...choices] : choices;
}

/** `issue`: a key of the field's texts, else what its schema expects is said. */
export function issueText(t: TFunction, path: string, field: FieldShape, issue: string): string {
  return fieldText(t, path, issue) ?? (issue === 'missing' ? t('form.missing') : expectation(t, path, field));
}

function expectation(t: TFunction, path: string, field: FieldShape): string {
  if (field.type !== 'number') return t(field.isUrl ? 'form.wrong.url' : 'form.wrong.text');
  const factor = unitOf(path)?.factor ?? 1;
  // A limit of one byte is none where kilobytes are typed.
  const above = factor !== 1 && field.least === 1 ? 0 : field.above;
  if (above !== undefined) return t('form.wrong.above', { above });
  const [least, most] = [(field.least ?? 0) / factor, field.most];
  if (most !== undefined) return t('form.wrong.range', { least, most: most / factor });
  return t(field.isWhole && factor === 1 ? 'form.wrong.whole' : 'form.wrong.least', { least });
}
