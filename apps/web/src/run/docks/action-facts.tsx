/** What is to know about an action besides its preview: what changed since it was asked for, what its files are, what runs them. */
import { isOutsideProject } from '@crewagent/protocol/described-actions';
import type { ItemOf } from '@crewagent/protocol/story/items';
import type { FileFact, Undeclared } from '@crewagent/protocol/tools';
import { TriangleAlert } from 'lucide-react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Note } from '../../ui/note.tsx';
import { toShownName } from '../approval-reach.ts';

export function ActionFacts({
  item: { action, runsLater },
}: {
  readonly item: Pick<ItemOf<'approval'>, 'action' | 'runsLater'>;
}) {
  const { t } = useTranslation();
  const { changed = [], files = [], undeclared } = action;
  const facts = files.flatMap((file) =>
    factsOf(file).map((fact) => ({ fact, path: toShownName(file.path) })),
  );
  const runners = new Set(
    [runsLater, ...files.map((file) => file.runsLater)].filter((one) => one !== undefined),
  );
  return (
    <>
      {changed.length > 0 ? (
        <div className="mb-2">
          <Note level="warning" title={t('approval.changed.title')} isAlert>
            <ul className="list-disc ps-4">
              {changed.map((code) => (
                <li key={code}>
                  {t(`approval.changed.${toKnown(code)}`, {
                    path: toShownName(files[0]?.path ?? action.target),
                  })}
                </li>
              ))}
            </ul>
          </Note>
        </div>
      ) : undefined}
      {undeclared ? (
        <Warning
          text={t(`approval.undeclared.${toKey(undeclared)}`, { globs: undeclared.globs?.join(', ') ?? '' })}
        />
      ) : undefined}
      {isOutsideProject(action) ? <Warning text={t('approval.external')} /> : undefined}
      {[...runners].map((runner) => (
        <Warning key={runner} text={t(`runsLater.${runner}`)} />
      ))}
      {facts.map(({ fact, path }) => (
        <Warning key={`${fact} ${path}`} text={t(`approval.fact.${fact}`, { path })} />
      ))}
    </>
  );
}

function toKey({ by, access }: Undeclared): 'writes' | Undeclared['access'] {
  return by === 'writes' ? 'writes' : access;
}

const CHANGES = ['target', 'kind', 'mode', 'runner', 'content', 'identity', 'preview'] as const;

function toKnown(code: string): (typeof CHANGES)[number] {
  return CHANGES.find((known) => known === code) ?? 'preview';
}

type Fact = 'executable' | 'isLink' | 'becomesLink' | 'removed' | 'replacesFolder';

/** What a diff does not show. */
function factsOf({ before, after }: FileFact): readonly Fact[] {
  const facts: (Fact | false)[] = [
    isExecutable(after.mode) && !isExecutable(before.mode) && 'executable',
    before.kind === 'link' && after.kind !== 'link' && 'isLink',
    after.kind === 'link' && 'becomesLink',
    before.kind !== 'absent' && after.kind === 'absent' && 'removed',
    before.kind === 'folder' && after.kind !== 'folder' && after.kind !== 'absent' && 'replacesFolder',
  ];
  return facts.filter((fact) => fact !== false);
}

function isExecutable(mode = 0): boolean {
  return (mode & 0o111) !== 0;
}

function Warning({ text }: { readonly text: string }) {
  return (
    <p className="mb-2 flex items-start gap-2 font-medium wrap-anywhere text-bad">
      <TriangleAlert className="mt-0.5 size-4 shrink-0" />
      {text}
    </p>
  );
}
