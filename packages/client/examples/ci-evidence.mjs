/**
 * A CI job: runs a workflow without a person, posts its evidence sheet, and fails if the run is not proved.
 * `node ci-evidence.mjs PACKAGE PROJECT [ANSWERS.json]`; the environment has CREWAGENT_URL, CREWAGENT_TOKEN and POST_TO.
 */
import { readFile } from 'node:fs/promises';
import { connect } from '@crewagent/client';

const [source, project, answersFile] = process.argv.slice(2);
const { CREWAGENT_URL: url, CREWAGENT_TOKEN: token, CREWAGENT_MODEL: model, POST_TO: postTo } = process.env;
const answers = answersFile ? JSON.parse(await readFile(answersFile, 'utf8')) : {};

const work = await connect({ url, token }).start({ package: source, project, model, approval: 'autopilot' });
let stop = await work.wait();
while (stop.pending?.kind === 'question') {
  const asked = stop.pending.questions.map(({ id }) => [id, answers[id] ?? null]);
  await work.answer(stop.pending, Object.fromEntries(asked));
  stop = await work.wait();
}
const sheet = await work.evidence();
const text = `${stop.phase}: ${sheet.isProved ? 'proved' : 'not proved'}, run ${work.workId}`;
const response = await fetch(postTo, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ text, sheet }),
});
console.log(text);
process.exitCode = response.ok && stop.phase === 'Completed' && sheet.isProved ? 0 : 1;
