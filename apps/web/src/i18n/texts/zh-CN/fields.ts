/** Fields of forms, by the path of the field in its schema. */

export const fields = {
  form: {
    missing: '请填写。',
    wrong: {
      whole: '请输入不小于 {{least}} 的整数。',
      least: '请输入不小于 {{least}} 的数。',
      above: '请输入大于 {{above}} 的数。',
      range: '请输入 {{least}} 到 {{most}} 之间的数。',
      url: '请输入如 https://example.com 的地址。',
      text: '无法使用此内容。',
    },
    units: { kb: 'KB', usd: '美元', seconds: '秒', minutes: '分钟' },
    on: '开',
    off: '关',
    choose: '请选择…',
    discardTitle: '放弃已输入的内容吗？',
    discardText: '这些内容尚未保存。',
    discard: '放弃',
  },
  fields: {
    limits: {
      maxTurns: { label: '每步最大轮数', hint: '模型在一步中回复多少次后暂停等待你确认。' },
      maxTokens: { label: 'token 上限', hint: '发送和接收的总量，达到后运行会暂停。' },
      maxCostUsd: { label: '费用上限', hint: '已知模型价格时计算。' },
      maxMinutes: { label: '时间上限', hint: '只计算工作时间，不含等待你的时间。' },
    },
    context: {
      scope: {
        label: '模型记忆',
        hint: '越少越快、越省；文件和变量始终保留。',
        options: {
          node: { label: '当前步骤', hint: '每个步骤重新开始。推荐。' },
          run: { label: '整次运行', hint: '到目前为止的全部对话，过长时会压缩。' },
        },
      },
      prefetchBytes: {
        label: '随步骤发送的文件',
        hint: '步骤需要的文件会随步骤一起发送，总量不超过此大小，可减少请求次数。设为 0 则关闭。',
      },
    },
    tools: {
      approval: {
        label: '权限',
        words: '批准 审批 权限 确认 允许',
        options: {
          'read-only': {
            label: '只读',
            hint: '智能体只读取和对话，不作任何改动。工作流需要写入文件，因此不适用。',
          },
          ask: { label: '先询问我', hint: '写入成果文件夹无需询问；其他改动会先给你看，由你允许或拒绝。' },
          declared: {
            label: '仅限声明的文件',
            hint: '步骤可使用它声明的文件；读取或改动其他文件前会询问你。在对话中与“先询问我”相同。',
          },
          autopilot: { label: '自动执行', hint: '改动立即生效，全部可以撤销。' },
        },
      },
      fs: {
        enabled: { label: '文件', hint: '智能体可以在项目文件夹里读取、搜索和写入。' },
        secretPatterns: {
          label: '其他机密文件',
          hint: '智能体不能读取的文件名，每行一个；* 匹配任意内容。密钥、.env 等文件始终是机密。',
        },
        runsLaterPatterns: {
          label: '其他稍后会运行的文件',
          hint: '智能体的每次改动都需要你允许的文件名，每行一个；* 匹配任意内容。钩子、构建文件等始终需要询问。',
        },
        maxReadBytes: { label: '可读取的最大文件', hint: '更大的文件分段读取。' },
        inlineReadBytes: { label: '单次读取量', hint: '一次读取文件的多少内容。' },
        maxWriteBytes: { label: '可写入的最大文件', hint: '超过此大小的写入会被拒绝。' },
      },
      artifactsDir: { label: '成果文件夹', hint: '位于项目中。除非另有说明，智能体会将成果保存在这里。' },
      toolTimeoutMs: { label: '工具时限', hint: '超时的工具会被停止。' },
      mcp: {
        enabled: { label: '使用 MCP 服务器', hint: '关闭后不会启动任何服务器，模型也看不到它们的工具。' },
      },
      strictState: { label: '严格状态', hint: '只能通过专用工具完成步骤。有助于较弱的模型。' },
      strictOutputs: { label: '严格产出', hint: '缺少预期文件时，不能完成该步骤。' },
      readAhead: { label: '提前阅读', hint: '允许模型阅读后面的步骤。它可能因此不按顺序执行。' },
    },
    person: {
      name: { label: '名字', hint: '留空则使用你的账户名。' },
      language: { label: '语言', hint: '回复使用的语言。留空则使用这台电脑的语言。' },
      documentLanguage: { label: '文档语言', hint: '写入文件使用的语言。留空则与上面相同。' },
    },
    appearance: {
      theme: {
        label: '主题',
        words: '深色模式 浅色模式 夜间 颜色',
        options: { system: { label: '跟随系统' }, light: { label: '浅色' }, dark: { label: '深色' } },
      },
      density: { label: '密度', options: { comfortable: { label: '宽松' }, compact: { label: '紧凑' } } },
      fontSize: {
        label: '字号',
        options: { small: { label: '小' }, medium: { label: '默认' }, large: { label: '大' } },
      },
      detail: {
        label: '对话的详细程度',
        options: {
          quiet: { label: '简洁', hint: '消息、文件和决定。' },
          normal: { label: '标准', hint: '另显示步骤转换的标签和变量。' },
          all: { label: '全部', hint: '另显示运行时的说明。' },
        },
      },
      language: { label: '语言', unset: '跟随浏览器' },
      sound: { label: '提示音', hint: '有事项需要你处理时播放。' },
    },
    shell: {
      enabled: { label: '允许智能体运行命令' },
      network: { label: '命令可以使用网络' },
      git: { label: 'Git 可以记录改动（不能修改其配置和钩子）' },
      hosts: {
        label: '命令可以访问的主机',
        hint: '每行一个名称，例如 api.example.org、*.example.org 或 api.example.org:8443。',
        wrong: '请填写公网主机名；不能允许 IP 地址或内网名称。',
      },
      allow: {
        label: '无需询问的命令',
        hint: '每行一条规则，写命令开头的几个词。含有 ; | $ 等 shell 字符的命令始终需要询问。',
        wrong: '请使用普通的词；像 sh 这样可以运行任意内容的程序，还需要写出后面的词。',
      },
    },
    hook: {
      name: { label: '名称', hint: '字母、数字、点和连字符。' },
      on: { label: '调用时机', missing: '请至少选择一项。', wrong: '请至少选择一项。' },
      kind: {
        label: '钩子类型',
        options: {
          program: { label: '这台电脑上的程序' },
          address: { label: '网址（HTTP POST）' },
        },
      },
      command: { label: '程序' },
      args: { label: '参数', hint: '每行一个。' },
      isSandboxed: { label: '在沙箱中运行' },
      hosts: { label: '可以访问的主机', hint: '每行一个；留空则不能使用网络。' },
      url: { label: 'URL 地址', hint: 'https 地址，或本机地址。' },
      secretEnv: { label: '密钥所在的变量', hint: '环境变量的名称，请求用它的值签名。' },
      body: { label: '请求正文', hint: 'JSON；双花括号中的名称（如 summary）会被替换。留空则发送全部内容。' },
      timeoutSeconds: { label: '多少秒后停止' },
      failsClosed: { label: '失败时拒绝' },
    },
    server: {
      id: {
        label: '名称',
        hint: '字母、数字和连字符。',
        wrong: '最多 32 个字母、数字，中间可用连字符；“describe”为保留名称。',
      },
      kind: {
        label: '服务器类型',
        options: {
          program: { label: '这台电脑上的程序' },
          address: { label: '网址（streamable HTTP）' },
        },
      },
      command: { label: '程序' },
      args: { label: '参数', hint: '每行一个。' },
      isSandboxed: { label: '在沙箱中运行，不使用网络' },
      url: { label: 'URL 地址' },
      env: {
        label: '环境变量',
        hint: '每行一个 NAME=value。值会作为机密保存，之后不再显示。',
        wrong: '每行都需要名称和值：NAME=value。',
      },
      headers: {
        label: '请求头',
        hint: '每行一个 NAME=value。值会作为机密保存，之后不再显示。',
        wrong: '每行都需要名称和值：NAME=value。',
      },
      enabled: { label: '使用 {{server}}' },
      trusted: { label: '信任 {{server}}', hint: '相信它对工具的说明：只读工具无需询问即可运行。' },
      sandbox: {
        label: '在沙箱中运行 {{server}}',
        network: { label: '允许 {{server}} 使用网络' },
        git: { label: '允许 {{server}} 用 Git 记录改动' },
      },
    },
    model: {
      provider: { label: '服务商' },
      model: { label: '模型', hint: '服务商使用的模型名称。', missing: '请填写模型名称。' },
      baseUrl: {
        label: '地址',
        hint: '留空则使用默认地址。',
        missing: '请填写模型的地址。',
        wrong: '请填写如 https://models.example.com/v1 的地址，不含用户名。',
      },
      key: {
        label: 'API 密钥',
        missing: '请填写密钥。',
        refused: '服务商拒绝了这个密钥。请检查，或创建一个新密钥。',
      },
      addedKey: {
        name: {
          label: '密钥名称',
          hint: '用于区分多个密钥，例如“工作”。',
          missing: '最多 24 个字符，可用文字、数字、空格和横线。',
          wrong: '最多 24 个字符，可用文字、数字、空格和横线。',
          taken: '已有同名密钥。',
        },
        key: { label: '另一个 API 密钥', missing: '请填写密钥。' },
      },
      name: {
        label: '显示名称',
        hint: '留空则使用模型名称。',
        wrong: '只能使用字母、数字、点和横线；“rehearsal”为保留名称。',
        taken: '已有同名模型。',
      },
      apiKeyEnv: { label: '保存密钥的环境变量', hint: '用于代替已保存的密钥。只记录变量名。' },
      contextTokens: { label: '上下文大小' },
      maxOutputTokens: { label: '最大输出' },
      temperature: { label: '温度' },
      size: {
        label: '模型规模',
        hint: '小模型使用更短的规则，每个步骤只提供所需的工具。',
        unset: '自动',
        options: { small: { label: '小' }, full: { label: '完整' } },
      },
      pictures: {
        label: '图片',
        hint: '模型收到你附上的图片，还是只收到文件名。',
        unset: '自动',
        options: { send: { label: '发送' }, omit: { label: '仅文件名' } },
      },
      limits: {
        label: '所有执行节点合计使用此模型密钥的上限',
        requestsPerMinute: { label: '每分钟请求数' },
        concurrentRequests: { label: '同时请求数' },
      },
      prices: {
        label: '每百万 token 的美元价格，用于计算费用',
        input: { label: '输入', missing: '输入和输出价格要一起填写。' },
        cachedInput: { label: '缓存输入' },
        output: { label: '输出', missing: '输入和输出价格要一起填写。' },
      },
    },
    builtin: {
      place: { label: 'GGUF 文件', hint: '这台电脑上的完整路径（文件会留在原处），或 https 地址。' },
      sha256: { label: 'SHA-256 校验和', hint: '64 位，由文件发布者提供。校验和不符的文件不会安装。' },
    },
  },
};
