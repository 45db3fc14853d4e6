/** Changes the list of artifacts in a state document, for the gate, and for runs that are not open. */
import { editStateLists, updateStateText } from '../../workflow/update-state.ts';
import { MAX_STATE_CHARS, STATE_TOO_LONG } from '../../workflow/workflow-state.ts';
import { stateFullError } from './state-errors.ts';
import { DamagedState, type StateDocument, type StateFile } from './state-file.ts';

/** Paths relative to the project. */
export interface ArtifactChange {
  readonly append?: readonly string[];
  readonly remove?: readonly string[];
}

/** Adds what is missing, once, and removes what is there; otherwise a no-op. */
export function changeArtifacts(
  file: StateFile,
  { append = [], remove = [] }: ArtifactChange,
): Promise<StateDocument> {
  return file.retryOnLatest(async (base) => {
    const before = base.state.artifacts;
    const gone = new Set(remove);
    const kept = before.flatMap((path, index) => (gone.has(path) ? [] : [{ path, index }]));
    const added = [...new Set(append)].filter((path) => !before.includes(path));
    if (added.length === 0 && kept.length === before.length) return base;
    const items = [...kept.map(({ index }) => ({ index })), ...added.map((value) => ({ value }))];
    const edited =
      kept.length === before.length
        ? await updateStateText(base.text, { artifacts: { append: added } })
        : await editStateLists(base.text, { artifacts: items });
    if (!edited.ok && edited.error !== STATE_TOO_LONG) throw new DamagedState(edited.error);
    if (!edited.ok || Buffer.byteLength(edited.text) > MAX_STATE_CHARS) throw stateFullError();
    const artifacts = [...kept.map(({ path }) => path), ...added];
    return file.write(edited.text, { ...base.state, artifacts }, base);
  });
}
