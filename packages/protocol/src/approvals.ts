/**
 * A person's decision on an action that needs approval: how long it holds, and for which files. One rule covers every consent
 * that outlives its call, for a step, a run or a project.
 */
import type { Speaker } from './proof.ts';
import { nonEmptySchema, positiveCountSchema, sha256Schema } from './scalars.ts';
import * as z from './zod.ts';

export const approvalDecisionSchema = z.enum(['once', 'node', 'run', 'always', 'no']);
export type ApprovalDecision = z.infer<typeof approvalDecisionSchema>;

/** The requested file, everything below its folder, or all files. */
export const approvalReachSchema = z.enum(['file', 'folder', 'all']);
export type ApprovalReach = z.infer<typeof approvalReachSchema>;

/** What the person had seen of an action when they decided. */
export const seenShape = {
  /** SHA-256 (hex) of the preview's text as it was displayed; another text is not approved. */
  shown: z.optional(sha256Schema),
  /** Number of lines of the preview that were not on screen; absent: all were. */
  unseen: z.optional(positiveCountSchema),
};

interface Seen {
  readonly shown?: string | undefined;
  readonly unseen?: number | undefined;
}

export interface ApprovalResponse extends Seen {
  readonly decision: ApprovalDecision;
  /** Default: the file only. */
  readonly reach?: ApprovalReach | undefined;
  readonly note?: string | undefined;
  /** Decisions on changes that were described with this one (`FollowingChange`); the note is for all of them. */
  readonly following?: FollowingDecision[] | undefined;
  /** Who decided for the person, who was not there. */
  readonly speaker?: Speaker | undefined;
  /** Name of the person, where several may decide. */
  readonly by?: string | undefined;
}

/** A decision on a later change of the same reply: for that call alone. */
export const followingDecisionSchema = z.strictObject({
  callId: nonEmptySchema,
  decision: z.enum(['once', 'no']),
  ...seenShape,
});
export type FollowingDecision = z.infer<typeof followingDecisionSchema>;

/** A denial needs no proof that anything was shown. */
export function isOfWhatWasShown({
  decision,
  shown,
}: Seen & { readonly decision: ApprovalDecision }): boolean {
  return decision === 'no' || shown !== undefined;
}

/** Consent that was given for one call and also covers later ones. */
export interface StandingConsent {
  readonly tool: string;
  /** The mount path that was shown to the person. */
  readonly path: string;
  readonly reach: ApprovalReach;
}

export function covers(consent: StandingConsent, tool: string, path: string): boolean {
  if (!isSameKind(consent.tool, tool)) return false;
  // Only files have folders; the target of any other tool is a text.
  switch (tool.startsWith('fs.') ? consent.reach : 'file') {
    case 'file':
      return consent.path === path;
    case 'folder':
      return path.startsWith(folderOf(consent.path));
    case 'all':
      return true;
  }
}

/** The folder of a mount path, with a trailing slash. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** Consent to a change covers all file tools, consent to reading only those that read; for any other tool it covers that tool only. */
function isSameKind(consented: string, tool: string): boolean {
  if (consented === tool) return true;
  if (!consented.startsWith('fs.') || !tool.startsWith('fs.')) return false;
  return CHANGES_FILES.has(consented) || !CHANGES_FILES.has(tool);
}

const CHANGES_FILES: ReadonlySet<string> = new Set(['fs.write', 'fs.apply_patch']);
