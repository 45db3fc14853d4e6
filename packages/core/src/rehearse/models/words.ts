/** What a rehearsal says to the person and writes into placeholders, in the languages of the product. Pure. */
import type { Language } from '@crewagent/protocol/languages';

const CONFIG = 'crewagent config add-model';

const en = {
  introduction:
    'This is the rehearsal, a stand-in for a language model: it runs through workflows and cannot answer questions about them. Choose a model in the settings to continue.',
  readsStep: (title: string) => `Rehearsal: reading the step "${title}".`,
  readsInputs: (title: string) => `Rehearsal: reading the inputs of "${title}".`,
  waits: (title: string) => `Rehearsal: "${title}" is waiting for a person.`,
  waitsFor: (title: string, questions: string) => `Rehearsal: "${title}" is waiting for you. ${questions}`,
  doesOption: (option: string) => `Rehearsal: a model would now do "${option}" and return to the menu.`,
  optionDone: (option: string) => `"${option}" is done. What next?`,
  writes: (title: string) => `Rehearsal: writing the outputs of "${title}".`,
  cannotWrite: (title: string, paths: string) =>
    `Rehearsal: "${title}" should write ${paths}, but files cannot be written in this mode.`,
  done: (title: string, chosen: string | undefined) =>
    `Rehearsal: "${title}" is done${chosen === undefined ? '' : `, choosing "${chosen}"`}.`,
  cannotContinue: (title: string) =>
    `Rehearsal: "${title}" is done, but the run cannot continue in this mode.`,
  notLeft: (title: string, code: string, message: string) =>
    `Rehearsal: "${title}" could not be left (${code}). ${message}`,
  finished: 'The rehearsal is finished; no model was asked.',
  wroteLast: (paths: string) => `Files written last: ${paths}.`,
  wroteNothing: 'Its last node wrote no file.',
  step: (title: string) => `step "${title}"`,
  script: (title: string) => `script "${title}"`,
  chooses: (called: string) => `The ${called} is waiting for your choice.`,
  asks: (called: string) => `The ${called} is waiting for your answer.`,
  askForOne: 'What should it use?',
  severalValues: 'The step sets several values. Write the first one, or each on a line of its own:',
  askFor: (value: string) => `${value}?`,
  /** Why an edge is taken. */
  because: {
    requested: 'Rehearsal: this edge was requested.',
    chosen: 'Rehearsal: the person chose this edge.',
    isMet: 'Rehearsal: the condition of this edge is true.',
    visited: 'Rehearsal: the node was visited before.',
    isDefault: 'Rehearsal: the default edge.',
    isFirst: 'Rehearsal: the first edge.',
  },
  thread: {
    introduction: 'This is the rehearsal, a stand-in for a language model; no model is connected',
    noAnswer: (input: string) => `, so there is no answer to "${input}"`,
    action: (name: string) => ` that could run the action ${name}`,
    follow: (script: string) => ` that could follow ${script}`,
    scriptNamed: (title: string, path: string) => `the script "${title}" (${path})`,
    scriptAt: (path: string) => `the script ${path}`,
    readsScript: (path: string) => `Rehearsal: reading the script ${path}.`,
    wouldFollow: (script: string) =>
      `Rehearsal: a model would follow ${script} now. It is waiting for a person.`,
    wouldAsk: (questions: string) => `It would ask: ${questions}`,
    unread: (code: string) => `It could not be read (${code}).`,
    wrote: (words: string) => `You wrote "${words}".`,
    answered: (words: string) => `You answered "${words}", which has no effect.`,
    document: (path: string, summary: string) => `Data: ${path} (${summary}).`,
    connect: `Set one up in the settings (on the command line: ${CONFIG}).`,
    ends: '.',
  },
  file: {
    note: 'This file is from a rehearsal: no model wrote it, and it is a placeholder for a real result.',
    filler: 'A model would write its own words here.',
    section: 'Placeholder.',
    revision: (number: number) => `Revision: ${number}`,
    read: 'Read',
    said: 'Said by the person',
    unasked: 'Without a question',
    notRead: 'not read',
    missing: 'missing',
    unreadable: (code: string) => `not readable: ${code}`,
    bytes: (count: number) => `${count} bytes`,
  },
};

