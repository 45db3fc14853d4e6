/** State tab of the inspector: a summary, the editable document and its history. */
import '../../../i18n/context-texts.ts';
import { CircleCheck, CircleDot } from 'lucide-react';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { useStateHistory } from '../../../api/inspector-queries.ts';
import { formatDateTime, formatWhen } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { openFile } from '../../../state/open-files.ts';
import type { StateChange } from '../../../state/state-history.ts';
import { toShownPart } from '../../../ui/code/code-block.tsx';
import { DiffView } from '../../../ui/code/diff-view.tsx';
import { parseDiff } from '../../../ui/code/parse-diff.ts';
import { ErrorNote } from '../../../ui/errors/error-note.tsx';
import { Fold } from '../../../ui/fold.tsx';
import { toShownLine, toShownProse, toShownText } from '../../../ui/sanitize-text.ts';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { useIsReadOnly, usePast } from '../../past.ts';
import { nodeTitle } from '../../shown-names.ts';
import { FirstItems } from '../first-items.tsx';
import type { PanelProps } from '../use-inspected.ts';
import { StateEditor } from './state-editor.tsx';

export default function StateView({ projectId, view }: PanelProps) {
  const { t } = useTranslation();
  const [hasHistory, setHistory] = useState(false);
  const isReadOnly = useIsReadOnly();
  return (
    <div className="flex flex-col gap-4 p-3">
      <StateSummary projectId={projectId} view={view} />
      {isReadOnly ? undefined : <StateEditor view={view} />}
      <section aria-label={t('state.history')} className="border-t pt-2">
        <Fold
          isOpen={hasHistory}
          onToggle={() => setHistory(!hasHistory)}
          className="-ms-1.5"
          summary={<span className="font-medium text-ink">{t('state.history')}</span>}
        >
          {() => <StateHistoryList view={view} />}
        </Fold>
      </section>
    </div>
  );
}

/** Summary of the state document. All values are untrusted text. */
function StateSummary({ projectId, view }: PanelProps) {
  const { t } = useTranslation();
  const { currentNodeId, stepsCompleted, variables, decisionLog, artifacts } = view.state;
  const titleOf = (id: string): string => toShownLine(nodeTitle(view, id));
  return (
    <dl className="flex flex-col gap-3">
      {view.status.kind === 'completed' ? undefined : (
        <Part name={t('state.current')}>
          <p className="flex items-center gap-1.5 font-medium">
            <CircleDot className="size-3.5 shrink-0 text-accent-text" />
            <span className="min-w-0 wrap-anywhere">{titleOf(currentNodeId)}</span>
          </p>
        </Part>
      )}
      <ListPart name={t('state.steps')} items={stepsCompleted} keyOf={(id) => id}>
        {(id) => (
          <span className="flex items-center gap-1.5">
            <CircleCheck className="size-3.5 shrink-0 text-ok" />
            <span className="min-w-0 wrap-anywhere">{titleOf(id)}</span>
          </span>
        )}
      </ListPart>
      <ListPart name={t('state.variables')} items={Object.entries(variables)} keyOf={([name]) => name}>
        {([name, value]) => <Variable name={name} value={value} />}
      </ListPart>
      <ListPart
        name={t('state.decisions')}
        items={decisionLog}
        keyOf={({ from, to }, index) => `${index} ${from} ${to}`}
      >
        {({ from, to, label, reason }) => (
          <>
            <p className="wrap-anywhere">
              {titleOf(from)} → <span className="font-medium">{titleOf(to)}</span>{' '}
              {label ? <span className="text-ink-faint">({toShownLine(label)})</span> : undefined}
            </p>
            {reason ? <p className="text-ink-soft wrap-anywhere">{toShownProse(reason)}</p> : undefined}
          </>
        )}
      </ListPart>
      <ListPart name={t('state.artifacts')} items={artifacts} keyOf={(path) => path}>
        {(path) => (
          <button
            type="button"
            onClick={() => openFile(projectId, `@project/${path}`)}
            className="rounded-sm text-start font-mono text-sm text-accent-text wrap-anywhere hover:underline"
          >
            {toShownLine(path)}
          </button>
        )}
      </ListPart>
    </dl>
  );
}

