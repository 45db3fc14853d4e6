/** What is known about the package: findings of its validation, a rehearsal of every branch, its tests. */
import '../i18n/package-texts.ts';
import type { ImportRehearsal } from '@crewagent/protocol/api/imports';
import type { PackageTestReport } from '@crewagent/protocol/package-tests';
import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { FindingText } from '../packages/finding-text.tsx';
import { RehearsalReport } from '../packages/import-rehearsal.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { useAction } from '../ui/use-action.ts';
import { type EditorTarget, toTarget } from './to-target.ts';
import type { Author } from './use-author.ts';

interface CheckTabProps {
  readonly author: Author;
  readonly onGo: (target: EditorTarget) => void;
}

export function CheckTab({ author, onGo }: CheckTabProps) {
  const { t } = useTranslation();
  const { authoring } = useApi();
  const { folderId, model } = author;
  const [rehearsal, setRehearsal] = useState<ImportRehearsal>();
  const [tests, setTests] = useState<PackageTestReport>();
  const rehearse = useAction(async () => {
    setRehearsal(undefined);
    setRehearsal(await authoring.rehearse({ folderId }));
  });
  const test = useAction(async () => {
    setTests(undefined);
    setTests(await authoring.test({ folderId }));
  });
  const hasTests = model.files.some(({ path }) => /^tests\/[^/]+\.ya?ml$/.test(path));
  const isValid = !model.findings.some(({ severity }) => severity === 'error');
  return (
    <div className="flex flex-col gap-4 p-4">
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => void author.reload()}>{t('author.validate')}</Button>
        <Button disabled={!isValid} isBusy={rehearse.isBusy} onClick={() => rehearse.run()}>
          {t('import.rehearse')}
        </Button>
        <Button disabled={!isValid || !hasTests} isBusy={test.isBusy} onClick={() => test.run()}>
          {t('author.test')}
        </Button>
      </div>
      {hasTests ? undefined : <p className="text-sm text-ink-faint">{t('author.noTests')}</p>}
      <ErrorNote issue={rehearse.issue ?? test.issue} />
      <div role="status" className="flex flex-col gap-3">
        {rehearsal ? <RehearsalReport rehearsal={rehearsal} /> : undefined}
        {tests ? <TestReport report={tests} /> : undefined}
      </div>
      <FindingList author={author} onGo={onGo} />
    </div>
  );
}

const ICONS = {
  error: <CircleAlert className="mt-0.5 size-4 shrink-0 text-bad" />,
  warning: <TriangleAlert className="mt-0.5 size-4 shrink-0 text-warn" />,
  advice: <Info className="mt-0.5 size-4 shrink-0 text-ink-faint" />,
} as const;

function FindingList({ author: { model }, onGo }: CheckTabProps) {
  const { t } = useTranslation();
  if (model.findings.length === 0)
    return (
      <p className="flex items-center gap-2 text-ok">
        <CircleCheck className="size-4" />
        {t('packages.noFindings')}
      </p>
    );
  return (
    <ul aria-label={t('packages.validation')} className="divide-y divide-line rounded-lg border bg-surface">
      {model.findings.map((finding, index) => {
        const target = toTarget(model, finding);
        const { file, line, severity } = finding;
        const shown = toShownLine(line === undefined ? file : `${file}:${line}`);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: findings are immutable
          <li key={index} className="flex gap-2 px-3 py-2.5">
            {ICONS[severity]}
            <div className="min-w-0 grow">
              {target ? (
                <button
                  type="button"
                  className="rounded-sm font-mono text-sm text-accent-text wrap-anywhere underline"
                  onClick={() => onGo(target)}
                >
                  {shown}
                </button>
              ) : (
                <code className="font-mono text-sm wrap-anywhere">{shown}</code>
              )}
              <FindingText finding={finding} />
            </div>
          </li>
        );
      })}
    </ul>
  );
}

function TestReport({ report: { ok, tests, percent } }: { readonly report: PackageTestReport }) {
  const { t } = useTranslation();
  const failed = tests.filter((test) => !test.ok);
  const Icon = ok ? CircleCheck : TriangleAlert;
  const summary = ok
    ? t('author.testsOk', { count: tests.length })
    : t('author.testsFailed', { count: failed.length, total: tests.length });
  return (
    <div className={`flex items-start gap-2.5 rounded-lg border px-3 py-2.5 ${ok ? 'text-ok' : 'text-warn'}`}>
      <Icon className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 grow wrap-anywhere">
        <p className="font-medium">{summary}</p>
        <p className="text-ink-soft">{t('author.testsCover', { percent })}</p>
        <ul className="list-disc ps-5 text-sm text-ink-soft">
          {failed.flatMap(({ file, failures }) =>
            failures.map(({ message }) => (
              <li key={`${file} ${message}`}>
                {toShownLine(file)}: {toShownLine(message)}
              </li>
            )),
          )}
        </ul>
      </div>
    </div>
  );
}
