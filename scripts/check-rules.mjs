/**
 * Checks that every numbered rule of docs/spec is cited by a test, and that every id cited in a test is a rule.
 *
 *   node scripts/check-rules.mjs                    the check
 *   node scripts/check-rules.mjs --titles [ID…]     prints all or the given rules with the tests that cite them
 *
 * Whether a test proves the rule it cites is for a person to review, with this list.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseCitations, parseRules, wrap } from './rule-citations.mjs';
import { fail, filesIn, root, say } from './set-up.mjs';

const [mode, ...ids] = process.argv.slice(2);
if (![undefined, '--titles'].includes(mode)) {
  fail(`Unknown option "${mode}". Use --titles, optionally with rule ids.`);
}

/** More than a person reads (docs/decisions/0043). */
const MOST_RULES = 290;
const rules = new Map();
const problems = [];
for (const name of readdirSync(join(root, 'docs/spec')).filter((file) => file.endsWith('.md'))) {
  for (const { id, text } of parseRules(readFileSync(join(root, 'docs/spec', name), 'utf8'))) {
    if (rules.has(id)) problems.push(`${id} is defined in ${rules.get(id).name} and again in ${name}`);
    rules.set(id, { text, name, citations: [] });
  }
}
const folders = ['packages', 'apps', 'scripts', 'e2e', 'bench'];
for (const file of folders.flatMap((folder) => [...filesIn(folder)]).filter(isTest)) {
  for (const citation of parseCitations(readFileSync(join(root, file), 'utf8'))) {
    const rule = rules.get(citation.id);
    if (rule) rule.citations.push({ ...citation, file });
    else problems.push(`${file}:${citation.line} cites ${citation.id}, which is not a rule`);
  }
}

if (mode) printPairs();
else check();

function check() {
  for (const [id, { name, citations }] of rules) {
    if (citations.length === 0) problems.push(`${id} in docs/spec/${name} has no test`);
  }
  if (rules.size > MOST_RULES)
    problems.push(`There are ${rules.size} rules, at most ${MOST_RULES} are wanted: merge some.`);
  for (const problem of problems) say(problem);
  if (rules.size === 0) say('No rules were found; the check itself is broken.');
  if (problems.length > 0 || rules.size === 0) process.exitCode = 1;
  else say(`rules: ${rules.size}, each with a test`);
}

function printPairs() {
  const unknown = ids.filter((id) => !rules.has(id));
  if (unknown.length > 0) fail(`No such rule: ${unknown.join(', ')}.`);
  let count = 0;
  let text = '';
  for (const id of ids.length > 0 ? ids : rules.keys()) {
    const rule = rules.get(id);
    text += `${id.padEnd(5)}${wrap(rule.text, 5)}\n`;
    for (const { file, line, context, title, cases } of rule.citations) {
      text += `  ${file}:${line}\n     ${wrap([...context, title].join(' › '), 5)}\n`;
      if (cases) text += `       ${wrap(cases.length > 220 ? `${cases.slice(0, 220)}…` : cases, 7)}\n`;
    }
    text += '\n';
    count += rule.citations.length;
  }
  process.stdout.on('error', () => undefined); // A pager may be closed early.
  process.stdout.write(`${text}${count} pairs of rule and test\n`);
}

function isTest(file) {
  return /(?:\.test\.tsx?|-contract\.ts)$/.test(file);
}
