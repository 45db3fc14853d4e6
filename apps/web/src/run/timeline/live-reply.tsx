/** The reply that is being written: all that is drawn anew with each of its words. */
import { useSyncExternalStore } from 'react';
import type { Told, Words } from '../../state/conversation-store.ts';
import { ReplyRow } from './rows/reply-row.tsx';

export function LiveReply({ words }: { readonly words: Told<Words | undefined> }) {
  const { text = '', reasoning } = useSyncExternalStore(words.subscribe, words.read) ?? {};
  return <ReplyRow rowKey="streaming" text={text} reasoning={reasoning} isStreaming />;
}
