/**
 * Options and help of `crewagent agent`, `chat` and `conversations`.
 */
import { type Command, Option } from 'commander';
import { add, type Done, examples, lazily, PLAIN, repeated, withExamples } from './help-text.ts';
import { addLimitOptions, approveOption } from './limit-options.ts';
import { addModelOptions } from './model-options.ts';

const CONVERSATION = { '<conversation>': 'its id, the beginning or end of it, or "last"' };
const EXIT_CODES = `
Exit codes without a terminal: 0 done, 1 failed, 2 bad usage or a rejected command, 3 waiting for a person,
4 paused by a limit, 130 interrupted.
`;

export function defineConversationCommands(program: Command, done: Done): void {
  addConversationOptions(
    add(program, 'agent', 'talk to an agent of a package and choose from its menu', {
      '<package>': 'a .bmad, .zip or method .md file, a package folder, or an installed id',
      '[agent]': 'its id or name (default: the first with a menu)',
    }),
    'the latest with an agent of the package',
  )
    .addHelpText(
      'after',
      `${examples(
        'crewagent agent examples/create-story-micro',
        'crewagent agent story.bmad sm -p ~/my-project --model local',
        'crewagent agent story.bmad --continue',
        'crewagent agent story.bmad -i create-story -i 1-2-user-login --json',
      )}${EXIT_CODES}`,
    )
    .action(lazily(() => import('../commands/agent.ts'), 'agent', done));

  addConversationOptions(
    add(program, 'chat', 'talk to the model about a project folder'),
    'the latest chat in the project',
  )
    .addHelpText(
      'after',
      `${examples(
        'crewagent chat -p ~/my-project',
        'crewagent chat --continue',
        'crewagent chat -i "What is in docs?" --approve read-only',
      )}${EXIT_CODES}`,
    )
    .action(lazily(() => import('../commands/agent.ts'), 'chat', done));

  defineAcp(program, done);
  defineConversations(program, done);
}

function defineAcp(program: Command, done: Done): void {
  const command = add(program, 'acp', 'serve conversations and workflows to an editor', {
    '[package]':
      'a .bmad, .zip or method .md file, a package folder, or an installed id (default: plain chat)',
    '[agent]': 'its id or name (default: the first with a menu)',
  })
    .option('-w, --workflow [id]', "start a workflow with the first message (default: the package's entry)")
    .addOption(approveOption());
  addModelOptions(command)
    .addHelpText(
      'after',
      `
Speaks the Agent Client Protocol over standard input and output. Your editor starts it, in any folder: give absolute
paths. See docs/editors.md for how to set up Zed, JetBrains and Neovim.
${examples('crewagent acp', 'crewagent acp create-story-micro', 'crewagent acp ~/packages/story.bmad --workflow')}`,
    )
    .action(lazily(() => import('../commands/acp.ts'), 'acp', done));
}

function addConversationOptions(command: Command, latest: string): Command {
  const own = command
    .option('-p, --project <dir>', 'the folder to work in (default: this one)')
    .option('--continue [id]', `continue a conversation (default: ${latest})`)
    .option(...repeated('-i, --input <text>', 'a line to type; repeat for further lines'))
    .addOption(approveOption().conflicts('continue'))
    .option('--record <file>', "record the model's requests and replies to a file for --replay")
    .option('--json', 'print one event per line, and the result as the last line')
    .option(...PLAIN);
  return addLimitOptions(addModelOptions(own), 'continue');
}

function defineConversations(program: Command, done: Done): void {
  const load = () => import('../commands/conversations.ts');
  const conversations = add(
    program,
    'conversations',
    'list conversations, show, rename, archive or delete one',
  ).addHelpText(
    ...withExamples(
      'crewagent conversations',
      'crewagent conversations list --project . --all',
      'crewagent conversations show last',
      'crewagent conversations rename last "The login story"',
    ),
  );

  conversations
    .command('list', { isDefault: true })
    .description('list conversations, the latest first')
    .option('-p, --project <dir>', 'only those in this folder')
    .option('--all', 'include archived conversations')
    .option('--json', 'print a JSON array')
    .action(lazily(load, 'list', done));
  add(conversations, 'show', 'show the messages and actions of a conversation', CONVERSATION)
    .option('--json', 'print it as JSON')
    .action(lazily(load, 'show', done));
  add(conversations, 'rename', 'change the title of a conversation', {
    ...CONVERSATION,
    '<title...>': 'the title',
  }).action(async (ref: string, title: string[]) => {
    done(await (await load()).rename(ref, title.join(' ')));
  });
  add(conversations, 'archive', 'archive a conversation; nothing is deleted', CONVERSATION)
    .addOption(new Option('--undo', 'restore it'))
    .action(lazily(load, 'archive', done));
  add(
    conversations,
    'delete',
    'delete a conversation with its runs and logs; files in the project stay',
    CONVERSATION,
  )
    .option('--yes', 'delete without asking')
    .action(lazily(load, 'remove', done));
}
