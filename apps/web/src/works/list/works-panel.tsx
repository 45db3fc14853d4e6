/** The Works of a project, live: open, search, rename, archive, delete, start another. */
import { GitCompareArrows, Plus, X } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useWork } from '../../api/work-context.tsx';
import { useWorkPages } from '../../api/work-pages.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { openInFront } from '../../navigation/open-in-front.ts';
import { navigate } from '../../navigation/router.ts';
import { useMay, useOffers, useStartsElsewhere } from '../../state/team-server.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { Switch } from '../../ui/forms/checkbox.tsx';
import { SearchInput } from '../../ui/forms/input.tsx';
import { RadioLabels } from '../../ui/forms/radio-labels.tsx';
import { PanelHead } from '../../ui/panel-head.tsx';
import { useArrowKeys } from '../../ui/rows.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useTitleOf } from '../use-title-of.ts';
import {
  filterWorks,
  findKinds,
  findWorks,
  groupByDay,
  type ListedWork,
  toWorks,
  WORK_FILTERS,
  type WorkFilter,
} from './to-works.ts';
import { WorkRow } from './work-row.tsx';

interface WorksPanelProps {
  readonly projectId: string;
  readonly openId: string | undefined;
}

/** A shorter list needs no search. */
const MIN_FOR_SEARCH = 4;

export function WorksPanel({ projectId, openId }: WorksPanelProps) {
  const mayRun = useMay(projectId, 'run');
  const startsElsewhere = useStartsElsewhere();
  const { t } = useTranslation();
  const { list } = useWork();
  const titleOf = useTitleOf();
  const [hasArchived, setArchived] = useState(false);
  const [text, setText] = useState('');
  const [filter, setFilter] = useState<WorkFilter>('all');
  /** Runs that are chosen for a comparison, in this order; undefined while none is made. */
  const [chosen, setChosen] = useState<readonly string[]>();
  const kindName = (kind: ListedWork['kind']): string => t(`works.kinds.${kind}`);
  const pages = useWorkPages(
    {
      project: projectId,
      list: 'roots',
      archived: hasArchived ? 'any' : 'false',
      ...(filter === 'all' ? {} : { status: filter }),
      ...(text.trim() === '' ? {} : { text, kinds: findKinds(text, kindName).join() }),
    },
    { after: list?.next, isWanted: list?.next !== undefined },
  );
  const all = list && toWorks(list, projectId, titleOf, startsElsewhere);
  const listed = all?.filter(({ work, isArchived }) => (hasArchived || !isArchived) && pages.covers(work));
  const found = listed && findWorks(listed, text, kindName);
  const shown = found && filterWorks(found, filter);
  const isSearchable = (listed?.length ?? 0) >= MIN_FOR_SEARCH || pages.hasMore;
  const { list: rows, onKeyDown } = useArrowKeys<HTMLDivElement>();
  const isSomeArchived =
    (all ?? []).some(({ isArchived }) => isArchived) || (list?.counts?.archived[projectId] ?? 0) > 0;
  return (
    <section aria-label={t('rail.works')} className="flex h-full min-h-0 flex-col bg-canvas">
      <PanelHead title={t(chosen ? 'works.compareHint' : 'rail.works')}>
        <CompareButtons count={(all ?? []).filter(hasRun).length} chosen={chosen} onChange={setChosen} />
        {/* The screen for new Works is already open otherwise. */}
        {openId === undefined || !mayRun || chosen ? undefined : (
          <Button
            size="sm"
            icon={<Plus className="size-3.5" />}
            onClick={() => openInFront({ name: 'project', projectId })}
          >
            {t('works.new')}
          </Button>
        )}
      </PanelHead>
      {isSearchable || text !== '' ? (
        <div className="shrink-0 px-2 pt-2">
          <SearchInput label={t('works.search')} value={text} onChange={setText} />
        </div>
      ) : undefined}
      {isSearchable || filter !== 'all' ? <Filters value={filter} onChange={setFilter} /> : undefined}
      <div className="min-h-0 grow overflow-auto p-1.5">
        {shown === undefined ? <Skeleton className="m-1 h-12" /> : undefined}
        {shown?.length === 0 && !pages.hasMore && text.trim() === '' ? (
          <p className="p-2 text-ink-faint">{t(filter === 'all' ? 'works.empty' : 'palette.empty')}</p>
        ) : undefined}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: handles keys of the buttons inside */}
        <div ref={rows} onKeyDown={onKeyDown}>
          {groupByDay(shown ?? [], new Date()).map(({ group, works }) => (
            <section key={group} aria-label={t(`works.groups.${group}`)}>
              <h3 className="px-2 pt-2.5 pb-1 text-xs font-medium text-ink-faint">
                {t(`works.groups.${group}`)}
              </h3>
              <ul aria-label={t('rail.works')} className="flex flex-col gap-0.5">
                {works.map((listed) => {
                  const { workId } = listed.work;
                  const choice = toChoice(runIdOf(listed), chosen, setChosen);
                  return (
                    <WorkRow key={workId} {...{ listed, projectId, choice }} isOpen={workId === openId} />
                  );
                })}
              </ul>
            </section>
          ))}
        </div>
        {shown && pages.hasMore ? (
          <div ref={pages.end}>{pages.issue ? undefined : <Skeleton className="m-1 h-12" />}</div>
        ) : undefined}
        <ErrorNote issue={pages.issue ?? undefined} />
        {text.trim() === '' ? undefined : (
          <Suspense fallback={<Skeleton className="m-1 h-12" />}>
            <TextResults projectId={projectId} text={text} />
          </Suspense>
        )}
      </div>
      {isSomeArchived ? (
        <div className="shrink-0 border-t px-3 py-2">
          <Switch label={t('works.showArchived')} isOn={hasArchived} onChange={setArchived} />
        </div>
      ) : undefined}
    </section>
  );
}

