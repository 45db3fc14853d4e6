/**
 * Markdown into elements, also while it is still being written. HTML in it is text; nothing in it is fetched; links lead
 * outside, in a window that knows nothing of ours. Loaded lazily: use `Markdown`.
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
