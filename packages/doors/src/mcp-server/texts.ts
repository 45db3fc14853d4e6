/** What the host's model is told about this server, besides the texts of the run itself. */

export interface Facts {
  readonly runId: string;
  readonly projectPath: string;
  readonly artifactsDir: string;
  /** Whether the host shows forms to the person. */
  readonly asksPerson: boolean;
}

export const INSTRUCTIONS = `This server runs expert workflows, one step at a time, and checks each step before it is left. You do the work with your own tools; the server keeps the process and its record.
Start with list_workflows and start_workflow, or resume_workflow. Each brief names the current step. Do only that step, write its files, then call complete_node. If a call is rejected, read the error and change what is missing; never repeat it unchanged.`;

/** How the texts of a run, which were written for the tools of our own models, are meant for a host. */
export function toGuide({ runId, projectPath, artifactsDir, asksPerson }: Facts): string {
  return `HOST_GUIDE
- run: ${runId}
- @project/ is ${projectPath}. Read and write there with your own tools; results go to ${projectPath}/${artifactsDir}/ unless the step says otherwise. This replaces fs_write, fs_apply_patch, fs_list and fs_search.
- @pkg/ and @state/ are read with read_file of this server, and so is a file that the brief says must be read: only that counts as read.
- runtime_complete_node is complete_node, runtime_update_state is set_variables. One call makes one move; the next brief comes with its result.
- ${asksPerson ? PERSON_BY_FORM : PERSON_BY_CHAT}
- NODE_BRIEF names the current step, STEP_FILE says what to do. Do only that, and never do the work of a later step ahead. A menu belongs to the person: never choose for them.
- If something that is checked cannot be done, tell the person. Only a person can waive it (waive).
END_HOST_GUIDE`;
}

const PERSON_BY_FORM =
  'ui_ask_user is ask_person. Where the step waits, call ask_person: words of the person that you pass on yourself do not count.';
const PERSON_BY_CHAT =
  'ui_ask_user is ask_person. This host cannot show forms: ask in your own chat, word for word, stop, and call report_answer with exactly what the person replied. The record calls such answers claimed, not proved. Never invent one.';

export const WAIVE_TEXTS = {
  en: { title: 'Go on although something is missing?', reason: 'Why is it fine without it?' },
  'zh-CN': { title: '缺少以下内容，仍要继续吗？', reason: '为什么可以不要求？' },
} as const;
