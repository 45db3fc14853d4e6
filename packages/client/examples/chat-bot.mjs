/**
 * A chat bot: each line that arrives is a message, an answer or a decision; what comes back is printed. Replace the lines by the
 * messages of your chat. `node chat-bot.mjs PROJECT`; the environment has CREWAGENT_URL, CREWAGENT_TOKEN and CREWAGENT_MODEL.
 */
import { createInterface } from 'node:readline';
import { connect } from '@crewagent/client';

const { CREWAGENT_URL: url, CREWAGENT_TOKEN: token, CREWAGENT_MODEL: model } = process.env;
const work = await connect({ url, token }).start({
  kind: 'chat',
  project: process.argv[2],
  model,
  approval: 'ask',
});

let pending;
for await (const line of createInterface({ input: process.stdin })) {
  if (pending?.kind === 'question') await work.answer(pending, line);
  else if (pending?.kind === 'approval')
    await (/^y(es)?$/i.test(line) ? work.approve(pending) : work.deny(pending, line));
  else await work.say(line);
  const stop = await work.wait();
  pending = stop.pending;
  if (pending?.kind === 'question') for (const { prompt } of pending.questions) console.log(`? ${prompt}`);
  // The preview is what an approval counts for: show all of it.
  else if (pending?.kind === 'approval')
    console.log(`${pending.action.preview.text}\n? Approve (yes, or a reason why not)`);
  else console.log(stop.reply);
}