function Filters(props: { readonly value: WorkFilter; readonly onChange: (filter: WorkFilter) => void }) {
  const { t } = useTranslation();
  return (
    <RadioLabels
      {...props}
      label={t('works.filter')}
      className="flex shrink-0 flex-wrap gap-1 px-2 pt-2"
      options={WORK_FILTERS.map((value) => ({
        value,
        look: 'rounded-full border px-2 py-0.5 text-xs text-ink-soft hover:bg-hover has-checked:border-control has-checked:bg-pressed has-checked:text-ink',
        content: t(`works.filters.${value}`),
      }))}
    />
  );
}

/** Undefined while no comparison is made, and for what has no run. */
function toChoice(
  run: string | undefined,
  chosen: readonly string[] | undefined,
  onChange: (chosen: readonly string[]) => void,
) {
  if (!chosen || run === undefined) return undefined;
  return {
    isChosen: chosen.includes(run),
    onChange: (isChosen: boolean) =>
      onChange([...chosen.filter((id) => id !== run), ...(isChosen ? [run] : [])]),
  };
}

/** A conversation stands for the run that it works on. */
function runIdOf({ work }: ListedWork): string | undefined {
  return work.run ? work.workId : work.activeRunId;
}

const hasRun = (listed: ListedWork): boolean => runIdOf(listed) !== undefined;

interface CompareButtonsProps {
  /** How many runs there are. */
  readonly count: number;
  readonly chosen: readonly string[] | undefined;
  readonly onChange: (chosen: readonly string[] | undefined) => void;
}

const MOST_COMPARED = 6;

function CompareButtons({ count, chosen, onChange }: CompareButtonsProps) {
  const { t } = useTranslation();
  const isOffered = useOffers('works.compare');
  if (!isOffered || count < 2) return undefined;
  if (!chosen)
    return (
      <IconButton label={t('works.compare')} size="sm" onClick={() => onChange([])}>
        <GitCompareArrows />
      </IconButton>
    );
  const isReady = chosen.length >= 2 && chosen.length <= MOST_COMPARED;
  return (
    <>
      {isReady ? (
        <Button size="sm" kind="primary" onClick={() => navigate({ name: 'compare', works: chosen })}>
          {t('works.compareChosen', { count: chosen.length })}
        </Button>
      ) : undefined}
      <IconButton label={t('action.cancel')} size="sm" onClick={() => onChange(undefined)}>
        <X />
      </IconButton>
    </>
  );
}

const TextResults = lazy(() => import('./text-results.tsx'));
