import { readFile } from 'node:fs/promises';
import { agentsDocumentSchema, type MenuItem } from '@crewagent/protocol/agents';
import type { CommandResolution, TargetSurface } from '@crewagent/protocol/commands';
import { describe, expect, it } from 'vitest';
import { type RouterContext, resolveCommand, resolveGlobalCommand } from './command-router.ts';

const MARY: readonly MenuItem[] = [
  {
    trigger: 'hello',
    triggers: [
      { type: 'alias', match: 'hi' },
      { type: 'alias', match: 'outline' },
    ],
    description: 'Outline a topic after two questions',
    workflow: 'hello-linear',
  },
  { trigger: 'offline', description: 'Only in a browser', action: 'Say so.', 'web-only': true },
  { trigger: 'decide', description: 'Write a decision record', workflow: 'decision-record', id: 'dr' },
  {
    trigger: 'think',
    description: "Think a problem through: type 'five whys' to look back, or 'pre-mortem' to look ahead",
    triggers: [
      { type: 'handler', match: 'five whys', action: '#five-whys' },
      { type: 'handler', match: 'PM or fuzzy match pre-mortem', exec: 'assets/pre-mortem.md' },
    ],
  },
  { trigger: 'todos', description: 'Collect the notes of the tree', action: 'Search.', 'ide-only': true },
  { cmd: '*create-story', description: '[C] Create the next user story', exec: 'workflow.md' },
  { trigger: '[V]', description: 'Validate the next user story', action: '#five-whys' },
  { trigger: 'WS or fuzzy match on workflow-status', description: 'Where are we', action: 'Say where.' },
  { trigger: 'bye', description: 'Leave the conversation with Mary', action: 'agent.dismiss' },
  { cmd: '*help', description: '[MH] Redisplay the list' },
];

const CHINESE: readonly MenuItem[] = [
  {
    trigger: '创建故事',
    description: '[S] 根据待办列表编写下一个故事',
    workflow: 'workflow.md',
    triggers: [{ type: 'alias', match: '写故事' }],
  },
  { trigger: '检查故事', description: '检查已有的故事文件', action: '#five-whys' },
  { trigger: '总结', description: '总结本次会话（Summary）', action: '总结。' },
  { trigger: '🚀', description: '发布 ⚙️ 版本', action: '发布。' },
];

const COLLISIONS: readonly MenuItem[] = [
  { trigger: 'run', description: 'Run the first thing', action: 'One.' },
  { trigger: 'RUN', description: 'Run the second thing', action: 'Two.' },
  { trigger: 'plan', description: 'Plan [X] ahead', action: 'Three.' },
  { trigger: 'x', description: 'Something else', action: 'Four.' },
  {
    trigger: 'party',
    description: 'Modes',
    triggers: [
      { type: 'handler', match: 'start party mode', action: 'Start.' },
      { type: 'handler', match: 'stop party mode', action: 'Stop.' },
      { type: 'handler', match: 'plan', action: 'A handler that is called as an item is.' },
      { type: 'odd', match: 'odd one', action: 'Never.' },
      { type: 'alias', match: 7 },
    ],
  },
  { trigger: '7', description: 'A trigger of digits', action: 'Five.' },
  { trigger: 'solo', description: 'One way', triggers: [{ type: 'handler', match: 'alone', action: 'Go.' }] },
  { trigger: 'dead', description: 'No way' },
  { trigger: '*', description: 'Star', action: 'Six.' },
  { trigger: '/menu', description: 'A menu of our own', action: 'Seven.' },
];

const MENUS = { mary: MARY, chinese: CHINESE, collisions: COLLISIONS, none: [] };

function contextOf(menu: readonly MenuItem[], surface: TargetSurface = 'electron'): RouterContext {
  return {
    agent: { menu: [...menu], prompts: [{ id: 'five-whys', content: 'Ask why.' }] },
    workflows: [
      { path: 'workflow.md' },
      { id: 'hello-linear', path: 'workflows/hello-linear/workflow.md' },
      { id: 'decision-record', path: 'workflows/decision-record/workflow.md' },
    ],
    surface,
    artifactsDir: 'artifacts',
  };
}

