/** Drag and drop in the tree: dropping on a folder, or on a file in it, moves there. Paths can also be dragged to the composer. */
import type { FileEntry } from '@crewagent/protocol/api/files';
import { type DragEvent, type HTMLAttributes, useState } from 'react';
import { isAtOrIn, nameOf, PROJECT, parentOf } from '../paths.ts';

/** Drag data that the composer accepts as a project file: a mount path. */
const PATH_TYPE = 'application/x-crewagent-path';

interface TreeDragOptions {
  readonly entryAt: (id: string) => FileEntry | undefined;
  /** Undefined for somebody who may not move files. */
  readonly onMove: ((from: string, to: string) => void) | undefined;
}

export function useTreeDrag({ entryAt, onMove }: TreeDragOptions) {
  const [dragged, setDragged] = useState<string>();
  const [over, setOver] = useState<string>();

  const folderOf = (id: string): string =>
    id === PROJECT || entryAt(id)?.kind === 'folder' ? id : parentOf(id);
  /** The target folder; undefined if the move is impossible. */
  const targetOf = (id: string): string | undefined => {
    const folder = folderOf(id);
    if (!onMove || dragged === undefined || isAtOrIn(folder, dragged) || folder === parentOf(dragged))
      return undefined;
    return folder;
  };
  const end = (): void => {
    setDragged(undefined);
    setOver(undefined);
  };

  /** Attributes of a row, or of the whole panel for the project itself. */
  return (id: string): HTMLAttributes<HTMLElement> => {
    const entry = entryAt(id);
    return {
      ...(entry && !entry.isOutOfReach
        ? {
            draggable: true,
            onDragStart: ({ dataTransfer }: DragEvent) => {
              dataTransfer.setData(PATH_TYPE, id);
              dataTransfer.setData('text/plain', id);
              dataTransfer.effectAllowed = 'copyMove';
              setDragged(id);
            },
            onDragEnd: end,
          }
        : {}),
      onDragOver: (event) => {
        event.stopPropagation();
        const target = targetOf(id);
        setOver(target);
        if (target === undefined) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'move';
      },
      onDragLeave: () => setOver(undefined),
      onDrop: (event) => {
        event.stopPropagation();
        const target = targetOf(id);
        end();
        if (target === undefined || dragged === undefined) return;
        event.preventDefault();
        onMove?.(dragged, `${target}/${nameOf(dragged)}`);
      },
      className: over !== undefined && over === id ? 'ring-2 ring-inset ring-accent' : undefined,
    };
  };
}