export type Words = typeof en;

const zhCN: Words = {
  introduction:
    '这是演练，用来代替语言模型：它会走完工作流，但不能回答与工作流有关的问题。要继续，请在设置中选择模型。',
  readsStep: (title) => `演练：正在阅读步骤“${title}”。`,
  readsInputs: (title) => `演练：正在读取“${title}”的输入。`,
  waits: (title) => `演练：“${title}”在等待人的回答。`,
  waitsFor: (title, questions) => `演练：“${title}”在等待你。${questions}`,
  doesOption: (option) => `演练：模型此时会执行“${option}”，然后回到菜单。`,
  optionDone: (option) => `“${option}”已完成。接下来做什么？`,
  writes: (title) => `演练：正在写入“${title}”的产出。`,
  cannotWrite: (title, paths) => `演练：“${title}”应写入 ${paths}，但此模式下不能写文件。`,
  done: (title, chosen) => `演练：“${title}”已完成${chosen === undefined ? '' : `，选择了“${chosen}”`}。`,
  cannotContinue: (title) => `演练：“${title}”已完成，但此模式下运行不能继续。`,
  notLeft: (title, code, message) => `演练：未能离开“${title}”（${code}）。${message}`,
  finished: '演练已结束；没有使用任何模型。',
  wroteLast: (paths) => `最后写入的文件：${paths}。`,
  wroteNothing: '最后一个节点没有写文件。',
  step: (title) => `步骤“${title}”`,
  script: (title) => `脚本“${title}”`,
  chooses: (called) => `${called}在等待你的选择。`,
  asks: (called) => `${called}在等待你的回答。`,
  askForOne: '它应该使用什么内容？',
  severalValues: '此步骤会设置多个值。可以只写第一个，也可以每个值写一行：',
  askFor: (value) => `${value}：`,
  because: {
    requested: '演练：按要求走这条连线。',
    chosen: '演练：这条连线由人选择。',
    isMet: '演练：这条连线的条件成立。',
    visited: '演练：此节点已经来过。',
    isDefault: '演练：默认的连线。',
    isFirst: '演练：第一条连线。',
  },
  thread: {
    introduction: '这是演练，用来代替语言模型；还没有连接模型',
    noAnswer: (input) => `，因此无法回答“${input}”`,
    action: (name) => `，无法执行操作 ${name}`,
    follow: (script) => `，无法执行${script}`,
    scriptNamed: (title, path) => `脚本“${title}”（${path}）`,
    scriptAt: (path) => `脚本 ${path}`,
    readsScript: (path) => `演练：正在阅读脚本 ${path}。`,
    wouldFollow: (script) => `演练：模型此时会执行${script}。它在等待人的回答。`,
    wouldAsk: (questions) => `它会问：${questions}`,
    unread: (code) => `无法读取（${code}）。`,
    wrote: (words) => `你写了“${words}”。`,
    answered: (words) => `你回答了“${words}”，但这不起作用。`,
    document: (path, summary) => `数据：${path}（${summary}）。`,
    connect: `请在设置中添加模型（命令行：${CONFIG}）。`,
    ends: '。',
  },
  file: {
    note: '本文件来自演练：不是由模型写成，只是真实结果的占位内容。',
    filler: '这里将是模型写下的内容。',
    section: '占位内容。',
    revision: (number) => `修订：${number}`,
    read: '读取的文件',
    said: '人的回答',
    unasked: '主动说的话',
    notRead: '未读取',
    missing: '不存在',
    unreadable: (code) => `无法读取：${code}`,
    bytes: (count) => `${count} 字节`,
  },
};

const WORDS: Readonly<Record<Language, Words>> = { en, 'zh-CN': zhCN };

export function wordsIn(language: Language = 'en'): Words {
  return WORDS[language];
}
