/** Content of a text file: editor, rendered text, table, image or page. */
import { lazy, Suspense, useDeferredValue } from 'react';
import { FileLinks } from '../../api/file-links.tsx';
import { useTranslation } from '../../i18n/use-translation.ts';
import { useWantsFocus } from '../../state/open-files.ts';
import { CodeEditor } from '../../ui/code/code-editor.tsx';
import { Markdown, withoutFrontmatter } from '../../ui/markdown/markdown.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { SplitPanes } from '../../ui/split-panes.tsx';
import { languageOf } from '../file-kinds.ts';
import { nameOf, parentOf } from '../paths.ts';
import { CsvTable } from '../previews/csv-table.tsx';
import { DrawingView } from '../previews/picture-view.tsx';
import type { FileView } from './file-views.ts';
import type { OpenedFile } from './use-file.ts';

interface FileBodyProps {
  readonly projectId: string;
  readonly path: string;
  readonly file: OpenedFile;
  readonly view: FileView;
}

export function FileBody(props: FileBodyProps) {
  const { path, file, view } = props;
  const { t } = useTranslation();
  const name = nameOf(path);
  // Typing has priority; the preview may lag behind.
  const text = useDeferredValue(file.text);
  switch (view) {
    case 'read':
      return <Reading projectId={props.projectId} path={path} text={text} />;
    case 'both':
      return (
        <SplitPanes
          separatorLabel={t('shell.resize')}
          panes={[
            { id: 'write', minSize: '25%', content: <Writing {...props} /> },
            {
              id: 'read',
              minSize: '25%',
              content: <Reading projectId={props.projectId} path={path} text={text} />,
            },
          ]}
        />
      );
    case 'table':
      return <CsvTable name={name} text={text} />;
    case 'picture':
      return <DrawingView name={name} text={text} bytes={file.content?.bytes ?? 0} />;
    case 'page':
      return (
        <Suspense fallback={<Skeleton className="m-4 h-40" />}>
          <HtmlView label={t('files.page', { name: toShownLine(name) })} text={text} />
        </Suspense>
      );
    default:
      return <Writing {...props} />;
  }
}

const HtmlView = lazy(() => import('../previews/html-view.tsx'));

function Writing({ projectId, path, file }: FileBodyProps) {
  const { t } = useTranslation();
  const name = nameOf(path);
  const [isWanted, end] = useWantsFocus(projectId, path);
  return (
    <CodeEditor
      label={t('files.text', { name: toShownLine(name) })}
      value={file.text}
      language={languageOf(name)}
      memoryKey={`${projectId}\n${path}`}
      takesFocus={isWanted}
      onFocused={end}
      onChange={file.change}
      onSave={() => {
        if (file.standing === 'unsaved') file.save();
      }}
    />
  );
}

type ReadingProps = Pick<FileBodyProps, 'projectId' | 'path'> & { readonly text: string };

function Reading({ projectId, path, text }: ReadingProps) {
  const { t } = useTranslation();
  return (
    <section
      aria-label={t('files.reading')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable with the keyboard
      tabIndex={0}
      className="h-full overflow-auto overscroll-contain px-5 py-5 text-md -outline-offset-2 sm:px-8"
    >
      <div className="mx-auto max-w-3xl">
        <FileLinks projectId={projectId} folder={parentOf(path)}>
          <Markdown text={withoutFrontmatter(text)} />
        </FileLinks>
      </div>
    </section>
  );
}
