/** The graph of a workflow as a drawing or as a list, and the actions on it: buttons and keys do the same. */
import '../i18n/package-texts.ts';
import type { AuthorModel, AuthorWorkflow } from '@crewagent/protocol/author';
import { ArrowLeft, Copy, Pencil, Plus, Redo2, Spline, Trash2, Undo2 } from 'lucide-react';
import { type KeyboardEvent, lazy, type ReactNode, Suspense, useState } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { navigate } from '../navigation/router.ts';
import type { Progress } from '../run/progress/to-progress.ts';
import { IconButton } from '../ui/button.tsx';
import { Select } from '../ui/forms/input.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { AddDialog, ConnectDialog, DeleteDialog, RenameDialog } from './node-dialogs.tsx';
import { NodeList } from './node-list.tsx';
import { type Author, freeId, type Selection } from './use-author.ts';

interface GraphPaneProps {
  readonly author: Author;
  readonly workflow: AuthorWorkflow | undefined;
  readonly selection: Selection | undefined;
  readonly onSelect: (selection: Selection | undefined) => void;
  readonly onChooseWorkflow: (graph: string) => void;
  readonly view: GraphView;
  readonly onView: (view: GraphView) => void;
}

export type GraphView = 'graph' | 'list';

type Asked =
  | { readonly kind: 'add' | 'rename' | 'delete' }
  | { readonly kind: 'connect'; readonly from: string; readonly to?: string };

export function GraphPane(props: GraphPaneProps) {
  const { author, workflow, selection, onSelect, onChooseWorkflow, view, onView } = props;
  const { t } = useTranslation();
  const [asked, setAsked] = useState<Asked>();
  if (!workflow)
    return (
      <>
        <Title author={author} />
        <p className="p-4 text-ink-soft">{t('author.noWorkflow')}</p>
      </>
    );
  const node = selection?.kind === 'node' ? workflow.nodes.find(({ id }) => id === selection.id) : undefined;
  const { graph } = workflow;
  const choose = (id: string): void => onSelect({ kind: 'node', id });
  const duplicate = async (): Promise<void> => {
    if (!node) return;
    const id = freeId(workflow, node.type);
    const title = node.title === undefined ? undefined : t('author.copyOf', { title: node.title });
    const edit = { kind: 'duplicateNode' as const, graph, nodeId: node.id, id };
    if (await author.edit(title === undefined ? edit : { ...edit, title })) choose(id);
  };
  const remove = (): void => {
    if (node) setAsked({ kind: 'delete' });
    else if (selection?.kind === 'edge') {
      void author.edit({ kind: 'disconnect', graph, edge: selection.index });
      onSelect(undefined);
    }
  };
  const { isMethod } = author.model;
  const changes: GraphActions = {
    add: () => setAsked({ kind: 'add' }),
    connect: node && (() => setAsked({ kind: 'connect', from: node.id })),
    rename: node && (() => setAsked({ kind: 'rename' })),
    duplicate: node && (() => void duplicate()),
    remove: selection && remove,
  };
  const actions: GraphActions = {
    ...(isMethod ? {} : changes),
    undo: author.model.canUndo ? () => void author.undo() : undefined,
    redo: author.model.canRedo ? () => void author.redo() : undefined,
  };
  const close = (): void => setAsked(undefined);
  const dialog = { author, workflow, onClose: close, onSelect: choose };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the elements inside of it
    <div
      className="flex h-full flex-col"
      onKeyDown={(event) => pressKey(event, actions, (step) => choose(neighbour(workflow, node?.id, step)))}
    >
      <Title author={author} />
      <Toolbar actions={actions} isMethod={isMethod}>
        <WorkflowSelect {...{ author, graph, onChooseWorkflow }} />
        <Select
          aria-label={t('author.view')}
          className="ms-auto max-w-28"
          value={view}
          onChoose={(next) => onView(next === 'list' ? 'list' : 'graph')}
          options={[
            { value: 'graph', label: t('author.graph') },
            { value: 'list', label: t('author.list') },
          ]}
        />
      </Toolbar>
      <div className="min-h-0 grow">
        {view === 'list' ? (
          <NodeList {...{ workflow, selection, onSelect }} />
        ) : (
          <Suspense fallback={<Skeleton className="m-4 h-40" />}>
            <ProgressGraph
              progress={toDrawn(workflow)}
              isWrapped
              chosenId={node?.id}
              onOpenNode={choose}
              editing={
                isMethod
                  ? undefined
                  : {
                      chosenEdge: selection?.kind === 'edge' ? edgeId(workflow, selection.index) : undefined,
                      onOpenEdge: (id) => onSelect({ kind: 'edge', index: Number.parseInt(id, 10) }),
                      onConnect: (from, to) => setAsked({ kind: 'connect', from, to }),
                    }
              }
            />
          </Suspense>
        )}
      </div>
      {asked ? (
        <AskedDialog {...dialog} asked={asked} node={node} onDeleted={() => onSelect(undefined)} />
      ) : undefined}
    </div>
  );
}

