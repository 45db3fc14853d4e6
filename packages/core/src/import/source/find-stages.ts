/**
 * Stages of a skill that are files without the name of a step: listed in a table with a column of files, in a folder `stages`,
 * numbered, or chained by a frontmatter key that names the next one. In the order of the table, else by name. Pure.
 */
import { posix } from 'node:path';
import { cellOf, tableRows } from './markdown-tables.ts';
import type { SourceTree } from './read-source.ts';

/** `file`: the SKILL.md or workflow.md; `candidates`: Markdown files below its folder that belong to no other workflow. */
export function findStages(file: string, candidates: readonly string[], tree: SourceTree): string[] {
  const folder = file.slice(0, file.lastIndexOf('/') + 1);
  const listed = filesInTables(tree.text(file) ?? '').flatMap((written) => {
    const path = posix.join(folder, written);
    return candidates.includes(path) ? [path] : [];
  });
  const named = candidates
    .filter((path) => isStage(path.slice(folder.length), path, tree))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  // A table is complete; other files are read where a stage says so.
  const stages = [...new Set(listed.length > 1 ? listed : named)].filter((path) => path !== file);
  return stages.length > 1 ? stages : [];
}

function isStage(relative: string, path: string, tree: SourceTree): boolean {
  if (/^(?:stages|phases)\/[^/]+\.md$/i.test(relative)) return true;
  if (/^(?:references|prompts|steps|instructions)\/\d{1,2}[a-z]?[-_. ][^/]+\.md$/i.test(relative))
    return true;
  const head = /^---\n([\s\S]{0,8000}?)\n---/.exec((tree.text(path) ?? '').slice(0, 10_000))?.[1] ?? '';
  return /^next(?:Step|Stage|_step|_stage)\w*:\s*\S/m.test(head);
}

/** Files in the column "File" of a table whose rows are numbered stages or steps. */
function filesInTables(text: string): string[] {
  return tableRows(text).flatMap((row) => {
    const isList = cellOf(row, /^(?:#|step|stage|phase)$/i) !== undefined;
    const written = isList ? cellOf(row, /^(?:file|prompt|location|reference|path)$/i) : undefined;
    return written !== undefined && /^[\w./-]{1,200}\.md$/.test(written) ? [written] : [];
  });
}
