/**
 * What a person should know of an action besides its preview, as texts: what changed since it was asked for, what its files are,
 * what runs them. Pure. Parameters are untrusted text.
 */
import { CHANGED_FACTS, isOutsideProject } from '../described-actions.ts';
import type { TextParams } from '../texts/render-text.ts';
import type { DescribedAction, FileFact, RunsLater } from '../tools.ts';
import { toShortPath } from './describe-item.ts';
import type { StoryKey } from './translate.ts';

export interface ActionSentence {
  readonly key: StoryKey;
  readonly params?: TextParams;
  /** The file that the sentence is about, if the action has several. */
  readonly path?: string;
}

export interface AskedAction {
  readonly action: DescribedAction;
  readonly runsLater?: RunsLater | undefined;
}

/** Empty if the action is asked about for the first time. */
export function describeChanges({ changed = [], files = [], target }: DescribedAction): ActionSentence[] {
  const params = { path: toShortPath(files[0]?.path ?? target) };
  return changed.map((code) => {
    const known = CHANGED_FACTS.find((fact) => fact === code) ?? 'preview';
    return { key: `asked.changed.${known}`, params };
  });
}

export function describeWarnings({ action, runsLater }: AskedAction): ActionSentence[] {
  const { files = [], undeclared } = action;
  const warnings: ActionSentence[] = [];
  if (undeclared) {
    const { by, access, globs = [] } = undeclared;
    const isNone = by === 'preset' && globs.length === 0;
    const kind = isNone ? 'presetNothing' : by === 'writes' || by === 'preset' ? by : access;
    warnings.push({ key: `asked.undeclared.${kind}`, params: { globs: globs.join(', ') } });
  }
  if (isOutsideProject(action)) warnings.push({ key: 'asked.external' });
  if (files.length < 2 && runsLater) warnings.push({ key: `runsLater.${runsLater}` });
  for (const file of files) {
    const path = toShortPath(file.path);
    if (files.length > 1 && file.runsLater) warnings.push({ key: `runsLater.${file.runsLater}`, path });
    for (const fact of factsOf(file)) warnings.push({ key: `asked.fact.${fact}`, params: { path } });
  }
  return warnings;
}

/** What a diff does not show. */
function factsOf({ before, after }: FileFact) {
  const facts = [
    isExecutable(after.mode) && !isExecutable(before.mode) && 'executable',
    before.kind === 'link' && after.kind !== 'link' && 'isLink',
    after.kind === 'link' && 'becomesLink',
    before.kind !== 'absent' && after.kind === 'absent' && 'removed',
    before.kind === 'folder' && after.kind !== 'folder' && after.kind !== 'absent' && 'replacesFolder',
  ] as const;
  return facts.filter((fact) => fact !== false);
}

function isExecutable(mode = 0): boolean {
  return (mode & 0o111) !== 0;
}
