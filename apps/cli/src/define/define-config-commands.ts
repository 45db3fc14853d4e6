/**
 * Options and help of `crewagent config` and `crewagent doctor`.
 */
import type { Command } from 'commander';
import { add, collectNamed, type Done, lazily, parseCount, repeated, withExamples } from './help-text.ts';
import { addModelOptions } from './model-options.ts';

export function defineConfigCommands(program: Command, done: Done): void {
  defineConfig(program, done);
  defineModel(program, done);
  addModelOptions(
    add(program, 'doctor', 'check this machine, and test the model that would be used').option(
      '--json',
      'print {ok, checks} as JSON',
    ),
  )
    .addHelpText(...withExamples('crewagent doctor', 'crewagent doctor --model local'))
    .action(lazily(() => import('../commands/doctor.ts'), 'doctor', done));
}

/** Written out, because help does not load schemas. */
const PROVIDERS =
  'openai, azure, anthropic, gemini, deepseek, mistral, groq, xai, qwen, moonshot, zhipu, siliconflow, openrouter, ollama, lmstudio, llamacpp, vllm or generic';

function defineConfig(program: Command, done: Done): void {
  const load = () => import('../commands/config.ts');
  const config = add(program, 'config', 'settings, models and API keys').addHelpText(
    ...withExamples(
      'crewagent config add-model',
      'crewagent config add-model local --base-url http://127.0.0.1:11434/v1 --model qwen3',
      'crewagent config set-key openai < key.txt',
      'crewagent config use-key openai work --next',
      'crewagent config set tools.approval ask',
      'crewagent config set limits.maxTurns 30',
      'crewagent config set models.local.prices input=0.4,output=1.6',
    ),
  );
  add(config, 'list', 'show all settings; those you changed are highlighted')
    .option('--json', 'print them as JSON')
    .action(lazily(load, 'list', done));
  add(config, 'get', 'show one setting', { '<key>': 'such as limits.maxTurns' }).action(
    lazily(load, 'get', done),
  );
  add(config, 'set', 'change a setting', {
    '<key>': 'such as tools.approval',
    '<value>': 'a text, a number, true, false, a comma-separated list, or fields as name=value,name=value',
  }).action(lazily(load, 'set', done));
  add(config, 'unset', 'reset a setting to its default', {
    '<key>': 'such as limits.maxCostUsd, or models.NAME',
  }).action(lazily(load, 'unset', done));
  add(
    config,
    'add-model',
    'add a model behind an OpenAI-compatible address, or one of a server on this machine',
    {
      '[name]': 'a name of your choice (default: that of the model)',
    },
  )
    .option('--model <model>', 'its name at the provider; without it, a model on this machine is offered')
    .option('--base-url <url>', 'the address, which usually ends in /v1')
    .option('--provider <name>', `whose rules it follows: ${PROVIDERS}`)
    .option('--api-key-env <name>', 'the environment variable that holds its API key')
    .option('--context-tokens <n>', 'maximum tokens per request', parseCount)
    .option('--prices <list>', 'US dollars per million tokens, such as input=0.4,output=1.6,cachedInput=0.1')
    .option('--default', 'use it when no other model is chosen')
    .action(lazily(load, 'addModel', done));
  add(config, 'models', 'list the models that a provider offers, or those of servers on this machine', {
    '[name]': 'a model of the settings, whose provider is asked',
  })
    .option('--provider <name>', 'ask this provider')
    .option('--base-url <url>', 'ask at this address')
    .option('--api-key-env <name>', 'the environment variable that holds the API key')
    .option('--local', 'look for servers on this machine')
    .option('--search <text>', 'only models with this in their name')
    .option('--json', 'print them as JSON')
    .action(lazily(() => import('../commands/models.ts'), 'listModels', done));
  defineKeys(config, done);
  add(config, 'inputs', 'show the questions that a package asks once, with your answers, and change them', {
    '<package>': 'a .bmad, .zip or method .md file, a package folder, or an installed id',
  })
    .option('-p, --project <dir>', 'the project whose answers are meant', '.')
    .option('-w, --workflow <id>', 'only the questions of this workflow')
    .option('--set <name=value>', 'store an answer; repeat for others', collectNamed, new Map())
    .option(...repeated('--unset <name>', 'remove an answer; repeat for others'))
    .option('--ask', 'ask all of them again')
    .option('--json', 'print them as JSON')
    .action(lazily(() => import('../commands/config-inputs.ts'), 'configInputs', done));
  add(config, 'path', 'print the path of the settings file').action(lazily(load, 'path', done));
}

const MODEL = { '<model>': 'the name of a model in the settings' };

function defineKeys(config: Command, done: Done): void {
  const load = () => import('../commands/config-keys.ts');
  add(config, 'set-key', 'store the API key of a model; typed without echo, or read from a pipe', MODEL)
    .option('--name <name>', 'a name, such as work: a model may have several keys')
    .action(lazily(load, 'setKey', done));
  add(config, 'keys', 'list the names of the API keys of a model', MODEL).action(
    lazily(load, 'listKeys', done),
  );
  add(config, 'use-key', 'choose which API key of a model is used', {
    ...MODEL,
    '<name>': 'the name of the key',
  })
    .option('--next', 'use the next key when a key is refused or has no quota left')
    .option('--no-next', 'never use another key')
    .action(lazily(load, 'useKey', done));
  add(config, 'remove-key', 'delete the API keys of a model', MODEL)
    .option('--name <name>', 'only the key of this name')
    .action(lazily(load, 'removeKey', done));
}

function defineModel(program: Command, done: Done): void {
  const load = () => import('../commands/model.ts');
  const model = add(program, 'model', 'models that run on this machine without another program').addHelpText(
    ...withExamples(
      'crewagent model list',
      'crewagent model install ./mine.gguf',
      'crewagent model install mine --url https://example.org/mine.gguf --sha256 CHECKSUM',
    ),
  );
  add(model, 'install', 'take a GGUF file of your own, or download one whose checksum you know', {
    '[name]': 'its name in the settings (default: that of the file), or the path of a GGUF file',
  })
    .option('--file <path>', 'a GGUF file on this machine; it stays where it is')
    .option('--url <address>', 'the https address of a GGUF file; needs --sha256')
    .option('--sha256 <checksum>', 'the checksum of the file, as its publisher names it')
    .option('--yes', 'do not ask')
    .action(lazily(load, 'install', done));
  add(model, 'list', 'show what is installed, and what can be')
    .option('--json', 'print what is installed as JSON')
    .action(lazily(load, 'list', done));
  add(model, 'remove', 'remove an installed model; a GGUF file of your own stays', {
    '<name>': 'as "crewagent model list" shows it',
  }).action(lazily(load, 'remove', done));
}
