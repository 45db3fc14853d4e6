/** The field for a note to the model, and the button that denies. */
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { Input } from '../../ui/forms/input.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { DENY_KEYS, toAriaKeys } from './use-dock-keys.ts';

interface NoteAndDenyProps {
  readonly note: string;
  readonly onNote: (note: string) => void;
  readonly label: string;
  readonly isDisabled: boolean;
  readonly onDeny: () => void;
}

export function NoteAndDeny({ note, onNote, label, isDisabled, onDeny }: NoteAndDenyProps) {
  const { t } = useTranslation();
  return (
    <>
      <Input
        aria-label={t('approval.note')}
        placeholder={t('approval.note')}
        value={note}
        disabled={isDisabled}
        onChange={(event) => onNote(event.target.value)}
        className="min-w-40 flex-1 basis-full sm:basis-0"
      />
      <Button disabled={isDisabled} aria-keyshortcuts={toAriaKeys(DENY_KEYS)} onClick={onDeny}>
        {label}
        <Kbd keys={DENY_KEYS} isOnButton />
      </Button>
    </>
  );
}
