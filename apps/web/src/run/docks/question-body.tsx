/** The text that a model shows above its questions, such as a draft. It scrolls by itself, so that the questions stay in sight. */
import type { Question } from '@crewagent/protocol/tools';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Markdown } from '../../ui/markdown/markdown.tsx';

interface QuestionBodyProps {
  readonly questions: readonly Question[];
  /** In the timeline it takes the space it needs. */
  readonly isPast?: boolean;
}

export function QuestionBody({ questions, isPast = false }: QuestionBodyProps) {
  const { t } = useTranslation();
  const body = bodyOf(questions);
  if (body === undefined) return undefined;
  if (isPast) return <Markdown text={body} />;
  return (
    <section
      aria-label={t('question.body')}
      // Scrolled with the keyboard as well.
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be focusable
      tabIndex={0}
      className="mb-4 max-h-[45vh] overflow-y-auto rounded-lg border bg-sunken px-3.5 py-2.5"
    >
      <Markdown text={body} />
    </section>
  );
}

export function bodyOf(questions: readonly Question[]): string | undefined {
  return questions.find(({ body }) => body !== undefined)?.body;
}
