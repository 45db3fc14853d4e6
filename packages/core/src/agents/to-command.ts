/**
 * Converts a menu hit to a command: resolves its target and data, or reports why that is not possible.
 */
import {
  type ActionRef,
  type BuiltinAction,
  type CommandError,
  type CommandResolution,
  type DataRef,
  type ExecRef,
  findGlobalCommand,
  PERSONAL_ACTIONS,
  type ResolvedCommand,
  type WorkflowRef,
} from '@crewagent/protocol/commands';
import type { Hit } from './match-menu.ts';
import { type MenuTarget, textOf, toCandidate } from './menu.ts';
import {
  type RefScope,
  type Resolved,
  resolveActionRef,
  resolveDataRef,
  resolveExecRef,
  resolveWorkflowRef,
} from './resolve-refs.ts';

/** How the item was matched; part of every command. */
export type MatchInfo = Pick<ResolvedCommand, 'confidence' | 'matchedBy' | 'reason' | 'rest'>;

export function toCommand({ item, handler }: Hit, match: MatchInfo, scope: RefScope): CommandResolution {
  const id = textOf(item.item, 'id');
  const base = { ...match, matchedMenuItemIndex: item.index, matchedMenuItemId: id || undefined };
  const isTargetless = !handler && !hasTarget(item.item);
  const [only, ...others] = isTargetless ? item.handlers : [];
  if (only && others.length > 0) {
    return {
      ...base,
      kind: 'ClarifyChoice',
      reason: `${match.reason} It has ${item.handlers.length} actions; choose one by its number.`,
      candidates: item.handlers.map((candidate) => toCandidate(item, candidate)),
    };
  }
  const chosen = handler ?? only;
  const located = chosen ? { ...base, matchedHandlerIndex: chosen.index } : base;
  if (isTargetless && !only) {
    const builtin = item.names
      .map(({ key }) => findGlobalCommand(key.replace(/^\//, '')))
      .find((name) => name !== undefined && !PERSONAL_ACTIONS.has(name));
    // Existing packages list the menu itself as help.
    if (builtin) return toBuiltinCommand(builtin === 'help.show' ? 'menu.show' : builtin, located);
  }
  return toTargetCommand(chosen?.target ?? item.item, located, scope);
}

/** The command of a built-in action, with its own kind if there is one. */
export function toBuiltinCommand(name: BuiltinAction, match: MatchInfo): ResolvedCommand {
  switch (name) {
    case 'menu.show':
      return { ...match, kind: 'ShowMenu' };
    case 'agent.dismiss':
      return { ...match, kind: 'DismissAgent' };
    case 'run.resume':
      return { ...match, kind: 'ResumeRun' };
    default:
      return { ...match, kind: 'RunAction', actionRef: { type: 'builtin', name } };
  }
}

type LocatedMatch = MatchInfo & { readonly matchedMenuItemIndex: number };

function toTargetCommand(target: MenuTarget, located: LocatedMatch, scope: RefScope): CommandResolution {
  const reject = (error: CommandError): CommandResolution => ({ ...located, kind: 'Refused', error });
  const goal = resolveGoal(target, scope);
  if (!goal.ok) return reject(goal.error);
  const extras = resolveExtras(target, scope);
  if (!extras.ok) return reject(extras.error);
  if (goal.ref.kind === 'RunAction' && goal.ref.actionRef.type === 'builtin')
    return toBuiltinCommand(goal.ref.actionRef.name, located);
  return { ...located, ...extras.ref, ...goal.ref };
}

type Goal =
  | { readonly kind: 'StartWorkflow'; readonly workflowRef: WorkflowRef }
  | { readonly kind: 'ExecScript'; readonly execRef: Extract<ExecRef, { type: 'markdown' }> }
  | { readonly kind: 'RunAction'; readonly actionRef: ActionRef };

/** The first non-empty field of `workflow`, `exec` and `action`. */
function resolveGoal(target: MenuTarget, scope: RefScope): Resolved<Goal> {
  const [workflow, exec, action] = TARGET_KEYS.map((key) => textOf(target, key));
  if (workflow) {
    const found = resolveWorkflowRef(workflow, scope);
    return found.ok ? { ok: true, ref: { kind: 'StartWorkflow', workflowRef: found.ref } } : found;
  }
  if (exec) {
    const found = resolveExecRef(exec, scope);
    if (!found.ok) return found;
    if (found.ref.type === 'markdown') return { ok: true, ref: { kind: 'ExecScript', execRef: found.ref } };
    const workflowRef = { type: 'packagePath', workflowMdPath: found.ref.workflowMdPath } as const;
    return { ok: true, ref: { kind: 'StartWorkflow', workflowRef } };
  }
  if (action) {
    const found = resolveActionRef(action, scope);
    return found.ok ? { ok: true, ref: { kind: 'RunAction', actionRef: found.ref } } : found;
  }
  const message = "The menu item has no workflow, script or action. Add one to the package's agents.json.";
  return { ok: false, error: { code: 'NothingToRun', message } };
}

const TARGET_KEYS = ['workflow', 'exec', 'action'] as const;

function hasTarget(target: MenuTarget): boolean {
  return TARGET_KEYS.some((key) => textOf(target, key) !== '');
}

function resolveExtras(
  target: MenuTarget,
  scope: RefScope,
): Resolved<{ readonly dataRef?: DataRef; readonly validateRef?: WorkflowRef }> {
  const data = textOf(target, 'data');
  const validate = textOf(target, 'validate-workflow');
  const dataRef = data === '' ? undefined : resolveDataRef(data, scope);
  if (dataRef?.ok === false) return dataRef;
  const validateRef = validate === '' ? undefined : resolveWorkflowRef(validate, scope);
  if (validateRef?.ok === false) {
    const message = `The validation before the start is not possible: ${validateRef.error.message}`;
    return { ok: false, error: { code: 'ValidationFailed', message } };
  }
  return { ok: true, ref: { dataRef: dataRef?.ref, validateRef: validateRef?.ref } };
}
