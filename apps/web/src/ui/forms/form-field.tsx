/** Fields of a form that come from a schema: what was typed, and its issues after a failed submit. */
import '../../i18n/settings-texts.ts';
import { type FieldShape, fieldAt } from '@crewagent/protocol/describe-fields';
import { useState } from 'react';
import { fieldText, useTranslation } from '../../i18n/use-translation.ts';
import { Switch } from './checkbox.tsx';
import { Field } from './field.tsx';
import { choicesOf, FieldControl, type FieldControlProps, issueText } from './field-control.tsx';
import { type FieldIssues, parseTyped, type Typed, type TypedValues } from './typed-values.ts';

export type FormState = Readonly<ReturnType<typeof useForm>>;

export function useForm(toInitial: () => TypedValues) {
  const [initial] = useState(toInitial);
  const [values, setValues] = useState(initial);
  const [issues, setIssues] = useState<FieldIssues>({});
  /** Clears the issues. */
  const change = (next: TypedValues): void => {
    setValues(next);
    setIssues({});
  };
  /** Something was typed that closing the form would lose. */
  const isDirty = Object.entries(values).some(([path, typed]) => typed !== (initial[path] ?? ''));
  return { values, issues, change, setIssues, isDirty };
}

export interface FormFieldProps
  extends Pick<
    FieldControlProps,
    'placeholder' | 'className' | 'layout' | 'choices' | 'isDisabled' | 'ref' | 'data-autofocus'
  > {
  readonly form: FormState;
  readonly shape: FieldShape;
  /** Where the texts of the fields are. */
  readonly texts: string;
  readonly path: string;
  readonly label?: string | undefined;
  readonly hint?: string | undefined;
}

export function FormField({ form, shape, texts, path, label, hint, choices, ...control }: FormFieldProps) {
  const { t } = useTranslation();
  const field = fieldAt(shape, path.split('.'));
  if (!field) return undefined;
  const textPath = `${texts}.${path}`;
  const shownLabel = label ?? fieldText(t, textPath, 'label') ?? path;
  const typed = form.values[path] ?? '';
  const onChange = (next: Typed): void => form.change({ ...form.values, [path]: next });
  if (field.type === 'boolean')
    return <Switch label={shownLabel} isOn={typed === true} onChange={onChange} />;
  const props = { field, typed, onChange, label: shownLabel, ...control };
  // Lines are long to type: they are checked meanwhile.
  const isWrong =
    (field.type === 'list' || field.type === 'record') && parseTyped(field, typed).kind === 'wrong';
  const issue = form.issues[path] ?? (isWrong ? 'wrong' : undefined);
  const shownChoices = choices ?? choicesOf(t, textPath, field);
  if (control.layout) return <FieldControl {...props} choices={shownChoices} />;
  return (
    <Field
      label={shownLabel}
      hint={hint ?? fieldText(t, textPath, 'hint')}
      issue={issue === undefined ? undefined : issueText(t, textPath, field, issue)}
    >
      {(ids) => <FieldControl {...props} ids={ids} choices={shownChoices} />}
    </Field>
  );
}
