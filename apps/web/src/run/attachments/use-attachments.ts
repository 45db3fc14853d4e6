/** Files that are attached to a message: stored in the project one after the other, then mentioned in the text by their path. */
import { MAX_ATTACHMENT_BYTES } from '@crewagent/protocol/api/attachments';
import { type ClipboardEvent, useRef, useState } from 'react';
import type { WorkApi } from '../../api/work-api.ts';
import { toError } from '../../ui/errors/error-texts.ts';

export interface Attachment {
  readonly id: number;
  readonly name: string;
  /** Once it is stored. */
  readonly path?: string;
  readonly issue?: Error | 'too-large';
}

export type AttachmentApi = Pick<WorkApi, 'attach' | 'detach'>;

interface AttachmentsOptions extends AttachmentApi {
  /** The file is stored: mention it. */
  readonly onStored: (path: string) => void;
  /** The file was removed again. */
  readonly onRemoved: (path: string) => void;
}

export function useAttachments(options: AttachmentsOptions) {
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const lastId = useRef(0);
  const latest = useRef(options);
  latest.current = options;
  const update = (id: number, change: Partial<Attachment>): void =>
    setAttachments((known) => known.map((one) => (one.id === id ? { ...one, ...change } : one)));
  const forget = (id: number): void => setAttachments((known) => known.filter((one) => one.id !== id));

  const add = async (files: readonly File[]): Promise<void> => {
    const added = files.map((file) => {
      lastId.current += 1;
      return { file, id: lastId.current, isTooLarge: file.size > MAX_ATTACHMENT_BYTES };
    });
    setAttachments((known) => [
      ...known,
      ...added.map(({ file: { name }, id, isTooLarge }) => ({
        id,
        name,
        ...(isTooLarge && { issue: 'too-large' as const }),
      })),
    ]);
    for (const { file, id, isTooLarge } of added) {
      if (isTooLarge) continue;
      try {
        const path = await latest.current.attach?.(file);
        if (path === undefined) continue;
        update(id, { path });
        latest.current.onStored(path);
      } catch (error) {
        update(id, { issue: toError(error) });
      }
    }
  };

  const remove = async ({ id, path }: Attachment): Promise<void> => {
    if (path !== undefined) {
      try {
        await latest.current.detach?.(path);
        latest.current.onRemoved(path);
      } catch (error) {
        update(id, { issue: toError(error) });
        return;
      }
    }
    forget(id);
  };
  return {
    attachments,
    isStoring: attachments.some(({ path, issue }) => path === undefined && issue === undefined),
    add: (files: readonly File[]): void => void add(files),
    /** A picture from the clipboard, or copied files. */
    onPaste: (event: ClipboardEvent): void => {
      const files = [...event.clipboardData.files];
      if (files.length === 0 || !options.attach) return;
      event.preventDefault();
      void add(files);
    },
    remove: (attachment: Attachment): void => void remove(attachment),
    /** The message was sent; what could not be stored stays in sight. */
    clear: (): void => setAttachments((known) => known.filter(({ issue }) => issue !== undefined)),
  };
}
