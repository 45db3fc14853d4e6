/**
 * Findings of a validation in Chinese: what is wrong, and what to do. A sentence that is not known is told by its code, with the names of
 * the English message. Loaded where findings are shown in Chinese.
 */
import type { Diagnostic, DiagnosticCode } from '../../diagnostics.ts';
import { translateFix, translateMessage } from './finding-sentences.ts';

export interface TranslatedFinding {
  readonly message: string;
  readonly fix: string;
}

type Finding = Pick<Diagnostic, 'code' | 'message' | 'fix'>;

export function toChineseFinding(finding: Finding): TranslatedFinding {
  const { message, fix } = toGeneral(finding);
  const translated = translateMessage(finding.message);
  return {
    message: translated === undefined ? message : `${translated}。`,
    fix: translateFix(finding.fix) ?? fix,
  };
}

/** By its code. */
function toGeneral({ code, message }: Finding): TranslatedFinding {
  const [what, fix] = FINDINGS[code];
  const names = [...new Set([...message.matchAll(/"([^"]{1,120})"/g)].map(([, name = '']) => name))];
  const about = names.length === 0 ? '' : `：${names.map((name) => `“${name}”`).join('、')}`;
  return { message: `${what}${about}。`, fix: `${fix}。` };
}

export const FINDINGS: Readonly<Record<DiagnosticCode, readonly [what: string, fix: string]>> = {
  NOT_FOUND: ['找不到这个文件或文件夹', '请检查路径，相对路径从当前文件夹算起'],
  NOT_READABLE: ['无法读取', '请检查文件的读取权限后重试'],
  NOT_AN_ARCHIVE: ['这不是 .bmad 文件', '请选择 .bmad 文件，或包含 bmad.json 的文件夹'],
  ARCHIVE_DAMAGED: ['文件已损坏', '请确认文件可读，或重新下载工作包'],
  ENTRY_NAME_UNSAFE: ['包内的文件名不安全', '请改名后重新打包'],
  ENTRY_IS_LINK: ['包内含有链接', '请换成普通文件后重新打包'],
  ENTRY_IS_SPECIAL: ['包内含有特殊文件', '工作包只能包含普通文件，请将其移除'],
  ENTRY_DUPLICATE: ['包内有同名文件', '每个名称只保留一个文件'],
  ENTRY_CLASH: ['名称在部分系统上会互相冲突', '请修改其中一个名称'],
  ENTRY_ENCRYPTED: ['文件已加密', '请不加密码重新打包'],
  ENTRY_METHOD_UNKNOWN: ['压缩方式不受支持', '请用普通的 ZIP 方式重新打包'],
  TOO_MANY_ENTRIES: ['文件数量超过上限', '请减少包内的文件'],
  FILE_TOO_LARGE: ['文件超过大小上限', '请缩小或移除这个文件'],
  PACKAGE_TOO_LARGE: ['工作包超过大小上限', '请移除不需要的文件'],
  RATIO_TOO_HIGH: ['压缩比异常，解压后可能占满磁盘', '请不要安装，并联系作者'],
  NOT_A_PACKAGE: ['缺少 bmad.json，这不是工作包', '请选择包含 bmad.json 的文件夹或 .bmad 文件'],
  CLASSIC_BMAD: ['这是旧式工作流，没有流程图', '请先用 crewagent import 转换'],
  FORMAT_UNSUPPORTED: ['工作包格式的版本不受支持', '请更新 CrewAgent，或向作者索取 1.1 格式的工作包'],
  MISSING_FILE: ['包内缺少引用的文件', '请补上文件，或改正路径'],
  NOT_UTF8: ['文件不是 UTF-8 文本', '请另存为 UTF-8 编码'],
  BAD_JSON: ['JSON 语法有误', '请在所示行检查逗号、引号和括号'],
  BAD_FRONTMATTER: ['文件头无法读取', '请检查两行 --- 之间的 YAML'],
  UNSAFE_VALUE: ['内容过深、过大或不安全', '请简化这份文档'],
  SCHEMA: ['内容不符合格式', '请按照格式改正'],
  DUPLICATE_ID: ['ID 重复', '请为每一项设置不同的 ID'],
  UNKNOWN_NODE: ['流程图中没有这个步骤', '请使用已有步骤的 ID，或添加这个步骤'],
  UNKNOWN_AGENT: ['没有这个智能体', '请使用已有智能体的 ID，或添加这个智能体'],
  NODE_ID_MISMATCH: ['步骤文件与流程图中的 ID 不一致', '请改成相同的 ID'],
  SUBWORKFLOW_MISSING: ['找不到要调用的子工作流', '请写明 workflow.md 的路径，或 bmad.json 中的工作流 ID'],
  SUBWORKFLOW_WITHOUT_GRAPH: ['子工作流旁边没有流程图', '请将 workflow.graph.json 放入它的文件夹'],
  CALL_CYCLE: ['工作流互相循环调用', '请去掉其中一个调用；循环应画在同一张流程图里'],
  CALL_TOO_DEEP: ['子工作流嵌套过深', '请减少嵌套层数'],
  PROOF_INVALID: ['检查项的写法无效', '请按照格式改正'],
  PROOF_FILE_UNREADABLE: ['检查所用的模板或 Schema 无法读取', '请补上文件，或改正路径'],
  TOO_MANY_ERRORS: ['错误过多，其余未列出', '请先解决以上问题，再重新检查'],
  NO_END_REACHABLE: ['从起点无法到达终点', '请添加通往终点的连线'],
  CYCLE_WITHOUT_EXIT: ['循环没有出口', '请添加离开循环的连线'],
  NODE_UNREACHABLE: ['没有连线通往这个步骤', '请添加连线，或移除这个步骤'],
  DECISION_WITHOUT_CHOICE: ['决策步骤没有可选的路径', '请为每个选项添加连线，或改为普通步骤'],
  DECISION_WITHOUT_DEFAULT: ['决策步骤没有默认路径', '请在其中一条连线上设置 isDefault: true'],
  SEVERAL_DEFAULTS: ['默认路径不止一条', '请只在一条连线上保留 isDefault: true'],
  TRANSITIONS_DISAGREE: ['步骤文件中的路径与流程图不一致', '请改成一致；运行以流程图为准'],
  SUBWORKFLOW_WITHOUT_TARGET: ['没有写明要调用的工作流，将按普通步骤运行', '请在步骤中写明 subworkflow'],
  TYPES_DISAGREE: ['步骤文件与流程图中的类型不一致', '请写成相同的类型'],
  BLANK_AGENT: ['agentId 为空，视为没有填写', '请移除这个键，或填写智能体'],
  STEP_AGENT_UNKNOWN: ['agents.json 中没有这个智能体，已忽略', '请使用已有智能体的 ID，或移除这个键'],
  BLANK_DATE: ['日期为空，视为没有填写', '请移除这个键'],
  TYPED_INPUT_INVALID: ['问题的定义无效，已忽略', '请检查 name、prompt、type、default、choices 和 scope'],
  KEY_MISSPELT: ['不认识这个键，可能是拼写有误', '请改正拼写，或换一个不相近的名称'],
  UNLISTED_WORKFLOW: ['bmad.json 没有列出这个工作流', '请将它列入 bmad.json，或移除它'],
  MENU_ITEM_HIDDEN: ['菜单项对所有人都不可见', '请去掉 ide-only 或 web-only'],
  MENU_ITEM_DEAD: ['菜单项没有有效的目标', '请指向包内的工作流、脚本、动作或提示'],
  FIELD_UNUSED: ['运行时不使用这个字段', '请移除它，或写进 persona、systemPrompt 或 prompts'],
  TOOL_SERVER_UNKNOWN: ['此电脑没有配置这个工具服务', '请在运行前完成配置，否则缺少它的工具'],
  REFERENCE_MISSING: ['文中引用的文件不存在', '请补上文件，或改正引用'],
  STEP_LINK_WITHOUT_EDGE: ['文中提到的步骤没有连线可以到达', '请在流程图中添加连线，或移除引用'],
  VARIABLE_UNKNOWN: ['文中的变量没有定义', '请定义变量，或改正名称'],
  TOOL_UNAVAILABLE: ['文中提到的工具不可用', '请改用可用的工具'],
  OUTPUT_OUTSIDE_PROJECT: [
    '输出文件不在项目内，运行无法写入',
    '请改用项目内的相对路径，例如 artifacts/report.md',
  ],
  SECRET_FILE: ['这类文件通常含有机密，模型无法读取', '请移出工作包；如不含机密，请改名'],
  INTEGRITY_IGNORED: ['工作包不能包含自己的校验和，因此未检查', '请把校验和公布在工作包之外'],
  RUNTIME_TOO_OLD: ['工作包需要更新的 CrewAgent', '如运行不正常，请更新 CrewAgent'],
  ABOUT_INVALID: ['about.json 中的这一项无效，已忽略', '请改正或删除这一项'],
  ENGINE_UNSUPPORTED: [
    '工作包适用于其他版本的 CrewAgent，不能安装',
    '请安装适用于此版本的工作包，或更新 CrewAgent',
  ],
  TOO_MANY_WARNINGS: ['警告过多，其余未列出', '请先解决以上问题，再重新检查'],
  NOTHING_TO_PROVE: ['这一步没有任何检查，未完成也能离开', '请在文件头添加 waits 或 produces'],
  TOO_MUCH_ADVICE: ['建议过多，其余未列出', '请先处理以上建议，再重新检查'],
};
