/** Search over commands, conversations, runs, steps and files. */
import type { WorkSummary } from '@crewagent/protocol/api/work-messages';
import { MessageSquareText, Workflow } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useWork } from '../../api/work-context.tsx';
import { formatWhen } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { openInFront } from '../../navigation/open-in-front.ts';
import { bestOf, splitByMatch } from '../../palette/best-of.ts';
import { type Command, useAllCommands } from '../../palette/commands.ts';
import { MAX_PER_KIND, useFound } from '../../palette/finders.ts';
import { inGroups, PaletteFrame } from '../../palette/palette-frame.tsx';
import { useTitleOf } from '../../works/use-title-of.ts';

interface CommandPaletteProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Id of the command that opens it. */
export const PALETTE = 'palette';

export function CommandPalette({ isOpen, onClose }: CommandPaletteProps) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  // The palette is already open.
  const commands = useAllCommands().filter(({ id }) => id !== PALETTE);
  const works = useWorkCommands();
  const wanted = text.trim();
  useMatchingWorks(isOpen ? wanted : '');
  const found = useFound(isOpen ? wanted : '');
  const { good, loose } = splitByMatch(isOpen ? commands : [], wanted);
  return (
    <>
      {isOpen ? (
        <Suspense>
          <SettingsCommands />
        </Suspense>
      ) : undefined}
      <PaletteFrame
        isOpen={isOpen}
        onClose={() => {
          setText('');
          onClose();
        }}
        title={t('palette.title')}
        placeholder={t('palette.placeholder')}
        text={text}
        onText={setText}
        empty={t(found.isBusy ? 'files.finding' : 'palette.empty')}
        commands={
          wanted === ''
            ? inGroups(commands, { first: t('palette.project'), last: t('rail.settings') })
            : inGroups([
                ...good,
                ...works.flatMap((kind) => bestOf(kind, wanted).slice(0, MAX_PER_KIND)),
                ...found.commands,
                ...loose,
              ])
        }
      />
    </>
  );
}

/** Without them, if they can't be loaded. */
const SettingsCommands = lazy(() =>
  import('./settings-commands.tsx').catch(() => ({ default: () => undefined })),
);

/** Loads Works that the page does not know yet and whose title contains the words. */
function useMatchingWorks(text: string): void {
  const { list, load } = useWork();
  const isWanted = text !== '' && list?.next !== undefined;
  useEffect(() => {
    if (!isWanted) return;
    const controller = new AbortController();
    const { signal } = controller;
    const query = { text, archived: 'any', limit: String(2 * MAX_PER_KIND) } as const;
    // What the page knows is found without the server.
    const timer = setTimeout(() => void load(query, signal).catch(() => undefined), TYPING_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [isWanted, text, load]);
}

/** Time in which a further letter may be typed. */
const TYPING_MS = 120;

/** Conversations and runs of all projects, most recent first. */
function useWorkCommands(): readonly (readonly Command[])[] {
  const { t } = useTranslation();
  const { list } = useWork();
  const titleOf = useTitleOf();
  const toCommand = (work: WorkSummary): Command => {
    const { workId, projectId, parentId = workId, phase, updatedAt } = work;
    const when = formatWhen(updatedAt);
    return {
      id: `work ${workId}`,
      title: titleOf(work),
      detail: work.run ? `${t(`phase.${phase}`)} · ${when}` : when,
      icon: work.run ? <Workflow /> : <MessageSquareText />,
      group: t(work.run ? 'files.palette.runs' : 'files.palette.conversations'),
      // A run is shown in its conversation.
      run: () => openInFront({ name: 'work', projectId, workId: parentId }),
    };
  };
  const { works = [] } = list ?? {};
  return [works.filter(({ run }) => !run).map(toCommand), works.filter(({ run }) => run).map(toCommand)];
}
