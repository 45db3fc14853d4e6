/**
 * What a person answers to a change that needs their word: for how long it holds, and for which files. One rule for every
 * consent that outlives its call: of a step, of a run, of a project.
 */
import * as z from './zod.ts';

export const approvalDecisionSchema = z.enum(['once', 'node', 'run', 'always', 'no']);
export type ApprovalDecision = z.infer<typeof approvalDecisionSchema>;

/** The file that was asked about, all below its folder, or all files. */
export const approvalReachSchema = z.enum(['file', 'folder', 'all']);
export type ApprovalReach = z.infer<typeof approvalReachSchema>;

export interface ApprovalWord {
  readonly decision: ApprovalDecision;
  /** The file alone if left out. */
  readonly reach?: ApprovalReach | undefined;
  readonly note?: string | undefined;
}

/** Consent that was given for one call and holds for others. */
export interface StandingConsent {
  readonly tool: string;
  /** As it was asked about: a mount path. */
  readonly path: string;
  readonly reach: ApprovalReach;
}

export function covers(consent: StandingConsent, tool: string, path: string): boolean {
  if (!isSameKind(consent.tool, tool)) return false;
  switch (consent.reach) {
    case 'file':
      return consent.path === path;
    case 'folder':
      return path.startsWith(folderOf(consent.path));
    case 'all':
      return true;
  }
}

/** The folder of a mount path, with a slash behind it. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** Nobody is asked which of the tools for files is used; of all others consent is for the one tool. */
function isSameKind(one: string, other: string): boolean {
  return one === other || (one.startsWith('fs.') && other.startsWith('fs.'));
}
