/** 运行回放。 */
import type { Texts } from '@crewagent/protocol/texts/texts';
import type { replay as en } from '../en/replay.ts';

export const replay: Texts<typeof en> = {
  replay: {
    label: '回放',
    loading_other: '正在读取日志：{{count}} 个事件',
    notLoaded: '无法读取日志',
    moment: '时刻',
    position: '事件 {{number}} / {{total}}',
    play: '播放',
    pause: '暂停',
    nextDecision: '下一个决定',
    previousDecision: '上一个决定',
    speed: '速度',
    copyLink: '复制此刻的链接',
    linkCopied: '链接已复制',
    leave: '退出回放',
    toPresent: '回到现在',
    isPast: '你正在查看过去的某一时刻。要回答、停止、撤销或发消息，请回到现在。',
    beginning: '尚未开始',
    beginningText: '点击“播放”，或拖动滑块。',
    filesAt: '从运行开始到此刻',
  },
};
