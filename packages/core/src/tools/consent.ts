/**
 * Whether an action of a tool call may be performed: by the preset, by consent that was given, or by the user's answer to this
 * request.
 */
import { type ChangedFact, isFileAction, isOnceOnly } from '@crewagent/protocol/described-actions';
import { isRead } from '@crewagent/protocol/tool-effects';
import type { ApprovalPreset, DescribedAction, FileFact, ToolFailure } from '@crewagent/protocol/tools';
import { type FileRights, findUndeclared } from './file-rights.ts';
import { failure } from './tool.ts';
import { type ApprovalRequest, type DoneCall, done } from './tool-outcome.ts';
import { needsApproval, type ToolPolicy } from './tool-policy.ts';
import type { PreparedAction, ToolDescription } from './tool-source.ts';

/** What is known of the consent for a call. */
export interface ConsentOptions {
  /** The user's answer to an earlier `approval` outcome; valid only for the action that was shown. */
  readonly approval?: Approval | undefined;
  /** An action that was approved and interrupted: exactly the same one needs no new consent. */
  readonly interrupted?: DescribedAction | undefined;
  /** Consent that was given for longer: for the node, the run, or always. */
  isGranted?(tool: string, target: string): boolean | Promise<boolean>;
  /** The approval preset at the time of the call; undefined: that of the policy. */
  presetNow?(): Promise<ApprovalPreset | undefined>;
  /** What the author declared; a person is asked about anything else, under every preset. */
  readonly rights?: FileRights | undefined;
}

export interface Approval {
  readonly isGranted: boolean;
  readonly action: DescribedAction;
  readonly note?: string | undefined;
  /** A setting answered, because no person is there. */
  readonly isUnattended?: boolean | undefined;
  /** A hook denied it; the note says which one and why. */
  readonly isByHook?: true | undefined;
  /** The call has run, and the answer is about what it changed. */
  readonly isHeld?: boolean | undefined;
}

type ConsentRequest = Pick<PreparedAction, 'action' | 'files' | 'effect' | 'isNoop'> & {
  /** Ask even under the `autopilot` preset. */
  readonly mustAsk?: boolean;
  /** Allowed by a rule of a person. */
  readonly isAllowed?: boolean;
};

/** An action outside the project has no preview, so the user is asked about the call itself. */
export async function toExternalAction(
  tool: ToolDescription,
  args: unknown,
): Promise<ConsentRequest | undefined> {
  const { name, server, effect, isReadOnly } = tool;
  if (effect !== 'external' || isReadOnly) return undefined;
  const preview = { kind: 'json', text: JSON.stringify(args) } as const;
  const consent = (await tool.consentFor?.(args)) ?? {
    title: `${name} wants to run${server === undefined ? '' : ` on ${server}`}`,
    target: tool.consentTarget ?? server ?? name,
    mustAsk: tool.mustAsk ?? false,
    isOnceOnly: false,
    isAllowed: false,
  };
  const { title, target, mustAsk, isAllowed, files = [] } = consent;
  const action = { title, target, effect, preview, isOnceOnly: consent.isOnceOnly || undefined };
  return { action, files, effect: {}, isNoop: false, mustAsk, isAllowed };
}

/** A denial or a request for approval; undefined if the action may be performed. */
export async function checkConsent(
  name: string,
  { action: described, files, effect, isNoop, mustAsk = false, isAllowed: isRuled = false }: ConsentRequest,
  { approval, interrupted, isGranted, presetNow, rights }: ConsentOptions,
  policy: ToolPolicy,
): Promise<DoneCall | ApprovalRequest | undefined> {
  const chosen = (await presetNow?.()) ?? policy.approval;
  // Only nodes declare files.
  const preset = chosen === 'declared' && !rights ? 'ask' : chosen;
  const undeclared = rights && findUndeclared(await rights.now(), described, files);
  const action = bind(undeclared ? { ...described, undeclared } : described, files);
  const isHarmless = action.effect === 'state' || isRead({ kind: action.effect });
  if (preset === 'read-only' && !isHarmless) return done(name, READ_ONLY, effect);
  if (approval?.isGranted === false) return done(name, toDenial(action, approval), effect);
  const runsLater = runnerOf(files);
  const targets = isFileAction(action) && files.length > 0 ? files.map(({ path }) => path) : [action.target];
  const isCovered = async (): Promise<boolean> => {
    if (isSame(interrupted, action) || isRuled) return true;
    if (isOnceOnly({ action, runsLater })) return false;
    const policyNow = { ...policy, approval: preset };
    if (!mustAsk && !undeclared && !targets.some((target) => needsApproval({ ...action, target }, policyNow)))
      return true;
    for (const target of targets) if ((await isGranted?.(name, target)) !== true) return false;
    return true;
  };
  // An answer is for what was shown, also if it is consent for longer: a difference is asked about.
  const isAllowed = isNoop || (approval ? isSame(approval.action, action) : await isCovered());
  if (isAllowed) return undefined;
  // An approval of an earlier version has no facts to compare with.
  const changed = approval && hasFacts(approval.action, action) ? findChanges(approval.action, action) : [];
  const asked = changed.length === 0 ? action : { ...action, changed };
  return { kind: 'approval', name, action: asked, ...(runsLater ? { runsLater } : {}) };
}

