/** A field that finds files of the project by letters of their path; folders are gone through step by step. */
import { useCallback, useId, useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { findFiles } from '../api/find-files.ts';
import { toMountPath } from '../conversation/completion.ts';
import { CompletionList, optionId } from '../conversation/completion-list.tsx';
import { useChoosing } from '../conversation/use-choosing.ts';
import { useCompletions } from '../conversation/use-completions.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Field } from '../ui/field.tsx';
import { Input } from '../ui/input.tsx';

interface DocumentSearchProps {
  readonly projectId: string;
  /** Told its mount path. */
  readonly onChoose: (path: string) => void;
}

export function DocumentSearch({ projectId, onChoose }: DocumentSearchProps) {
  const { t } = useTranslation();
  const client = useApi();
  const listId = useId();
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const find = useCallback(
    (query: string, signal: AbortSignal) => findFiles(client, { projectId, query, signal }),
    [client, projectId],
  );
  const query = text.replace(/^@/, '');
  const found = useCompletions(isOpen ? { kind: 'file', query, start: 0, end: 0 } : undefined, {
    findFiles: find,
  });
  const choices = isOpen ? found : [];
  const take = (choice: string): void => {
    const isFolder = choice.endsWith('/');
    restart();
    setText(isFolder ? choice : '');
    setOpen(isFolder);
    if (!isFolder) onChoose(toMountPath(choice));
  };
  const { active, restart, onKeyDown } = useChoosing({
    choices,
    onChoose: take,
    onLeave: () => setOpen(false),
  });
  const hasList = choices.length > 0;
  return (
    <div className="relative">
      {hasList ? (
        <CompletionList id={listId} kind="file" choices={choices} active={active} onChoose={take} />
      ) : undefined}
      <Field
        label={t('new.documents.add')}
        hint={t('new.documents.addHint')}
        fault={isAsked && !hasList ? t('new.documents.notFound') : undefined}
      >
        {(ids) => (
          <Input
            {...ids}
            role="combobox"
            aria-expanded={hasList}
            aria-controls={hasList ? listId : undefined}
            aria-autocomplete="list"
            aria-activedescendant={hasList ? optionId(listId, active) : undefined}
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={({ target: { value } }) => {
              setText(value);
              setOpen(true);
              setAsked(false);
              restart();
            }}
            onClick={() => setOpen(true)}
            onBlur={() => setOpen(false)}
            onKeyDown={(event) => {
              if (!hasList && event.key === 'ArrowDown') setOpen(true);
              if (!hasList && event.key === 'Enter') setAsked(query !== '');
              onKeyDown(event);
            }}
          />
        )}
      </Field>
    </div>
  );
}
