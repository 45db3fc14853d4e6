/** Changes of files: by a call, by a run, and by an undo. */

import type { Texts } from '@crewagent/protocol/texts/texts';
import type { changes as english } from '../en/changes.ts';

export const changes = {
  changes: {
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
    blockedWhy: {
      secret: '可能包含密码或密钥的文件，工具一律不读取、不修改。',
      path: '工具只能访问本项目中的文件。',
      link: '该路径经过一个指向项目之外的链接。',
      special: '这是设备、管道或文件夹。',
      'read-only': '该文件无法写入。',
      private: '那里存放的是 Git 和 CrewAgent 自己的数据。',
    },
    disk: {
      full: '磁盘已满',
      denied: '没有访问权限',
      readOnly: '磁盘为只读',
      other: '磁盘出错',
    },
    diskAdvice: {
      full: '没有任何改动。请腾出空间，之后模型可以重试。',
      denied: '没有任何改动。请检查该文件及其文件夹的所有者。',
      readOnly: '没有任何改动。请使用可写入的文件夹。',
      other: '没有任何改动。请检查磁盘，之后模型可以重试。',
    },
    conflict: {
      'later-change': '未撤销：之后的步骤又改过它',
      edited: '未撤销：此后有改动',
      'read-only': '未撤销：文件现为只读',
      folder: '未撤销：原位置现为文件夹',
      blocked: '未撤销：无法访问该文件',
    },
    laterAdvice: '之后的步骤又改过这个文件，可以一并撤销。',
    undoLater: '一并撤销之后的改动',
    alsoCreated: '还在成果文件夹之外新建了文件',
    yours_one: '改动了你的 {{count}} 个文件',
    yours_other: '改动了你的 {{count}} 个文件',
    review: '查看改动',
    hide: '收起',
    undo: '撤销',
    named: '{{action}}：{{path}}',
    wasUndone: '已撤销',
  },
} as const satisfies Texts<typeof english>;
