/** Documents of a workflow: the ones it needs from the project, existing or missing, and additional ones the user adds. */
import { FileCheck2, FileQuestionMark, FileText, FileX2, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import type { Existing } from '../../state/find-existing.ts';
import { IconButton } from '../../ui/button.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { DocumentSearch } from './document-search.tsx';

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
            {needed.map((path) => (
              <NeededLine key={path} path={path} isThere={existing?.get(path)} />
            ))}
          </ul>
          {isAnyMissing ? (
            <p className="mt-1.5 text-sm text-warn">{t('new.documents.missingHint')}</p>
          ) : undefined}
        </div>
      ) : undefined}
      {given.length > 0 ? (
        <ul aria-label={t('new.documents.given')} className="flex flex-col gap-1">
          {given.map((path) => (
            <Line key={path} icon={<FileText aria-hidden="true" className="text-ink-faint" />} path={path}>
              <IconButton
                size="sm"
                label={t('new.documents.remove', { name: nameOf(path) })}
                onClick={() => onChange(given.filter((other) => other !== path))}
              >
                <X aria-hidden="true" />
              </IconButton>
            </Line>
          ))}
        </ul>
      ) : undefined}
      <DocumentSearch projectId={projectId} onChoose={(path) => onChange([...new Set([...given, path])])} />
    </fieldset>
  );
}

interface NeededLineProps {
  readonly path: string;
  /** Undefined while unknown. */
  readonly isThere: boolean | undefined;
}

function NeededLine({ path, isThere }: NeededLineProps) {
  const { t } = useTranslation();
  const Icon = isThere === undefined ? FileQuestionMark : isThere ? FileCheck2 : FileX2;
  const ink = isThere === undefined ? 'text-ink-faint' : isThere ? 'text-ok' : 'text-warn';
  return (
    <Line icon={<Icon aria-hidden="true" className={ink} />} path={path}>
      {isThere === undefined ? undefined : (
        <span className={`text-sm ${ink}`}>
          {t(isThere ? 'new.documents.isThere' : 'new.documents.isMissing')}
        </span>
      )}
    </Line>
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
