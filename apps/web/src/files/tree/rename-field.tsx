/** Inline field for a new name. Enter confirms, Escape and blur cancel. */
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { isComposing } from '../../ui/forms/input.tsx';

interface RenameFieldProps {
  readonly name: string;
  /** Undefined if the name was not changed. */
  readonly onDone: (name: string | undefined) => void;
}

export function RenameField({ name, onDone }: RenameFieldProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(name);
  const field = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  useEffect(() => {
    const dot = name.lastIndexOf('.');
    field.current?.focus();
    // Selects the name without its extension, which rarely changes.
    field.current?.setSelectionRange(0, dot > 0 ? dot : name.length);
  }, [name]);
  const finish = (next: string | undefined): void => {
    if (isDone.current) return;
    isDone.current = true;
    onDone(next === '' ? undefined : next);
  };
  return (
    <input
      ref={field}
      type="text"
      aria-label={t('files.newName')}
      value={typed}
      maxLength={255}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => setTyped(event.target.value)}
      onClick={(event) => event.stopPropagation()}
      onBlur={() => finish(undefined)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (isComposing(event)) return;
        if (event.key === 'Enter') finish(typed.trim());
        if (event.key === 'Escape') finish(undefined);
      }}
      className="h-6 w-full min-w-0 rounded-sm border border-accent-text bg-surface px-1 text-base text-ink outline-none"
    />
  );
}
