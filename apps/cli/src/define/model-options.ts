/**
 * Options that choose the model, shared by all commands that need one.
 */
import { type Command, Option } from 'commander';

export function addModelOptions(command: Command): Command {
  return command
    .optionsGroup('Model:')
    .option('--model <name>', 'a model from the settings, or a model name at --base-url')
    .option('--base-url <url>', 'address of an OpenAI-compatible server')
    .option('--api-key-env <name>', 'the environment variable that holds the API key')
    .addOption(
      new Option('--rehearsal', 'use no model: a built-in stand-in writes placeholders').conflicts([
        'model',
        'baseUrl',
        'apiKeyEnv',
        'replay',
      ]),
    )
    .addOption(
      new Option('--replay <file>', 'play back a recorded run instead of asking a model').conflicts([
        'model',
        'baseUrl',
        'apiKeyEnv',
      ]),
    );
}
