/** What happened in a Work, one sentence per timeline entry. */
import type { story as english } from '../en/story.ts';
import type { Texts } from '../texts.ts';

export const story: Texts<typeof english> = {
  mark: {
    artifact: '写入了 {{name}}',
    data: '附带：{{name}}',
    directive: '指令：{{name}}',
    consent: '已允许对完成的工作流作一次改动',
    agentLeft: '已退出 {{name}}，现在是普通对话',
    runLeft: '已退出运行，可以随时继续',
    callCompleted: '{{name}} 已完成',
    callSkipped: '已跳过 {{name}}',
    callAbandoned: '已离开 {{name}}',
    script: '按照 {{name}} 进行',
    scriptLeft: '{{name}} 已结束',
  },
  event: {
    agent: '正在与 {{agent}} 对话',
    chose: '选择了“{{input}}”',
    wrote: '输入了“{{input}}”',
    contextNow: '上次请求使用了 {{used}} / {{size}} token',
    modelNow: '当前模型：{{name}}',
    run: '开始运行 {{title}}',
    runAgain: '继续运行 {{title}}',
    call: '运行子工作流 {{title}}',
    undo_other: '撤销了 {{count}} 个文件的改动',
    redo_other: '重做了 {{count}} 个文件的改动',
    notUndone: '未作改动',
    outcome: {
      restored: '已还原',
      deleted: '已移除',
      recreated: '已重新创建',
      unchanged: '已是原样',
      conflict: '未撤销：此后有改动',
      'not-recorded': '未撤销：未记录之前的内容',
      failed: '无法修改',
    },
    moved: '从“{{from}}”到“{{to}}”',
    movedBy: '从“{{from}}”到“{{to}}”（{{label}}）',
    wentBack: '从“{{from}}”回到了“{{to}}”',
    restarted: '重新开始了“{{to}}”',
    completed: '工作流已完成',
  },
};
