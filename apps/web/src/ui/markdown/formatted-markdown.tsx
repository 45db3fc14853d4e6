/**
 * Renders Markdown as elements, also while it is streaming. HTML is shown as text, nothing is fetched, and links open a new
 * window without access to this one. Loaded lazily: use `Markdown`.
 */
import { memo, useMemo, useState } from 'react';
import { Blocks } from './block.tsx';
import { createBlockReader, readBlocks } from './read-blocks.ts';

interface FormattedMarkdownProps {
  readonly text: string;
  readonly isStreaming: boolean;
}

export default memo(function FormattedMarkdown({ text, isStreaming }: FormattedMarkdownProps) {
  const [readOn] = useState(createBlockReader);
  const { blocks, definitions } = useMemo(
    () => (isStreaming ? readOn(text) : readBlocks(text)),
    [text, isStreaming, readOn],
  );
  return (
    <div key={definitions} className="prose">
      <Blocks tokens={blocks} depth={0} />
    </div>
  );
});
