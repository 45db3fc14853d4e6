/**
 * Whether an action of a tool call may be performed: by the preset, by consent that was given, or by the user's answer to this
 * request.
 */
import { isFileAction, isOnceOnly } from '@crewagent/protocol/described-actions';
import type { ApprovalPreset, DescribedAction, ToolFailure } from '@crewagent/protocol/tools';
import { failure } from './tool.ts';
import { done, type ToolOutcome } from './tool-outcome.ts';
import { needsApproval, type ToolPolicy } from './tool-policy.ts';
import type { PreparedAction, ToolDescription } from './tool-source.ts';

/** What is known of the consent for a call. */
export interface ConsentOptions {
  /** The user's answer to an earlier `approval` outcome; valid only for the preview that was shown. */
  readonly approval?: {
    readonly isGranted: boolean;
    readonly preview: string;
    /** Of the action that was shown; for a tool of a server it contains the version of the tool. */
    readonly target?: string;
    readonly note?: string;
  };
  /** Consent that was given for longer: for the node, the run, or always. */
  isGranted?(tool: string, target: string): boolean | Promise<boolean>;
  /** The approval preset at the time of the call; undefined: that of the policy. */
  presetNow?(): Promise<ApprovalPreset | undefined>;
}

type ConsentRequest = Pick<PreparedAction, 'action' | 'effect' | 'runsLater' | 'isNoop'> & {
  /** Ask even under the `autopilot` preset. */
  readonly mustAsk?: boolean;
  /** Allowed by a rule of a person. */
  readonly isAllowed?: boolean;
};

/** An action outside the project has no preview, so the user is asked about the call itself. */
export function toExternalAction(tool: ToolDescription, args: unknown): ConsentRequest | undefined {
  const { name, server, effect, isReadOnly } = tool;
  if (effect !== 'external' || isReadOnly) return undefined;
  const preview = { kind: 'json', text: JSON.stringify(args) } as const;
  const { title, target, mustAsk, isOnceOnly, isAllowed } = tool.consentFor?.(args) ?? {
    title: `${name} wants to run${server === undefined ? '' : ` on ${server}`}`,
    target: tool.consentTarget ?? server ?? name,
    mustAsk: tool.mustAsk ?? false,
    isOnceOnly: false,
    isAllowed: false,
  };
  const action = { title, target, effect, preview, ...(isOnceOnly ? { isOnceOnly: true as const } : {}) };
  return { action, effect: {}, isNoop: false, mustAsk, isAllowed };
}

/** A denial or a request for approval; undefined if the action may be performed. */
export async function checkConsent(
  name: string,
  { action, effect, runsLater, isNoop, mustAsk = false, isAllowed: isRuled = false }: ConsentRequest,
  { approval, isGranted, presetNow }: ConsentOptions,
  policy: ToolPolicy,
): Promise<ToolOutcome | undefined> {
  const preset = (await presetNow?.()) ?? policy.approval;
  const isOwnState = action.effect === 'state';
  if (preset === 'read-only' && !isOwnState) return done(name, READ_ONLY, effect);
  if (approval?.isGranted === false) return done(name, toDenial(action, approval.note), effect);
  const isAllowed =
    isFor(approval, action) ||
    isNoop ||
    isRuled ||
    (!isOnceOnly({ action, runsLater }) &&
      ((!mustAsk && !needsApproval(action, { ...policy, approval: preset })) ||
        (await isGranted?.(name, action.target)) === true));
  return isAllowed ? undefined : { kind: 'approval', name, action, ...(runsLater ? { runsLater } : {}) };
}

/** Whether the answer is for this very action. */
export function isFor(approval: ConsentOptions['approval'], { preview, target }: DescribedAction): boolean {
  return approval?.preview === preview.text && (approval.target ?? target) === target;
}

function toDenial(action: DescribedAction, note: string | undefined): ToolFailure {
  const what = isFileAction(action) ? `change to "${action.target}"` : `call to "${action.target}"`;
  const said = note ? ` Their note: ${note}` : '';
  return failure('TOOL_REFUSED', `The user denied this ${what}.${said} Do not repeat it unchanged.`);
}

const READ_ONLY: ToolFailure = failure(
  'TOOL_REFUSED',
  'The user allows reading only, from now on; nothing was changed.',
);
