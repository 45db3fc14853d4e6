import type { Texts } from '@crewagent/protocol/texts/texts';
import type { en } from './en.ts';

export const zhCN: Texts<typeof en> = {
  approval: {
    once: '[y] 允许',
    all: '[t] 全部 {{count}} 处',
    longer: '[a] 长期',
    no: '[n] 拒绝',
    edit: '[e] 编辑',
    view: '[v] 全部',
    more_other: '… 还有 {{count}} 行，按 v 查看',
    unseen: '以上是其余内容。允许吗？',
    unseenOthers: '以上是其他改动。全部允许吗？',
    following_other: '本次回复还会修改 {{count}} 个文件：',
    howLong: '允许多久？',
    node: '本步骤内',
    run: '本次运行内',
    thread: '本次对话内',
    always: '在此项目中始终允许',
    whichFiles: '适用于哪些文件？',
    file: '仅此文件',
    folder: '{{folder}} 中的所有文件',
    files: '所有文件',
    why: '为什么拒绝？应该怎么做？（可选，会发给模型）',
  },
  prompt: {
    menu: '输入编号或名称，从菜单中选择。',
    help: '输入 /help 查看命令，按 Ctrl-D 离开。',
    continue: '按回车继续，或输入给模型的消息。',
    continueOrLeave: '按回车继续，输入给模型的消息，或按 Ctrl-D 离开。',
    reply: '请输入回复，或按 Ctrl-D 离开，运行保持不变。',
    still: '消息仍与此工作流有关；输入 /stop 离开。',
    stillAgent: '消息仍与此工作流有关；/menu 显示其他选项，/stop 返回 {{name}}。',
  },
  choice: {
    run: '输入编号，选择要继续的运行。',
    suggested: '建议使用此菜单项，输入编号即可选择：',
  },
  edit: {
    saved: '已保存你的版本：{{path}}。',
    unchanged: '内容没有变化，尚未做出决定。',
    failed: '编辑器异常退出，未保存任何内容。',
    unknown: '文件已有变化，或不是纯文本，无法在这里编辑。',
  },
  choose: {
    yes: '是',
    no: '否',
    one: '↑ ↓ 选择，回车确认，也可输入编号',
    oneOrWords: '↑ ↓ 选择，回车确认，也可输入编号或自己的回答',
    several: '↑ ↓ 移动，空格选择，回车确认，也可输入编号',
  },
};
