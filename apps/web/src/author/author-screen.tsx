/** Edits a package folder: its graph, steps, agents and texts, with what validation, a rehearsal and tests say about it. */
import '../i18n/author-texts.ts';
import { ApiError } from '@crewagent/protocol/api/api-error';
import { useState } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { navigate } from '../navigation/router.ts';
import { usePaneSizes } from '../state/layout.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { AlertDialog } from '../ui/overlays/alert-dialog.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { SplitPanes } from '../ui/split-panes.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { useIsNarrow } from '../ui/use-media.ts';
import { AgentsTab } from './agents-tab.tsx';
import { CheckTab } from './check-tab.tsx';
import { EdgeForm } from './edge-form.tsx';
import { GraphPane, type GraphView } from './graph-pane.tsx';
import { MethodNode } from './method-node.tsx';
import { NodeForm } from './node-form.tsx';
import { type Preview, RequestPreview, usePreview } from './request-preview.tsx';
import { TextTab } from './text-tab.tsx';
import type { EditorTarget } from './to-target.ts';
import { type Author, type OpenedFolder, type Selection, useAuthor, useOpenedFolder } from './use-author.ts';

export default function AuthorScreen({ folder }: { readonly folder: string }) {
  const { opened, error, setModel, reopen } = useOpenedFolder(folder);
  const { t } = useTranslation();
  if (opened) return <Editor {...{ opened, setModel, reopen }} />;
  return (
    <div className="page-column flex h-full flex-col items-start gap-4">
      {error ? (
        <>
          <ErrorNote issue={error} />
          <Button onClick={() => navigate({ name: 'packages' })}>{t('author.back')}</Button>
        </>
      ) : (
        <Skeleton className="h-40 w-full" />
      )}
    </div>
  );
}

interface EditorProps {
  readonly opened: OpenedFolder;
  readonly setModel: (model: OpenedFolder['model']) => void;
  /** After a restart of the server. */
  readonly reopen: () => void;
}

type Tab = 'details' | 'text' | 'agents' | 'check';

function Editor({ opened, setModel, reopen }: EditorProps) {
  const { t } = useTranslation();
  const author = useAuthor(opened, setModel);
  const isNarrow = useIsNarrow();
  // Of no project.
  const sizes = usePaneSizes('', 'author');
  const { model } = author;
  const [graph, setGraph] = useState<string>();
  const [selection, setSelection] = useState<Selection>();
  // A phone shows a piece of a drawing, but all of a list.
  const [view, setView] = useState<GraphView>(isNarrow ? 'list' : 'graph');
  const [tab, setTab] = useState<Tab>(model.isMethod ? 'text' : 'details');
  const [file, setFile] = useState<string>();
  const [agentId, setAgentId] = useState<string>();
  const preview = usePreview();
  const workflow = model.workflows.find((one) => one.graph === graph) ?? model.workflows[0];
  const select = (next: Selection | undefined): void => {
    setSelection(next);
    setFile(undefined);
    if (tab === 'agents' || tab === 'check') setTab('details');
  };
  const goTo = (target: EditorTarget): void => {
    if (target.graph !== undefined) setGraph(target.graph);
    setSelection(target.selection);
    setFile(target.file);
    if (target.agentId !== undefined) setAgentId(target.agentId);
    setTab(target.tab);
  };
  const errors = model.findings.filter(({ severity }) => severity !== 'advice').length;
  const details = (
    <Details {...{ author, workflow, selection, preview, onSelect: select }} onText={() => setTab('text')} />
  );
  const graphPane = (
    <GraphPane
      {...{ author, workflow, selection, onSelect: select, view, onView: setView }}
      onChooseWorkflow={(next) => {
        setGraph(next);
        setSelection(undefined);
        setFile(undefined);
      }}
    />
  );
  const panel = (
    <Tabs
      label={toShownLine(model.name)}
      active={tab}
      onChange={(id) => setTab(id as Tab)}
      tabs={[
        { id: 'details', label: t('author.details'), content: details },
        {
          id: 'text',
          label: t('author.text'),
          content: <TextTab {...{ author, workflow, selection, file, preview }} onFile={setFile} />,
        },
        ...(model.isMethod
          ? []
          : [
              {
                id: 'agents',
                label: t('author.agents'),
                content: <AgentsTab {...{ author, agentId }} onChoose={setAgentId} />,
              },
            ]),
        {
          id: 'check',
          label: errors === 0 ? t('author.check') : t('author.checkCount', { count: errors }),
          content: <CheckTab author={author} onGo={goTo} />,
        },
      ]}
    />
  );
  return (
    <div className="flex h-full flex-col bg-canvas">
      <ErrorBar author={author} onReopen={reopen} />
      <div className="min-h-0 grow">
        {isNarrow ? (
          <div className="flex h-full flex-col">
            <div className="h-2/5 shrink-0 border-b">{graphPane}</div>
            <div className="min-h-0 grow">{panel}</div>
          </div>
        ) : (
          <SplitPanes
            separatorLabel={t('author.resize')}
            {...sizes}
            panes={[
              { id: 'author-graph', minSize: '320px', content: graphPane },
              { id: 'author-panel', defaultSize: '440px', minSize: '300px', content: panel },
            ]}
          />
        )}
      </div>
      <ConflictDialog author={author} />
    </div>
  );
}

