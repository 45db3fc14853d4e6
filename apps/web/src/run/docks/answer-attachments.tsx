/** Files that are attached to the answers of a question. */
import type { Answers } from '@crewagent/protocol/answers';
import type { ItemOf } from '@crewagent/protocol/story/items';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { classNames } from '../../ui/class-names.ts';
import { type AttachmentApi, useAttachments } from '../attachments/use-attachments.ts';
import { useFileDrop } from '../attachments/use-file-drop.ts';
import { append, withMention, withoutMention } from './attach-to-answer.ts';

interface AnswerAttachmentsProps extends AttachmentApi {
  readonly item: Pick<ItemOf<'question'>, 'questions'>;
}

interface OpenAnswers {
  readonly answers: Answers;
  readonly change: (answers: Answers) => void;
  /** A question that is answered with one click has no field. */
  readonly menu: unknown;
  /** Opens the field for a reply to all questions. */
  readonly openReply: (change: (text: string) => string) => void;
  readonly setReply: (change: (text: string) => string) => void;
}

/**
 * Files for an answer. They are mentioned where the person wrote last, else in the first answer that can be a text, else in the
 * reply to all questions. Questions of a server get none: it does not know the project.
 */
export function useAnswerAttachments(
  { item: { questions }, attach, detach }: AnswerAttachmentsProps,
  answering: OpenAnswers,
) {
  const [target, setTarget] = useState<string>();
  const latest = useRef(answering);
  latest.current = answering;
  const mention = (path: string): void => {
    const { answers, change, openReply, menu } = latest.current;
    const byText = [...questions].sort((a, b) => Number(b.type === 'text') - Number(a.type === 'text'));
    const question = questions.find(({ id }) => id === target) ?? byText[0];
    const next = question && !menu ? withMention(question, answers[question.id], path) : undefined;
    if (question && next !== undefined) change({ ...answers, [question.id]: next });
    else openReply((reply) => append(reply, path));
  };
  const isPossible = attach !== undefined && !questions.some(({ source }) => source);
  const attaching = useAttachments({
    attach: isPossible ? attach : undefined,
    detach,
    onStored: mention,
    onRemoved: (path) => {
      const { answers, change, setReply } = latest.current;
      change(
        Object.fromEntries(Object.entries(answers).map(([id, value]) => [id, withoutMention(value, path)])),
      );
      setReply((reply) => String(withoutMention(reply, path)));
    },
  });
  const drop = useFileDrop({ onPath: mention, onForeignFiles: attaching.add });
  return { attaching: { ...attaching, isPossible, setTarget }, drop };
}

interface DropZoneProps {
  readonly drop: ReturnType<typeof useFileDrop>;
  /** The dock. */
  readonly children: ReactNode;
}

export function DropZone({ drop: { isOver, handlers }, children }: DropZoneProps) {
  const { t } = useTranslation();
  return (
    <div
      // Where there is no room it shrinks as the dock does.
      className={classNames('flex min-h-0 flex-col rounded-xl', isOver && 'ring-2 ring-accent-text')}
      {...handlers}
    >
      {children}
      <p role="status" className="sr-only">
        {isOver ? t('composer.letGoAttach') : ''}
      </p>
    </div>
  );
}
