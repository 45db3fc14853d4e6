/** Edits of one folder that can be undone and redone, bounded; the oldest is forgotten first. In memory only. */
import { CrewError } from '../base/crew-error.ts';

/** Undefined: there is no such file. */
export interface TextChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

type Write = (changes: readonly TextChange[]) => Promise<void>;

const MAX_EDITS = 200;
const MAX_CHARS = 32 * 1024 * 1024;

export function createEditHistory() {
  const done: (readonly TextChange[])[] = [];
  const undone: (readonly TextChange[])[] = [];
  const move = async (
    from: (readonly TextChange[])[],
    to: (readonly TextChange[])[],
    write: (changes: readonly TextChange[]) => Promise<void>,
  ): Promise<void> => {
    const changes = from.at(-1);
    if (!changes) throw new CrewError('USAGE', 'There is no further edit to undo or redo.');
    await write(changes);
    from.pop();
    to.push(changes);
  };
  return {
    add(changes: readonly TextChange[]): void {
      undone.length = 0;
      done.push(changes);
      while (done.length > MAX_EDITS || sizeOf(done) > MAX_CHARS) done.shift();
    },
    undo: (write: Write) => move(done, undone, (changes) => write(changes.map(inverse))),
    redo: (write: Write) => move(undone, done, write),
    state: () => ({ canUndo: done.length > 0, canRedo: undone.length > 0 }),
  };
}

function inverse({ path, before, after }: TextChange): TextChange {
  return { path, before: after, after: before };
}

function sizeOf(edits: readonly (readonly TextChange[])[]): number {
  return edits.flat().reduce((sum, { before = '', after = '' }) => sum + before.length + after.length, 0);
}