interface ErrorBarProps {
  readonly author: Author;
  readonly onReopen: () => void;
}

function ErrorBar({ author: { issue, forget }, onReopen }: ErrorBarProps) {
  const { t } = useTranslation();
  if (!issue) return undefined;
  const isClosed = issue instanceof ApiError && issue.code === 'NOT_FOUND';
  return (
    <div className="flex shrink-0 items-center gap-2 p-2">
      <div className="min-w-0 grow">
        <ErrorNote issue={issue} />
      </div>
      <Button
        onClick={() => {
          forget();
          if (isClosed) onReopen();
        }}
      >
        {t(isClosed ? 'author.reopen' : 'action.close')}
      </Button>
    </div>
  );
}

interface DetailsProps {
  readonly author: Author;
  readonly workflow: Author['model']['workflows'][number] | undefined;
  readonly selection: Selection | undefined;
  readonly preview: Preview;
  readonly onSelect: (selection: Selection | undefined) => void;
  readonly onText: () => void;
}

function Details({ author, workflow, selection, preview, onSelect, onText }: DetailsProps) {
  const { t } = useTranslation();
  const node = selection?.kind === 'node' ? workflow?.nodes.find(({ id }) => id === selection.id) : undefined;
  const edge = selection?.kind === 'edge' ? workflow?.edges[selection.index] : undefined;
  if (workflow && node)
    return (
      <>
        {author.model.isMethod ? (
          <MethodNode {...{ workflow, node, onText }} />
        ) : (
          <NodeForm key={node.id} {...{ author, workflow, node, onSelect }} />
        )}
        <div className="border-t p-2.5">
          <RequestPreview {...{ author, workflow, node, preview }} />
        </div>
      </>
    );
  if (workflow && edge && selection?.kind === 'edge' && !author.model.isMethod)
    return (
      <EdgeForm key={selection.index} {...{ author, workflow, edge, index: selection.index, onSelect }} />
    );
  return (
    <div className="flex flex-col gap-1.5 p-4 text-ink-soft">
      <p className="font-medium text-ink wrap-anywhere">
        {toShownLine(`${author.model.name} ${author.model.version}`)}
      </p>
      <p>{t(author.model.isMethod ? 'author.method' : 'author.nothingSelected')}</p>
    </div>
  );
}

/** Asks what becomes of an edit whose file changed outside. */
function ConflictDialog({ author }: { readonly author: Author }) {
  const { t } = useTranslation();
  const { conflict } = author;
  const isText = conflict?.theirs !== undefined;
  return (
    <AlertDialog
      isOpen={conflict !== undefined}
      title={t('author.changedTitle')}
      confirmLabel={t(isText ? 'author.keepMine' : 'author.applyAnyway')}
      cancelLabel={t(isText ? 'author.takeTheirs' : 'author.dropEdit')}
      onCancel={() => author.settle(false)}
      onConfirm={() => author.settle(true)}
    >
      {t(isText ? 'author.changedText' : 'author.changedOutside')}
    </AlertDialog>
  );
}
