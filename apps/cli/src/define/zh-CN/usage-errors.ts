/** What commander says about a command line that it does not understand, in Chinese. Pure. */

/** Names between quotes stay; so does the reason of a value that is refused, which the command gives. */
const SENTENCES: readonly (readonly [RegExp, string])[] = [
  [/^error: unknown option ('.*')$/m, '错误：没有选项 $1'],
  [/^error: unknown command ('.*')$/m, '错误：没有命令 $1'],
  [/^error: missing required argument ('.*')$/m, '错误：缺少参数 $1'],
  [/^error: option ('.*') argument missing$/m, '错误：选项 $1 缺少值'],
  [/^error: required option ('.*') not specified$/m, '错误：必须指定选项 $1'],
  [/^error: option ('.*?') cannot be used with option ('.*')$/m, '错误：选项 $1 不能与选项 $2 同时使用'],
  [/^error: option ('.*?') argument ('.*') is invalid\./m, '错误：选项 $1 的值 $2 无效。'],
  [
    /^error: command-argument value ('.*') is invalid for argument ('.*?')\./m,
    '错误：参数 $2 的值 $1 无效。',
  ],
  [
    /^error: too many arguments for ('.*?')\. Expected (\d+) arguments? but got (\d+)\.?(?:: .*)?$/m,
    '错误：$1 的参数过多：应有 $2 个，实际 $3 个。',
  ],
  [
    /^error: too many arguments\. Expected (\d+) arguments? but got (\d+)\.?(?:: .*)?$/m,
    '错误：参数过多：应有 $1 个，实际 $2 个。',
  ],
  [/ ?Allowed choices are (.*)\.$/m, '可选：$1。'],
  [/^\(Did you mean (?:one of )?(.*)\?\)$/m, '（是否想用 $1？）'],
  [/^Run with --help for usage\.$/m, '用 --help 查看用法。'],
];

export function toChineseUsage(text: string): string {
  return SENTENCES.reduce((shown, [pattern, chinese]) => shown.replace(pattern, chinese), text);
}
