/**
 * Advice for steps that a run can leave without having done anything: their text shows a menu or asks for a file, and their
 * frontmatter declares neither `waits` nor `produces` nor `outputs`.
 */

import { findMenu } from '../../base/letter-menu.ts';
import { markdownLines } from '../../base/named-files.ts';
import type { Findings } from '../findings/findings.ts';
import type { LocatedText } from './read-steps.ts';
import type { LoadedWorkflow } from './read-workflows.ts';

const WRITES =
  /(?:\b(?:write|save|append|create|update|fs\.write)\b|写入|保存|创建|追加).*?(@project\/[\w{}./-]+\.\w{1,5}|(?<![\w/])artifacts\/[\w{}./-]+\.\w{1,5})/i;

export function adviseProof(workflows: readonly LoadedWorkflow[], findings: Findings): void {
  const seen = new Set<string>();
  for (const { nodes, steps } of workflows) {
    for (const [id, step] of steps) {
      const node = nodes.get(id);
      if (!node || seen.has(step.file) || node.subworkflow !== undefined) continue;
      seen.add(step.file);
      const hasFiles = node.outputs.length > 0 || (node.proof?.produces.length ?? 0) > 0;
      const menu = node.proof?.waits || hasFiles ? [] : findMenu(step.body.text);
      const file = hasFiles || node.proof?.waits ? undefined : findWrittenFile(step.body);
      if (menu.length > 0)
        findings.add('NOTHING_TO_PROVE', {
          file: step.file,
          message: `the step shows a menu (${menu.map(({ code }) => `[${code}]`).join(' ')}), but a run can leave it without anybody having answered`,
          fix: `Add to its frontmatter: waits: {for: choice, options: [${menu.map(({ code }) => code).join(', ')}]}`,
        });
      else if (file)
        findings.add('NOTHING_TO_PROVE', {
          file: step.file,
          line: file.line,
          message: `the step asks for "${file.path}", but a run can leave it without that file`,
          fix: `Add to its frontmatter: produces: [{path: ${file.path.replace(/^@project\//, '')}}]`,
        });
    }
  }
}

function findWrittenFile({ text, firstLine }: LocatedText): { path: string; line: number } | undefined {
  for (const { text: line, line: number, code } of markdownLines(text, firstLine)) {
    const [, path] = (code === undefined && line.length < 2_000 && WRITES.exec(line)) || [];
    if (path !== undefined) return { path, line: number };
  }
  return undefined;
}