function Part({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt className="mb-1 text-xs font-medium text-ink-faint">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

type ListPartProps<Item> = { readonly name: string } & Pick<
  ComponentProps<typeof FirstItems<Item>>,
  'items' | 'keyOf' | 'children'
>;

function ListPart<Item>({ name, ...list }: ListPartProps<Item>) {
  const { length } = list.items;
  if (length === 0) return undefined;
  return (
    <Part name={`${name} (${length})`}>
      <FirstItems {...list} first={12} className="gap-1" />
    </Part>
  );
}

const MAX_VALUE_CHARS = 400;

function Variable({ name, value }: { readonly name: string; readonly value: unknown }) {
  const { t } = useTranslation();
  const [hasAll, setAll] = useState(false);
  const all = typeof value === 'string' ? value : (JSON.stringify(value, null, 1) ?? '');
  const { text, hiddenChars } = toShownPart(all, hasAll ? 20_000 : MAX_VALUE_CHARS);
  return (
    <p className="font-mono text-sm wrap-anywhere">
      <span className="text-ink-faint">{toShownLine(name)}</span>{' '}
      <bdi className="whitespace-pre-wrap text-ink">{toShownText(text)}</bdi>
      {hiddenChars > 0 ? '…' : ''}
      {hiddenChars > 0 && !hasAll ? (
        <button type="button" className="ms-1 rounded-sm text-accent-text" onClick={() => setAll(true)}>
          {t('text.showAll')}
        </button>
      ) : undefined}
    </p>
  );
}

/** Changes of the state document, most recent first: time, author and diff. */
function StateHistoryList({ view }: Pick<PanelProps, 'view'>) {
  const { t } = useTranslation();
  const past = usePast();
  const { data, error } = useStateHistory(view.runId);
  if (error) return <ErrorNote issue={error} />;
  if (!data) return <Skeleton className="h-16" />;
  // In a replay the later ones are known, too.
  const changes = past ? data.changes.filter(({ seq }) => seq <= view.lastSeq) : data.changes;
  if (changes.length === 0) return <p className="text-ink-faint">{t('state.noHistory')}</p>;
  return (
    <FirstItems
      items={changes.toReversed()}
      first={50}
      keyOf={({ seq }) => seq}
      as="ol"
      label={t('state.history')}
      className="-ms-5 gap-0.5"
    >
      {(change) => <ChangeRow change={change} view={view} />}
    </FirstItems>
  );
}

interface ChangeRowProps extends Pick<PanelProps, 'view'> {
  readonly change: StateChange;
}

function ChangeRow({ change, view }: ChangeRowProps) {
  const { t } = useTranslation();
  const titleOf = (id: string): string => toShownLine(nodeTitle(view, id));
  const [isOpen, setOpen] = useState(false);
  const { ts, by, from, to, label, values, notes, diff } = change;
  const isMove = from !== to;
  return (
    <Fold
      isOpen={isOpen}
      onToggle={() => setOpen(!isOpen)}
      summary={
        <span className="flex min-w-0 grow flex-wrap items-baseline gap-x-2">
          <span className="min-w-0 font-medium text-ink wrap-anywhere">
            {isMove ? `${titleOf(from)} → ${titleOf(to)}` : t('state.values', { count: values })}
          </span>
          {label ? <span className="text-xs text-ink-faint">{toShownLine(label)}</span> : undefined}
          <span className="ms-auto text-xs text-ink-faint">
            {t(`state.by.${by}`)} ·{' '}
            <time dateTime={ts} title={formatDateTime(ts)}>
              {formatWhen(ts)}
            </time>
          </span>
        </span>
      }
    >
      {() => (
        <div className="-ms-3 flex flex-col gap-1.5">
          {diff === undefined || diff === '' ? (
            <p className="text-sm text-ink-faint">{t('state.noDiff')}</p>
          ) : (
            <DiffView diff={parseDiff(diff)} label={t('diff.label')} />
          )}
          {notes.map((note) => (
            <p key={note} className="text-sm text-ink-faint wrap-anywhere">
              {toShownText(note)}
            </p>
          ))}
        </div>
      )}
    </Fold>
  );
}
