/**
 * Every numbered rule of docs/spec has a test that names it, and every name in a test is a rule.
 * A rule is a line that begins with its id in bold: "**B7** …"; a test's title begins with "[B7]",
 * or with "[${rule}]" where a table of cases names the rule first in each row.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, say } from './set-up.mjs';

const rules = new Map();
const problems = [];
for (const name of readdirSync(join(root, 'docs/spec')).filter((file) => file.endsWith('.md'))) {
  const text = readFileSync(join(root, 'docs/spec', name), 'utf8');
  for (const [, id] of text.matchAll(/^(?:[-*] )?\*\*([A-Z]\d+)\*\*/gm)) {
    if (rules.has(id)) problems.push(`${id} is defined in ${rules.get(id)} and again in ${name}`);
    rules.set(id, name);
  }
}
const tested = new Set();
for (const file of testFiles(root)) {
  const text = readFileSync(file, 'utf8');
  const inTitles = [...text.matchAll(/['"`]\[([A-Z]\d+)\]/g)];
  const inRows = /\[\$\{rule\}\]/.test(text) ? [...text.matchAll(/\[\s*'([A-Z]\d+)',/g)] : [];
  for (const [, id] of [...inTitles, ...inRows]) {
    tested.add(id);
    if (!rules.has(id)) problems.push(`${file.slice(root.length + 1)} names ${id}, which is no rule`);
  }
}
for (const [id, name] of rules) if (!tested.has(id)) problems.push(`${id} in docs/spec/${name} has no test`);
for (const problem of problems) say(problem);
if (rules.size === 0) say('No rules were found; the check itself is broken.');
if (problems.length > 0 || rules.size === 0) process.exitCode = 1;
else say(`rules: ${rules.size}, each with a test`);

function* testFiles(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (['node_modules', 'dist', '.cache', '.git'].includes(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* testFiles(path);
    else if (/\.test\.tsx?$/.test(entry.name)) yield path;
  }
}
