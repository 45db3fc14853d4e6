/** What to do when the model fails, waits or is silent. */

import type { Texts } from '@crewagent/protocol/texts/texts';
import type { recovery as english } from '../en/recovery.ts';

export const recovery = {
  recovery: {
    evaluating: '正在处理提示词，{{time}}',
    stop: '停止',
    restartStep: '重新开始这一步',
    retryIn: '{{time}}后重试',
    retryingNow: '正在重试…',
    tryNow: '立即重试',
    tryAgain: '重试',
    workingFor: '正在处理… {{time}}',
    silent: '模型已有 {{time}}没有响应。',
    changeKey: '更换密钥',
    keyTitle: '{{name}} 的 API 密钥',
    key: '新的 API 密钥',
    keyHint: '将替换已保存的密钥。密钥只保存在这台电脑上，之后不再显示。',
    keyFromEnv: '该密钥由环境变量 {{variable}} 设置。请在那里修改，然后重启 CrewAgent。',
    saveAndRetry: '保存并重试',
    modelSettings: '打开模型设置',
    resumedAt: '已于 {{time}} 继续',
    limits: '修改上限',
  },
} as const satisfies Texts<typeof english>;
