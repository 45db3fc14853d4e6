/**
 * Whatever may go wrong, by its code: what it is, and what to do now. The sentence that came with the code stands between
 * the two, as it was said; it is English, and where all such sentences of a code end with what to do, the English advice is
 * blank. A `why` takes the place of that sentence where nothing is lost by it; its values are the details of the code.
 */
import type { UserErrorCode } from '@crewagent/protocol/errors';
import { inBoth } from './in-both.ts';

interface ProblemTexts {
  readonly title: string;
  readonly why?: string;
  readonly advice: string;
}

/** What else comes with a code: from the server, from a log, or found by the page itself. */
type OtherProblem =
  | 'unknown'
  | 'INTERNAL'
  | 'NOT_REACHED'
  | 'NOT_UNDERSTOOD'
  | 'E_INTERNAL'
  | 'E_PRECONDITION_FAILED'
  | 'stopped'
  | 'rewound'
  | 'interrupted'
  | 'context_reset'
  | 'context_effective'
  | 'context_noop'
  | 'context_failed'
  | 'LOG_DAMAGED'
  | 'OUTPUT_MISSING'
  | 'E_OUTPUTS_MISSING'
  | 'PRICE_UNKNOWN'
  | 'TOO_MANY_CALLS';

const english = {
  unknown: { title: 'Something needs your attention.', advice: '' },
  // Of the server, and of the page that talks to it.
  NOT_REACHED: { title: 'CrewAgent is not running, or cannot be reached.', advice: 'Start it again.' },
  NOT_UNDERSTOOD: {
    title: 'The page does not understand what CrewAgent answered.',
    advice: 'Reload the page: CrewAgent may have been upgraded since it was opened.',
  },
  INTERNAL: {
    title: 'CrewAgent itself failed.',
    advice: 'Try again. If it fails again, Settings › About has a file that helps to find out why.',
  },
  SERVER_STOPPING: { title: 'CrewAgent is about to stop.', advice: 'Start it again, then try once more.' },
  STREAM_GONE: { title: 'The connection has ended.', advice: 'Reload the page.' },
  TOKEN_REQUIRED: {
    title: 'This page is not let in.',
    advice: 'Open the address that CrewAgent printed when it was started.',
  },
  TOO_MANY_TOKENS: {
    title: 'Too many wrong tokens were tried.',
    advice: 'Then open the address that CrewAgent printed when it was started.',
  },
  HOST_REFUSED: {
    title: 'CrewAgent is not known by this address.',
    advice: 'Open the address that it printed when it was started.',
  },
  ORIGIN_REFUSED: {
    title: 'CrewAgent listens to its own page only.',
    advice: 'Open the address that it printed when it was started.',
  },
  REQUEST_REFUSED: { title: 'CrewAgent does not understand the page.', advice: 'Reload the page.' },
  METHOD_REFUSED: { title: 'CrewAgent does not understand the page.', advice: 'Reload the page.' },
  BODY_NOT_JSON: { title: 'CrewAgent does not understand the page.', advice: 'Reload the page.' },
  BODY_TOO_LARGE: { title: 'This is too much to send at once.', advice: 'Send less of it.' },
  BODY_TOO_SLOW: { title: 'Sending it took too long.', advice: 'Try again.' },
  PORT_TAKEN: { title: 'The port is taken by another program.', advice: 'Choose another port.' },
  // Of what was asked for.
  USAGE: { title: 'This cannot be used as it is.', advice: '' },
  NOT_FOUND: {
    title: 'This is not there.',
    advice: 'It may have been removed meanwhile: look at the list again.',
  },
  TARGET_EXISTS: { title: 'The name is taken.', advice: '' },
  DISK: { title: 'It did not work on the disk.', advice: '' },
  STORE_DAMAGED: { title: 'CrewAgent cannot read one of its own files.', advice: '' },
  STORE_REFUSED: {
    title: 'CrewAgent cannot use its data folder safely.',
    advice: 'Check who owns the folder.',
  },
  SETTINGS_INVALID: { title: 'Something in the settings does not fit.', advice: 'Correct it in Settings.' },
  PermissionDenied: { title: 'This is not allowed.', advice: '' },
  // Of packages.
  PACKAGE_INVALID: {
    title: 'This is not a valid package.',
    advice: 'Look at what was found, and mend it there.',
  },
  PACKAGE_NOT_FOUND: { title: 'The package is not installed.', advice: 'Add it under Packages.' },
  PACKAGE_AMBIGUOUS: { title: 'Several packages have this name.', advice: '' },
  PACKAGE_IN_USE: { title: 'The package is still needed.', advice: '' },
  PACKAGE_CHANGED: { title: 'The package changed meanwhile.', advice: '' },
  WORKFLOW_NOT_FOUND: { title: 'The package has no such workflow.', advice: 'Choose one that it has.' },
  AGENT_NOT_FOUND: { title: 'The package has no such agent.', advice: 'Choose one that it has.' },
  UnknownWorkflow: {
    title: 'The package has no workflow for this.',
    advice: 'Choose something else. Whoever made the package can mend it.',
  },
  NotSupportedClassicWorkflow: {
    title: 'Workflows of this kind cannot be run.',
    advice: 'Choose something else. Whoever made the package can bring it up to date.',
  },
  UnknownPromptId: {
    title: 'The package has no prompt for this.',
    advice: 'Choose something else. Whoever made the package can mend it.',
  },
  DataLoadFailed: { title: 'A file that is needed for this cannot be read.', advice: '' },
  ValidationFailed: { title: 'This cannot be started.', advice: '' },
  NothingToRun: {
    title: 'There is nothing behind this entry.',
    advice: 'Choose something else, or use your own words.',
  },
  // Of projects and their files.
  PROJECT_NOT_FOUND: {
    title: 'There is no such project.',
    advice: 'It may have been forgotten elsewhere: open its folder again on Start.',
  },
  FOLDER_NOT_FOUND: {
    title: 'The folder is not there.',
    advice:
      'The folder of a project that was moved can be found again on Start. Check the path, or choose another folder.',
  },
  FILE_NOT_FOUND: {
    title: 'The file is not there.',
    advice: 'It may have been moved or deleted: look for it in Files.',
  },
  FILE_EXISTS: { title: 'The name is taken.', advice: '' },
  FILE_CONFLICT: {
    title: 'This does not fit what is there now.',
    advice: 'Look at what is there, then decide.',
  },
  FILE_READ_ONLY: {
    title: 'The file is read-only.',
    advice: 'Make it writable in another program, then save again.',
  },
  FILE_TOO_LARGE: { title: 'It is too large for this.', advice: '' },
  NO_DESKTOP: { title: 'There is no screen to show it on.', advice: 'Copy its path instead.' },
  // Of runs and conversations.
  RUN_NOT_FOUND: { title: 'The run is not there any more.', advice: 'Works shows what there is.' },
  RUN_AMBIGUOUS: { title: 'Several runs could be meant.', advice: '' },
  RUN_LOCKED: { title: 'It is being worked on elsewhere.', advice: '' },
  RUN_NOT_READY: { title: 'This cannot be done just now.', advice: '' },
  CONVERSATION_NOT_FOUND: {
    title: 'The conversation is not there any more.',
    advice: 'Works shows what there is.',
  },
  CONVERSATION_AMBIGUOUS: { title: 'Several conversations could be meant.', advice: '' },
  E_PRECONDITION_FAILED: { title: 'It was changed meanwhile.', advice: '' },
  E_INTERNAL: { title: 'CrewAgent itself failed.', advice: 'Resume to try it again.' },
  STATE_DAMAGED: {
    title: 'The state document cannot be read.',
    advice: 'Mend it under State, or go back a step.',
  },
  STATE_FULL: {
    title: 'The state document is full.',
    advice: 'Shorten it under State, then resume.',
  },
  CASSETTE_INVALID: { title: 'The recording cannot be played.', advice: '' },
  CASSETTE_MISMATCH: { title: 'This is not what was recorded.', advice: 'Record it again.' },
  stopped: { title: 'Stopped. It can be resumed at any time.', why: '', advice: '' },
  rewound: {
    title: 'You took the run back.',
    why: '',
    advice: 'Say what should be different, or resume it.',
  },
  interrupted: {
    title: 'The run was cut off.',
    why: '',
    advice: 'Nothing is lost. Resume goes on from here.',
  },
  // Of models.
  LLM_AUTH_FAILED: {
    title: 'The model did not accept the key.',
    advice: 'Check the key in Settings, then resume.',
  },
  LLM_TIMEOUT: { title: 'The model did not answer in time.', advice: 'Resume to ask it again.' },
  LLM_HTTP_ERROR: {
    title: 'The model could not be reached.',
    advice: 'Check the address and your connection, then resume.',
  },
  LLM_BAD_RESPONSE: {
    title: 'The model answered in a way that cannot be read.',
    advice: 'Resume to ask it again, or choose another model.',
  },
  LLM_RATE_LIMITED: { title: 'The provider wants a pause.', advice: 'Wait a moment, then resume.' },
  LLM_CONTEXT_EXCEEDED: {
    title: 'This is more than the model can take in.',
    advice: 'Choose a model with a larger context, then resume.',
  },
  CONTEXT_STILL_TOO_LARGE: {
    title: 'Even shortened, this is more than the model can take in.',
    advice: 'Choose a model with a larger context, then resume.',
  },
  ENGINE_MAX_TURNS_EXCEEDED: {
    title: 'The run took all the turns it may.',
    why: 'That is {{maxTurns}} turns at one step.',
    advice: 'Look at what it did. Resume to allow as many again, or say how to go on.',
  },
  ENGINE_LOOP_DETECTED: {
    title: 'The model goes in circles.',
    why: 'It makes the same call again and again without getting anywhere.',
    advice: 'Tell it in your words what to do differently, or resume to let it try again.',
  },
  ENGINE_BUDGET_EXCEEDED: {
    title: 'The budget of the run is used up.',
    advice: 'Resume to grant as much again, or raise it in Settings first.',
  },
  PRICE_UNKNOWN: { title: 'What this costs cannot be told.', advice: '' },
  TOO_MANY_CALLS: { title: 'The model asked for too much at once.', advice: '' },
  LOG_DAMAGED: { title: 'A part of the log cannot be read.', advice: '' },
  E_OUTPUTS_MISSING: { title: 'The model wanted to leave the step without all its files.', advice: '' },
  OUTPUT_MISSING: {
    title: 'The step did not write all it was to write.',
    advice: 'Ask for it, or do the step again.',
  },
  context_reset: { title: 'The step is told to the model again from its beginning.', advice: '' },
  context_effective: { title: 'Old tool results were put into words', advice: '' },
  context_noop: { title: 'There was nothing left to shorten', advice: '' },
  context_failed: { title: 'Shortening did not work', advice: '' },
} as const satisfies Readonly<Record<UserErrorCode | OtherProblem, ProblemTexts>>;

