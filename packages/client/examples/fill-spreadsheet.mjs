/**
 * A spreadsheet: runs a workflow once for each row, with the columns as answers, and adds the phase, whether it is proved, and the
 * text of the last file that the run wrote. `node fill-spreadsheet.mjs IN.csv OUT.csv PACKAGE PROJECT`, with the same environment.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from '@crewagent/client';

const [input, output, source, project] = process.argv.slice(2);
const { CREWAGENT_URL: url, CREWAGENT_TOKEN: token, CREWAGENT_MODEL: model } = process.env;
const client = connect({ url, token });
const [header = [], ...rows] = parseCsv(await readFile(input, 'utf8'));

const filled = [[...header, 'phase', 'proved', 'result']];
for (const row of rows) {
  const answers = Object.fromEntries(header.map((name, index) => [name, row[index] ?? '']));
  const work = await client.start({ package: source, project, model, approval: 'autopilot' });
  let stop = await work.wait();
  while (stop.pending?.kind === 'question') {
    const asked = stop.pending.questions.map(({ id }) => [id, answers[id] || null]);
    await work.answer(stop.pending, Object.fromEntries(asked));
    stop = await work.wait();
  }
  const last = (await work.artifacts()).at(-1);
  const text = last ? await work.read(last) : '';
  // What a model wrote must not become a formula.
  const result = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  const { isProved } = await work.evidence();
  filled.push([...row, stop.phase, String(isProved), result]);
  await writeFile(output, filled.map(toCsv).join(''));
}

function toCsv(row) {
  return `${row.map((text) => `"${text.replaceAll('"', '""')}"`).join(',')}\r\n`;
}

function parseCsv(text) {
  const rows = [[]];
  for (const [, cell, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    if (cell === undefined && plain === '' && end === '' && rows.at(-1).length === 0) break;
    rows.at(-1).push(cell === undefined ? plain : cell.replaceAll('""', '"'));
    if (end !== ',') rows.push([]);
  }
  return rows.filter((row) => row.length > 0);
}
