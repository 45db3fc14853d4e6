/**
 * The meaning of a line typed to an agent: the resolved command, its confidence and the reason. Plain JSON, so that a page can
 * show it. Also the runtime's own commands, which take precedence over any menu.
 */

import type { ErrorCode } from './errors.ts';

/** `electron`: the desktop app and the command line; `web`: the browser. */
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

/** The part of a menu that matched; `none` if nothing did. */
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
  /** One sentence for people. */
  readonly reason: string;
  /** 1-based, among the items that are visible on this surface. */
  readonly matchedMenuItemIndex?: number;
  /** The item's own `id`, if it has one. */
  readonly matchedMenuItemId?: string;
  /** 1-based, among the handlers of the item. */
  readonly matchedHandlerIndex?: number;
  /** The text after the first line; only the first line is matched. */
  readonly rest?: string;
}

/** A path on a mount (`@pkg/assets/a.md`), with package templates already replaced. */
export type ResolvedPath = string;

export type WorkflowRef =
  | { readonly type: 'workflowId'; readonly workflowId: string }
  /** Relative to the root of the package. */
  | { readonly type: 'packagePath'; readonly workflowMdPath: string };

export type ExecRef =
  | { readonly type: 'markdown'; readonly mdPath: ResolvedPath; readonly otherwise?: readonly ResolvedPath[] }
  /** Equivalent to starting that workflow. */
  | { readonly type: 'workflowMd'; readonly workflowMdPath: string };

export type DataFormat = 'text' | 'json' | 'yaml' | 'csv' | 'xml';

export interface DataRef {
  readonly type: 'path';
  readonly path: ResolvedPath;
  /** Fallback paths, in order. */
  readonly otherwise?: readonly ResolvedPath[];
  readonly parseAs: DataFormat;
}

export type ActionRef =
  | { readonly type: 'builtin'; readonly name: BuiltinAction }
  | { readonly type: 'promptId'; readonly id: string }
  | { readonly type: 'inline'; readonly text: string };

export interface PlainCommand extends CommandBase {
  readonly kind: 'ShowMenu' | 'ResumeRun' | 'Chat' | 'DismissAgent';
  /** `ResumeRun` only: number or id of the run. */
  readonly runRef?: string;
}

interface TargetCommandBase extends CommandBase {
  /** Loaded before the command is executed. */
  readonly dataRef?: DataRef;
  /** A workflow that must validate before the command is executed. */
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

/** `DataLoadFailed` occurs only when the data is read. */
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

/** The line matched a menu item whose target cannot be used. */
export interface RefusedCommand extends CommandBase {
  readonly kind: 'Refused';
  readonly error: CommandError;
}

export type CommandResolution = ResolvedCommand | RefusedCommand;

/** One line of a menu as shown. */
export interface MenuEntry {
  readonly index: number;
  /** The trigger, else the description. */
  readonly label: string;
  readonly description: string;
  readonly code?: string | undefined;
  readonly handlers: readonly ChoiceCandidate[];
}

/** Built-in actions that an `action` of a menu may name instead of a prompt for the model. */
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

/** Only a person's own command runs these: no menu of a package may give consent or undo work under another name. */
export const PERSONAL_ACTIONS: ReadonlySet<BuiltinAction> = new Set(['run.undo', 'run.allow-change']);

/** Typed with a leading `/`, these always reach the runtime, also during a run; a menu item for one needs no target. */
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

/** Finds a command by its name in either language; `name` is in lower case and without a leading sign. */
export function findGlobalCommand(name: string): BuiltinAction | undefined {
  return GLOBAL_COMMANDS.get(name) ?? CHINESE_COMMANDS.get(name);
}

/** Chinese names that are unambiguous and work without a leading sign. */
export const BARE_COMMANDS: ReadonlySet<string> = new Set(['菜单', '退出']);