/** `StartWorkflow 2 exact trigger`; the choices in brackets. */
function summary(command: CommandResolution): string {
  const { kind, matchedMenuItemIndex: index, matchedHandlerIndex: handler, confidence, matchedBy } = command;
  const position = index === undefined ? '-' : handler === undefined ? `${index}` : `${index}.${handler}`;
  const choices =
    command.kind === 'ClarifyChoice' ? ` [${command.candidates.map(({ input }) => input).join(' ')}]` : '';
  return `${kind} ${position} ${confidence} ${matchedBy}${choices}`;
}

const THREAD = 'Chat - low none';
const ALL_OF_MARY = '[1 2 3 4 5 6 7 8 9]';

type Row = [rule: string, menu: keyof typeof MENUS, input: string, expected: string, surface?: TargetSurface];

const rows: Row[] = [
  // Empty input
  ['R10', 'mary', '', 'ShowMenu - exact empty'],
  ['R10', 'mary', '   ', 'ShowMenu - exact empty'],
  ['R10', 'mary', '\n\t\r\n', 'ShowMenu - exact empty'],
  ['R10', 'mary', '\u3000\u00a0', 'ShowMenu - exact empty'],
  ['R10', 'mary', '\u200b\u202e\u0000\ufeff', 'ShowMenu - exact empty'],
  ['R10', 'mary', '\ufe0f', 'ShowMenu - exact empty'],
  ['R10', 'none', '', 'ShowMenu - exact empty'],
  // Numbers
  ['R10', 'mary', '1', 'StartWorkflow 1 exact number'],
  ['R10', 'mary', '2', 'StartWorkflow 2 exact number'],
  ['R10', 'mary', ' 2 ', 'StartWorkflow 2 exact number'],
  ['R10', 'mary', '02', 'StartWorkflow 2 exact number'],
  ['R10', 'mary', '２', 'StartWorkflow 2 exact number'],
  ['R10', 'mary', '\u3000２\u3000', 'StartWorkflow 2 exact number'],
  ['R10', 'mary', '*2', 'StartWorkflow 2 exact number'],
  ['R10', 'mary', '\u200b2', 'StartWorkflow 2 exact number'],
  ['R10', 'mary', '2\u0000', 'StartWorkflow 2 exact number'],
  ['R10', 'mary', '4', 'RunAction 4 exact number'],
  ['R10', 'mary', '8', 'DismissAgent 8 exact number'],
  ['R10', 'mary', '9', 'ShowMenu 9 exact number'],
  ['R10', 'mary', '0', `ClarifyChoice - low number ${ALL_OF_MARY}`],
  ['R10', 'mary', '10', `ClarifyChoice - low number ${ALL_OF_MARY}`],
  ['R10', 'mary', '9'.repeat(400), `ClarifyChoice - low number ${ALL_OF_MARY}`],
  ['R10', 'mary', '-1', THREAD],
  ['R10', 'mary', '1.5', THREAD],
  ['R10', 'mary', '1e0', THREAD],
  ['R10', 'mary', '0x1', THREAD],
  ['R10', 'mary', '1 2', THREAD],
  ['R10', 'mary', '三', THREAD],
  ['R10', 'none', '1', THREAD],
  ['R10', 'collisions', '7', 'RunAction 7.1 exact number'],
  ['R10', 'collisions', '6', 'RunAction 6 exact number'],
  ['R10', 'chinese', '３', 'RunAction 3 exact number'],
  // Surfaces shift numbers
  ['R17', 'mary', '2', 'RunAction 2 exact number', 'web'],
  ['R17', 'mary', '3', 'StartWorkflow 3 exact number', 'web'],
  ['R17', 'mary', '5', 'StartWorkflow 5 exact number', 'web'],
  ['R17', 'mary', 'offline', THREAD],
  ['R17', 'mary', 'offline', 'RunAction 2 exact trigger', 'web'],
  ['R17', 'mary', 'todos', 'RunAction 4 exact trigger'],
  ['R17', 'mary', 'todos', THREAD, 'web'],
  ['R17', 'mary', 'collect the notes', THREAD, 'web'],
  ['R17', 'mary', 'decide', 'StartWorkflow 3 exact trigger', 'web'],
  // Names
  ['R10', 'mary', 'hello', 'StartWorkflow 1 exact trigger'],
  ['R10', 'mary', 'HELLO', 'StartWorkflow 1 exact trigger'],
  ['R10', 'mary', '  Hello\t', 'StartWorkflow 1 exact trigger'],
  ['R10', 'mary', '*hello', 'StartWorkflow 1 exact trigger'],
  ['R10', 'mary', '* hello', 'StartWorkflow 1 exact trigger'],
  ['R10', 'mary', '**hello', 'StartWorkflow 1 exact trigger'],
  ['R10', 'mary', 'ｈｅｌｌｏ', 'StartWorkflow 1 exact trigger'],
  ['R10', 'mary', '＊hello', 'StartWorkflow 1 exact trigger'],
  ['R10', 'mary', 'he\u200bllo', 'StartWorkflow 1 exact trigger'],
  ['R10', 'mary', '\u202ehello', 'StartWorkflow 1 exact trigger'],
  ['R10', 'mary', '\u2067hello\u2069', 'StartWorkflow 1 exact trigger'],
  ['R10', 'mary', 'hel\u0007lo', 'StartWorkflow 1 exact trigger'],
  ['R10', 'mary', 'hi', 'StartWorkflow 1 exact alias'],
  ['R10', 'mary', 'Outline', 'StartWorkflow 1 exact alias'],
  ['R10', 'mary', 'create-story', 'StartWorkflow 5 exact cmd'],
  ['R10', 'mary', '*create-story', 'StartWorkflow 5 exact cmd'],
  ['R10', 'mary', '*CREATE-STORY', 'StartWorkflow 5 exact cmd'],
  ['R10', 'mary', 'bye', 'DismissAgent 8 exact trigger'],
  ['R10', 'mary', '*help', 'ShowMenu 9 exact cmd'],
  ['R10', 'mary', 'help', 'ShowMenu 9 exact cmd'],
  ['R10', 'mary', 'c', 'StartWorkflow 5 exact code'],
  ['R10', 'mary', '[C]', 'StartWorkflow 5 exact code'],
  ['R10', 'mary', '*c', 'StartWorkflow 5 exact code'],
  ['R10', 'mary', 'Ｃ', 'StartWorkflow 5 exact code'],
  ['R10', 'mary', 'v', 'RunAction 6 exact code'],
  ['R10', 'mary', '[v]', 'RunAction 6 exact trigger'],
  ['R10', 'mary', 'mh', 'ShowMenu 9 exact code'],
  ['R10', 'mary', 'ws', 'RunAction 7 exact trigger'],
  ['R10', 'mary', 'workflow-status', 'RunAction 7 exact trigger'],
  ['R10', 'mary', 'WS or fuzzy match on workflow-status', 'RunAction 7 exact trigger'],
  ['R10', 'chinese', 's', 'StartWorkflow 1 exact code'],
  ['R10', 'chinese', '创建故事', 'StartWorkflow 1 exact trigger'],
  ['R10', 'chinese', ' 创建故事\u3000', 'StartWorkflow 1 exact trigger'],
  ['R10', 'chinese', '写故事', 'StartWorkflow 1 exact alias'],
  ['R10', 'chinese', '总结', 'RunAction 3 exact trigger'],
  ['R10', 'chinese', '🚀', 'RunAction 4 exact trigger'],
  ['R10', 'chinese', '*🚀', 'RunAction 4 exact trigger'],
  ['R10', 'chinese', '🚀\ufe0f', 'RunAction 4 exact trigger'],
  ['R10', 'collisions', 'run', 'ClarifyChoice - exact trigger [1 2]'],
  ['R10', 'collisions', 'Run', 'ClarifyChoice - exact trigger [1 2]'],
  ['R10', 'collisions', 'x', 'RunAction 4 exact trigger'],
  ['R10', 'collisions', '[x]', 'RunAction 3 exact code'],
  ['R10', 'collisions', 'plan', 'RunAction 3 exact trigger'],
  ['R10', 'collisions', '*', 'RunAction 9 exact trigger'],
  ['R10', 'collisions', '/menu', 'RunAction 10 exact trigger'],
  // Commands of the runtime
  ['R10', 'mary', '/menu', 'ShowMenu - exact global'],
  ['R10', 'mary', '*menu', 'ShowMenu - exact global'],
  ['R10', 'mary', '/MENU', 'ShowMenu - exact global'],
  ['R10', 'mary', '／menu', 'ShowMenu - exact global'],
  ['R10', 'mary', '/help', 'RunAction - exact global'],
  ['R10', 'mary', '/dismiss', 'DismissAgent - exact global'],
  ['R10', 'mary', '*dismiss', 'DismissAgent - exact global'],
  ['R10', 'mary', '/exit', 'DismissAgent - exact global'],
  ['R10', 'mary', '/resume', 'ResumeRun - exact global'],
  ['R10', 'mary', '*resume', 'ResumeRun - exact global'],
  ['R10', 'mary', '/pause', 'RunAction - exact global'],
  ['R10', 'mary', '/stop', 'RunAction - exact global'],
  ['R10', 'mary', '/undo', 'RunAction - exact global'],
  ['R10', 'mary', '/model', 'RunAction - exact global'],
  ['R10', 'mary', '/context', 'RunAction - exact global'],
  ['R10', 'none', '/menu', 'ShowMenu - exact global'],
  ['R10', 'mary', 'menu', THREAD],
  ['R10', 'mary', 'dismiss', THREAD],
  ['R10', 'mary', 'stop', THREAD],
  ['R10', 'mary', '/nothing', THREAD],
  ['R10', 'mary', '/menu please', THREAD],
  ['R10', 'mary', '/menu\nand more', THREAD],
  ['R10', 'mary', '/', THREAD],
  ['R10', 'mary', '/constructor', THREAD],
  // Text that occurs
  ['R10', 'mary', 'create story', 'StartWorkflow 5 high cmd'],
  ['R10', 'mary', 'create_story', 'StartWorkflow 5 high cmd'],
  ['R10', 'mary', 'story', 'StartWorkflow 5 high cmd'],
  ['R10', 'mary', 'create', 'StartWorkflow 5 high cmd'],
  ['R10', 'mary', 'five whys', 'RunAction 3.1 high handler'],
  ['R10', 'mary', 'Five-Whys', 'RunAction 3.1 high handler'],
  ['R10', 'mary', 'whys', 'RunAction 3.1 high handler'],
  ['R10', 'mary', 'pm', 'ExecScript 3.2 high handler'],
  ['R10', 'mary', 'pre-mortem', 'ExecScript 3.2 high handler'],
  ['R10', 'mary', 'pre mortem', 'ExecScript 3.2 high handler'],
  ['R10', 'mary', 'PM or fuzzy match pre-mortem', 'ExecScript 3.2 high handler'],
  ['R10', 'mary', 'workflow status', 'RunAction 7 high trigger'],
  ['R10', 'mary', 'status', 'RunAction 7 high trigger'],
  ['R10', 'mary', 'hell', 'StartWorkflow 1 medium trigger'],
  ['R10', 'mary', 'outl', 'StartWorkflow 1 medium alias'],
  ['R10', 'mary', 'topic', 'StartWorkflow 1 medium description'],
  ['R10', 'mary', 'a decision record', 'StartWorkflow 2 medium description'],
  ['R10', 'mary', 'write a decision record', 'StartWorkflow 2 high description'],
  ['R10', 'mary', 'mort', 'ExecScript 3.2 low handler'],
  ['R10', 'mary', 'recor', 'StartWorkflow 2 low description'],
  ['R10', 'mary', 'look ahead', 'ClarifyChoice 3 medium description [3.1 3.2]'],
  ['R10', 'chinese', '创建', 'StartWorkflow 1 medium trigger'],
  ['R10', 'chinese', '待办', 'StartWorkflow 1 low description'],
  ['R10', 'chinese', 'summary', 'RunAction 3 medium description'],
  ['R10', 'chinese', 'ＳＵＭＭＡＲＹ', 'RunAction 3 medium description'],
  ['R10', 'chinese', '会话', 'RunAction 3 low description'],
  ['R10', 'collisions', 'alone', 'RunAction 7.1 high handler'],
  ['R10', 'mary', 'no', THREAD],
  ['R10', 'mary', 'a', THREAD],
  ['R10', 'mary', 'to', THREAD],
  ['R10', 'mary', 'or', THREAD],
  ['R10', 'mary', 'fuzzy match', THREAD],
  ['R10', 'mary', 'he', THREAD],
  ['R10', 'mary', '-', THREAD],
  ['R10', 'mary', '***', THREAD],
  ['R10', 'chinese', '事', THREAD],
  ['R10', 'chinese', '的', THREAD],
  ['R10', 'mary', 'x'.repeat(201), THREAD],
  ['R10', 'mary', 'hello '.repeat(100_000), THREAD],
  ['R10', 'mary', 'user story', 'ClarifyChoice - medium description [5 6]'],
  ['R10', 'mary', 'next', 'ClarifyChoice - medium description [5 6]'],
  ['R10', 'chinese', '故事', 'ClarifyChoice - medium trigger [1 2]'],
  ['R10', 'collisions', 'party mode', 'ClarifyChoice - high handler [5.1 5.2]'],
  ['R10', 'collisions', 'thing', 'ClarifyChoice - medium description [1 2]'],
  // Chat
  ['R10', 'mary', 'Can you help me with my plan?', THREAD],
  ['R10', 'mary', 'hello there', THREAD],
  ['R10', 'mary', '😀', THREAD],
  ['R10', 'mary', '你好', THREAD],
  ['R10', 'chinese', '请帮我写一个计划', THREAD],
  ['R10', 'none', 'hello', THREAD],
  ['R10', 'mary', 'constructor', THREAD],
  ['R10', 'mary', '__proto__', THREAD],
  ['R10', 'mary', '.*', THREAD],
  ['R10', 'mary', '\ud800', THREAD],
  ['R10', 'collisions', 'odd one', THREAD],
  // Choices offered before
  ['R10', 'mary', '3', 'ClarifyChoice 3 exact number [3.1 3.2]'],
  ['R10', 'mary', 'think', 'ClarifyChoice 3 exact trigger [3.1 3.2]'],
  ['R10', 'mary', '3.1', 'RunAction 3.1 exact number'],
  ['R10', 'mary', '3.2', 'ExecScript 3.2 exact number'],
  ['R10', 'mary', '３．２', 'ExecScript 3.2 exact number'],
  ['R10', 'mary', '3.3', THREAD],
  ['R10', 'mary', '1.1', THREAD],
  ['R18', 'collisions', 'solo', 'RunAction 7.1 exact trigger'],
  ['R18', 'collisions', 'dead', 'Refused 8 exact trigger'],
  ['R18', 'mary', 'redisplay the list', 'ShowMenu 9 medium description'],
];

