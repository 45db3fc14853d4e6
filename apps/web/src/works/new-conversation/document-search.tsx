/** A field that finds project files by letters of their path; folders are entered step by step. */
import { useCallback, useId, useState } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { findFiles } from '../../api/find-files.ts';
import { toShortPath } from '../../conversation/completion/completion.ts';
import { CompletionList, optionId } from '../../conversation/completion/completion-list.tsx';
import { useChoosing } from '../../conversation/completion/use-completing.ts';
import { useCompletions } from '../../conversation/completion/use-completing.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Field } from '../../ui/forms/field.tsx';
import { Input } from '../../ui/forms/input.tsx';

interface DocumentSearchProps {
  readonly projectId: string;
  /** Called with the mount path. */
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
  const isSought = isOpen || isAsked;
  const found = useCompletions(
    isSought ? { kind: 'file', query: toQuery(text), start: 0, end: 0 } : undefined,
    { findFiles: find },
  );
  const choices = isOpen ? found.choices : [];
  const take = (choice: string): void => {
    const isFolder = choice.endsWith('/');
    restart();
    setText(isFolder ? toShortPath(choice) : '');
    setOpen(isFolder);
    setAsked(false);
    if (!isFolder) onChoose(choice);
  };
  const { active, restart, onKeyDown } = useChoosing({
    choices,
    areCurrent: found.areCurrent,
    onChoose: take,
    onLeave: () => setOpen(false),
  });
  const hasList = choices.length > 0;
  const isMissing = isAsked && found.areCurrent && found.choices.length === 0;
  return (
    <div className="relative">
      {hasList ? (
        <CompletionList
          id={listId}
          kind="file"
          choices={choices}
          isBusy={!found.areCurrent}
          active={active}
          onChoose={take}
        />
      ) : undefined}
      <Field
        label={t('new.documents.add')}
        hint={t('new.documents.addHint')}
        issue={isMissing ? t('new.documents.notFound') : undefined}
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
              if (!hasList && ['ArrowDown', 'Enter'].includes(event.key)) setOpen(true);
              if (!hasList && event.key === 'Enter') setAsked(text !== '');
              onKeyDown(event);
            }}
          />
        )}
      </Field>
    </div>
  );
}

/** Documents are in the project, even if the user types an `@` first. */
function toQuery(text: string): string {
  return text.startsWith('@project/') ? text.slice(1) : `project/${text.replace(/^@/, '')}`;
}
