/**
 * Writes of the state document, as prepared actions: validated by the gate, and committed through it.
 */
import { toFileAction } from '@crewagent/protocol/described-actions';
import { STATE_DOCUMENT } from '@crewagent/protocol/tool-effects';
import type { ToolError, ToolFailure } from '@crewagent/protocol/tools';
import { isSameValue } from '../../workflow/same-value.ts';
import { allowedNext } from '../../workflow/transition.ts';
import type { StateDocument } from '../state/state-file.ts';
import type { StateGate } from '../state/state-gate.ts';
import type { StateChange } from '../state/validate-change.ts';
import { failure } from '../tool.ts';
import { toFileFailure } from '../tool-failure.ts';
import type { PreparedAction } from '../tool-source.ts';
import type { WriteRequest, WriteSources } from './write-request.ts';

export async function prepareState(
  request: WriteRequest,
  {
    base,
    content,
    displayPath,
    gate,
  }: { base: StateDocument; content: Buffer; displayPath: string; gate: StateGate },
  sources: WriteSources,
): Promise<PreparedAction | ToolFailure> {
  if (sources.strictState) {
    return failure(
      'E_SANDBOX_VIOLATION',
      `"${displayPath}" cannot be written with fs tools in this run; use runtime.complete_node or runtime.update_state.`,
      { reason: 'private' },
    );
  }
  const validated = await gate.validate(base, content.toString('utf8'), { signal: request.call.signal });
  if (!validated.ok) return { ok: false, error: toHandWrittenError(request.call.name, validated.error) };
  return prepareStateChange(validated.change, gate, { ...request, tool: request.call.name });
}

/** Who writes the whole document by hand needs the tool for it, not its format. */
function toHandWrittenError(tool: string, error: ToolError): ToolError {
  if (tool !== 'fs.write') return error;
  return {
    ...error,
    message: `The state document was not changed. Use runtime_complete_node. (${error.message})`,
  };
}

interface StateRequest extends Pick<WriteRequest, 'describe'>, Partial<Pick<WriteRequest, 'effectOf'>> {
  readonly tool: string;
}

/** A validated state change as an action that can be previewed and committed. */
export async function prepareStateChange(
  change: StateChange,
  gate: StateGate,
  { tool, describe, effectOf }: StateRequest,
): Promise<PreparedAction> {
  const path = STATE_DOCUMENT;
  const bytes = Buffer.from(change.text, 'utf8');
  // Loaded lazily: the diff module is large, and not every run writes.
  const { diffOf } = await import('./unified-diff.ts');
  const diff = diffOf(path, Buffer.from(change.base.text, 'utf8'), bytes);
  return {
    action: toFileAction(tool, path, diff, 'state'),
    // Never asked about: the gate decides.
    files: [],
    effect: { kind: 'state', ...(effectOf ? { path, ...effectOf({ diff, isNew: false }) } : {}) },
    isNoop: false,
    async commit() {
      try {
        const written = await gate.commit(change, diff);
        const facts = {
          sha256Before: change.base.sha256,
          sha256After: written.sha256,
          diff,
          isState: true,
        };
        return {
          ok: true,
          path,
          ...describe(facts),
          ...(change.notes.length > 0 ? { notes: change.notes } : {}),
          state: {
            sha256: written.sha256,
            currentNodeId: change.to,
            ...newlyAllowed(change, written, gate),
          },
        };
      } catch (error) {
        return toFileFailure(error, path);
      }
    },
  };
}

/** The model has the same edges in its brief. */
function newlyAllowed({ base }: StateChange, written: Pick<StateDocument, 'state'>, { graph }: StateGate) {
  const allowed = allowedNext(written.state, graph);
  return isSameValue(allowed, allowedNext(base.state, graph)) ? {} : { allowedNext: allowed };
}
