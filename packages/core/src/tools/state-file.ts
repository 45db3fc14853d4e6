/**
 * The file of a run's state document: read once per version, replaced atomically, with the changes of this process in order.
 */
import type { ToolError } from '@crewagent/protocol/tools';
import { createQueue } from '../base/queue.ts';
import { sha256Of } from '../base/sha256.ts';
import { stagingName } from '../base/staging.ts';
import { ChangedMeanwhile, type FileIdentity, isSameIdentity } from '../mounts/file-identity.ts';
import type { MountPath } from '../mounts/mount-path.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import { readWorkflowState, type WorkflowState } from '../workflow/workflow-state.ts';

export const STATE_DOCUMENT: MountPath = { mount: '@state', segments: ['workflow.md'] };

export interface StateDocument {
  readonly text: string;
  readonly sha256: string;
  readonly identity: FileIdentity;
  readonly state: WorkflowState;
}

export class DamagedState extends Error {
  readonly error: ToolError;

  constructor(error: ToolError) {
    super(error.message);
    this.error = error;
  }
}

export interface StateFile {
  /** Throws DamagedState if the document cannot be parsed. */
  read(): Promise<StateDocument>;
  /** Replaces `base`. Throws ChangedMeanwhile if the document is no longer `base`. */
  write(text: string, state: WorkflowState, base: StateDocument): Promise<StateDocument>;
  /** Applies a change to the current document, with retries; `change` writes. */
  retryOnLatest(change: (base: StateDocument) => Promise<StateDocument>): Promise<StateDocument>;
  /** Runs a write after those that are queued. */
  inOrder<T>(write: () => Promise<T>): Promise<T>;
  /** Reads the document, with the text of when this object last wrote it or first read it. */
  readAfter(): Promise<{ readonly before: string | undefined; readonly document: StateDocument }>;
}

/** Number of attempts when another program changes the document concurrently. */
const MAX_ATTEMPTS = 5;

export function openStateFile(files: MountedFs): StateFile {
  const inOrder = createQueue();
  let latest: StateDocument | undefined;
  /** Text when this object last wrote the document, or first read it. */
  let lastKnownText: string | undefined;

  const read = async (): Promise<StateDocument> => {
    const found = await files.withFile(STATE_DOCUMENT, async (file) => {
      // Unchanged since the last read or write.
      if (latest && isSameIdentity(latest.identity, file.identity)) return latest;
      return { bytes: await file.handle.readFile(), identity: file.identity };
    });
    if (!('bytes' in found)) return found;
    const { bytes, identity } = found;
    const text = bytes.toString('utf8');
    const parsed = await readWorkflowState(text);
    if (!parsed.ok) throw new DamagedState(parsed.error);
    latest = { text, sha256: sha256Of(bytes), identity, state: parsed.state };
    lastKnownText ??= text;
    return latest;
  };

  const write = async (text: string, state: WorkflowState, base: StateDocument): Promise<StateDocument> => {
    const bytes = Buffer.from(text);
    const identity = await files.replace(STATE_DOCUMENT, bytes, {
      expected: base.identity,
      tempName: stagingName('writing'),
    });
    latest = { text, sha256: sha256Of(bytes), identity, state };
    lastKnownText = text;
    return latest;
  };

  return {
    read,
    write,
    inOrder,
    retryOnLatest: (change) =>
      inOrder(async () => {
        for (let attempt = 1; ; attempt++) {
          try {
            return await change(await read());
          } catch (error) {
            if (!(error instanceof ChangedMeanwhile) || attempt === MAX_ATTEMPTS) throw error;
          }
        }
      }),
    async readAfter() {
      const before = lastKnownText;
      const document = await read();
      lastKnownText = document.text;
      return { before, document };
    },
  };
}
