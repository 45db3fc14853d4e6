/**
 * What a line typed to an agent means: the command it was resolved to, how sure that is and why. Plain JSON, so that
 * a page can show it. Also the words that belong to the runtime itself, whatever a menu says.
 */

import type { ErrorCode } from './errors.ts';

/** `electron` is the desktop and the command line, `web` the browser. */
export type TargetSurface = 'electron' | 'web';

export type CommandKind =
  | 'ShowMenu'
  | 'StartWorkflow'
  | 'ResumeRun'
  | 'ExecScript'
  | 'RunAction'
  | 'Chat'
  | 'DismissAgent'
  | 'ClarifyChoice';

export type Confidence = 'exact' | 'high' | 'medium' | 'low';

/** Which part of a menu the words met; `none` where nothing did. */
export type MatchedBy =
  | 'empty'
  | 'number'
  | 'trigger'
  | 'cmd'
  | 'alias'
  | 'code'
  | 'handler'
  | 'target'
  | 'description'
  | 'global'
  | 'none';

interface CommandBase {
  readonly confidence: Confidence;
  readonly matchedBy: MatchedBy;
  /** One sentence a person can read. */
  readonly reason: string;
  /** 1-based, over the items that are visible on this surface. */
  readonly matchedMenuItemIndex?: number;
  /** The item's own `id`, where it has one. */
  readonly matchedMenuItemId?: string;
  /** 1-based, among the handlers of the item. */
  readonly matchedHandlerIndex?: number;
  /** What followed the first line, which alone is matched. */
  readonly rest?: string;
}

/** A path on a mount (`@pkg/assets/a.md`); the templates of packages are already replaced. */
export type ResolvedPath = string;

export type WorkflowRef =
  | { readonly type: 'workflowId'; readonly workflowId: string }
  /** Relative to the root of the package. */
  | { readonly type: 'packagePath'; readonly workflowMdPath: string };

export type ExecRef =
  | { readonly type: 'markdown'; readonly mdPath: ResolvedPath; readonly otherwise?: readonly ResolvedPath[] }
  /** Means the same as starting that workflow. */
  | { readonly type: 'workflowMd'; readonly workflowMdPath: string };

export type DataFormat = 'text' | 'json' | 'yaml' | 'csv' | 'xml';

export interface DataRef {
  readonly type: 'path';
  readonly path: ResolvedPath;
  /** Where else the file is looked for, in order. */
  readonly otherwise?: readonly ResolvedPath[];
  readonly parseAs: DataFormat;
}

export type ActionRef =
  | { readonly type: 'builtin'; readonly name: BuiltinAction }
  | { readonly type: 'promptId'; readonly id: string }
  | { readonly type: 'inline'; readonly text: string };

export interface PlainCommand extends CommandBase {
  readonly kind: 'ShowMenu' | 'ResumeRun' | 'Chat' | 'DismissAgent';
  /** `ResumeRun` only: the run that is meant, by its number or id. */
  readonly runRef?: string;
}

interface TargetCommandBase extends CommandBase {
  /** Loaded before the command does anything. */
  readonly dataRef?: DataRef;
  /** A workflow that must prove whole before the command does anything. */
  readonly validateRef?: WorkflowRef;
}

export interface StartWorkflowCommand extends TargetCommandBase {
  readonly kind: 'StartWorkflow';
  readonly workflowRef: WorkflowRef;
}

export interface ExecScriptCommand extends TargetCommandBase {
  readonly kind: 'ExecScript';
  readonly execRef: ExecRef;
}

export interface RunActionCommand extends TargetCommandBase {
  readonly kind: 'RunAction';
  readonly actionRef: ActionRef;
}

export interface ChoiceCandidate {
  /** Number of the menu item. */
  readonly index: number;
  readonly label: string;
  /** What to type to choose it: `3`, or `3.1` for the first handler of item 3. */
  readonly input: string;
}

export interface ClarifyChoiceCommand extends CommandBase {
  readonly kind: 'ClarifyChoice';
  readonly candidates: readonly ChoiceCandidate[];
}

export type ResolvedCommand =
  | PlainCommand
  | StartWorkflowCommand
  | ExecScriptCommand
  | RunActionCommand
  | ClarifyChoiceCommand;

/** `DataLoadFailed` comes up only where the data is read. */
export type CommandErrorCode = Extract<
  ErrorCode,
  | 'UnknownWorkflow'
  | 'NotSupportedClassicWorkflow'
  | 'UnknownPromptId'
  | 'DataLoadFailed'
  | 'PermissionDenied'
  | 'ValidationFailed'
  | 'NothingToRun'
>;

export interface CommandError {
  readonly code: CommandErrorCode;
  readonly message: string;
}

/** The words met a menu item whose target cannot be used. */
export interface RefusedCommand extends CommandBase {
  readonly kind: 'Refused';
  readonly error: CommandError;
}

export type CommandResolution = ResolvedCommand | RefusedCommand;

/** One line of a menu as it is shown. */
export interface MenuEntry {
  readonly index: number;
  /** The trigger, else the description. */
  readonly label: string;
  readonly description: string;
  readonly code?: string | undefined;
  readonly handlers: readonly ChoiceCandidate[];
}

/** What an `action` of a menu may name instead of words for the model. */
export const BUILTIN_ACTIONS = [
  'menu.show',
  'agent.dismiss',
  'run.resume',
  'run.pause',
  'run.stop',
  'run.undo',
  'model.show',
  'context.show',
  'help.show',
  'run.allow-change',
] as const;

export type BuiltinAction = (typeof BUILTIN_ACTIONS)[number];

/** Only a person's own command does these: no menu of a package may take a consent or undo work under another name. */
export const PERSONAL_ACTIONS: ReadonlySet<BuiltinAction> = new Set(['run.undo', 'run.allow-change']);

/** Typed with a `/` in front these reach the runtime, in a run as well; a menu item for one needs no target. */
export const GLOBAL_COMMANDS: ReadonlyMap<string, BuiltinAction> = new Map([
  ['menu', 'menu.show'],
  ['help', 'help.show'],
  ['dismiss', 'agent.dismiss'],
  ['exit', 'agent.dismiss'],
  ['resume', 'run.resume'],
  ['pause', 'run.pause'],
  ['stop', 'run.stop'],
  ['undo', 'run.undo'],
  ['model', 'model.show'],
  ['context', 'context.show'],
  ['allow', 'run.allow-change'],
]);

const CHINESE_COMMANDS: ReadonlyMap<string, BuiltinAction> = new Map([
  ['菜单', 'menu.show'],
  ['帮助', 'help.show'],
  ['退出', 'agent.dismiss'],
  ['离开', 'agent.dismiss'],
  ['继续', 'run.resume'],
  ['恢复', 'run.resume'],
  ['暂停', 'run.pause'],
  ['停止', 'run.stop'],
  ['撤销', 'run.undo'],
  ['模型', 'model.show'],
  ['上下文', 'context.show'],
  ['允许', 'run.allow-change'],
]);

/** The command that a name means, in either language; the name in lower case and without a sign in front. */
export function findGlobalCommand(name: string): BuiltinAction | undefined {
  return GLOBAL_COMMANDS.get(name) ?? CHINESE_COMMANDS.get(name);
}

/** Chinese names that mean the command without a sign in front, because they mean nothing else. */
export const BARE_COMMANDS: ReadonlySet<string> = new Set(['菜单', '退出']);
