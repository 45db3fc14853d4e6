/**
 * Messages and fixes of findings in Chinese that have more to say than their code: what was found, what was expected, which name is
 * meant. Each is recognised by its English sentence. Pure.
 */

type Sentence = readonly [english: RegExp, chinese: (...parts: string[]) => string];

/** Undefined for a sentence that is not known here. */
export function translateMessage(message: string): string | undefined {
  return translate(message, MESSAGES);
}

export function translateFix(fix: string): string | undefined {
  return translate(fix, FIXES);
}

function translate(text: string, sentences: readonly Sentence[]): string | undefined {
  for (const [english, chinese] of sentences) {
    const found = english.exec(text);
    if (found) return chinese(...found.slice(1)).replace(/"([^"]*)"/g, '“$1”');
  }
  return undefined;
}

const MESSAGES: readonly Sentence[] = [
  [/^this input is ignored: (.+)$/s, (issue) => `这个问题已忽略：${translateMessage(issue) ?? issue}`],
  [/^(.+?) is missing, expected (.+)$/, (name, expected) => `缺少${toTerm(name)}，应为${toTerm(expected)}`],
  [/^(.+?) is missing$/, (name) => `缺少${toTerm(name)}`],
  [
    /^(.+?) is (.+), expected one of (.+)$/,
    (name, found, values) => `${toTerm(name)}是${toTerm(found)}，应为其中之一：${values}`,
  ],
  [
    /^(.+?) is (.+), expected (.+)$/,
    (name, found, expected) => `${toTerm(name)}是${toTerm(found)}，应为${toTerm(expected)}`,
  ],
  [/^(.+?) has the unknown keys? (.+)$/, (name, keys) => `${toTerm(name)}中有未知的键${keys}`],
  [/^("[^"]+") is empty$/, (name) => `${name}为空`],
  [/^("[^"]+") has no choices$/, (name) => `${name}没有选项`],
  [/^the name ("[^"]+") is used twice$/, (name) => `名称${name}用了两次`],
  [/^there is no step: no line begins with "## "$/, () => '没有步骤：没有一行以“## ”开头'],
  [/^there is no agent (".+")$/, (name) => `没有智能体${name}`],
  [/^(".+") is text for the model, and no line/s, (line) => `${line}只是给模型的文字，运行时不会执行它`],
  [/^the decision (".+") has only one outgoing edge$/, (id) => `决策步骤${id}只有一条连线`],
  [/^no step has the heading (".+")$/, (heading) => `没有标题为${heading}的步骤`],
  [/^several steps have the heading (".+")$/, (heading) => `标题为${heading}的步骤不止一个`],
  [/^the step of line (\d+) has the id (".+") as well$/, (line, id) => `第 ${line} 行的步骤也用了标识${id}`],
  [/^(".+") is not a check: /s, (item) => `${item}不是检查项：应为键、冒号和值，每个键一次`],
  [
    /^the frontmatter cannot be read: the file does not begin with a line of three dashes$/,
    () => '文件头无法读取：文件没有以一行“---”开头',
  ],
];

const FIXES: readonly Sentence[] = [
  [/^Did you mean (".+")\? The format allows no other/, (names) => `是不是${names}？这里不能有其他键。`],
  [/^Did you mean the line (".+")\?/, (line) => `是不是想写这一行：${line}？如果不是，请写成句子的一部分。`],
  [/^Did you mean (".+")\? Otherwise/, (name) => `是不是${name}？如果不是，请换一个不相近的名称。`],
  [/^Did you mean (".+")\?$/, (name) => `是不是${name}？`],
  [/^Write the heading of a step, word for word\.$/, () => '请逐字写出某个步骤的标题。'],
  [/^Remove it, or use one of the keys (.+)\.$/, (keys) => `请移除，或改用其中一个键：${keys}。`],
  [/^Remove it, or correct its spelling/, () => '请移除，或改正拼写；这里不能有其他键。'],
  [/^Add (".+") as (.+)\.$/, (name, expected) => `请添加${name}，值为${toTerm(expected)}。`],
  [/^Add (".+")\.$/, (name) => `请添加${name}。`],
  [/^Add a list, such as (.+)\.$/, (example) => `请添加列表，例如 ${example}。`],
  [/^Make (".+?") (.+?)(?:;.*)?\.$/, (name, expected) => `请将${name}改为${toTerm(expected)}。`],
  [/^Use one of these values\.$/, () => '请使用其中一个值。'],
  [/^Give (".+") at least one (?:entry|character)\.$/, (name) => `${name}不能为空，请填写。`],
  [/^Give each (?:step its own id|input its own name)\.$/, () => '请使用不同的名称。'],
  [
    /^Write a heading such as (".+") for each step\.$/,
    (heading) => `请为每个步骤写一个标题，例如${heading}。`,
  ],
  [
    /^Write the name or id of an agent in the frontmatter: (.+)\.$/,
    (names) => `请写文件头中的一个智能体：${names}。`,
  ],
  [/^Begin the file with a line "---"/, () => '请在文件开头写一行“---”和 YAML 键，再写一行“---”。'],
  [/^Write for example "- minWords: 120"/, () => '请写成例如“- minWords: 120”，或在普通列表前留一个空行。'],
];

const TERMS: Readonly<Record<string, string>> = {
  'the document': '文档',
  'a text': '文本',
  'a number': '数字',
  'a whole number': '整数',
  'true or false': ' true 或 false',
  'a list': '列表',
  'an object': '对象',
};

function toTerm(text: string): string {
  return TERMS[text] ?? (/^[\w-]/.test(text) ? ` ${text} ` : text);
}
