/** The step as its author wrote it, without the head that is for the runtime. */
import { Markdown } from '../../../ui/markdown/markdown.tsx';

export function NodeText({ text }: { readonly text: string }) {
  return (
    <div className="rounded-lg border bg-surface px-3 py-2">
      <Markdown text={text.replace(HEAD, '').trim()} />
    </div>
  );
}

const HEAD = /^\uFEFF?---\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/;
