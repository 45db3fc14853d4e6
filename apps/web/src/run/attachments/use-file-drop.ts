/** Files dropped on the composer. Files of the project tree are mentioned by their path; other files are attached, or rejected. */
import { type DragEvent, useState } from 'react';

/** Drag data of the project tree: a mount path. */
export const PATH_TYPE = 'application/x-crewagent-path';

interface FileDropOptions {
  readonly onPath: (mountPath: string) => void;
  /** Called with files from outside the project. */
  readonly onForeignFiles: (files: readonly File[]) => void;
}

export function useFileDrop({ onPath, onForeignFiles }: FileDropOptions) {
  const [isOver, setOver] = useState(false);
  const isForUs = ({ dataTransfer: { types } }: DragEvent): boolean =>
    types.includes(PATH_TYPE) || types.includes('Files');
  return {
    isOver,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!isForUs(event)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'copy';
        setOver(true);
      },
      onDragLeave: (event: DragEvent) => {
        const { relatedTarget, currentTarget } = event;
        if (!(relatedTarget instanceof Node) || !currentTarget.contains(relatedTarget)) setOver(false);
      },
      onDrop: (event: DragEvent) => {
        setOver(false);
        if (!isForUs(event)) return;
        event.preventDefault();
        const path = event.dataTransfer.getData(PATH_TYPE);
        if (path.startsWith('@')) onPath(path);
        else onForeignFiles([...event.dataTransfer.files]);
      },
    },
  };
}