/** Whether the user approved this very call outside the project. */
export function isApprovedCall(approval: Approval | undefined, { action, files }: ConsentRequest): boolean {
  return approval?.isGranted === true && isSame(approval.action, bind(action, files));
}

function isSame(approved: DescribedAction | undefined, now: DescribedAction): boolean {
  return approved !== undefined && hasFacts(approved, now) && findChanges(approved, now).length === 0;
}

function hasFacts(approved: DescribedAction, now: DescribedAction): boolean {
  return approved.files !== undefined || now.files === undefined;
}

function bind(action: DescribedAction, files: readonly FileFact[]): DescribedAction {
  return files.length === 0 ? action : { ...action, files: [...files] };
}

function runnerOf(files: readonly FileFact[]): FileFact['runsLater'] {
  return files.find(({ runsLater }) => runsLater !== undefined)?.runsLater;
}

function toDenial(action: DescribedAction, { note, isUnattended, isByHook }: Approval): ToolFailure {
  const kind = isRead({ kind: action.effect })
    ? 'reading of'
    : isFileAction(action)
      ? 'change to'
      : 'call to';
  const what = `${kind} "${action.target}"`;
  if (isUnattended) {
    const more = note ? ` ${note}` : '';
    return failure('TOOL_REFUSED', `The ${what} was not made: nobody is here to approve it.${more}`);
  }
  if (isByHook)
    return failure('TOOL_REFUSED', `The ${what} was not made. ${note} Do not repeat it unchanged.`);
  const said = note ? ` Their note: ${note}` : '';
  return failure('TOOL_REFUSED', `The user denied this ${what}.${said} Do not repeat it unchanged.`);
}

const READ_ONLY = failure('TOOL_REFUSED', 'The user allows reading only, from now on; nothing was changed.');

/**
 * What differs; empty if consent to `approved` is consent to `now`. Facts of files are compared where an action has them, its words
 * otherwise.
 */
function findChanges(approved: DescribedAction, now: DescribedAction): ChangedFact[] {
  const before = approved.files ?? [];
  const after = now.files ?? [];
  const changes = new Set<ChangedFact>();
  if (before.length !== after.length) changes.add('target');
  for (const [index, fact] of after.entries()) {
    const other = before[index];
    if (other) for (const change of compareFacts(other, fact)) changes.add(change);
  }
  if (approved.target !== now.target) changes.add('target');
  // The text of a diff is derived from contents whose hashes are compared.
  const isText = after.length === 0 || now.preview.kind === 'json';
  if (isText && (approved.title !== now.title || approved.preview.text !== now.preview.text))
    changes.add('preview');
  return [...changes];
}

function compareFacts(approved: FileFact, now: FileFact): ChangedFact[] {
  const changes: ChangedFact[] = [];
  const [from, to] = [approved.before, now.before];
  if (approved.path !== now.path) changes.push('target');
  if (approved.runsLater !== now.runsLater) changes.push('runner');
  if (from.kind !== to.kind || approved.after.kind !== now.after.kind) return [...changes, 'kind'];
  if (from.mode !== to.mode || approved.after.mode !== now.after.mode) changes.push('mode');
  if (from.sha256 !== to.sha256) changes.push('content');
  else if (from.identity !== to.identity) changes.push('identity');
  if (approved.after.sha256 !== now.after.sha256) changes.push('preview');
  return changes;
}
