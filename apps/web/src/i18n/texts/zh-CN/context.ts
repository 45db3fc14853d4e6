/** Context tab of the inspector. */

import type { Texts } from '@crewagent/protocol/texts/texts';
import type { context as english } from '../en/context.ts';

export const context = {
  context: {
    which: '请求',
    last: '上次发送（第 {{turn}} 轮）',
    notSent: '尚未发送',
    next: '下次请求',
    use: '上下文窗口用量',
    used: '{{used}} / {{size}} token（{{percent}}%）',
    estimated: 'token 数为估算值，各服务商的计数略有不同。',
    empty: '暂无可发送的内容。',
    layers: '组成',
    parts_one: '{{count}} 个部分',
    parts_other: '{{count}} 个部分',
    part: '部分',
    toolFull: '含参数结构 · {{bytes}} 字节',
    toolBrief: '仅名称和一行说明 · {{bytes}} 字节',
    share: '{{tokens}} · {{percent}}%',
    layer: {
      rules: '规则',
      policy: '权限',
      background: '项目、用户和工作流',
      persona: '智能体',
      menu: '智能体的菜单',
      tools: '工具',
      earlier: '之前步骤的摘要',
      anchor: '当前步骤',
      messages: '消息和结果',
      input: '你的消息',
    },
    layerText: {
      rules: '模型在 CrewAgent 中的工作方式。',
      policy: '它可以读取和写入什么。',
      background: '日期、项目、你的名字和语言，以及工作流的目的。',
      persona: '工作包中定义的角色。',
      menu: '可供选择的选项。',
      tools: '它可以调用的工具及用法。',
      earlier: '已完成步骤保留的内容。',
      anchor: '当前步骤及其说明。',
      messages: '回复、调用及其结果。',
      input: '你写的内容。',
    },
    role: {
      system: '系统',
      user: '用户',
      assistant: '模型',
      tool: '结果',
    },
    compactions: '上下文压缩',
    noCompactions: '目前没有压缩任何内容。',
    shrunk: '{{before}} → {{after}} token',
    outcome: {
      effective: '已压缩',
      noop: '没有可压缩的内容',
      failed: '失败',
    },
  },
} satisfies Texts<typeof english>;
