/** Titles and paragraphs of the help in Chinese, by the English text as it is printed. */
export const TITLES: Readonly<Record<string, string>> = {
  'Usage:': '用法：',
  'Arguments:': '参数：',
  'Options:': '选项：',
  'Commands:': '命令：',
  'Run workflows:': '运行工作流：',
  'Conversations:': '对话：',
  'Inspect runs:': '查看运行：',
  'Write packages:': '编写工作包：',
  'Serve:': '服务：',
  'Set up:': '设置：',
  'Model:': '模型：',
  'Compare models:': '比较模型：',
  'As one file that others can verify and continue:': '导出为一个他人可以验证并继续的文件：',
  'Limits (they pause the run):': '限制（达到时暂停运行）：',
};

export const BLOCKS: readonly (readonly [english: string, chinese: string])[] = [
  [
    `Events: node.before-leave, file.written, run.waiting, run.ended, approval.requested.
A hook gets JSON and may answer {"deny": "reason"} for the first and the last of them, or {"message": "text"}.`,
    `事件：node.before-leave、file.written、run.waiting、run.ended、
approval.requested。
钩子会收到 JSON，可以回答 {"message": "文本"}；对第一个和最后一个事件，
还可以回答 {"deny": "原因"} 来拒绝。`,
  ],
  [
    `Speaks the Language Server Protocol for the JSON and Markdown files of package folders. Your editor starts it; see
docs/authors/editors.md for how to set up Neovim, Helix and others.`,
    `通过语言服务器协议（LSP）处理工作包中的 JSON 和 Markdown 文件，由编辑器启动。
Neovim、Helix 等编辑器的设置方法见 docs/authors/editors.md。`,
  ],
  [
    `Validates, rehearses and tests the files where they are; nothing is installed. If only tests have changed, only those
run. The page shows the same files and follows them. Ctrl-C ends it.`,
    `直接检查、演练和测试原处的文件，不会安装任何内容。
如果只改了测试，就只运行相关的测试。
页面显示同样的文件，并随之更新。按 Ctrl-C 结束。`,
  ],
  [
    `Speaks the Agent Client Protocol over standard input and output. Your editor starts it, in any folder: give absolute
paths. See docs/editors.md for how to set up Zed, JetBrains and Neovim.`,
    `通过标准输入和输出使用 Agent Client Protocol（ACP）。
由编辑器在任意文件夹中启动，因此请使用绝对路径。
Zed、JetBrains 和 Neovim 的设置方法见 docs/editors.md。`,
  ],
  [
    'The new run has the log, the state and the project files of that moment, and the same version of the package.',
    '新运行具有当时的日志、状态和项目文件，以及同一版本的工作包。',
  ],
  [
    `Everything is verified before it is shown: each byte, the chain of the log, each request that a model was sent.
Looking changes nothing. Models, keys and what is asked about are those of this machine.
Exit codes: 0 done, 2 refused or bad usage; with --continue those of "crewagent run".`,
    `显示之前会全部验证：每个字节、日志的哈希链、发送给模型的每个请求。
查看不会更改任何内容。
模型、密钥和需要批准的事项以本机为准。
退出码：0 完成，2 被拒绝或用法错误；使用 --continue 时与“crewagent run”相同。`,
  ],
  ['\nExamples:\n', '\n示例：\n'],
  [
    `A step is out of date if a file that it read has changed since, if an installed version of its package has another
text for it, or if it read what such a step wrote.`,
    `如果步骤读取过的文件后来有改动，或已安装的工作包版本修改了该步骤的内容，
或它读取了这类步骤写入的文件，该步骤即为过期。`,
  ],
  [
    `A new run in the same folder begins at the first step that is out of date. Steps that nothing has changed for keep
their results, also after a step that writes the same content again. The run itself stays as it is.`,
    `将在同一文件夹中新建一次运行，从第一个过期的步骤开始。没有变化的步骤保留
原有结果，即使前面的步骤重新写入了相同的内容。原来的运行保持不变。`,
  ],
  [
    `Nothing of a package is executed when it is installed. The first signer of a name is remembered; a package of
another signer is refused until you accept it. Proxies: https_proxy, no_proxy. Registry and tokens: ~/.npmrc.`,
    `安装时不会执行工作包中的任何内容。某个名称的第一个签名者会被记住；
签名者不同的工作包会被拒绝，直到你接受。代理：https_proxy、no_proxy。
镜像源和令牌：~/.npmrc。`,
  ],
  [
    `The first signer of a package is remembered by the name of the package. A key that you trust may sign any
package. Private keys stay in the store, in a file that only you can read.

A Sigstore bundle beside a package (NAME.bmad.sigstore.json) is verified without a network. Its signer is an
identity, such as an address or a workflow, and is remembered and trusted like a key.`,
    `工作包的第一个签名者会按工作包名称记住。你信任的密钥可以签名任何工作包。
私钥保存在存储中只有你能读取的文件里。

工作包旁边的 Sigstore 签名文件（NAME.bmad.sigstore.json）无需网络即可验证。
其签名者是一个身份，例如邮箱地址或工作流，会像密钥一样被记住和信任。`,
  ],
  [
    `A version that is published is never replaced. To a folder it writes NAME-VERSION.bmad and index.json, which you can
serve as they are. To git it pushes the files to a branch (default: main) with the tag vVERSION, by your own git. To npm
it sends a tarball with the .bmad file; registry and token come from ~/.npmrc.

Exit codes: 0 published, 2 not valid, not possible, or published already.`,
    `已发布的版本不会被替换。发布到文件夹时写入 NAME-VERSION.bmad 和 index.json，
可直接用于网站。发布到 git 时，用你自己的 git 将文件推送到分支（默认：main），
标签为 vVERSION。发布到 npm 时发送含 .bmad 文件的压缩包；
镜像源和令牌取自 ~/.npmrc。

退出码：0 已发布，2 无效、无法发布或已经发布过。`,
  ],
  // A colon in Chinese has its own room.
  ['用法： ', '用法：'],
  [
    'Exit codes: 0 completed, 1 failed, 2 bad usage or input, 3 waiting for a person, 4 paused by a limit, 5 completed without full proof (--require-proof), 130 interrupted.',
    '退出码：0 完成，1 失败，2 用法或输入有误，3 等待人处理，4 达到限制而暂停，\n5 完成但证明不全（--require-proof），130 中断。',
  ],
  [
    `On a terminal it prints the change and asks. Elsewhere it prints the change and its hash, and needs
--shown with that hash, or --unseen. A change that differs from what was printed is not approved.`,
    `在终端中会显示改动并询问。在其他情况下会显示改动及其哈希，需要带此哈希的
--shown，或 --unseen。与所显示内容不同的改动不会被批准。`,
  ],
  [
    `Exit codes without a terminal: 0 done, 1 failed, 2 bad usage or a rejected command, 3 waiting for a person,
4 paused by a limit, 130 interrupted.`,
    '没有终端时的退出码：0 完成，1 失败，2 用法有误或命令被拒绝，3 等待人处理，\n4 达到限制而暂停，130 中断。',
  ],
  [
    `A run stays with the version it was started with until you move it. You see first what differs: steps that were
added, removed, renamed or changed, and files that changed steps wrote. A step that changed starts again; the files
stay. A run that another process drives is not moved.`,
    `运行会一直使用开始时的版本，直到你切换它。切换前会先显示差异：新增、移除、
更名或有改动的步骤，以及由有改动的步骤写入的文件。有改动的步骤会重新开始；
文件会保留。由另一进程驱动的运行不会被切换。`,
  ],
  [
    `The source is only read; nothing in it is executed. The package comes with import-report.md, which says how
each construct was converted. With --update the package follows its source: your edits are kept and merged,
conflicts are listed, and so is what changed in words and which unfinished runs are at a step that is gone.
A repository is fetched by your own git, without hooks, submodules and prompts.`,
    `只读取来源，不执行其中的任何内容。工作包附有 import-report.md，说明每个构造
如何转换。使用 --update 时工作包会跟随来源：保留并合并你的修改，列出冲突和变化，
以及停在已不存在的步骤上的未完成运行。代码库由你自己的 git 获取，不使用钩子、
子模块和提示。`,
  ],
  [
    'Exit codes: 0 imported and every check passed, 1 imported but a check failed, 2 nothing was imported.',
    '退出码：0 已导入且全部检查通过，1 已导入但有检查未通过，2 没有导入。',
  ],
  [
    `Sources are the file or folder a package was installed from, and for an imported package the folder or the git
repository it was converted from.`,
    '来源是安装工作包时的文件或文件夹；对于导入的工作包，则是转换前的文件夹\n或 git 代码库。',
  ],
  [
    `Sends the run with its log, its state, its package if you may install one there, and the files that it changed; only
what the server lacks. Interrupted, it continues where it was. What was allowed for the whole run is asked again
there. Pushed again, the copy there goes on, unless it went on by itself.`,
    `发送运行及其日志、状态和它改动过的文件，以及工作包（如果你有权在服务器上安装）；
只发送服务器缺少的部分。中断后再次执行，会从中断处继续。
曾为整个运行允许的操作，在服务器上会重新询问。再次推送会更新服务器上的副本，
除非那份副本已自行继续。`,
  ],
  [
    `The log is verified before anything changes here. Files that you changed since are not replaced: nothing is pulled
then, unless they are kept.`,
    '先校验日志，再改动本机内容。你之后改动过的文件不会被替换：\n除非选择保留它们，否则不会拉取任何内容。',
  ],
  [
    `A run whose next turn would begin above a quota waits. It continues by itself when the quota is raised, or when the
next period begins. Without a person, a project or --default, all quotas are listed.`,
    `如果下一轮开始时已超出配额，运行会等待；提高配额后或进入下一个周期时自动继续。
未指定成员、项目或 --default 时，列出所有配额。`,
  ],
  [
    'The API token is read from CREWAGENT_TOKEN, or asked for.',
    'API 令牌从 CREWAGENT_TOKEN 读取；未设置时会询问。',
  ],
  [
    'Exit codes: 0 done, also if nothing was new, 2 refused, not reached or bad usage, 130 interrupted.',
    '退出码：0 完成（没有新内容也算），2 被拒绝、无法连接或用法有误，130 被中断。',
  ],
  [
    'Exit codes: 0 everything is up to date, 1 something is newer or a source could not be read.',
    '退出码：0 全部已是最新，1 有新版本或有来源无法读取。',
  ],
  [
    `Runs stay with their version; "crewagent upgrade RUN" moves one. The folder of an import is updated first and keeps
your edits; if the source changed the same lines, nothing is installed.`,
    `运行会保持原来的版本，可用 crewagent upgrade RUN 切换。会先更新导入的文件夹
并保留你的修改；如果来源改动了相同的行，则不会安装。`,
  ],
  [
    'Exit codes: 0 done, also if nothing was newer, 1 a package could not be upgraded, 2 there is no such package.',
    '退出码：0 完成（没有新版本也算），1 有工作包无法升级，2 没有这个工作包。',
  ],
  [
    `Readers see only what a model sees:
  lazy     never reads and never asks; completes each step at once, and writes one byte where a file is demanded
  literal  does what the text says, reads the files it names, shows menus and stops
  asking   asks before each step`,
    `模拟的模型只看到真实模型能看到的内容：
  lazy     不读取也不询问；立即完成每一步，需要文件时只写一个字节
  literal  按文字行事，读取文中提到的文件，显示菜单并停下
  asking   每一步之前都询问`,
  ],
  [
    'Exit codes: 0 everything was covered (with --as: lazy was stopped, literal and asking completed), 1 not, 2 bad input.',
    '退出码：0 全部覆盖（使用 --as 时：lazy 被拦下，literal 和 asking 完成），\n1 没有，2 输入有误。',
  ],
  [
    `A test is a YAML file: how a run starts, who plays the model (lazy, literal, asking, rehearsal, or a
recording), what the person says, and what must be true afterwards. --from-run writes one of a run that you made,
with its recording and the files it found and wrote, to the folder that its package was installed from.`,
    `测试是一个 YAML 文件：运行如何开始，由谁扮演模型（lazy、literal、asking、
rehearsal 或录制文件），用户说什么，以及结束后哪些条件必须成立。
--from-run 用你的一次运行生成测试，连同录制文件、读到和写入的文件，
存到其工作包的来源文件夹。`,
  ],
  [
    'Exit codes: 0 all passed, 1 a test failed or too little was covered, 2 bad input.',
    '退出码：0 全部通过，1 有测试失败或覆盖不足，2 输入有误。',
  ],
];
