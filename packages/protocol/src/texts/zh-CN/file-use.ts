import type { fileUse as english } from '../en/file-use.ts';
import type { Texts } from '../texts.ts';

export const fileUse: Texts<typeof english> = {
  stale: {
    none: '所有结果都是最新的。',
    count_other: '{{count}} 个步骤已过期',
    badge: '已过期',
    changed: '此步骤读取 {{path}} 之后，该文件已被修改',
    removed: '此步骤读取 {{path}} 之后，该文件已被删除',
    depends: '它读取了步骤 {{step}} 写入的 {{path}}',
    step: '工作包的 {{version}} 版本修改了此步骤的内容',
    results: '成果：{{paths}}',
  },
  next: {
    title: '接下来会发生什么',
    completed: '运行已完成。',
    open: '另一个进程打开了此运行，它会在那里继续。',
    step: '运行将从 {{step}} 继续。',
    question: '首先需要你回答：{{text}}',
    approval: '首先需要你决定：{{text}}',
    unknown_other: '{{count}} 个调用被中断，无法确定是否生效。它们不会重复执行，模型会得知此情况：',
    harmless: '仅读取',
    changed_other: '期间有 {{count}} 个文件被他人修改：',
    gone: '已删除',
    request: '下一个请求约 {{tokens}} 个 token，上限 {{window}} 个。',
  },
};