describe('the command router', () => {
  for (const [rule, menu, input, expected, surface] of rows) {
    const shown = `${JSON.stringify(input.slice(0, 40))} in ${menu}${surface ? ` (${surface})` : ''}`;
    it(`[${rule}] ${shown} → ${expected}`, () => {
      expect(summary(resolveCommand(input, contextOf(MENUS[menu], surface)))).toBe(expected);
    });
  }

  it('[R17] the first line is matched, the others are passed on unchanged', () => {
    const cases: [input: string, summary: string, rest: string | undefined][] = [
      ['hello\nabout bees', 'StartWorkflow 1 exact trigger', 'about bees'],
      ['2\r\n  one\r\n two', 'StartWorkflow 2 exact number', '  one\r\n two'],
      ['\n\n hi \n\n x', 'StartWorkflow 1 exact alias', '\n x'],
      ['topic\u2028bees', 'StartWorkflow 1 medium description', 'bees'],
      ['99\nx', `ClarifyChoice - low number ${ALL_OF_MARY}`, 'x'],
      ['next\nx', 'ClarifyChoice - medium description [5 6]', 'x'],
      ['think\nx', 'ClarifyChoice 3 exact trigger [3.1 3.2]', 'x'],
      ['hello\n \n', 'StartWorkflow 1 exact trigger', undefined],
      ['what is\nhello', THREAD, undefined],
    ];
    for (const [input, expected, rest] of cases) {
      const command = resolveCommand(input, contextOf(MARY));
      expect([summary(command), command.rest]).toEqual([expected, rest]);
    }
  });

  it('[R17] a command has its item, the matched field and its target', () => {
    expect(resolveCommand('decide', contextOf(MARY))).toEqual({
      kind: 'StartWorkflow',
      confidence: 'exact',
      matchedBy: 'trigger',
      reason: '"decide" is the trigger of item 2.',
      matchedMenuItemIndex: 2,
      matchedMenuItemId: 'dr',
      workflowRef: { type: 'workflowId', workflowId: 'decision-record' },
    });
    expect(resolveCommand('mort', contextOf(MARY))).toEqual({
      kind: 'ExecScript',
      confidence: 'low',
      matchedBy: 'handler',
      reason: '"mort" occurs in a choice of item 3.',
      matchedMenuItemIndex: 3,
      matchedHandlerIndex: 2,
      execRef: { type: 'markdown', mdPath: '@pkg/assets/pre-mortem.md' },
    });
  });

  it('[R10] a number outside the menu is answered with the valid range', () => {
    const command = resolveCommand('12', contextOf(CHINESE));
    expect(command.reason).toBe('There is no item 12; choose a number from 1 to 4.');
    expect(command).toMatchObject({
      candidates: [{ index: 1, input: '1', label: '1. [S] 根据待办列表编写下一个故事' }, {}, {}, {}],
    });
  });

  it('[R10] chat comes with a hint if there is a menu', () => {
    const chatReason = (menu: readonly MenuItem[]): string => resolveCommand('?', contextOf(menu)).reason;
    expect(chatReason(CHINESE)).toBe(
      'Nothing in the menu matches; type a number from 1 to 4 or a trigger to choose.',
    );
    expect(chatReason([])).toBe('Nothing in the menu matches.');
  });

  it('[R10] text is compared normalized and shown sanitized', () => {
    expect(resolveCommand('\u202ehello', contextOf(MARY)).reason).toBe('"hello" is the trigger of item 1.');
    expect(resolveCommand('hel\u0007lo', contextOf(MARY)).reason).toBe(
      '"hel\ufffdlo" is the trigger of item 1.',
    );
    const { reason } = resolveCommand('99\u001b', contextOf(MARY));
    expect(reason).toBe('There is no item 99\ufffd; choose a number from 1 to 9.');
  });

  it('[R10] in a run only commands of the runtime are accepted', () => {
    const resolved = (text: string): string => {
      const command = resolveGlobalCommand(text, { isInRun: true });
      return command ? summary(command) : 'for the run';
    };
    expect(resolved('/menu')).toBe('ShowMenu - exact global');
    expect(resolved(' /Dismiss ')).toBe('DismissAgent - exact global');
    expect(resolveGlobalCommand(' *Dismiss ')).toMatchObject({ kind: 'DismissAgent', matchedBy: 'global' });
    expect(resolveGlobalCommand('/stop')).toMatchObject({ actionRef: { type: 'builtin', name: 'run.stop' } });
    for (const text of [
      '1',
      'menu',
      'hello',
      '',
      '/menu now',
      '/menu\nx',
      '//menu',
      '/m',
      '* menu',
      '/é',
      '*menu',
      '*exit',
    ])
      expect(resolved(text)).toBe('for the run');
  });

  it('[R10] commands of the runtime have Chinese names', () => {
    const kindOf = (text: string, isInRun = true): string => {
      const command = resolveGlobalCommand(text, { isInRun });
      return command?.kind === 'RunAction'
        ? Object.values(command.actionRef).join(' ')
        : (command?.kind ?? 'input');
    };
    expect(
      ['/菜单', '／退出', '、继续', '/停止', '/撤销', '*帮助', '菜单', '/菜', '/菜单吧'].map((text) =>
        kindOf(text),
      ),
    ).toEqual([
      'ShowMenu',
      'DismissAgent',
      'ResumeRun',
      'builtin run.stop',
      'builtin run.undo',
      'input',
      'input',
      'input',
      'input',
    ]);
    expect(
      ['菜单', '退出', '停止', '菜单在哪'].map((text) => resolveCommand(text, contextOf(MARY)).kind),
    ).toEqual(['ShowMenu', 'DismissAgent', 'Chat', 'Chat']);
  });

  it('[R10] an item is matched by the id and the title of its workflow', () => {
    const menu: MenuItem[] = [
      {
        trigger: 'CP',
        description: 'Product requirements',
        exec: '{project-root}/_bmad/bmm/flows/prd/workflow.md',
      },
      {
        description: 'Several things',
        triggers: [{ type: 'handler', match: 'ST', workflow: 'create-story' }],
      },
    ];
    const context = {
      ...contextOf(menu),
      workflows: [
        { id: 'create-prd', path: 'flows/prd/workflow.md', title: '创建 PRD' },
        { id: 'create-story', path: 'flows/story/workflow.md', title: 'Write a story' },
      ],
    };
    const met = (text: string): unknown => {
      const { kind, matchedMenuItemIndex, matchedHandlerIndex, matchedBy } = resolveCommand(text, context);
      return [kind, matchedMenuItemIndex, matchedHandlerIndex, matchedBy];
    };
    for (const text of ['create-prd', 'Create PRD', '创建PRD', '创建 prd'])
      expect(met(text)).toEqual(['StartWorkflow', 1, undefined, 'target']);
    for (const text of ['create story', 'write a story'])
      expect(met(text)).toEqual(['StartWorkflow', 2, 1, 'target']);
    expect(met('create something')).toEqual(['Chat', undefined, undefined, 'none']);
  });

  it.each([
    ['创建PRD', '创建 PRD 文档'],
    ['创建 PRD', '创建PRD文档'],
    ['prd 文档', '创建PRD文档'],
    ['PRD', '创建PRD文档'],
  ])('[R10] %s occurs in %s', (text, description) => {
    expect(resolveCommand(text, contextOf([{ description, action: 'do it' }]))).toMatchObject({
      kind: 'RunAction',
      matchedBy: 'description',
    });
  });

  it('[R10] every trigger of the examples is matched by its name', async () => {
    const names = [
      'create-story-micro',
      'create-story-micro-zh',
      'hello-branch',
      'hello-branch-zh',
      'multi-workflows',
    ];
    for (const name of names) {
      const file = new URL(`../../../../examples/${name}/agents.json`, import.meta.url);
      const { agents } = agentsDocumentSchema.parse(JSON.parse(await readFile(file, 'utf8')));
      for (const agent of agents) {
        const kinds = (agent.menu ?? []).map(
          ({ trigger = '' }) => resolveCommand(trigger, { ...contextOf([]), agent }).kind,
        );
        expect(kinds).not.toContain('Chat');
        expect(kinds).not.toContain('Refused');
      }
    }
  });

  it('[R17] texts designed to be slow are resolved at once', () => {
    const a = 'a'.repeat(20_000);
    const menu = Array.from({ length: 50 }, () => ({ trigger: `${a}b`, description: `${a}c`, action: a }));
    const inputs = [
      a,
      'a'.repeat(199),
      `${'a'.repeat(198)}d`,
      '*'.repeat(1_000_000),
      `*${' '.repeat(1_000_000)}`,
    ];
    for (const input of [...inputs, '\n'.repeat(1_000_000), `1${' '.repeat(1_000_000)}x`])
      expect(resolveCommand(input, contextOf(menu)).confidence).toBeDefined();
  });
});
