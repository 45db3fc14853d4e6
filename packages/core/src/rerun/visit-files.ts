/** The files of a visit, and whether they are as it left them. Pure. */
import type { FileVisit, Touch } from '@crewagent/protocol/file-use';
import type { CarriedFile } from '@crewagent/protocol/proof';

/** What a visit, with those of the runs that it called, found in a file before it wrote it, and what it left there. */
interface UsedFile {
  readonly path: string;
  read?: Touch;
  written?: Touch;
}

function toUsedFiles(made: readonly FileVisit[]): UsedFile[] {
  const files = new Map<string, UsedFile>();
  for (const touch of inOrder(made)) {
    const file = files.get(touch.path) ?? { path: touch.path };
    files.set(touch.path, file);
    if (touch.kind === 'write') file.written = touch;
    else if (!file.written) file.read = touch;
  }
  return [...files.values()];
}

export function toCarriedFiles(made: readonly FileVisit[]): CarriedFile[] {
  return toUsedFiles(made).flatMap(({ path, read, written }) =>
    [read, written].flatMap((touch) =>
      touch
        ? [{ kind: touch.kind, path, ...(touch.sha256 === undefined ? {} : { sha256: touch.sha256 }) }]
        : [],
    ),
  );
}

/** `all`: every visit of the run. `now`: hashes; null for a file that is gone, missing for one that nobody may read. */
export function areFilesSame(
  made: readonly FileVisit[],
  all: readonly FileVisit[],
  now: ReadonlyMap<string, string | null>,
): boolean {
  const touches = inOrder(all);
  return toUsedFiles(made).every(({ path, read, written }) => {
    const current = now.get(path);
    if (current === undefined) return true;
    const writes = touches.filter((touch) => touch.path === path && touch.kind === 'write');
    const last = writes.at(-1);
    /** A later step of the other run wrote it, and it is still as that one left it. */
    const isLeft = ({ order }: Touch): boolean =>
      last !== undefined && last.order > order && last.sha256 !== undefined && current === last.sha256;
    const isSame = (touch: Touch): boolean =>
      (touch.sha256 === undefined ? current !== null : current === touch.sha256) || isLeft(touch);
    if (read && !isSame(read)) return false;
    // What a person made of a result stays, unless another step writes the file as well.
    const isEdited = current !== null && writes.every(({ order }) => made.some(has(order)));
    return !written || isSame(written) || isEdited;
  });
}

const has =
  (order: number) =>
  ({ touches }: FileVisit): boolean =>
    touches.some((touch) => touch.order === order);

function inOrder(visits: readonly FileVisit[]): Touch[] {
  return visits.flatMap(({ touches }) => touches).sort((a, b) => a.order - b.order);
}
