/**
 * The work of tools on input that a model chose, as it runs in a worker thread. Bundled on its own; the product imports
 * its source.
 */
import { serveJobs } from '../../base/worker/serve-jobs.ts';
import { applyEdits, type TextEdit } from '../files/apply-edits.ts';
import { diffOf } from '../files/unified-diff.ts';
import { createLineMatcher, scanFiles } from '../search/find-lines-scan.ts';
import type { LineQuery, TreeSearch } from '../search/line-finder.ts';

export interface ToolJobs {
  find: TreeSearch;
  match: { readonly lines: readonly string[]; readonly query: LineQuery };
  patch: { readonly bytes: Uint8Array; readonly edits: readonly TextEdit[]; readonly maxBytes: number };
  diff: { readonly path: string; readonly before: Uint8Array | undefined; readonly after: Uint8Array };
}

serveJobs({
  find: (search: ToolJobs['find']) => scanFiles(search),
  *match({ lines, query }: ToolJobs['match']) {
    yield lines.map(createLineMatcher(query));
  },
  *patch({ bytes, edits, maxBytes }: ToolJobs['patch']) {
    yield applyEdits(bytes, edits, maxBytes);
  },
  *diff({ path, before, after }: ToolJobs['diff']) {
    yield diffOf(path, before && Buffer.from(before), Buffer.from(after));
  },
});
