/** What an editor shows besides the story: options, choices, and sentences about the session itself. */
import type { Language } from '@crewagent/protocol/languages';
import { renderText, type TextParams } from '@crewagent/protocol/texts/render-text';
import type { KeyOf, Texts } from '@crewagent/protocol/texts/texts';

const en = {
  allow: {
    once: 'Allow once',
    all: 'Allow all {{count}} changes of this reply',
    node: 'Allow this file for this step',
    run: 'Allow this file for this run',
    thread: 'Allow this file for this conversation',
    deny: 'Deny',
  },
  preset: {
    label: 'Permission',
    'read-only': 'Read only',
    readOnlyHint: 'Agents read and chat but change nothing. Not for workflows, which need to write.',
    ask: 'Ask first',
    askHint: 'Results are written without asking; you allow or deny any other change.',
    declared: 'Declared files only',
    declaredHint: 'Steps use the files that they declare; you are asked before any other is read or changed.',
    autopilot: 'Run without asking',
    autopilotHint: 'Changes are made right away. You can undo all of them.',
  },
  recipient: {
    label: 'Talk to',
    chat: 'The model',
    workflow: 'Workflow: {{title}}',
  },
  model: { label: 'Model', rehearsal: 'Rehearsal (no model)' },
  question: {
    own: 'Answer in my own words',
    yes: 'Yes',
    no: 'No',
    skipped: 'skipped',
    empty: '(empty)',
  },
  menu: 'Choose by number or name:',
  hint: 'more for the model (optional)',
  rehearsal:
    'No model is set up, so this is a rehearsal: its results are placeholders. Set one up in a terminal with "crewagent config add-model", then choose it here.',
  workflow: 'Your next message starts the workflow “{{title}}”.',
  unsaved: '{{path}} as it is in the editor, which may not be saved:',
  outside: '{{name}} (not in the project)',
  busy: 'This session is still working. Stop it first, or wait.',
  tooMany: 'There are too many open sessions. Close some of them.',
  noSession: 'This session is not open. Load it first.',
  relative: 'The folder of a session must be an absolute path.',
} as const;

const zhCN: Texts<typeof en> = {
  allow: {
    once: '允许一次',
    all: '允许此回复的全部 {{count}} 处更改',
    node: '在此步骤中允许更改此文件',
    run: '在此次运行中允许更改此文件',
    thread: '在此对话中允许更改此文件',
    deny: '拒绝',
  },
  preset: {
    label: '权限',
    'read-only': '只读',
    readOnlyHint: '智能体可以读取和对话，但不做任何更改。工作流需要写入，因此不可用。',
    ask: '先询问',
    askHint: '结果直接写入；其他更改由你允许或拒绝。',
    declared: '仅限声明的文件',
    declaredHint: '步骤使用它声明的文件；读取或改动其他文件前会询问你。',
    autopilot: '自动执行',
    autopilotHint: '改动立即生效，全部可以撤销。',
  },
  recipient: { label: '对话对象', chat: '模型', workflow: '工作流：{{title}}' },
  model: { label: '模型', rehearsal: '排练（不使用模型）' },
  question: {
    own: '用自己的话回答',
    yes: '是',
    no: '否',
    skipped: '已跳过',
    empty: '（空）',
  },
  menu: '输入编号或名称选择：',
  hint: '给模型的补充说明（可选）',
  rehearsal:
    '尚未设置模型，因此这是一次排练，结果只是占位内容。请在终端运行“crewagent config add-model”设置模型，然后在此处选择。',
  workflow: '你的下一条消息将启动工作流“{{title}}”。',
  unsaved: '{{path}} 在编辑器中的内容，可能尚未保存：',
  outside: '{{name}}（不在项目中）',
  busy: '此会话仍在进行。请先停止，或稍候。',
  tooMany: '打开的会话过多。请先关闭一些。',
  noSession: '此会话没有打开。请先加载。',
  relative: '会话的文件夹必须是绝对路径。',
};

const TEXTS: Readonly<Record<Language, Texts<typeof en>>> = { en, 'zh-CN': zhCN };

export type Say = (key: KeyOf<typeof en>, params?: TextParams) => string;

export function createSay(language: Language): Say {
  return (key, params) => renderText(TEXTS[language], key, params);
}
