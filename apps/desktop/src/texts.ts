/** Texts of menus, dialogs and notifications, in the languages of the page. */
import type { Language } from '@crewagent/protocol/languages';

const en = {
  file: 'File',
  edit: 'Edit',
  view: 'View',
  run: 'Run',
  window: 'Window',
  newConversation: 'New conversation',
  openFolder: 'Open folder…',
  openPackage: 'Open package…',
  settings: 'Settings…',
  quit: 'Quit CrewAgent',
  stop: 'Stop',
  resume: 'Resume',
  start: 'Start',
  packages: 'Packages',
  nextTab: 'Next tab',
  previousTab: 'Previous tab',
  show: 'Show CrewAgent',
  waiting: (count: number) =>
    count === 0
      ? 'Nothing is waiting for you'
      : count === 1
        ? '1 conversation is waiting for you'
        : `${count} conversations are waiting for you`,
  untitled: 'Conversation',
  asking: 'Waiting for you',
  completed: 'Completed',
  failed: 'Failed',
  quitWhileRunning: (count: number) =>
    count === 1
      ? 'A conversation is running. Quit anyway?'
      : `${count} conversations are running. Quit anyway?`,
  quitDetail: 'Running conversations will be stopped. You can resume them next time.',
  cancel: 'Cancel',
  install: 'Install',
  installPackage: (name: string) => `Install the package "${name}"?`,
  installDetail: 'Packages contain workflows and agents. Nothing runs until you start it.',
  actionFailed: 'The action could not be completed.',
  serverLost: 'The local server stopped and was restarted.',
  serverLostDetail: 'Running conversations were stopped. You can resume them.',
  serverFailed: 'The local server could not be started.',
};

export type Texts = typeof en;

const zhCn: Texts = {
  file: '文件',
  edit: '编辑',
  view: '视图',
  run: '运行',
  window: '窗口',
  newConversation: '新建任务',
  openFolder: '打开文件夹…',
  openPackage: '打开工作包…',
  settings: '设置…',
  quit: '退出 CrewAgent',
  stop: '停止',
  resume: '继续',
  start: '开始',
  packages: '工作包',
  nextTab: '下一个标签页',
  previousTab: '上一个标签页',
  show: '显示 CrewAgent',
  waiting: (count) => (count === 0 ? '没有等待你处理的任务' : `${count} 个任务等待你处理`),
  untitled: '对话',
  asking: '等待你处理',
  completed: '已完成',
  failed: '失败',
  quitWhileRunning: (count) => `有 ${count} 个任务正在运行。仍要退出吗？`,
  quitDetail: '正在运行的任务会停止，下次可以继续。',
  cancel: '取消',
  install: '安装',
  installPackage: (name) => `要安装工作包“${name}”吗？`,
  installDetail: '工作包包含工作流和智能体。在你启动之前不会运行任何内容。',
  actionFailed: '操作未能完成。',
  serverLost: '本地服务已停止并重新启动。',
  serverLostDetail: '正在运行的任务已停止，可以继续。',
  serverFailed: '无法启动本地服务。',
};

export const TEXTS: Readonly<Record<Language, Texts>> = { en, 'zh-CN': zhCn };
