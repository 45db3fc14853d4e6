/** Runtime commands with their help texts, and those that only the terminal has. */
import { translate } from '@crewagent/protocol/story/translate';
import { story } from '@crewagent/protocol/texts/en/story';
import { userLanguage } from '../user-language.ts';
import { say } from './texts/say.ts';

/** Names include the `/`. */
export function listCommands(language = userLanguage()) {
  const commands = Object.entries(story.command).map(([name]) => ({
    name: `/${name}`,
    help: translate(language, `command.${name as keyof typeof story.command}`),
  }));
  return [...commands, { name: '/attach', help: say('prompt.attach', undefined, language) }];
}
