/** Works that wait for the user, on every screen. */

import type { Texts } from '@crewagent/protocol/texts/texts';
import type { attention as english } from '../en/attention.ts';

export const attention = {
  attention: {
    count_one: '{{count}} 项等待你处理',
    count_other: '{{count}} 项等待你处理',
    here: '需要你回答',
    change: '请求修改 {{path}}',
    question: '提问：“{{prompt}}”',
    review: '查看',
    soundOn: '需要我处理时播放提示音',
    soundOff: '关闭提示音',
  },
  allowedList: {
    title: '始终允许的改动',
    text: '无论上面的权限如何设置，这些改动都不再询问。',
    none: '目前没有始终允许的改动。在审批时选择“始终”后会显示在这里。',
  },
  queue: { edit: '编辑', remove: '撤回' },
  approvalPicker: {
    changed: '下一轮起生效：{{name}}',
    changedNow: '从下一次工具调用起：{{name}}',
  },
} as const satisfies Texts<typeof english>;
