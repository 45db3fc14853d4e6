/** Everything one can do or go to, found by typing: commands, conversations, runs, steps, files. */
import { MessageSquareText, Workflow } from 'lucide-react';
import { useState } from 'react';
import { useWork } from '../../api/work-context.tsx';
import { formatWhen } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { navigate } from '../../navigation/router.ts';
import { bestOf } from '../../palette/best-of.ts';
import { type Command, useAllCommands } from '../../palette/commands.ts';
import { MOST_OF_A_KIND, useFound } from '../../palette/finders.ts';
import { inGroups } from '../../palette/in-groups.ts';
import { PaletteFrame } from '../../palette/palette-frame.tsx';
import { useTitleOf } from '../../works/use-title-of.ts';

interface CommandPaletteProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** The command that opens it. */
export const PALETTE = 'palette';

export function CommandPalette({ isOpen, onClose }: CommandPaletteProps) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  // One is there already.
  const commands = useAllCommands().filter(({ id }) => id !== PALETTE);
  const works = useWorkCommands();
  const wanted = text.trim();
  const found = useFound(isOpen ? wanted : '');
  return (
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
          : [
              ...inGroups(bestOf(commands, wanted)),
              ...works.flatMap((kind) => bestOf(kind, wanted).slice(0, MOST_OF_A_KIND)),
              ...found.commands,
            ]
      }
    />
  );
}

/** Conversations and runs of all projects, the latest first. */
function useWorkCommands(): readonly (readonly Command[])[] {
  const { t } = useTranslation();
  const { list } = useWork();
  const titleOf = useTitleOf();
  const conversations = (list?.conversations ?? []).map(
    (conversation): Command => ({
      id: `conversation ${conversation.conversationId}`,
      title: titleOf(conversation),
      detail: formatWhen(conversation.updatedAt),
      icon: <MessageSquareText aria-hidden="true" />,
      group: t('files.palette.conversations'),
      run: () => navigate({ name: 'conversation', ...placeOf(conversation) }),
    }),
  );
  const runs = (list?.runs ?? []).map(
    ({ runId, projectId, conversationId, workflow, updatedAt, phase }): Command => ({
      id: `run ${runId}`,
      title: workflow.title,
      detail: `${t(`phase.${phase}`)} · ${formatWhen(updatedAt)}`,
      icon: <Workflow aria-hidden="true" />,
      group: t('files.palette.runs'),
      run: () =>
        navigate(
          conversationId === undefined
            ? { name: 'run', projectId, runId }
            : { name: 'conversation', projectId, conversationId },
        ),
    }),
  );
  return [conversations, runs];
}

function placeOf({
  projectId,
  conversationId,
}: {
  readonly projectId: string;
  readonly conversationId: string;
}) {
  return { projectId, conversationId };
}
