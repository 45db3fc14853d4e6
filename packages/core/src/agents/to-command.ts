/**
 * From a hit in the menu to the command it stands for: its target resolved, its data named, or why that cannot be.
 */
import {
  type ActionRef,
  type BuiltinAction,
  type CommandError,
  type CommandResolution,
  type Confidence,
  type DataRef,
  type ExecRef,
  findGlobalCommand,
  type MatchedBy,
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

/** How the hit came about; part of every command. */
export interface Found {
  readonly confidence: Confidence;
  readonly matchedBy: MatchedBy;
  readonly reason: string;
  readonly rest?: string;
}

export function toCommand({ item, handler }: Hit, found: Found, scope: RefScope): CommandResolution {
  const id = textOf(item.item, 'id');
  const base = {
    ...found,
    matchedMenuItemIndex: item.index,
    ...(id === '' ? {} : { matchedMenuItemId: id }),
  };
  const isTargetless = !handler && !hasTarget(item.item);
  const [only, ...others] = isTargetless ? item.handlers : [];
  if (only && others.length > 0) {
    return {
      ...base,
      kind: 'ClarifyChoice',
      reason: `${found.reason} It can do ${item.handlers.length} things; choose one by its number.`,
      candidates: item.handlers.map((one) => toCandidate(item, one)),
    };
  }
  const chosen = handler ?? only;
  const placed = chosen ? { ...base, matchedHandlerIndex: chosen.index } : base;
  if (isTargetless && !only) {
    const builtin = item.names
      .map(({ key }) => findGlobalCommand(key.replace(/^\//, '')))
      .find((name) => name !== undefined && !PERSONAL_ACTIONS.has(name));
    // Packages in the wild list the menu itself as help.
    if (builtin) return toBuiltinCommand(builtin === 'help.show' ? 'menu.show' : builtin, placed);
  }
  return toTargetCommand(chosen?.target ?? item.item, placed, scope);
}

/** What a builtin action comes down to, whoever named it: a command of its own where there is one. */
export function toBuiltinCommand(name: BuiltinAction, found: Found): ResolvedCommand {
  switch (name) {
    case 'menu.show':
      return { ...found, kind: 'ShowMenu' };
    case 'agent.dismiss':
      return { ...found, kind: 'DismissAgent' };
    case 'run.resume':
      return { ...found, kind: 'ResumeRun' };
    default:
      return { ...found, kind: 'RunAction', actionRef: { type: 'builtin', name } };
  }
}

type Placed = Found & { readonly matchedMenuItemIndex: number };

function toTargetCommand(target: MenuTarget, placed: Placed, scope: RefScope): CommandResolution {
  const refuse = (error: CommandError): CommandResolution => ({ ...placed, kind: 'Refused', error });
  const goal = resolveGoal(target, scope);
  if (!goal.ok) return refuse(goal.error);
  const extras = resolveExtras(target, scope);
  if (!extras.ok) return refuse(extras.error);
  if (goal.ref.kind === 'RunAction' && goal.ref.actionRef.type === 'builtin')
    return toBuiltinCommand(goal.ref.actionRef.name, placed);
  return { ...placed, ...extras.ref, ...goal.ref };
}

type Goal =
  | { readonly kind: 'StartWorkflow'; readonly workflowRef: WorkflowRef }
  | { readonly kind: 'ExecScript'; readonly execRef: Extract<ExecRef, { type: 'markdown' }> }
  | { readonly kind: 'RunAction'; readonly actionRef: ActionRef };

/** The first of `workflow`, `exec` and `action` that says something. */
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
  const message =
    "The menu item names no workflow, script or action; the package's agents.json must add one.";
  return { ok: false, error: { code: 'NothingToRun', message } };
}

const TARGET_KEYS = ['workflow', 'exec', 'action'] as const;

function hasTarget(target: MenuTarget): boolean {
  return TARGET_KEYS.some((key) => textOf(target, key) !== '');
}

interface Extras {
  readonly dataRef?: DataRef;
  readonly validateRef?: WorkflowRef;
}

function resolveExtras(target: MenuTarget, scope: RefScope): Resolved<Extras> {
  const data = textOf(target, 'data');
  const validate = textOf(target, 'validate-workflow');
  const dataRef = data === '' ? undefined : resolveDataRef(data, scope);
  if (dataRef?.ok === false) return dataRef;
  const validateRef = validate === '' ? undefined : resolveWorkflowRef(validate, scope);
  if (validateRef?.ok === false) {
    const message = `The check before the start cannot be made: ${validateRef.error.message}`;
    return { ok: false, error: { code: 'ValidationFailed', message } };
  }
  return {
    ok: true,
    ref: {
      ...(dataRef ? { dataRef: dataRef.ref } : {}),
      ...(validateRef ? { validateRef: validateRef.ref } : {}),
    },
  };
}
