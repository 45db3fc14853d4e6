/** Labels of tool calls. */

import type { Texts } from '@crewagent/protocol/texts/texts';
import type { tools as english } from '../en/tools.ts';

export const tools = {
  reads: {
    files_one: '读取了 {{count}} 个文件',
    files_other: '读取了 {{count}} 个文件',
    folders_one: '列出了 {{count}} 个文件夹',
    folders_other: '列出了 {{count}} 个文件夹',
    searches_one: '搜索了 {{count}} 次',
    searches_other: '搜索了 {{count}} 次',
    separator: ' · ',
  },
  tool: {
    fs_read: {
      doing: '正在读取',
      done: '读取了',
      failed: '无法读取',
    },
    fs_list: {
      doing: '正在列出',
      done: '列出了',
      failed: '无法列出',
    },
    fs_search: {
      doing: '正在搜索',
      done: '搜索了',
      failed: '无法搜索',
    },
    fs_write: {
      doing: '正在写入',
      done: '写入了',
      failed: '没有写入',
    },
    fs_apply_patch: {
      doing: '正在修改',
      done: '修改了',
      failed: '没有修改',
    },
    ui_ask_user: {
      doing: '正在询问你',
      done: '询问了你',
      failed: '无法询问你',
    },
    runtime_complete_node: {
      doing: '正在完成步骤',
      done: '完成了步骤',
      failed: '没有完成步骤',
    },
    runtime_update_state: {
      doing: '正在更新状态',
      done: '更新了状态',
      failed: '没有更新状态',
    },
    runtime_go_back: {
      doing: '正在返回',
      done: '已返回',
      failed: '没有返回',
    },
    other: {
      doing: '正在使用 {{name}}',
      done: '使用了 {{name}}',
      failed: '{{name}} 没有成功',
    },
    status: {
      ok: '成功',
      failed: '失败',
      refused: '被拒绝',
      asked: '尚未开始',
      running: '进行中',
    },
    arguments: '请求',
    fromText: '模型把这次调用写成了文字，已从文字中读取。',
    result: '结果',
    written: '文本',
    wasRefused: '已被拒绝。',
    projectFolder: '项目文件夹',
    didFail: '执行失败。',
  },
} satisfies Texts<typeof english>;
