/**
 * A store and a project made by the version of 15 November 2026, which kept runs and conversations as two kinds of records:
 * runs in every phase, conversations with and without runs, undo journals. Beside it are the views that its own code folded.
 */
import { readFile } from 'node:fs/promises';
import { writeTree } from '../../../../packages/core/src/testing/file-tree.ts';

export interface OldStore {
  /** Path → content; `{{root}}` stands for the folder that holds `store` and `project`. */
  readonly files: Readonly<Record<string, string>>;
  /** Work id → the view that the old version folded from its log. */
  readonly views: Readonly<Record<string, OldView>>;
}

/** Only the parts that have another shape today are typed. */
export interface OldView {
  readonly pending?: OldApproval;
  readonly timeline: readonly (OldApproval & { readonly kind: string; readonly approval?: OldApproval })[];
  readonly visits: readonly { readonly lastAt: string }[];
}

/** An approval named its file; today it describes an action. */
interface OldApproval {
  readonly path?: string;
  readonly diff?: string;
}

/** `old-requests`: of the version of 18 November 2026, which logged the hashes of requests and not their frames. */
export async function readOldStore(name: 'old-store' | 'old-requests' = 'old-store'): Promise<OldStore> {
  const text = await readFile(new URL(`fixtures/${name}.json`, import.meta.url), 'utf8');
  return JSON.parse(text) as OldStore;
}

export async function writeOldStore({ files }: OldStore, root: string): Promise<void> {
  const path = JSON.stringify(root).slice(1, -1);
  const entries = Object.entries(files).map(([name, text]): [string, string] => [
    name,
    text.replaceAll('{{root}}', path),
  ]);
  await writeTree(root, Object.fromEntries(entries));
}