const chinese = {
  unknown: { title: '有情况需要你留意。', advice: '' },
  NOT_REACHED: { title: 'CrewAgent 没有运行，或无法连接。', advice: '请重新启动它。' },
  NOT_UNDERSTOOD: {
    title: '页面无法理解 CrewAgent 的回答。',
    advice: '请重新加载页面：打开页面之后，CrewAgent 可能已经升级。',
  },
  INTERNAL: {
    title: 'CrewAgent 自身出错了。',
    advice: '请重试；如果再次出错，可在“设置 › 关于”下载诊断文件查找原因。',
  },
  SERVER_STOPPING: { title: 'CrewAgent 即将停止。', advice: '请重新启动它，然后再试一次。' },
  STREAM_GONE: { title: '连接已断开。', advice: '请重新加载页面。' },
  TOKEN_REQUIRED: { title: '这个页面没有访问权限。', advice: '请打开 CrewAgent 启动时显示的地址。' },
  TOO_MANY_TOKENS: {
    title: '错误的令牌尝试次数过多。',
    advice: '请等一分钟，再打开 CrewAgent 启动时显示的地址。',
  },
  HOST_REFUSED: { title: 'CrewAgent 不接受这个地址。', advice: '请打开它启动时显示的地址。' },
  ORIGIN_REFUSED: { title: 'CrewAgent 只接受自己页面的请求。', advice: '请打开它启动时显示的地址。' },
  REQUEST_REFUSED: { title: 'CrewAgent 无法理解页面的请求。', advice: '请重新加载页面。' },
  METHOD_REFUSED: { title: 'CrewAgent 无法理解页面的请求。', advice: '请重新加载页面。' },
  BODY_NOT_JSON: { title: 'CrewAgent 无法理解页面的请求。', advice: '请重新加载页面。' },
  BODY_TOO_LARGE: { title: '一次发送的内容过多。', advice: '请减少内容后重试。' },
  BODY_TOO_SLOW: { title: '发送用时过长。', advice: '请重试。' },
  PORT_TAKEN: { title: '端口已被其他程序占用。', advice: '请换一个端口。' },
  USAGE: { title: '填写的内容无法使用。', advice: '请修改后重试。' },
  NOT_FOUND: { title: '找不到所要的内容。', advice: '它可能已被移除，请重新查看列表。' },
  TARGET_EXISTS: { title: '这个名称已被占用。', advice: '请换一个名称。' },
  DISK: { title: '磁盘操作没有成功。', advice: '请检查剩余空间和访问权限，然后重试。' },
  STORE_DAMAGED: {
    title: 'CrewAgent 无法读取自己的一个文件。',
    advice: '文件已损坏时请从备份恢复；由新版本写入时请使用新版本。',
  },
  STORE_REFUSED: {
    title: 'CrewAgent 的数据文件夹不安全，无法使用。',
    advice: '请检查该文件夹的所有者和权限。',
  },
  SETTINGS_INVALID: { title: '设置中有不合适的内容。', advice: '请在“设置”中改正。' },
  PermissionDenied: { title: '不允许这样做。', advice: '请换一个允许访问的文件或位置。' },
  PACKAGE_INVALID: { title: '这不是有效的包。', advice: '请查看检查结果并加以修正。' },
  PACKAGE_NOT_FOUND: { title: '没有安装这个包。', advice: '请在“包”中添加。' },
  PACKAGE_AMBIGUOUS: { title: '有多个包使用这个名称。', advice: '请指明是哪一个。' },
  PACKAGE_IN_USE: { title: '这个包还在使用中。', advice: '请先完成或删除用到它的运行和对话。' },
  PACKAGE_CHANGED: { title: '读取期间包发生了变化。', advice: '请重试。' },
  WORKFLOW_NOT_FOUND: { title: '包里没有这个流程。', advice: '请选择包里已有的流程。' },
  AGENT_NOT_FOUND: { title: '包里没有这个助手。', advice: '请选择包里已有的助手。' },
  UnknownWorkflow: { title: '包里没有对应的流程。', advice: '请选择其他内容；包的作者可以修正它。' },
  NotSupportedClassicWorkflow: {
    title: '不支持运行这类流程。',
    advice: '请选择其他内容；包的作者可以更新它。',
  },
  UnknownPromptId: { title: '包里没有对应的提示词。', advice: '请选择其他内容；包的作者可以修正它。' },
  DataLoadFailed: { title: '无法读取所需的文件。', advice: '请检查这个文件，或选择其他内容。' },
  ValidationFailed: { title: '现在无法开始。', advice: '请重新安装这个包，或补上缺少的文件。' },
  NothingToRun: { title: '这一项没有对应的内容。', advice: '请选择其他内容，或用自己的话写下来。' },
  PROJECT_NOT_FOUND: {
    title: '找不到这个项目。',
    advice: '它可能已在别处被移除，请在“开始”中重新打开它的文件夹。',
  },
  FOLDER_NOT_FOUND: {
    title: '找不到这个文件夹。',
    advice: '请检查路径，或选择其他文件夹；如果项目的文件夹移动过，可在“开始”中重新找到它。',
  },
  FILE_NOT_FOUND: { title: '找不到这个文件。', advice: '它可能已被移动或删除，请在“文件”中查找。' },
  FILE_EXISTS: { title: '这个名称已被占用。', advice: '请换一个名称。' },
  FILE_CONFLICT: { title: '与现在的内容不符。', advice: '请先查看现在的内容，再作决定。' },
  FILE_READ_ONLY: { title: '这个文件是只读的。', advice: '请先在其他程序中取消只读，然后再保存。' },
  FILE_TOO_LARGE: {
    title: '内容过大，无法这样处理。',
    advice: '可以用其他程序打开它；要删除时，请选择永久删除。',
  },
  NO_DESKTOP: { title: '没有可以显示它的屏幕。', advice: '请改为复制路径。' },
  RUN_NOT_FOUND: { title: '这次运行已不存在。', advice: '现有的内容都在“工作”中。' },
  RUN_AMBIGUOUS: { title: '有多次运行符合。', advice: '请指明是哪一次。' },
  RUN_LOCKED: { title: '它正在别处运行。', advice: '请等它结束，或先停止它，然后重试。' },
  RUN_NOT_READY: { title: '现在还不能这样做。', advice: '请先停止正在进行的内容，或查看它在等待什么。' },
  CONVERSATION_NOT_FOUND: { title: '这个对话已不存在。', advice: '现有的内容都在“工作”中。' },
  CONVERSATION_AMBIGUOUS: { title: '有多个对话符合。', advice: '请指明是哪一个。' },
  E_PRECONDITION_FAILED: { title: '期间内容已被修改。', advice: '请重新查看，然后重试。' },
  E_INTERNAL: { title: 'CrewAgent 自身出错了。', advice: '继续运行即可重试。' },
  STATE_FULL: { title: '状态文档已满。', advice: '请在“状态”中精简它，然后继续。' },
  STATE_DAMAGED: { title: '无法读取状态文档。', advice: '请在“状态”中修复，或退回一步。' },
  CASSETTE_INVALID: { title: '无法播放这段录制。', advice: '请重新录制，或选择其他文件。' },
  CASSETTE_MISMATCH: { title: '与录制的内容不一致。', advice: '请重新录制。' },
  stopped: { title: '已停止，可以随时继续。', why: '', advice: '' },
  rewound: { title: '你已把运行退回。', why: '', advice: '说出要改的地方，或继续运行。' },
  interrupted: { title: '运行被中断。', why: '', advice: '没有丢失任何内容，点“继续”即可从这里接着进行。' },
  LLM_AUTH_FAILED: { title: '模型不接受这个密钥。', advice: '请在设置中检查密钥，然后继续。' },
  LLM_TIMEOUT: { title: '模型没有及时回答。', advice: '继续运行即可再次询问。' },
  LLM_HTTP_ERROR: { title: '无法连接到模型。', advice: '请检查地址和网络，然后继续。' },
  LLM_BAD_RESPONSE: { title: '无法读懂模型的回答。', advice: '继续运行再次询问，或换一个模型。' },
  LLM_RATE_LIMITED: { title: '服务商要求稍候。', advice: '请稍等片刻，然后继续。' },
  LLM_CONTEXT_EXCEEDED: {
    title: '内容超出了模型的容量。',
    advice: '请选择上下文更大的模型，然后继续。',
  },
  CONTEXT_STILL_TOO_LARGE: {
    title: '压缩之后仍超出模型的容量。',
    advice: '请选择上下文更大的模型，然后继续。',
  },
  ENGINE_MAX_TURNS_EXCEEDED: {
    title: '运行用完了允许的轮数。',
    why: '这一步已经进行了 {{maxTurns}} 轮。',
    advice: '看看它做了什么；继续运行会再给同样多的轮数，也可以告诉它接下来怎么做。',
  },
  ENGINE_LOOP_DETECTED: {
    title: '模型在原地打转。',
    why: '它反复做同样的调用，没有任何进展。',
    advice: '请用你的话告诉它该怎么改，或继续运行让它再试一次。',
  },
  ENGINE_BUDGET_EXCEEDED: {
    title: '运行的预算已用完。',
    advice: '继续运行会再给同样的额度，也可以先在设置中提高预算。',
  },
  PRICE_UNKNOWN: { title: '无法得知费用。', advice: '请为这个模型填写价格，或改为限制令牌数。' },
  TOO_MANY_CALLS: { title: '模型一次请求得过多。', advice: '' },
  E_OUTPUTS_MISSING: {
    title: '模型想在文件未写全时离开这一步。',
    advice: '它已被告知缺少哪些文件。',
  },
  OUTPUT_MISSING: { title: '这一步没有写完应写的文件。', advice: '可以要求它补上，或重做这一步。' },
  LOG_DAMAGED: { title: '日志有一部分无法读取。', advice: '以状态文档为准，运行可以继续。' },
  context_reset: { title: '这一步将从头告诉模型。', advice: '' },
  context_effective: { title: '较早的工具结果已概括成文字', advice: '' },
  context_noop: { title: '没有可以压缩的内容', advice: '' },
  context_failed: { title: '压缩没有成功', advice: '' },
} as const;

export const faultsTexts = inBoth(
  {
    fault: {
      title: 'This did not work.',
      broken: {
        title: 'This part of the page broke.',
        why: 'That is a fault of the program. Your files and your work are safe on this machine.',
        advice: 'Try again. If it breaks again, reload the page.',
      },
      notLoaded: {
        title: 'This part of the page could not be loaded.',
        why: 'The program was upgraded, or does not answer any more, while this page was open.',
        advice: 'Reload the page. If that does not help, start the program again.',
      },
      again: 'Try again',
      reload: 'Reload the page',
      details: 'Details',
    },
    problem: english,
  },
  {
    fault: {
      title: '没有成功。',
      broken: {
        title: '页面的这一部分出错了。',
        why: '这是程序的错误。你的文件和工作都在这台电脑上，没有受影响。',
        advice: '请重试；如果再次出错，请重新加载页面。',
      },
      notLoaded: {
        title: '无法加载页面的这一部分。',
        why: '页面打开期间，程序已升级，或者不再回应。',
        advice: '请重新加载页面；如果没有用，请重新启动程序。',
      },
      again: '重试',
      reload: '重新加载页面',
      details: '详情',
    },
    problem: chinese,
  },
);