function WorkflowSelect({
  author,
  graph,
  onChooseWorkflow,
}: Pick<Parameters<typeof GraphPane>[0], 'author' | 'onChooseWorkflow'> & { readonly graph: string }) {
  const { t } = useTranslation();
  const { workflows } = author.model;
  if (workflows.length < 2) return undefined;
  return (
    <Select
      aria-label={t('packages.workflow')}
      className="max-w-56"
      value={graph}
      onChoose={onChooseWorkflow}
      options={workflows.map((one) => ({ value: one.graph, label: toShownLine(one.title) }))}
    />
  );
}

interface AskedDialogProps
  extends Pick<Parameters<typeof AddDialog>[0], 'author' | 'workflow' | 'onClose' | 'onSelect'> {
  readonly asked: Asked;
  /** The selected one. */
  readonly node: Parameters<typeof AddDialog>[0]['after'];
  readonly onDeleted: () => void;
}

function AskedDialog({ asked, node, onDeleted, ...dialog }: AskedDialogProps) {
  if (asked.kind === 'add') return <AddDialog {...dialog} after={node} />;
  if (asked.kind === 'connect') return <ConnectDialog {...dialog} from={asked.from} to={asked.to} />;
  if (!node) return undefined;
  return asked.kind === 'rename' ? (
    <RenameDialog {...dialog} node={node} />
  ) : (
    <DeleteDialog {...dialog} node={node} onDeleted={onDeleted} />
  );
}

/** The package that is edited, and the way back to the others. */
function Title({ author: { model, path } }: { readonly author: Author }) {
  const { t } = useTranslation();
  return (
    <div className="flex h-10 shrink-0 items-center gap-1 border-b bg-surface px-2">
      <IconButton label={t('author.back')} side="bottom" onClick={() => navigate({ name: 'packages' })}>
        <ArrowLeft />
      </IconButton>
      <h1 className="max-w-[60%] shrink-0 truncate font-medium">
        {toShownLine(titleOf(model)) || t('rail.packages')}
      </h1>
      <span className="min-w-0 truncate text-sm text-ink-faint" title={path}>
        {toShownLine(path)}
      </span>
    </div>
  );
}

/** As the gallery shows it; packages have no title of their own. */
function titleOf({ name, workflows: [first, ...others] }: AuthorModel): string {
  return (others.length === 0 && first?.title) || name;
}

const ProgressGraph = lazy(() => import('../run/progress/graph/progress-graph.tsx'));

/** Undefined: not possible now. */
type GraphActions = Readonly<
  Partial<
    Record<'add' | 'connect' | 'rename' | 'duplicate' | 'remove' | 'undo' | 'redo', (() => void) | undefined>
  >
>;

interface ToolbarProps {
  readonly actions: GraphActions;
  readonly isMethod: boolean;
  readonly children: ReactNode;
}

