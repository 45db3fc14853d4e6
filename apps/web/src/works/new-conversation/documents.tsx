/** Documents of a workflow: the ones it needs from the project, existing or missing, and additional ones the user adds. */
import { FileText, X } from 'lucide-react';
import { type ReactNode, useCallback, useId, useState } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { findFiles } from '../../api/find-files.ts';
import type { Existing } from '../../api/inspector-queries.ts';
import { toShortPath } from '../../conversation/completion/completion.ts';
import { CompletionList } from '../../conversation/completion/completion-list.tsx';
import { useChoosing, useCompletions } from '../../conversation/completion/use-completing.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { FILE_LOOKS } from '../../run/progress/node/node-files.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { Input, toCombobox } from '../../ui/forms/input.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';

interface DocumentsProps {
  readonly projectId: string;
  /** Mount paths, as all paths here. */
  readonly needed: readonly string[];
  /** Which of them exist, as far as known. */
  readonly existing: Existing | undefined;
  readonly given: readonly string[];
  readonly onChange: (given: readonly string[]) => void;
}

export const DOCUMENTS_ID = 'new-documents';

export function Documents({ projectId, needed, existing, given, onChange }: DocumentsProps) {
  const { t } = useTranslation();
  const isAnyMissing = needed.some((path) => existing?.get(path) === false);
  return (
    <fieldset id={DOCUMENTS_ID} tabIndex={-1} className="flex flex-col gap-3">
      <legend className="mb-1 text-sm font-medium">{t('new.documents.title')}</legend>
      {needed.length > 0 ? (
        <div>
          <p className="mb-1.5 text-sm text-ink-faint">{t('new.documents.needed')}</p>
          <ul aria-label={t('new.documents.needed')} className="flex flex-col gap-1">
            {needed.map((path) => {
              const isThere = existing?.get(path);
              const standing = isThere === undefined ? 'unknown' : isThere ? 'isThere' : 'isMissing';
              const { Icon, ink } = FILE_LOOKS[standing];
              return (
                <Line key={path} icon={<Icon className={ink} />} path={path}>
                  {standing === 'unknown' ? undefined : (
                    <span className={`text-sm ${ink}`}>{t(`new.documents.${standing}`)}</span>
                  )}
                </Line>
              );
            })}
          </ul>
          {isAnyMissing ? (
            <p className="mt-1.5 text-sm text-warn">{t('new.documents.missingHint')}</p>
          ) : undefined}
        </div>
      ) : undefined}
      {given.length > 0 ? (
        <ul aria-label={t('new.documents.given')} className="flex flex-col gap-1">
          {given.map((path) => (
            <Line key={path} icon={<FileText className="text-ink-faint" />} path={path}>
              <IconButton
                size="sm"
                label={t('new.documents.remove', { name: nameOf(path) })}
                onClick={() => onChange(given.filter((other) => other !== path))}
              >
                <X />
              </IconButton>
            </Line>
          ))}
        </ul>
      ) : undefined}
      <DocumentSearch projectId={projectId} onChoose={(path) => onChange([...new Set([...given, path])])} />
    </fieldset>
  );
}

interface LineProps {
  readonly icon: ReactNode;
  readonly path: string;
  readonly children: ReactNode;
}

function Line({ icon, path, children }: LineProps) {
  return (
    <li className="flex min-h-8 items-center gap-2.5 rounded-md bg-sunken py-1 ps-2.5 pe-1.5 [&_svg]:size-4 [&_svg]:shrink-0">
      {icon}
      <bdi className="min-w-0 grow font-mono text-sm wrap-anywhere">{nameOf(path)}</bdi>
      {children}
    </li>
  );
}

function nameOf(path: string): string {
  return toShownLine(path.replace(/^@project\//, ''));
}

interface DocumentSearchProps {
  readonly projectId: string;
  /** Called with the mount path. */
  readonly onChoose: (path: string) => void;
}

/** A field that finds project files by letters of their path; folders are entered step by step. */
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
            {...toCombobox(listId, active, hasList)}
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
