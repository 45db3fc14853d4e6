/** Summary of the state document. All values are untrusted text. */
import { CircleCheck, CircleDot } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from '../../../i18n/use-translation.ts';
import type { ShownStory } from '../../../state/conversation-store.ts';
import { openFile } from '../../../state/open-files.ts';
import { toShownPart } from '../../../ui/code/long-text.ts';
import { toShownLine, toShownProse, toShownText } from '../../../ui/sanitize-text.ts';

interface StateSummaryProps {
  readonly projectId: string;
  readonly view: ShownStory;
}

export function StateSummary({ projectId, view }: StateSummaryProps) {
  const { t } = useTranslation();
  const { currentNodeId, stepsCompleted, variables, decisionLog, artifacts } = view.state;
  const titleOf = (id: string): string => toShownLine(view.nodes.find((node) => node.id === id)?.title ?? id);
  return (
    <dl className="flex flex-col gap-3">
      {view.status.kind === 'completed' ? undefined : (
        <Part name={t('state.current')}>
          <p className="flex items-center gap-1.5 font-medium">
            <CircleDot aria-hidden="true" className="size-3.5 shrink-0 text-accent-text" />
            <span className="min-w-0 wrap-anywhere">{titleOf(currentNodeId)}</span>
          </p>
        </Part>
      )}
      <Part name={t('state.steps')} count={stepsCompleted.length}>
        <Some items={stepsCompleted} keyOf={(id) => id}>
          {(id) => (
            <span className="flex items-center gap-1.5">
              <CircleCheck aria-hidden="true" className="size-3.5 shrink-0 text-ok" />
              <span className="min-w-0 wrap-anywhere">{titleOf(id)}</span>
            </span>
          )}
        </Some>
      </Part>
      <Part name={t('state.variables')} count={Object.keys(variables).length}>
        <Some items={Object.entries(variables)} keyOf={([name]) => name}>
          {([name, value]) => <Variable name={name} value={value} />}
        </Some>
      </Part>
      <Part name={t('state.decisions')} count={decisionLog.length}>
        <Some items={decisionLog} keyOf={({ from, to }, index) => `${index} ${from} ${to}`}>
          {({ from, to, label, reason }) => (
            <>
              <p className="wrap-anywhere">
                {titleOf(from)} → <span className="font-medium">{titleOf(to)}</span>{' '}
                {label ? <span className="text-ink-faint">({toShownLine(label)})</span> : undefined}
              </p>
              {reason ? <p className="text-ink-soft wrap-anywhere">{toShownProse(reason)}</p> : undefined}
            </>
          )}
        </Some>
      </Part>
      <Part name={t('state.artifacts')} count={artifacts.length}>
        <Some items={artifacts} keyOf={(path) => path}>
          {(path) => (
            <button
              type="button"
              onClick={() => openFile(projectId, `@project/${path}`)}
              className="rounded-sm text-start font-mono text-sm text-accent-text wrap-anywhere hover:underline"
            >
              {toShownLine(path)}
            </button>
          )}
        </Some>
      </Part>
    </dl>
  );
}

interface PartProps {
  readonly name: string;
  readonly count?: number;
  readonly children: ReactNode;
}

function Part({ name, count, children }: PartProps) {
  return count === 0 ? undefined : (
    <div>
      <dt className="mb-1 text-xs font-medium text-ink-faint">
        {name}
        {count === undefined ? '' : ` (${count})`}
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

interface SomeProps<Item> {
  readonly items: readonly Item[];
  readonly keyOf: (item: Item, index: number) => string;
  readonly children: (item: Item) => ReactNode;
}

const INITIAL_COUNT = 12;

/** The first items, and the rest on demand. */
function Some<Item>({ items, keyOf, children }: SomeProps<Item>) {
  const { t } = useTranslation();
  const [hasAll, setAll] = useState(false);
  const shown = hasAll ? items : items.slice(0, INITIAL_COUNT);
  return (
    <>
      <ul className="flex flex-col gap-1">
        {shown.map((item, index) => (
          <li key={keyOf(item, index)}>{children(item)}</li>
        ))}
      </ul>
      {shown.length < items.length ? (
        <button
          type="button"
          className="mt-1 rounded-sm text-sm text-accent-text"
          onClick={() => setAll(true)}
        >
          {t('text.showAll')}
        </button>
      ) : undefined}
    </>
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
