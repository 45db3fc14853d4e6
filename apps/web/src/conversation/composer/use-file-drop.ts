/**
 * Files dropped on the composer. Files of the project tree are mentioned by their path; for other files a browser reveals only
 * the name, so they are rejected.
 */
import { type DragEvent, useState } from 'react';

/** Drag data of the project tree: a mount path. */
export const PATH_TYPE = 'application/x-crewagent-path';

interface FileDropOptions {
  readonly onPath: (mountPath: string) => void;
  /** Called with the names of files outside the project. */
  readonly onForeignMessage: (names: readonly string[]) => void;
}

export interface FileDrop {
  readonly isOver: boolean;
  readonly handlers: {
    readonly onDragOver: (event: DragEvent) => void;
    readonly onDragLeave: (event: DragEvent) => void;
    readonly onDrop: (event: DragEvent) => void;
  };
}

export function useFileDrop({ onPath, onForeignMessage }: FileDropOptions): FileDrop {
  const [isOver, setOver] = useState(false);
  const isForUs = ({ dataTransfer: { types } }: DragEvent): boolean =>
    types.includes(PATH_TYPE) || types.includes('Files');
  return {
    isOver,
    handlers: {
      onDragOver: (event) => {
        if (!isForUs(event)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'copy';
        setOver(true);
      },
      onDragLeave: (event) => {
        const { relatedTarget, currentTarget } = event;
        if (!(relatedTarget instanceof Node) || !currentTarget.contains(relatedTarget)) setOver(false);
      },
      onDrop: (event) => {
        setOver(false);
        if (!isForUs(event)) return;
        event.preventDefault();
        const path = event.dataTransfer.getData(PATH_TYPE);
        if (path.startsWith('@')) onPath(path);
        else onForeignMessage([...event.dataTransfer.files].map(({ name }) => name));
      },
    },
  };
}