function Toolbar({ actions, isMethod, children }: ToolbarProps) {
  const { t } = useTranslation();
  const button = (name: keyof GraphActions, shortcut: string, icon: ReactNode) => (
    <IconButton
      label={t(`author.actions.${name}`)}
      shortcut={shortcut}
      side="bottom"
      disabled={!actions[name]}
      onClick={actions[name]}
    >
      {icon}
    </IconButton>
  );
  return (
    <div
      role="toolbar"
      aria-label={t('author.toolbar')}
      className="flex shrink-0 flex-wrap items-center gap-0.5 border-b bg-surface px-2 py-1"
    >
      {isMethod ? undefined : (
        <>
          {button('add', 'N', <Plus />)}
          {button('connect', 'E', <Spline />)}
          {button('rename', 'F2', <Pencil />)}
          {button('duplicate', 'D', <Copy />)}
          {button('remove', 'Delete', <Trash2 />)}
        </>
      )}
      {button('undo', 'Mod+Z', <Undo2 />)}
      {button('redo', 'Mod+Shift+Z', <Redo2 />)}
      {children}
    </div>
  );
}

const KEYS: Readonly<Record<string, keyof GraphActions>> = {
  n: 'add',
  e: 'connect',
  F2: 'rename',
  d: 'duplicate',
  Delete: 'remove',
  Backspace: 'remove',
};

type Step = 'next' | 'previous' | 'above' | 'below';
const ARROWS: Readonly<Record<string, Step>> = {
  ArrowRight: 'next',
  ArrowLeft: 'previous',
  ArrowUp: 'above',
  ArrowDown: 'below',
};

/** Keys pressed in a field or in the list belong to it. */
function pressKey(event: KeyboardEvent, actions: GraphActions, move: (step: Step) => void): void {
  const { key, target, altKey, shiftKey } = event;
  if (event.defaultPrevented || altKey || !(target instanceof Element)) return;
  if (target.closest('input, select, textarea, [role=dialog], [role=alertdialog]')) return;
  const isMod = event.ctrlKey || event.metaKey;
  const folded = key.length === 1 ? key.toLowerCase() : key;
  const history =
    folded === 'y' || (folded === 'z' && shiftKey) ? 'redo' : folded === 'z' ? 'undo' : undefined;
  const action = isMod ? history : KEYS[folded];
  const arrow = isMod || target.closest('[data-list-item]') ? undefined : ARROWS[key];
  if (action === undefined && arrow === undefined) return;
  event.preventDefault();
  if (action) actions[action]?.();
  else if (arrow) move(arrow);
}

/** The node that an arrow key leads to: along an edge, or the one listed before or after. */
function neighbour(
  { nodes, edges, entryNodeId }: AuthorWorkflow,
  id: string | undefined,
  step: Step,
): string {
  const index = nodes.findIndex((node) => node.id === id);
  if (id === undefined || index < 0) return entryNodeId;
  if (step === 'next') return edges.find(({ from }) => from === id)?.to ?? id;
  if (step === 'previous') return edges.find(({ to }) => to === id)?.from ?? id;
  return nodes[index + (step === 'above' ? -1 : 1)]?.id ?? id;
}

/** The drawing of a run, in which nothing has happened. */
function toDrawn(workflow: AuthorWorkflow): Progress {
  const { nodes, edges, entryNodeId } = workflow;
  const known = new Set(nodes.map(({ id }) => id));
  return {
    nodes: nodes.map(({ id, title, type, agentId }) => ({
      ...{ id, title: title ?? id, type, agentId, isRefused: false, isDraft: true as const },
      progress: id === entryNodeId ? 'current' : 'ahead',
    })),
    edges: edges.flatMap(({ from, to, label }, index) =>
      known.has(from) && known.has(to)
        ? [{ id: edgeId(workflow, index), from, to, label, isAccepted: false, isRefused: false }]
        : [],
    ),
    done: 0,
    notNeeded: 0,
  };
}

/** Begins with the index; the rest makes the layout follow the edge. */
function edgeId({ edges }: AuthorWorkflow, index: number): string {
  const edge = edges[index];
  return `${index} ${edge?.from} ${edge?.to} ${edge?.label}`;
}
