/**
 * A transition: from, to, label, reason and the variables it set. A rejected transition is shown in its place, with the error
 * message the model got.
 */
import type { ItemOf, ToolItem } from '@crewagent/protocol/story/items';
import { ArrowRight, Ban } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { useAppearance } from '../../../state/appearance.ts';
import { classNames } from '../../../ui/class-names.ts';
import { Fold } from '../../../ui/fold.tsx';
import { toShownLine, toShownText } from '../../../ui/sanitize-text.ts';
import { useOpenRows } from '../../open-rows.ts';
import { ToolDetails } from './tool-details.tsx';

interface RowProps<Item> {
  readonly rowKey: string;
  readonly item: Item;
  readonly call: ToolItem | undefined;
  readonly titleOf: (nodeId: string) => string;
}

export function MoveRow({ rowKey, item, call, titleOf }: RowProps<ItemOf<'move'>>) {
  const { t } = useTranslation();
  const { isOpen, toggle } = useOpenRows();
  const detail = useAppearance((appearance) => appearance.detail);
  const isQuiet = detail === 'quiet';
  const names = isQuiet ? [] : [...Object.keys(item.variables), ...item.unset];
  return (
    <div
      className={classNames('my-1.5 px-1', isQuiet ? 'text-ink-soft' : 'rounded-lg border bg-sunken py-1')}
    >
      <Fold
        isOpen={isOpen(rowKey)}
        onToggle={() => toggle(rowKey)}
        summary={
          <span className="flex min-w-0 grow flex-wrap items-center gap-x-2 gap-y-0.5">
            <Way from={titleOf(item.from)} to={titleOf(item.to)} />
            {item.label && !isQuiet ? (
              <span className="rounded-sm bg-hover px-1.5 text-xs text-ink-soft">
                {toShownLine(item.label)}
              </span>
            ) : undefined}
            {names.length > 0 ? (
              <span className="ms-auto text-xs text-ink-faint">
                {t('move.variables', { count: names.length })}
              </span>
            ) : undefined}
          </span>
        }
      >
        {() => (
          <div className="flex flex-col gap-2 pe-2">
            <Variables set={item.variables} unset={item.unset} />
            {call ? <ToolDetails item={call} /> : undefined}
          </div>
        )}
      </Fold>
      <Words label={t('move.because')} text={item.reason} />
      <Words label={t('event.carry')} text={item.carry} />
      {(detail === 'all' ? item.notes : []).map((note) => (
        <p key={note} className="ps-6.5 pe-2 pb-1 text-sm text-ink-faint wrap-anywhere">
          {toShownText(note)}
        </p>
      ))}
    </div>
  );
}

/** Words of the model, or to it. */
function Words({ label, text }: { readonly label: string; readonly text: string | undefined }) {
  if (!text) return undefined;
  return (
    <p className="ps-6.5 pe-2 pb-1 text-ink-soft wrap-anywhere">
      <span className="text-ink-faint">{label}</span> {toShownText(text)}
    </p>
  );
}

type Refusal = ItemOf<'notice'> & { readonly refused: { readonly from: string; readonly to: string } };

export function RefusedMoveRow({ rowKey, item, call, titleOf }: RowProps<Refusal>) {
  const { t } = useTranslation();
  const { isOpen, toggle } = useOpenRows();
  return (
    <div className="my-1.5 rounded-lg bg-warn-soft px-1 py-1">
      <Fold
        isOpen={isOpen(rowKey)}
        onToggle={() => toggle(rowKey)}
        summary={
          <span className="flex min-w-0 flex-wrap items-center gap-x-2 text-warn">
            <Ban aria-hidden="true" className="size-3.5 shrink-0" />
            {t('move.refused')}
            <Way from={titleOf(item.refused.from)} to={titleOf(item.refused.to)} />
          </span>
        }
      >
        {() => (call ? <ToolDetails item={call} /> : undefined)}
      </Fold>
      <Words label={t('move.lesson')} text={item.message} />
    </div>
  );
}

export function isRefusal(item: ItemOf<'notice'>): item is Refusal {
  return item.refused !== undefined;
}

function Way({ from, to }: { readonly from: string; readonly to: string }): ReactNode {
  const { t } = useTranslation();
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-1.5 font-medium text-ink">
      <bdi className="wrap-anywhere">{toShownLine(from)}</bdi>
      <ArrowRight aria-label={t('move.to')} className="size-3.5 shrink-0 text-ink-faint" />
      <bdi className="wrap-anywhere">{toShownLine(to)}</bdi>
    </span>
  );
}

interface VariablesProps {
  readonly set: Readonly<Record<string, unknown>>;
  readonly unset: readonly string[];
}

function Variables({ set, unset }: VariablesProps) {
  const { t } = useTranslation();
  if (Object.keys(set).length + unset.length === 0) return undefined;
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 font-mono text-sm">
      {Object.entries(set).map(([name, value]) => (
        <Pair key={name} name={name} value={shorten(JSON.stringify(value) ?? '')} />
      ))}
      {unset.map((name) => (
        <Pair key={name} name={name} value={t('move.unset')} />
      ))}
    </dl>
  );
}

function Pair({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <dt className="text-ink-faint">{toShownLine(name)}</dt>
      <dd className="text-ink wrap-anywhere">{toShownText(value)}</dd>
    </>
  );
}

function shorten(text: string): string {
  return text.length > 2_000 ? `${text.slice(0, 2_000)}…` : text;
}
