import type { calls as en } from '../en/calls.ts';
import type { Texts } from '../texts.ts';

export const calls: Texts<typeof en> = {
  tools: {
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
    shell_run: {
      doing: '正在运行',
      done: '运行了',
      failed: '无法运行',
    },
    ui_propose_command: {
      doing: '正在建议菜单项',
      done: '建议了一个菜单项',
      failed: '无法建议菜单项',
    },
    other: {
      doing: '正在使用 {{name}}',
      done: '使用了 {{name}}',
      failed: '{{name}} 没有成功',
    },
    verb: {
      created: '新建',
      changed: '修改',
      replaced: '替换',
      unchanged: '内容未变',
    },
    blocked: {
      secret: '已拦截：机密文件',
      path: '已拦截：不在项目内',
      link: '已拦截：链接指向项目之外',
      special: '已拦截：不是普通文件',
      'read-only': '已拦截：只读',
      private: '已拦截：受保护的文件',
    },
    absent: '没有找到',
    fromText: '从回复文字中读取',
    projectFolder: '项目文件夹',
  },
  reads: {
    files_other: '读取了 {{count}} 个文件',
    folders_other: '列出了 {{count}} 个文件夹',
    searches_other: '搜索了 {{count}} 次',
    separator: ' · ',
  },
};
