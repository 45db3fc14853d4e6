/** The text of a step, or of another file of the package, in an editor with completion and findings. */
import type { AuthorWorkflow } from '@crewagent/protocol/author';
import { useMemo } from 'react';
import { useApiQuery } from '../api/api-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { draftKey, setPackageDraft, usePackageDrafts } from '../state/package-drafts.ts';
import { Button } from '../ui/button.tsx';
import { CodeEditor } from '../ui/code/code-editor.tsx';
import type { CodeDiagnostic, CodeLanguage, CodeWord } from '../ui/code/create-code-editor.ts';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Select } from '../ui/forms/input.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { variablesOf } from './edge-form.tsx';
import { type Preview, RequestPreview } from './request-preview.tsx';
import type { Author, Selection } from './use-author.ts';

interface TextTabProps {
  readonly author: Author;
  readonly workflow: AuthorWorkflow | undefined;
  readonly selection: Selection | undefined;
  /** The file that was chosen; else the step of the selected node. */
  readonly file: string | undefined;
  readonly preview: Preview;
  readonly onFile: (file: string) => void;
}

export function TextTab({ author, workflow, selection, file: chosen, preview, onFile }: TextTabProps) {
  const { t } = useTranslation();
  const { model } = author;
  const node = workflow?.nodes.find(({ id }) => selection?.kind === 'node' && id === selection.id);
  const texts = model.files.filter(({ isText }) => isText);
  const wanted = chosen ?? (model.isMethod ? 'method.md' : (node?.file ?? workflow?.document));
  const shown = texts.find(({ path }) => path === wanted) ?? texts[0];
  if (!shown) return <p className="p-4 text-ink-soft">{t('author.noTexts')}</p>;
  return (
    <div className="flex h-full flex-col">
      <div className="flex shrink-0 items-center gap-2 border-b px-2 py-1.5">
        <Select
          aria-label={t('author.file')}
          value={shown.path}
          onChoose={onFile}
          options={texts.map(({ path }) => ({ value: path, label: toShownLine(path) }))}
        />
      </div>
      <FileText key={shown.path} {...{ author, workflow, file: shown.path, sha256: shown.sha256 }} />
      {workflow ? (
        <div className="max-h-1/2 shrink-0 overflow-auto border-t px-2 py-1">
          <RequestPreview
            {...{ author, workflow, preview }}
            node={node ?? workflow.nodes.find(({ file }) => file === shown.path)}
          />
        </div>
      ) : undefined}
    </div>
  );
}

interface FileTextProps {
  readonly author: Author;
  readonly workflow: AuthorWorkflow | undefined;
  readonly file: string;
  readonly sha256: string;
}

function FileText({ author, workflow, file, sha256 }: FileTextProps) {
  const { t } = useTranslation();
  const { folderId, model, path } = author;
  // A new hash is a new text: nothing is shown that is not on disk.
  const { data, error } = useApiQuery(
    ['author-text', folderId, file, sha256],
    ({ authoring }, call) => authoring.read({ folderId, query: { path: file } }, call),
    { placeholderData: (before) => before, retry: false },
  );
  const key = draftKey(path, file);
  const draft = usePackageDrafts(({ drafts }) => drafts[key]);
  const words = useWords(author, workflow);
  const diagnostics = useMemo(
    () =>
      model.findings.flatMap((finding): CodeDiagnostic[] =>
        finding.file === file
          ? [
              {
                line: finding.line ?? 1,
                message: `${finding.message}. ${finding.fix}`,
                severity: finding.severity === 'advice' ? 'info' : finding.severity,
              },
            ]
          : [],
      ),
    [model.findings, file],
  );
  if (!data) return error ? <ErrorNote issue={error} /> : <Skeleton className="m-4 h-40" />;
  const base = draft ?? { base: data.text, sha256: data.sha256 };
  // The editor has lines that end with `\n`; a file with mixed endings is shown as it is.
  const isCrlf = /\r\n/.test(data.text) && !/(?<!\r)\n/.test(data.text);
  const shown = draft?.text ?? data.text;
  const type = (typed: string): void => {
    const text = isCrlf ? typed.replaceAll('\n', '\r\n') : typed;
    setPackageDraft(key, text === base.base ? undefined : { text, base: base.base, sha256: base.sha256 });
  };
  const save = (): void => {
    if (draft) void author.saveText(file, draft);
  };
  return (
    <>
      <div className="min-h-0 grow">
        <CodeEditor
          label={t('author.textOf', { file: toShownLine(file) })}
          value={isCrlf ? shown.replaceAll('\r\n', '\n') : shown}
          language={languageOf(file)}
          diagnostics={diagnostics}
          words={words}
          onChange={type}
          onSave={save}
        />
      </div>
      <div className="flex shrink-0 items-center gap-2 border-t px-3 py-2">
        <p role="status" className="min-w-0 grow text-sm text-ink-faint">
          {draft === undefined
            ? t('author.saved')
            : t(draft.sha256 === sha256 ? 'author.unsaved' : 'author.willMerge')}
        </p>
        <Button disabled={!draft} onClick={() => setPackageDraft(key, undefined)}>
          {t('author.discard')}
        </Button>
        <Button kind="primary" disabled={!draft} isBusy={author.isBusy && draft !== undefined} onClick={save}>
          {t('author.save')}
        </Button>
      </div>
    </>
  );
}

function languageOf(file: string): CodeLanguage {
  if (file.endsWith('.md')) return 'markdown';
  if (file.endsWith('.json')) return 'json';
  return /\.ya?ml$/.test(file) ? 'yaml' : 'text';
}

/** What a text of the package can name: variables, files, tools, agents, nodes. */
function useWords({ model }: Author, workflow: AuthorWorkflow | undefined): readonly CodeWord[] {
  const { t } = useTranslation();
  return useMemo(() => {
    const kinds: readonly (readonly [string, readonly string[]])[] = [
      [t('author.words.variable'), workflow ? variablesOf(workflow).map((name) => `{${name}}`) : []],
      [t('author.words.file'), model.files.map(({ path }) => `@pkg/${path}`)],
      [t('author.words.output'), (workflow?.nodes ?? []).flatMap(({ outputs }) => outputs)],
      [t('author.words.tool'), model.tools],
      [t('author.words.agent'), model.agents.map(({ id }) => id)],
      [t('author.words.node'), (workflow?.nodes ?? []).map(({ id }) => id)],
    ];
    return kinds.flatMap(([kind, texts]) => [...new Set(texts)].map((text) => ({ text, kind })));
  }, [model, workflow, t]);
}
