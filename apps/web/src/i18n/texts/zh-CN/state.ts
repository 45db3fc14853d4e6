/** State tab of the inspector. */

import type { Texts } from '@crewagent/protocol/texts/texts';
import type { state as english } from '../en/state.ts';

export const state = {
  state: {
    current: '当前步骤',
    steps: '已完成的步骤',
    variables: '变量',
    decisions: '决定',
    artifacts: '写入的文件',
    document: '状态文档',
    save: '保存',
    discard: '放弃修改',
    saved: '状态已保存。',
    canSave: '有效',
    refused: '不允许',
    goTo: '前往“{{node}}”（{{label}}）',
    running: '轮次进行中，无法保存。',
    runningAdvice: '请停止它或等它结束后再保存。你的内容会留在这里。',
    outdated: '文档在此期间已被修改。',
    outdatedAdvice: '请重新加载；你的内容会另外保留，可以恢复。',
    reload: '重新加载',
    aside: '你未保存的内容',
    putBack: '恢复',
    forgetAside: '丢弃',
    notSaved: '状态未保存。',
    kept: '内容仍在这里，请重试。',
    notChecked: '无法校验。',
    complete: '工作流已完成。',
    completeAdvice: '仍可修改其状态，保存时需要确认。',
    consentTitle: '修改已完成的工作流吗？',
    consentText: '这将允许对已完成工作流的状态作一次改动；工作流的规则仍然有效。',
    consentConfirm: '修改状态',
    history: '历史',
    noHistory: '状态还没有改变过。',
    noDiff: '没有记录此改动。',
    values_one: '{{count}} 个变量已更改',
    values_other: '{{count}} 个变量已更改',
    by: {
      model: '由模型',
      person: '手动',
      rewind: '退回',
      outside: '外部改动',
    },
  },
} satisfies Texts<typeof english>;
