/** The tab Context: what a model is sent. */
import type { context as english } from '../en/context.ts';
import type { Texts } from '../texts.ts';

export const context = {
  context: {
    which: '哪个请求',
    last: '上次发送（第 {{turn}} 轮）',
    notSent: '还没有发送',
    next: '下次将发送',
    use: '占模型容量的比例',
    used: '{{used}} / {{size}} 个令牌（{{percent}}%）',
    estimated: '令牌数为估计值，提供商的计数略有不同。',
    empty: '还没有可发送的内容。',
    layers: '组成部分',
    parts_one: '{{count}} 个部分',
    parts_other: '{{count}} 个部分',
    part: '部分',
    share: '{{tokens}} · {{percent}}%',
    layer: {
      rules: '规则',
      policy: '工具权限',
      background: '项目、用户和工作流',
      persona: '助手',
      menu: '助手的菜单',
      tools: '工具',
      earlier: '之前步骤的摘要',
      anchor: '当前位置',
      messages: '消息和结果',
      input: '你的话',
    },
    layerText: {
      rules: '模型在本程序中的工作方式。',
      policy: '它可以读取和写入什么。',
      background: '日期、项目、你的名字和语言，以及工作流的目的。',
      persona: '包中描述的角色。',
      menu: '你可以选择的条目。',
      tools: '它可以调用的工具及用法。',
      earlier: '已结束步骤留下的内容。',
      anchor: '当前步骤及其说明。',
      messages: '回复、调用及其结果。',
      input: '你说过的话。',
    },
    role: {
      system: '程序',
      user: '发给模型',
      assistant: '模型',
      tool: '结果',
    },
    compactions: '腾出的空间',
    noCompactions: '到目前为止没有缩短任何内容。',
    shrunk: '{{before}} → {{after}} 个令牌',
    outcome: {
      effective: '已缩短',
      noop: '没有可缩短的内容',
      failed: '没有成功',
    },
  },
} satisfies Texts<typeof english>;
