/** What is shown around questions: the text of the model above them, and the frame of an MCP server. */
import type { Question } from '@crewagent/protocol/tools';
import { Plug } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { toShownLine, toShownProse } from '../../ui/sanitize-text.ts';

interface QuestionBodyProps {
  readonly questions: readonly Question[];
  /** In the timeline it takes the space it needs. */
  readonly isPast?: boolean;
}

/** The text that a model shows above its questions, such as a draft. It scrolls by itself, so that the questions stay in sight. */
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

interface ServerFrameProps {
  readonly questions: readonly Question[];
  readonly children: ReactNode;
  /** Nothing can be entered any more. */
  readonly isPast?: boolean;
}

/** Frame around the words of an MCP server, which are not ours: it names the server and quotes its message. */
export function ServerFrame({ questions, children, isPast = false }: ServerFrameProps) {
  const { t } = useTranslation();
  const source = questions.find((question) => question.source)?.source;
  if (!source) return children;
  const { server, message, label } = source;
  return (
    <figure className="rounded-lg border border-line-strong">
      <figcaption className="flex items-center gap-2 rounded-t-lg border-b bg-sunken px-3 py-1.5 text-sm font-medium wrap-anywhere">
        <Plug className="size-3.5 shrink-0 text-ink-faint" />
        {t(isPast ? 'question.serverAsked' : 'question.serverAsks', { server: toShownLine(server) })}
      </figcaption>
      <div className="flex flex-col gap-3 px-3 py-2.5">
        {message === label ? undefined : (
          <blockquote className="border-s-2 ps-3 whitespace-pre-wrap text-ink-soft wrap-anywhere">
            {toShownProse(message)}
          </blockquote>
        )}
        {children}
      </div>
      {isPast ? undefined : (
        <p className="border-t px-3 py-1.5 text-sm text-ink-faint">{t('question.serverNote')}</p>
      )}
    </figure>
  );
}

/** What a question asks for, where its frame names who asks. */
export function toPrompt({ prompt, source }: Question): string {
  return toShownProse(source?.label ?? prompt);
}
