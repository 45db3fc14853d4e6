/** The first message; may be empty. */
import { useTranslation } from '../../i18n/use-translation.ts';
import { Field } from '../../ui/forms/field.tsx';
import { Textarea } from '../../ui/forms/input.tsx';

interface FirstWordsProps {
  readonly text: string;
  readonly hint: string;
  readonly onChange: (text: string) => void;
}

export function FirstMessage({ text, hint, onChange }: FirstWordsProps) {
  const { t } = useTranslation();
  return (
    <Field label={t('new.words')} hint={hint}>
      {(ids) => (
        <Textarea
          {...ids}
          rows={2}
          maxRows={10}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
