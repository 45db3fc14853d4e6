/**
 * The state document of a run, parsed once per version; the changes of this process are made in order.
 */
import type { ToolError } from '@crewagent/protocol/tools';
import { createQueue } from '../../base/queue.ts';
import { ChangedMeanwhile } from '../../mounts/file-identity.ts';
import type { TextVersion, VersionedText } from '../../mounts/versioned-text.ts';
import { readWorkflowState, type WorkflowState } from '../../workflow/workflow-state.ts';

export interface StateDocument extends TextVersion {
  readonly state: WorkflowState;
}

export class DamagedState extends Error {
  readonly error: ToolError;

  constructor(error: ToolError) {
    super(error.message);
    this.error = error;
  }
}

/** Number of attempts when another program changes the document concurrently. */
const MAX_ATTEMPTS = 5;

export type StateFile = ReturnType<typeof openStateFile>;

export function openStateFile(file: VersionedText) {
  const inOrder = createQueue();
  let latest: StateDocument | undefined;
  /** Text when this object last wrote the document, or first read it. */
  let lastKnownText: string | undefined;

  /** Throws DamagedState if the document cannot be parsed. */
  const read = async (): Promise<StateDocument> => {
    const { text, sha256 } = await file.read();
    if (latest?.sha256 === sha256) return latest;
    const parsed = await readWorkflowState(text);
    if (!parsed.ok) throw new DamagedState(parsed.error);
    latest = { text, sha256, state: parsed.state };
    lastKnownText ??= text;
    return latest;
  };

  /** Replaces `base`. Throws ChangedMeanwhile if the document has other content than `base`. */
  const write = async (text: string, state: WorkflowState, base: StateDocument): Promise<StateDocument> => {
    const { sha256 } = await file.replace(text, base.sha256);
    latest = { text, sha256, state };
    lastKnownText = text;
    return latest;
  };

  return {
    read,
    write,
    /** Runs a write after those that are queued. */
    inOrder,
    /** Applies a change to the current document, with retries; `change` writes. */
    retryOnLatest: (change: (base: StateDocument) => Promise<StateDocument>): Promise<StateDocument> =>
      inOrder(async () => {
        for (let attempt = 1; ; attempt++) {
          try {
            return await change(await read());
          } catch (error) {
            if (!(error instanceof ChangedMeanwhile) || attempt === MAX_ATTEMPTS) throw error;
          }
        }
      }),
    /** Reads the document, with the text of when this object last wrote it or first read it. */
    async readAfter(): Promise<{ readonly before: string | undefined; readonly document: StateDocument }> {
      const before = lastKnownText;
      const document = await read();
      lastKnownText = document.text;
      return { before, document };
    },
  };
}
