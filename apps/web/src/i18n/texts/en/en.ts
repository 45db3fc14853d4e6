/** All English texts of the page, by area. Written for people who do not program: short, plain, with the next step. */
import { calls } from '@crewagent/protocol/texts/en/calls';
import { problem } from '@crewagent/protocol/texts/en/problems';
import { story } from '@crewagent/protocol/texts/en/story';
import { conversation } from './conversation.ts';
import { files } from './files.ts';
import { form } from './form.ts';
import { inspector } from './inspector.ts';
import { proof } from './proof.ts';
import { run } from './run.ts';
import { shell } from './shell.ts';
import { start } from './start.ts';
import { works } from './works.ts';

export const en = {
  ...shell,
  problem,
  ...start,
  ...works,
  ...conversation,
  ...proof,
  ...story,
  ...calls,
  ...run,
  ...inspector,
  ...files,
  ...form,
} as const;
