/** Help of the commands that run, continue and inspect, in Chinese, by the English text. */
export const RUN_HELP: Readonly<Record<string, string>> = {
  'Runs .bmad expert workflows on your own machine.': '在你自己的电脑上运行 .bmad 专家工作流。',
  'print the version': '显示版本号',
  'list what the program contains of others, or print a license': '列出程序包含的第三方软件，或显示其许可证',
  'the package whose license to print': '要显示许可证的软件包',
  'print names, licenses and texts as JSON': '以 JSON 输出名称、许可证和全文',
  'show help': '显示帮助',
  'show help for a command': '显示某个命令的帮助',
  'display help for command': '显示某个命令的帮助',
  'run a workflow of a package in a project folder': '在项目文件夹中运行工作包里的工作流',
  'the folder to work in': '要在其中工作的文件夹',
  "the workflow (default: the package's entry)": '工作流（默认：工作包的入口）',
  'the agent that leads (default: the one whose menu offers the workflow)':
    '主导的智能体（默认：菜单中有此工作流的那一个）',
  'the answer to the next question; repeat for later ones': '下一个问题的回答；可重复，依次回答后面的问题',
  'a project file to pass to the run; repeat for more': '要交给运行的项目文件；可重复',
  'a file from anywhere, such as a PDF or a picture: copied to "attachments" of the project and passed to the run; repeat for more':
    '任意位置的文件，例如 PDF 或图片：复制到项目的 attachments 并交给运行；可重复',
  'which writes need approval: ask (outside artifacts; the default on a terminal), declared (any file that a step does not declare, also before it is read), autopilot (none; the default elsewhere), read-only (no writes)':
    '哪些写入需要批准：ask（产物以外的写入；终端中的默认值）、declared（步骤未声明的任何文件，读取前也会询问）、autopilot（都不需要；其他情况的默认值）、read-only（不写入）',
  'a variable or an input, for this run; repeat for others': '仅用于本次运行的变量或输入；可重复',
  'a YAML or JSON file with variables and inputs, for this run':
    '包含变量和输入的 YAML 或 JSON 文件，仅用于本次运行',
  'files that something runs later, such as "Makefile" or ".github/**", to allow when nobody can be asked; repeat for more':
    '以后会被执行的文件，例如 Makefile 或 .github/**，无人可询问时允许写入；可重复',
  "record the model's requests and replies to a file for --replay":
    '将模型的请求和回复记录到文件，供 --replay 使用',
  'print one event per line, and the result as the last line': '每行输出一个事件，最后一行为结果',
  'print text as for a pipe: no colours, formatting or status line':
    '按管道方式输出文本：没有颜色、排版和状态行',
  'where a step waits and nobody is there, continue with fixed words; recorded as such':
    '步骤在等待而无人应答时，用固定的话继续；会如实记录',
  'exit with 5 if the run completes with waived or missing results':
    '如果完成时有豁免或缺少的结果，则以 5 退出',
  'a model from the settings, or a model name at --base-url': '设置中的模型，或 --base-url 处的模型名称',
  'address of an OpenAI-compatible server': '兼容 OpenAI 的服务地址',
  'the environment variable that holds the API key': '存放 API 密钥的环境变量',
  'use no model: a built-in stand-in writes placeholders': '不使用模型：由内置替身写入占位内容',
  'play back a recorded run instead of asking a model': '回放已记录的运行，不询问模型',
  'turns without an answer from you or a new step': '没有你的回答、也没有进入新步骤的轮数',
  'input and output tokens': '输入和输出的 token 数',
  'US dollars, if prices are known': '美元金额（价格已知时）',
  'minutes since the start or last resume': '自开始或上次继续起的分钟数',
  'a .bmad, .zip or method .md file, a package folder, or an installed id':
    '.bmad、.zip 或单文件方法 .md、工作包文件夹，或已安装的 ID',
  'resume a run that was stopped, interrupted or paused': '继续已停止、中断或暂停的运行',
  'only show what would happen; nothing is changed': '只显示将会发生什么，不做任何改动',
  'show which files the steps of a run used without declaring them': '显示运行的步骤使用了哪些未声明的文件',
  'add them to the steps in the folder of the package (default: where it was installed from)':
    '将它们加入工作包文件夹中的步骤（默认：安装来源文件夹）',
  'show which results of runs are out of date, and why': '显示哪些运行结果已过期及其原因',
  'run again what is out of date in a run, and nothing else': '只重新运行某次运行中已过期的步骤',
  'the steps that are out of date, as "crewagent status" shows them': '已过期的步骤，见 "crewagent status"',
  'only show what would run': '只显示将会运行什么',
  'print the plan or the events as JSON': '以 JSON 输出计划或事件',
  'the project folder (default: this folder)': '项目文件夹（默认：当前文件夹）',
  'its id, the beginning or end of it, or "last"': '运行的 ID、其开头或结尾，或 last',
  'answer a question of a run, or send it a message, and continue': '回答运行的问题或发送消息，然后继续',
  'answer one of several questions; repeat for the others': '回答多个问题中的一个；可重复',
  'the answer': '回答',
  'approve or deny the change a run asks for, and continue': '批准或拒绝运行请求的改动，然后继续',
  'approve this time (default)': '批准这一次（默认）',
  'approve for the rest of this step': '在此步骤的剩余部分都批准',
  'approve for the rest of this run': '在此运行的剩余部分都批准',
  'always approve in this project': '在此项目中始终批准',
  'deny it': '拒绝',
  'with --node, --run or --always: which files it applies to':
    '与 --node、--run 或 --always 一起：适用于哪些文件',
  'approve exactly the change that was printed with this hash': '只批准以此哈希显示过的改动',
  'approve it without looking at it; the log says so': '不查看就批准；日志会注明',
  'a message for the model about it': '给模型的说明',
  'continue without the workflow that a step of the run called': '跳过步骤所调用的工作流，继续运行',
  'the step to continue at, if several follow': '后面有多个步骤时，从哪一步继续',
  'the step whose call is skipped (default: the innermost one)': '要跳过其调用的步骤（默认：最内层的那一个）',
  'let a run leave its step although a check is not met, and continue; the reason is recorded':
    '检查未通过也让运行离开此步骤并继续；理由会被记录',
  'the file whose checks are waived, or the name of another missing check':
    '要豁免检查的文件，或其他缺少的检查的名称',
  'that somebody answers in the step': '步骤中需要有人回答',
  'everything that is missing': '缺少的全部内容',
  why: '理由',
  'stop a run that is running in another process; it can be resumed': '停止在另一进程中的运行；之后可以继续',
  'talk to an agent of a package and choose from its menu': '与工作包中的智能体对话，并从菜单中选择',
  'the folder to work in (default: this one)': '要在其中工作的文件夹（默认：当前文件夹）',
  'continue a conversation (default: the latest with an agent of the package)':
    '继续一个对话（默认：与此工作包智能体的最近一次）',
  'a line to type; repeat for further lines': '要输入的一行；可重复',
  'its id or name (default: the first with a menu)': '其 ID 或名称（默认：第一个有菜单的）',
  'serve conversations and workflows to an editor': '在编辑器中提供对话和工作流',
  'a .bmad, .zip or method .md file, a package folder, or an installed id (default: plain chat)':
    '.bmad、.zip 或方法 .md 文件、工作包文件夹，或已安装的 ID（默认：普通聊天）',
  "start a workflow with the first message (default: the package's entry)":
    '用第一条消息启动工作流（默认：工作包的入口）',
  'talk to the model about a project folder': '就项目文件夹与模型对话',
  'continue a conversation (default: the latest chat in the project)':
    '继续一个对话（默认：项目中最近的聊天）',
  'list conversations, show, rename, archive or delete one': '列出对话，查看、重命名、归档或删除其中之一',
  'list conversations, the latest first': '列出对话，最近的在前',
  'only those in this folder': '只列出此文件夹中的',
  'include archived conversations': '包括已归档的对话',
  'print a JSON array': '输出 JSON 数组',
  'show the messages and actions of a conversation': '显示对话的消息和操作',
  'print it as JSON': '以 JSON 输出',
  'change the title of a conversation': '修改对话的标题',
  'the title': '标题',
  'archive a conversation; nothing is deleted': '归档对话；不会删除任何内容',
  'restore it': '恢复',
  'delete a conversation with its runs and logs; files in the project stay':
    '删除对话及其运行和日志；项目中的文件会保留',
  'delete without asking': '不询问直接删除',
  'list runs, or delete one': '列出运行，或删除其中之一',
  'only runs in this folder': '只列出此文件夹中的运行',
  'delete a run with its log; its files in the project stay': '删除运行及其日志；项目中的文件会保留',
  'show the position of a run, its messages, and what it is waiting for':
    '显示运行所在的步骤、消息，以及它在等什么',
  'print every event, one per line': '输出所有事件，每行一个',
  'print what the model was sent in this turn, proved by its hash': '打印此轮发送给模型的内容，并用哈希验证',
  'with --request: only what differs from this earlier request': '与 --request 合用：只打印与此前某轮的不同',
  'with --request: the JSON text whose SHA-256 the log has':
    '与 --request 合用：日志中 SHA-256 所对应的 JSON 文本',
  'print what is proved of each step, and how': '输出每个步骤的证明情况',
  'start a step of a run again: the one it is at, or an earlier one':
    '重新开始运行的某一步：当前步骤或更早的步骤',
  'the step to go back to (default: the current one)': '要退回到的步骤（默认：当前步骤）',
  'also take back what the run changed in the project since then': '同时撤销此后对项目的改动',
  'print the result as JSON': '以 JSON 输出结果',
  'move an unfinished run to another version of its package': '将未完成的运行切换到工作包的另一版本',
  'an installed version, or the id of a package (default: the newest)':
    '已安装的版本或工作包的 ID（默认：最新版本）',
  'the step to continue at, if the new version does not have the current one':
    '新版本没有当前步骤时，从哪一步继续',
  'move it without asking': '不询问直接切换',
  'undo the changes a run or a conversation made in the project; never overwrites your own edits':
    '撤销运行或对话对项目的改动；绝不覆盖你自己的修改',
  'only changes of this tool call': '只撤销此次工具调用的改动',
  'only changes of this step': '只撤销此步骤的改动',
  'all changes': '所有改动',
  'redo undone changes': '重做已撤销的改动',
  'only list the changes': '只列出改动',
  'id of a run or a conversation, the beginning or end of it, or "last" for the last run':
    '运行或对话的 ID、其开头或结尾，或 last（最近的运行）',
  'find words in the messages of all runs and conversations, and in the files they wrote':
    '在所有运行和对话的消息以及它们写入的文件中搜索',
  'how many to print': '输出多少条',
  'words; all of them must occur': '词语；必须全部出现',
  'compare how models behaved in your runs': '比较各模型在你的运行中的表现',
  'refused moves, incomplete outputs, invalid calls, loops and cost per proved step, by model and package, best first':
    '按模型和工作包列出被拒的跳转、不完整的输出、无效调用、循环和每个已证明步骤的费用，最好的在前',
  'only runs of this package': '只看此工作包的运行',
  'only runs that were started on this day or later, such as 2026-01-31':
    '只看此日或之后开始的运行，例如 2026-01-31',
  'go on from an earlier point of a run in a new one; the original stays as it is':
    '从运行的较早位置分叉出一个新运行；原来的运行保持不变',
  'the step to begin with, and which visit of it: STEP or STEP:2':
    '从哪个步骤开始，以及第几次到达：STEP 或 STEP:2',
  'work in a copy of the project (default: a new folder beside it)':
    '在项目的副本中工作（默认：旁边的新文件夹）',
  'work in a git worktree of the project': '在项目的 git worktree 中工作',
  'put the files of the project back, after you have confirmed which':
    '在原文件夹中还原文件，先由你确认是哪些',
  'a variable with another value; repeat for others': '把变量改为另一个值；可重复',
  'another answer to the first question of the step; continues at once':
    '对该步骤第一个问题的另一个回答；随即继续',
  'continue the new run at once': '立即继续新运行',
  'leave files as they are now whose content of then was not kept': '当时内容没有保留的文件，保持现在的样子',
  'with --same-folder: do not ask': '与 --same-folder 合用：不询问',
  'print the result as JSON, and the events if it continues': '以 JSON 输出结果；继续时也输出事件',
  'compare runs side by side: path, decisions, answers, files, checks and cost':
    '并排比较运行：路径、决定、回答、文件、检查和费用',
  'two to six runs: ids, their beginning or end, or "last"': '两到六个运行：ID、其开头或结尾，或 last',
  'only the difference of a file, between the first two runs': '只显示前两个运行之间某个文件的差异',
  'also what is the same': '也显示相同的部分',
  'print the comparison as JSON': '以 JSON 输出比较结果',
  'start the local server, or open the one already running': '启动本地服务，或打开已在运行的服务',
  'the port to listen on (default: the last one, else a free one)':
    '监听的端口（默认：上次的端口，否则为空闲端口）',
  'the address to listen on (default: this machine only)': '监听的地址（默认：仅本机）',
  'store the token in this file; required with another --host': '将令牌存入此文件；使用其他 --host 时必需',
  'sign out every page that was opened before': '让之前打开的所有页面退出登录',
  'open an app window with an installed Chromium, Chrome or Edge':
    '用已安装的 Chromium、Chrome 或 Edge 打开应用窗口',
  'do not open a browser': '不打开浏览器',
  'if there are no runs yet, rehearse the bundled example in this folder':
    '如果还没有运行，则在此文件夹中演练自带的示例',
};
