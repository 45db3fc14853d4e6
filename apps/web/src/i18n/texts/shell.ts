/** The frame of the page, and words that are the same everywhere. */
import { inBoth } from './in-both.ts';

export const shellTexts = inBoth(
  {
    action: {
      cancel: 'Cancel',
      close: 'Close',
      yes: 'Yes',
      no: 'No',
    },
    connection: {
      none: 'No server behind this page',
      how: 'Start it, and open the address it prints:',
      lost: 'The server does not answer this page.',
    },
    fault: {
      title: 'This did not work.',
      notReached:
        'CrewAgent is not running, or cannot be reached. Start it again; nothing you typed is lost.',
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
    palette: {
      title: 'Commands',
      placeholder: 'What do you want to do?',
      empty: 'Nothing is called that.',
      go: 'Go to',
      view: 'View',
      project: 'Project',
      newConversation: 'New conversation',
    },
    phase: {
      Running: 'Running',
      WaitingUser: 'Waits for you',
      Completed: 'Complete',
      Failed: 'Failed',
      isComplete: 'The workflow is complete',
    },
    problem: {
      unknown: {
        title: 'Something needs your attention.',
        advice: '',
      },
      stopped: {
        title: 'Stopped. It can be resumed at any time.',
        advice: '',
      },
      rewound: {
        title: 'You took the run back.',
        advice: 'Say what should be different, or resume it.',
      },
      interrupted: {
        title: 'The run was cut off.',
        advice: 'Nothing is lost: resume it with /resume.',
      },
      LLM_AUTH_FAILED: {
        title: 'The model did not accept the key.',
        advice: 'Check the key in Settings, then resume.',
      },
      LLM_TIMEOUT: {
        title: 'The model did not answer in time.',
        advice: 'Resume to ask it again.',
      },
      LLM_HTTP_ERROR: {
        title: 'The model could not be reached.',
        advice: 'Check the address and your connection, then resume.',
      },
      LLM_BAD_RESPONSE: {
        title: 'The model answered in a way that cannot be read.',
        advice: 'Resume to ask it again, or choose another model.',
      },
      LLM_RATE_LIMITED: {
        title: 'The provider wants a pause.',
        advice: 'Wait a moment, then resume.',
      },
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
        advice: 'Look at what it did. Resume if it should go on.',
      },
      ENGINE_LOOP_DETECTED: {
        title: 'The model goes in circles.',
        advice: 'Tell it in your words what to do differently.',
      },
      ENGINE_BUDGET_EXCEEDED: {
        title: 'The budget of the run is used up.',
        advice: 'Raise it in Settings, then resume.',
      },
      STATE_DAMAGED: {
        title: 'The state document cannot be read.',
        advice: 'Mend it under State, or go back a step.',
      },
      context_reset: {
        title: 'The step is told to the model again from its beginning.',
        advice: '',
      },
      context_effective: {
        title: 'Old tool results were put into words',
        advice: '',
      },
      context_noop: {
        title: 'There was nothing left to shorten',
        advice: '',
      },
      context_failed: {
        title: 'Shortening did not work',
        advice: '',
      },
    },
    rail: {
      label: 'Places',
      start: 'Start',
      files: 'Files',
      works: 'Works',
      packages: 'Packages',
      settings: 'Settings',
    },
    shell: {
      skip: 'Skip to the content',
      resize: 'Resize the panes',
    },
    shortcuts: {
      title: 'Keyboard shortcuts',
      send: 'Send the message',
      break: 'A new line',
      command: 'A command, at the start of a message',
      file: 'Mention a file',
    },
    status: {
      label: 'Status',
      project: 'Project {{name}}',
      package: 'Package {{name}}',
      model: 'Model {{name}}',
      rehearsal: 'Rehearsal (no model)',
      context: 'Context: {{used}} of {{size}} tokens',
      contextLabel: 'Context in use',
      cost: 'Cost so far: {{cost}}',
      phase: 'Phase: {{phase}}',
    },
    text: {
      code: 'Code',
      copy: 'Copy',
      copied: 'Copied',
      notCopied: 'The browser did not allow copying',
      image: 'Picture not loaded',
      imageNamed: 'Picture not loaded: {{name}}',
      longText: 'Long text',
      opensOutside: 'opens outside',
      showAll: 'Show all',
      table: 'Table',
      showMore: 'Show more ({{size}} left)',
    },
    toast: {
      label: 'News',
    },
    usage: {
      tokens: '{{tokens}} tokens',
    },
    workspace: {
      tabs: 'Open tabs',
      dirty: 'Not saved',
      closeTab: 'Close {{title}}',
      unsavedTitle: 'Close “{{title}}” without saving?',
      unsavedText: 'What you wrote since the last save is lost.',
      closeUnsaved: 'Close without saving',
    },
  },
  {
    action: {
      cancel: '取消',
      close: '关闭',
      yes: '是',
      no: '否',
    },
    connection: {
      none: '此页面没有连接到服务',
      how: '请启动服务，并打开它显示的地址：',
      lost: '服务没有回应此页面。',
    },
    fault: {
      title: '没有成功。',
      notReached: 'CrewAgent 没有运行，或无法连接。请重新启动它；你输入的内容不会丢失。',
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
    palette: {
      title: '命令',
      placeholder: '你想做什么？',
      empty: '没有找到。',
      go: '前往',
      view: '查看',
      project: '项目',
      newConversation: '新对话',
    },
    phase: {
      Running: '运行中',
      WaitingUser: '等待你',
      Completed: '已完成',
      Failed: '失败',
      isComplete: '流程已完成',
    },
    problem: {
      unknown: {
        title: '有情况需要你留意。',
        advice: '',
      },
      stopped: {
        title: '已停止，可以随时继续。',
        advice: '',
      },
      rewound: {
        title: '你已把运行退回。',
        advice: '说出要改的地方，或继续运行。',
      },
      interrupted: {
        title: '运行被中断。',
        advice: '没有丢失任何内容：用 /resume 继续。',
      },
      LLM_AUTH_FAILED: {
        title: '模型不接受这个密钥。',
        advice: '请在设置中检查密钥，然后继续。',
      },
      LLM_TIMEOUT: {
        title: '模型没有及时回答。',
        advice: '继续运行即可再次询问。',
      },
      LLM_HTTP_ERROR: {
        title: '无法连接到模型。',
        advice: '请检查地址和网络，然后继续。',
      },
      LLM_BAD_RESPONSE: {
        title: '无法读懂模型的回答。',
        advice: '继续运行再次询问，或换一个模型。',
      },
      LLM_RATE_LIMITED: {
        title: '服务商要求稍候。',
        advice: '请稍等片刻，然后继续。',
      },
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
        advice: '看看它做了什么；需要的话继续运行。',
      },
      ENGINE_LOOP_DETECTED: {
        title: '模型在原地打转。',
        advice: '请用你的话告诉它该怎么改。',
      },
      ENGINE_BUDGET_EXCEEDED: {
        title: '运行的预算已用完。',
        advice: '请在设置中提高预算，然后继续。',
      },
      STATE_DAMAGED: {
        title: '无法读取状态文档。',
        advice: '请在“状态”中修复，或退回一步。',
      },
      context_reset: {
        title: '这一步将从头告诉模型。',
        advice: '',
      },
      context_effective: {
        title: '较早的工具结果已概括成文字',
        advice: '',
      },
      context_noop: {
        title: '没有可以压缩的内容',
        advice: '',
      },
      context_failed: {
        title: '压缩没有成功',
        advice: '',
      },
    },
    rail: {
      label: '导航',
      start: '开始',
      files: '文件',
      works: '工作',
      packages: '包',
      settings: '设置',
    },
    shell: {
      skip: '跳到内容',
      resize: '调整面板大小',
    },
    shortcuts: {
      title: '键盘快捷键',
      send: '发送消息',
      break: '换行',
      command: '命令（在消息开头）',
      file: '引用文件',
    },
    status: {
      label: '状态栏',
      project: '项目 {{name}}',
      package: '包 {{name}}',
      model: '模型 {{name}}',
      rehearsal: '排练（无模型）',
      context: '上下文：{{used}} / {{size}} 个 token',
      contextLabel: '上下文用量',
      cost: '目前费用：{{cost}}',
      phase: '阶段：{{phase}}',
    },
    text: {
      code: '代码',
      copy: '复制',
      copied: '已复制',
      notCopied: '浏览器不允许复制',
      image: '未加载图片',
      imageNamed: '未加载图片：{{name}}',
      longText: '长文本',
      opensOutside: '在外部打开',
      showAll: '显示全部',
      table: '表格',
      showMore: '显示更多（还有 {{size}}）',
    },
    toast: {
      label: '通知',
    },
    usage: {
      tokens: '{{tokens}} 个 token',
    },
    workspace: {
      tabs: '打开的标签页',
      dirty: '未保存',
      closeTab: '关闭 {{title}}',
      unsavedTitle: '不保存就关闭“{{title}}”吗？',
      unsavedText: '上次保存之后写的内容将会丢失。',
      closeUnsaved: '不保存并关闭',
    },
  },
);
